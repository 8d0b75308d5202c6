"""Inference of the actors: precision and backend, torch or numpy."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from dmc.config import Config
from rlcard_kit.agents import Positions, ValueFunction
from rlcard_kit.arrays import Float32Array
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.games import LearnedGame
from training.machine import choose_precision, product, shortest

GAMES, MOVES = 128, 20  # that are played, and how far, for the positions to measure on


class Inference(NamedTuple):
    """Precision and backend of an actor, and the reason for them."""

    dtype: torch.dtype
    in_numpy: bool = False  # in place of torch
    reason: str = 'as set'

    @property
    def name(self) -> str:
        """The precision and the library."""
        return f'{str(self.dtype).removeprefix("torch.")} in {"numpy" if self.in_numpy else "torch"}'


class NumpyValues:
    """Computes the values of a network in numpy; they equal those of torch up to rounding.

    Args:
        game: that is learned.
        network: in torch and in float32, of a kind that numpy can compute.
    """

    def __init__(self, game: LearnedGame, network: MoveValueNetwork) -> None:
        self._game = game
        self.renew(network)

    def renew(self, network: MoveValueNetwork) -> None:
        """Reload weights from a network."""
        values = self._game.values_in_numpy(network)
        if values is None:
            raise TypeError(f'{network.spec} cannot be computed in numpy')
        self._values = values

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
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
    ways = [Inference(getattr(torch, name)) for name in names]
    if 'float32' in names and game.values_in_numpy(game.make_network(config.spec)) is not None:
        ways.append(Inference(torch.float32, in_numpy=True))
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
    network = game.make_network(spec).to(way.dtype).eval()
    return NumpyValues(game, network) if way.in_numpy else network
