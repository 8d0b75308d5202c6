"""The precision that networks compute in."""

import time
from typing import NamedTuple

import torch

from training.config import RunConfig


class Precision(NamedTuple):
    """The type that a device computes matrix products in, and why it was chosen."""

    dtype: torch.dtype
    reason: str

    @property
    def name(self) -> str:
        """The precision as torch and the settings call it."""
        return str(self.dtype).removeprefix('torch.')


def choose_precision(config: RunConfig, width: int, device: str) -> Precision:
    """Return the precision that a run's settings name; for 'auto', measure which is faster on a device.

    A deterministic run measures nothing and takes float32.

    Args:
        config: settings of the run.
        width: of the square matrices to measure with.
        device: to compute on.
    """
    if config.precision != 'auto':
        return Precision(getattr(torch, config.precision), 'as set')
    if config.deterministic:
        return Precision(torch.float32, 'deterministic')
    slow, fast = _seconds(width, torch.float32, device), _seconds(width, torch.bfloat16, device)
    reason = f'measured: bfloat16 is {slow / fast:.1f} times as fast as float32'
    return Precision(torch.bfloat16 if fast < slow else torch.float32, reason)


def _seconds(width: int, dtype: torch.dtype, device: str) -> float:
    x = torch.rand(1024, width).to(device, dtype)
    weight = torch.rand(width, width).to(device, dtype)
    torch.nn.functional.linear(x, weight).sum().item()
    start = time.perf_counter()
    for _ in range(5):
        torch.nn.functional.linear(x, weight)
    torch.nn.functional.linear(x, weight).sum().item()  # a device works in the background until a number is read
    return time.perf_counter() - start
