"""Kernels that a release includes, so that the first game compiles nothing.

They are the kernels that a first game needs, in LLVM's bitcode, optimized but for no certain processor. With the same
sources and version of numba, their first call only generates machine code, as if numba had compiled them.
"""

import lzma
import pickle
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite.binding import get_process_triple, parse_bitcode

RELEASED = Path(__file__).parent / 'kernels.xz'  # pickled: what it was made for, and kernels by name and signature


def release(folder: Path) -> None:
    """Write the kernels in a folder of compiled code to RELEASED."""
    kernels = {}
    for index in folder.rglob('*.nbi'):
        with index.open('rb') as file:
            pickle.load(file)  # numba's version
            _, files = pickle.loads(file.read())
        for (sig, *_), name in files.items():
            (library, _, (_, bitcode)), description, *rest = pickle.loads((index.parent / name).read_bytes())
            key = f'{description.modname}.{description.qualname}', str(sig)
            kernels[key] = pickle.dumps(((library, bitcode), description, *rest))
    RELEASED.write_bytes(lzma.compress(pickle.dumps((_made_for(folder), dict(sorted(kernels.items()))))))


def find_released(folder: Path, name: str, sig: Any, target_context: Any) -> Any:
    """Generate the code of a kernel of the release; return it as numba's cache keeps it, or None if there is none.

    Args:
        folder: for compiled code; it is named after the sources.
        name: of the kernel, with its module.
        sig: its signature.
        target_context: numba's, for the processor.
    """
    released = _read_released(folder).get((name, str(sig)))
    if released is None:
        return None
    (library, bitcode), *rest = pickle.loads(released)
    machine: Any = target_context.codegen()._tm
    return (library, 'object', (machine.emit_object(parse_bitcode(bitcode)), bitcode)), *rest


@cache
def _read_released(folder: Path) -> dict[tuple[str, str], bytes]:
    """Return the kernels in RELEASED; none if it is missing, damaged, or made for something else."""
    with suppress(Exception):  # the file may hold anything
        made_for, kernels = pickle.loads(lzma.decompress(RELEASED.read_bytes()))
        return kernels if made_for == _made_for(folder) else {}
    return {}


def _made_for(folder: Path) -> tuple[str, ...]:
    """Return what the kernels of a release depend on: sources, numba, and the system with its kind of processor."""
    return folder.name[-16:], numba.__version__, get_process_triple()
