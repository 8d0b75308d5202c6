"""The precision that networks compute in."""

import time
from typing import NamedTuple

import torch

from training.config import RunConfig


class Precision(NamedTuple):
    """What matrix products are computed in on a device, and how it was found."""

    dtype: torch.dtype
    reason: str

    @property
    def name(self) -> str:
        """The precision as torch and the settings call it."""
        return str(self.dtype).removeprefix('torch.')


def choose_precision(config: RunConfig, width: int, device: str) -> Precision:
    """Return the precision that a run's settings name; for 'auto', what multiplies matrices of a width faster here.

    A deterministic run measures nothing: it takes float32.
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
    torch.nn.functional.linear(x, weight).sum().item()  # a device works in the background until asked for a number
    return time.perf_counter() - start
