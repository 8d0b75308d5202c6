"""Provenance of results: the command, the sources, the versions, the machine, and checksums of agents' weights."""

import platform
import shlex
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from llvmlite import binding
from numpy.typing import NDArray

from eval.common.versions import CHECKOUT, PACKAGES, source_digest, versions
from rlcard_kit.files import checksum
from rlcard_kit.process import count_cores

NO_WEIGHTS = 'none'  # checksum of an agent that has no weights

FEATURES = ('avx2', 'avx512f', 'avx512bf16', 'avx512vnni', 'amx-bf16', 'neon', 'bf16', 'sve')  # on which speeds depend


def provenance() -> dict[str, Any]:
    """Return the command, the digest of the sources, the versions of packages and the machine.

    That is the operating system, the processor, the number of cores in use and the processor's vector units.
    """
    features = binding.get_host_cpu_features()
    return {
        'command': f'python -m eval {shlex.join(sys.argv[1:])}',
        'sources': source_digest(),
        'versions': versions(),
        'machine': {
            'system': platform.platform(),
            'processor': _processor(),
            'cores': count_cores(),
            'features': [name for name in FEATURES if features.get(name)],
        },
    }


def _processor() -> str:
    """Return the name of the processor, and that of its architecture as compilers call it."""
    model = platform.processor()
    if Path('/proc/cpuinfo').exists():
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8', errors='replace').splitlines()
        models = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
        model = models[0] if models else model
    return f'{model or platform.machine()} ({binding.get_host_cpu_name()})'


def weights_checksum(agent: object, file: Path | None, read: Mapping[Path, str]) -> str:
    """Return the SHA-256 of an agent's weights; 'none' without weights.

    Args:
        agent: without a file, the checksum is that of all floating-point arrays and torch tensors that can be reached
            from it, with their paths.
        file: with the weights, see `AgentRegistry.weights_file`.
        read: the checksums of the files that the agent was made of, by path; that of a shipped model may be missing.
    """
    if file is not None:
        return read.get(file) or checksum(file)
    digest, has_weights = sha256(), False
    for path, array in _arrays(agent, '', set()):
        digest.update(f'{path} {array.dtype} {array.shape}\n'.encode() + array.tobytes())
        has_weights = True
    return digest.hexdigest() if has_weights else NO_WEIGHTS


def source_checksum(weights: Path | None, read: Mapping[Path, str]) -> str | None:
    """Return the SHA-256 of what an agent was made of beside its weights file; None if that is nothing.

    That is the module of `python:MODULE:FACTORY`, the files that a program's command names, the settings of a network,
    and the networks of opponents; of one file the SHA-256 itself. What the package holds does not count.

    Args:
        weights: the file with the agent's weights.
        read: the checksums of the files that were read as it was made, by path.
    """
    shipped = [CHECKOUT / package for package in PACKAGES]
    files = sorted(
        (path.name, digest)
        for path, digest in read.items()
        if path != weights and not any(path.is_relative_to(folder) for folder in shipped)
    )
    if len(files) <= 1:
        return files[0][1] if files else None
    return sha256(repr(files).encode()).hexdigest()


def _arrays(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the floating-point arrays in an object, each with the path that leads to it, in the order of the paths."""
    if id(value) in seen or isinstance(value, ModuleType | type):
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        if np.issubdtype(value.dtype, np.floating):
            yield path, value
    elif callable(getattr(value, 'detach', None)):  # a tensor
        yield from _arrays(value.detach().cpu().float().numpy(), path, seen)
    else:
        for name, part in sorted(_parts(value).items()):
            yield from _arrays(part, f'{path}.{name}', seen)


def _parts(value: Any) -> dict[str, Any]:
    """Return the parts of an object by name."""
    if callable(getattr(value, 'state_dict', None)):  # a module of torch, or an optimizer
        value = value.state_dict()
    if isinstance(value, Mapping):
        return {str(key): part for key, part in value.items()}
    if isinstance(value, list | tuple):
        return {f'{index:09d}': part for index, part in enumerate(value)}
    return dict(getattr(value, '__dict__', {}))
