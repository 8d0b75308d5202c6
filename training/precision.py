"""The precision that networks compute in."""

import time
from collections.abc import Callable
from typing import NamedTuple

import torch

from training.config import RunConfig

ROWS = 1024  # of the product that stands for evaluating many games at once
MORE_ROWS = 64 * ROWS  # on other devices, where so small a product takes no longer in float32
REPEATS = 5

Work = Callable[[torch.dtype], Callable[[], object]]
"""Prepares what is measured in a precision; calling what it returns does it once, to the end."""


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


def choose_precision(config: RunConfig, work: Work) -> Precision:
    """Return the precision that a run's settings name; for 'auto', measure in which some work is done faster.

    A deterministic run measures nothing and takes float32.
    """
    if config.run.precision != 'auto':
        return Precision(getattr(torch, config.run.precision), 'as set')
    if config.run.deterministic:
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
