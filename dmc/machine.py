"""What a run finds on this machine: devices, cores, and sizes that fit them."""

import os
from dataclasses import replace
from typing import NamedTuple

import torch

from dmc.config import Config
from rlcard_big2.errors import ConfigError


class Machine(NamedTuple):
    """The part of the machine that a run may use."""

    cores: int
    cuda_devices: int
    has_mps: bool

    @classmethod
    def here(cls) -> 'Machine':
        """Look at this machine."""
        affinity = getattr(os, 'sched_getaffinity', None)
        cores = len(affinity(0)) if affinity else os.cpu_count() or 1
        cuda = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return cls(cores, cuda, torch.backends.mps.is_available())

    @property
    def devices(self) -> list[str]:
        """The names of the devices, the fastest for learning first."""
        return [*(f'cuda:{number}' for number in range(self.cuda_devices)), *['mps'] * self.has_mps, 'cpu']

    def device(self, setting: str, name: str) -> str:
        """Return the device that a setting names; ConfigError where this machine has no such device."""
        if name == 'auto':
            return self.devices[0]
        wanted = {'cuda': 'cuda:0'}.get(name, f'cuda:{name}' if name.isdecimal() else name)
        if wanted not in self.devices:
            raise ConfigError(f'{setting}={name!r}: this machine has {", ".join(self.devices)}')
        return wanted


def fitted(config: Config, machine: Machine) -> Config:
    """Return settings with what was left open chosen for a machine; ConfigError where a device does not exist.

    Measured on two cores: there an actor for each core and a learner with one thread, which the system lets share
    the cores, learn fastest. From there on, the learner is given a third of the cores, for it and two actors on
    one core each keep each other busy; a learner on a GPU needs one core.
    """
    device = machine.device('training_device', config.training_device)
    spare = machine.cores // 3 if device == 'cpu' else 1
    threads = config.learner_threads or max(1, spare)
    actors = config.num_actors or max(1, machine.cores - (threads if machine.cores > 2 else 0))
    return replace(
        config,
        training_device=device,
        actor_devices=tuple(machine.device('actor_devices', name) for name in config.actor_devices),
        learner_threads=1 if config.deterministic else threads,
        num_actors=1 if config.deterministic else actors,
    )
