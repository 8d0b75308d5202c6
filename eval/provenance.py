"""Provenance of results: the command, the sources, the versions, the machine, and checksums of agents' weights."""

import importlib.util
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

from common.versions import source_digest, versions
from rlcard_kit.files import checksum
from rlcard_kit.jit import digest
from rlcard_kit.programs.agent import ProgramAgent
from rlcard_kit.threads import count_cores

NO_WEIGHTS = 'none'  # checksum of an agent that has no weights

FEATURES = ('avx2', 'avx512f', 'avx512bf16', 'avx512vnni', 'amx-bf16', 'neon', 'bf16', 'sve')  # on which speeds depend


def provenance() -> dict[str, Any]:
    """Return the command, the digest of the sources, the versions of packages and the machine."""
    return {
        'command': f'python -m eval {shlex.join(sys.argv[1:])}',
        'sources': source_digest(),
        'versions': versions(),
        'machine': machine(),
    }


def machine() -> dict[str, Any]:
    """Return the operating system, the processor, the number of cores in use and the processor's vector units."""
    features = binding.get_host_cpu_features()
    return {
        'system': platform.platform(),
        'processor': _processor(),
        'cores': count_cores(),
        'features': [name for name in FEATURES if features.get(name)],
    }


def _processor() -> str:
    """Return the name of the processor, and that of its architecture as compilers call it."""
    model = platform.processor()
    if Path('/proc/cpuinfo').exists():
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8', errors='replace').splitlines()
        models = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
        model = models[0] if models else model
    return f'{model or platform.machine()} ({binding.get_host_cpu_name()})'


def weights_checksum(agent: object, file: Path | None) -> str:
    """Return the SHA-256 of the file with an agent's weights, see `AgentRegistry.weights_file`; 'none' without weights.

    Without a file, the checksum is that of all floating-point arrays and torch tensors that can be reached from the
    agent, with their paths.
    """
    if file is not None:
        return checksum(file)
    digest, has_weights = sha256(), False
    for path, array in _arrays(agent, '', set()):
        digest.update(f'{path} {array.dtype} {array.shape}\n'.encode() + array.tobytes())
        has_weights = True
    return digest.hexdigest() if has_weights else NO_WEIGHTS


def source_checksum(name: str, agent: object) -> str | None:
    """Return the SHA-256 of the module of `python:MODULE:FACTORY`, or of the files that a program's command names.

    None for other agents.
    """
    if isinstance(agent, ProgramAgent):
        files = [Path(word) for word in agent.command if Path(word).is_file()]
        return digest(files) if files else None
    kind, _, rest = name.partition(':')
    if kind != 'python':
        return None
    spec = importlib.util.find_spec(rest.partition(':')[0])
    file = Path(spec.origin) if spec and spec.origin else None
    return checksum(file) if file and file.is_file() else None


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
