"""Cores, devices, memory and precision of this machine, and settings that fit them."""

import math
import os
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import torch

from rlcard_kit.errors import ConfigError
from rlcard_kit.threads import count_cores
from training.config import RunConfig, RunSettings

ROWS = 1024  # of the product that stands for evaluating many games at once
MORE_ROWS = 64 * ROWS  # on other devices, where so small a product takes no longer in float32
REPEATS = 5

Work = Callable[[torch.dtype], Callable[[], object]]
"""Prepares what is measured in a precision; calling what it returns does it once, to the end."""

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

    def learner_device(self, run: RunSettings) -> str:
        """Return the device that a run learns on: the CPU if it is deterministic."""
        return 'cpu' if run.deterministic else self.device('training_device', run.training_device)

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
    return config.changed(training_device=machine.learner_device(config.run), learner_threads=threads)


def threads_beside_actors(run: RunSettings, machine: Machine) -> int:
    """Return the number of cores of a learner that shares the machine with actors: a third, or one with a GPU."""
    return max(1, machine.cores // 3 if machine.learner_device(run) == 'cpu' else 1)


def most_files() -> int | None:
    """Return how many files this process may have open; None if the system sets no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def _memory() -> float:
    """Return the bytes of memory that this process may use: the machine's, or what control groups and limits grant."""
    limits = [float(os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE'))]
    with suppress(OSError, ValueError):  # no such file, or it holds 'max'
        limits.append(float(Path('/sys/fs/cgroup/memory.max').read_text(encoding='utf-8')))
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return min(limits if soft == resource.RLIM_INFINITY else [*limits, soft])


class Precision(NamedTuple):
    """The type that a device computes matrix products in, and why it was chosen."""

    dtype: torch.dtype
    reason: str

    @property
    def name(self) -> str:
        """The precision as torch and the settings call it."""
        return str(self.dtype).removeprefix('torch.')


def autocast(device: str, dtype: torch.dtype) -> torch.autocast:
    """Return the context in which a network computes in a precision on a kind of device."""
    return torch.autocast(device, dtype, enabled=dtype != torch.float32)


def choose_precision(run: RunSettings, work: Work) -> Precision:
    """Return the precision that a run's settings name; for 'auto', measure in which some work is done faster.

    A deterministic run measures nothing and takes float32.
    """
    if run.precision != 'auto':
        return Precision(getattr(torch, run.precision), 'as set')
    if run.deterministic:
        return Precision(torch.float32, 'deterministic')
    slow, fast = shortest(work(torch.float32)), shortest(work(torch.bfloat16))
    if fast < slow:
        return Precision(torch.bfloat16, f'measured: {slow / fast:.1f} times as fast as float32')
    return Precision(torch.float32, f'measured: {fast / slow:.1f} times as fast as bfloat16')


def product(width: int, device: str) -> Work:
    """Return the product of many rows with a square matrix, as work to measure on a device."""

    def prepare(dtype: torch.dtype) -> Callable[[], float]:
        x = torch.rand(ROWS if device == 'cpu' else MORE_ROWS, width).to(device, dtype)
        weight = torch.rand(width, width).to(device, dtype)
        return lambda: torch.nn.functional.linear(x, weight).sum().item()  # reading a number waits for the device

    return prepare


def shortest(do: Callable[[], object]) -> float:
    """Return the shortest of several times of doing some work, in seconds, once it has been done."""
    do()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        do()
        times.append(time.perf_counter() - start)
    return min(times)
