"""Sizes of a DMC run that fit a machine."""

from dataclasses import replace

from dmc.config import Config
from rlcard_big2.errors import ConfigError
from training.machine import Machine, most_files

FILES, FILES_PER_ACTOR = 64, 4  # generously: a run with two actors has 14 open


def fitted(config: Config, machine: Machine) -> Config:
    """Return settings with what was left open chosen for a machine; ConfigError where a device does not exist.

    On two cores an actor and a learner with one thread keep each other busy (`python -m dmc bench`). From there on, the
    learner is given a third of the cores; a learner on a GPU needs one core.
    """
    device = machine.learner_device(config)
    spare = machine.cores // 3 if device == 'cpu' else 1
    threads = config.learner_threads or max(1, spare)
    actors = config.num_actors or max(1, machine.cores - threads)
    _check_files(1 if config.deterministic else actors)
    return replace(
        config,
        training_device=device,
        actor_devices=tuple(machine.device('actor_devices', name) for name in config.actor_devices),
        learner_threads=1 if config.deterministic else threads,
        num_actors=1 if config.deterministic else actors,
    )


def _check_files(actors: int) -> None:
    needed, most = FILES + FILES_PER_ACTOR * actors, most_files()
    if most is not None and needed > most:
        raise ConfigError(
            f'num_actors={actors}: they need {needed} file descriptors, and this process may open {most}; '
            f'`ulimit -n {needed}` allows more'
        )
