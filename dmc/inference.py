"""Inference of the actors: precision and library."""

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from dmc.config import Config
from rlcard_kit.agents import Positions, ValueFunction
from rlcard_kit.arrays import Float32Array
from rlcard_kit.nets.layers import can_pack, packed
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.games import LearnedGame
from training.machine import choose_precision, product, shortest

TORCH, ONEDNN, NUMPY = 'torch', 'oneDNN', 'numpy'  # oneDNN's operators in torch, with packed weights
GAMES, MOVES = 128, 20  # that are played, and how far, for the positions to measure on


class Inference(NamedTuple):
    """Precision and library of an actor, and the reason for them."""

    dtype: torch.dtype
    library: str = TORCH
    reason: str = 'as set'

    @property
    def name(self) -> str:
        """The precision and the library."""
        return f'{str(self.dtype).removeprefix("torch.")} in {self.library}'


class CopiedValues:
    """Computes the values of a network by copies of its weights, in numpy or packed for oneDNN.

    They equal those of torch up to rounding.

    Args:
        game: that is learned.
        network: in float32, on the CPU.
        inference: in a library that can compute the network.
    """

    def __init__(self, game: LearnedGame, network: MoveValueNetwork, inference: Inference) -> None:
        self._game, self._inference = game, inference
        self.renew(network)

    def renew(self, network: MoveValueNetwork) -> None:
        """Copy the weights of a network."""
        if self._inference.library == ONEDNN:
            self._values: ValueFunction | None = packed(network, self._inference.dtype)
        else:
            self._values = self._game.values_in_numpy(network)

    def __deepcopy__(self, memo: object) -> 'CopiedValues':
        return copy(self)  # of weights that never change: newer ones replace them

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        assert self._values is not None
        return self._values.values(positions)


def choose_inference(config: Config, game: LearnedGame) -> dict[str, Inference]:
    """Return how the actors of a run compute, by device: on the CPU, in the way that is measured to be fastest.

    A deterministic run measures nothing and computes in torch.
    """
    return {device: _choose(config, game, device) for device in dict.fromkeys(config.run.actor_devices)}


def _choose(config: Config, game: LearnedGame, device: str) -> Inference:
    if config.run.deterministic or device != 'cpu':
        dtype, reason = choose_precision(config.run, product(config.network.hidden_size, device))
        return Inference(dtype, reason=reason)
    names = ('float32', 'bfloat16') if config.run.precision == 'auto' else (config.run.precision,)
    dtypes, network = [getattr(torch, name) for name in names], game.make_network(config.spec)
    ways = [*map(Inference, dtypes), *(Inference(dtype, ONEDNN) for dtype in dtypes if can_pack(network, dtype))]
    if 'float32' in names and game.values_in_numpy(network) is not None:
        ways.append(Inference(torch.float32, NUMPY))
    if len(ways) == 1:
        return ways[0]
    seconds = _seconds(config, game, ways)
    best, *others = sorted(seconds, key=seconds.__getitem__)
    compared = ', '.join(f'{seconds[other] / seconds[best]:.1f} times as fast as {other.name}' for other in others)
    return best._replace(reason=f'measured: {compared}')


def some_positions(game: LearnedGame, rules: str) -> Positions:
    """Return positions in the middle of games played at random by some rules."""
    env = VectorEnv(game.card, rules, deal_streams(GAMES, 1))
    payoffs, done, random = env.new_payoffs(), np.empty(GAMES, np.bool_), np.random.default_rng(1)
    for _ in range(MOVES):
        _, moves, offsets = env.positions()
        env.step(moves[offsets[:-1] + (random.random(GAMES) * np.diff(offsets)).astype(int)], payoffs, done)
    return env.positions()


def _seconds(config: Config, game: LearnedGame, ways: Sequence[Inference]) -> dict[Inference, float]:
    """Return the shortest time in which each way evaluates some positions, in one thread."""
    positions, threads = some_positions(game, config.game.rules), torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return {way: shortest(partial(_evaluator(config.spec, game, way).values, positions)) for way in ways}
    finally:
        torch.set_num_threads(threads)


def _evaluator(spec: NetworkSpec, game: LearnedGame, way: Inference) -> ValueFunction:
    network = game.make_network(spec).eval()
    return network.to(way.dtype) if way.library == TORCH else CopiedValues(game, network, way)
