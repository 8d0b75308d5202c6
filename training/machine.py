"""Cores, devices and memory of this machine, and settings that fit them."""

import math
import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import torch

from rlcard_kit.errors import ConfigError
from rlcard_kit.threads import count_cores
from training.config import RunConfig

C = TypeVar('C', bound=RunConfig)


class Machine(NamedTuple):
    """The part of the machine that a run may use."""

    cores: int
    cuda_devices: int
    has_mps: bool
    memory: float = math.inf  # bytes

    @classmethod
    def here(cls) -> 'Machine':
        """Look at this machine."""
        cuda = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return cls(count_cores(), cuda, torch.backends.mps.is_available(), _memory())

    @property
    def devices(self) -> list[str]:
        """The names of the devices, the fastest for learning first."""
        return [*(f'cuda:{number}' for number in range(self.cuda_devices)), *['mps'] * self.has_mps, 'cpu']

    def learner_device(self, config: RunConfig) -> str:
        """Return the device that a run learns on: the CPU if it is deterministic."""
        return 'cpu' if config.run.deterministic else self.device('training_device', config.run.training_device)

    def device(self, setting: str, name: str) -> str:
        """Return the device that a setting names.

        Raises:
            ConfigError: if this machine has no such device.
        """
        if name == 'auto':
            return self.devices[0]
        wanted = {'cuda': 'cuda:0'}.get(name, f'cuda:{name}' if name.isdecimal() else name)
        if wanted not in self.devices:
            raise ConfigError(f'{setting}={name!r}: this machine has {", ".join(self.devices)}')
        return wanted

    def check_memory(self, sizes: str, needed: float) -> None:
        """Raise ConfigError if settings of some sizes need more bytes than this machine has."""
        if needed > self.memory:
            raise ConfigError(
                f'{sizes}: they need at least {needed / 1e9:,.1f} GB of memory, and this machine has '
                f'{self.memory / 1e9:,.1f} GB'
            )


def fit_learner(config: C, machine: Machine, threads: int) -> C:
    """Return settings in which the learner's device and threads, if left open, are chosen for a machine.

    Raises:
        ConfigError: if the learner's device does not exist.
    """
    threads = 1 if config.run.deterministic else config.run.learner_threads or threads
    return config.changed(training_device=machine.learner_device(config), learner_threads=threads)


def threads_beside_actors(config: RunConfig, machine: Machine) -> int:
    """Return the number of cores of a learner that shares the machine with actors: a third, or one with a GPU."""
    return max(1, machine.cores // 3 if machine.learner_device(config) == 'cpu' else 1)


def most_files() -> int | None:
    """Return how many files this process may have open; None if the system sets no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def _memory() -> float:
    """Return the bytes of memory that this process may use: the machine's, or what control groups and limits grant."""
    found = [float(os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE'))]
    with suppress(OSError, ValueError):  # no such file, or it says 'max'
        found.append(float(Path('/sys/fs/cgroup/memory.max').read_text(encoding='utf-8')))
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return min(found if soft == resource.RLIM_INFINITY else [*found, soft])
