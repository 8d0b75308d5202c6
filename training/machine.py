"""What a run finds on this machine: cores and devices."""

import os
from typing import NamedTuple

import torch

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


def most_files() -> int | None:
    """Return how many files this process may have open; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft
