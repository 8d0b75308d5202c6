"""Sizes of a DMC run that fit a machine."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import torch

from dmc.actor import ply_dtype
from dmc.config import Config
from dmc.inference import Inference, choose_inference
from dmc.workers.base import replay_dtype
from eval.common.ray_cluster import check_room
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.value import MoveValueNetwork
from training.games import LearnedGame
from training.learner import describe_learner
from training.machine import (
    Machine,
    Precision,
    choose_precision,
    fit_learner,
    most_files,
    product,
    threads_beside_actors,
)

FILES, FILES_PER_ACTOR = 64, 4  # generously: a run with two actors has 14 open


class Plan(NamedTuple):
    """The decisions about a run that depend on the machine."""

    config: Config  # with devices, threads and actors
    game: LearnedGame
    precision: Precision  # of the learner
    inference: Mapping[str, Inference]  # of the actors, by device

    def describe(self, network: MoveValueNetwork, sums: bool) -> Iterator[str]:
        """Yield lines on how the learner and the actors compute, and why."""
        config = self.config
        way = 'sums of rows in place of products with ones and zeros; ' if sums else ''
        learner = describe_learner(config.run, network, {config.run.training_device: self.precision})
        yield f'{config.network.network} network; {way}{learner}'
        faster = self.game.faster_networks.get(config.network.network)
        if faster:
            yield f'--network {faster} learns from more decisions a second'
        for device, chosen in self.inference.items():
            yield f'actors on {device} compute in {chosen.name} ({chosen.reason})'


def plan_run(config: Config, machine: Machine) -> Plan:
    """Choose for a machine what the settings leave open; limit this process to the learner's threads.

    Raises:
        ConfigError: if a device does not exist, or the actors need too many file descriptors or too much memory.
        ClusterError: if the cluster has no room for the actors.
    """
    game = config.find_game()
    config = fit(config, game, machine)
    if config.run.ray and config.run.num_actors:
        check_room('num_actors', config.run.num_actors)
    torch.set_num_threads(config.run.learner_threads or 1)
    precision = choose_precision(config.run, product(config.network.hidden_size, config.run.training_device))
    return Plan(config, game, precision, choose_inference(config, game))


def fit(config: Config, game: LearnedGame, machine: Machine) -> Config:
    """Return settings in which what was left open is chosen for a machine.

    On two cores an actor and a learner with one thread keep each other busy (`python -m dmc bench`). On more, the
    learner gets a third of the cores; a learner on a GPU needs one core. For errors, see `plan_run`.
    """
    threads = config.run.learner_threads or threads_beside_actors(config.run, machine)
    if config.run.ray:  # the cluster decides where the actors are, and how many there may be
        return fit_learner(config, machine, threads)
    actors = 1 if config.run.deterministic else config.run.num_actors or max(1, machine.cores - threads)
    needed, most = FILES + FILES_PER_ACTOR * actors, most_files()
    if most is not None and needed > most:
        raise ConfigError(
            f'num_actors={actors}: they need {needed} file descriptors, and this process may open {most}; '
            f'`ulimit -n {needed}` allows more'
        )
    _check_memory(config, game, actors, machine)
    wanted = ('cpu',) if config.run.deterministic else config.run.actor_devices
    devices = tuple(machine.device('actor_devices', name) for name in wanted)
    return fit_learner(config, machine, threads).changed(actor_devices=devices, num_actors=actors)


def _check_memory(config: Config, game: LearnedGame, actors: int, machine: Machine) -> None:
    """Raise ConfigError if episodes, rings and a batch with its inputs cannot all be in memory."""
    row = replay_dtype(game.card).itemsize
    episodes = actors * config.game.num_games * game.card.max_plies * ply_dtype(game.card).itemsize
    rings = actors * config.run.ring_size * row
    batch = config.learning.batch_size * (row + game.settings.observation * np.dtype(np.float32).itemsize)
    names, settings = ('num_games', 'ring_size', 'batch_size'), config.settings()
    sizes = ', '.join([f'num_actors={actors}', *(f'{name}={settings[name]}' for name in names)])
    machine.check_memory(sizes, episodes + rings + batch)
