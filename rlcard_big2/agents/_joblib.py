"""A reader of parameters that joblib dumped: a list of float arrays, and nothing else.

To unpickle a file is to run it. This unpickler has the few instructions that a list of arrays takes, and names of
classes are text to it: it imports nothing and calls nothing. Any other instruction is refused.

Source of the format: joblib/numpy_pickle.py, uncompressed, from joblib 0.10 on. Each array is an instance of
NumpyArrayWrapper, and the array's bytes follow the instruction that completes the instance. Since joblib 1.2, one byte
lies between, and as many bytes of padding as its value.
"""

import pickle
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.errors import FileError, KitError
from rlcard_kit.files import read_file

FloatArray = NDArray[np.floating[Any]]

MAX_BYTES = 1 << 24  # of a file
MAX_READS = 1 << 16  # of a file: ten arrays take a few hundred; each instruction takes at least one
NO_LIST = ValueError, LookupError, AttributeError, TypeError, ArithmeticError, EOFError, pickle.UnpicklingError
DTYPES = {'f4': np.dtype('<f4'), 'f8': np.dtype('<f8')}
LITTLE_ENDIAN = (3, '<', None, None, None, -1, -1, 0)  # the state of a plain dtype
# Instructions of the standard library that make data, or ask `find_class`.
PLAIN = [getattr(pickle, name)[0] for name in """
    PROTO STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 BINUNICODE SHORT_BINUNICODE EMPTY_TUPLE TUPLE TUPLE1
    TUPLE2 TUPLE3 EMPTY_LIST APPEND APPENDS EMPTY_DICT BINPUT LONG_BINPUT MEMOIZE BINGET LONG_BINGET GLOBAL STACK_GLOBAL
    """.split()]  # fmt: skip  # noqa: SIM905


class ParameterFileError(KitError):
    """A file of parameters that is missing, damaged, of other shapes, or that asks for more than arrays."""


def load_arrays(path: str | Path) -> list[FloatArray]:
    """Read a list of float arrays that joblib dumped without compression.

    Returns:
        The arrays, read-only, of finite float32 or float64.

    Raises:
        ParameterFileError: if the file holds anything else. None of it runs.
    """
    try:
        file = _File(read_file(Path(path), MAX_BYTES))
        unpickler = _Unpickler(file)
        arrays = unpickler.load()
        if not isinstance(arrays, list) or not all(isinstance(array, np.ndarray) for array in arrays):
            raise ValueError('it holds something else')
        if unpickler.stack or file.tell() < len(file.getbuffer()):
            raise ValueError('it holds something more')
    except FileError as error:
        raise ParameterFileError(str(error)) from error
    except NO_LIST as error:
        raise ParameterFileError(
            f'{path} is not a list of arrays that joblib dumped uncompressed: {error!s:.200}'
        ) from error
    return arrays


class _File(BytesIO):
    """A file with a limit of MAX_READS, so that few bytes cannot make many objects; the end is an EOFError."""

    reads = 0

    def read(self, size: int | None = -1) -> bytes:
        self.reads += 1
        if self.reads > MAX_READS:
            raise ValueError(f'it takes more than {MAX_READS} instructions')
        data = super().read(size)
        if len(data) < (size or 0):
            raise EOFError('it ends too early')
        return data


class _Unpickler(pickle._Unpickler):
    """Makes text, numbers, tuples, lists, dictionaries and arrays; has no other instruction."""

    stack: list[Any]

    def find_class(self, module: str, name: str) -> str:
        return f'{module} {name}'

    def load_frame(self) -> None:
        """Skip the length of a frame, which only helps buffering."""
        self.read(8)  # type: ignore[attr-defined]

    def load_setitems(self) -> None:
        items = self.pop_mark()  # type: ignore[attr-defined]
        if not all(isinstance(key, str) for key in items[::2]):
            raise ValueError('it holds a dictionary whose keys are not text')
        self.stack[-1].update(zip(items[::2], items[1::2], strict=True))

    def load_newobj(self) -> None:
        """Drop the arguments, which leaves the name of the class."""
        self.stack.pop()

    def load_reduce(self) -> None:
        match self.stack.pop(), self.stack.pop():
            case (str(code), 0, 1), 'numpy dtype' if code in DTYPES:
                self.stack.append(DTYPES[code])
            case _:
                raise ValueError(f'it calls something, or its numbers are none of {", ".join(DTYPES)}')

    def load_build(self) -> None:
        state, target = self.stack.pop(), self.stack.pop()
        if target == 'joblib.numpy_pickle NumpyArrayWrapper':
            target = self._read_array(**state)
        elif not isinstance(target, np.dtype) or state != LITTLE_ENDIAN:
            raise ValueError('it sets the state of an object in a way that arrays do not need')
        self.stack.append(target)

    def _read_array(
        self,
        subclass: Any,
        shape: Any,
        order: Any,
        dtype: Any,
        allow_mmap: Any = None,
        numpy_array_alignment_bytes: Any = None,
    ) -> FloatArray:
        """Read the array that follows an instance of the wrapper with this state."""
        if subclass != 'numpy ndarray' or order not in ('C', 'F') or not isinstance(dtype, np.dtype):
            raise ValueError('it holds an array that is not plain')
        if not isinstance(shape, tuple) or not all(type(size) is int and size > 0 for size in shape):
            raise ValueError('it holds an array whose shape is not made of whole numbers above 0')
        read = self.read  # type: ignore[attr-defined]
        if numpy_array_alignment_bytes is not None:
            read(read(1)[0])
        array = np.frombuffer(read(prod(shape) * dtype.itemsize), dtype).reshape(shape, order=order)
        if not np.isfinite(array).all():
            raise ValueError('it holds a number that is not finite')
        return array

    dispatch: ClassVar[dict[int, Any]] = {opcode: pickle._Unpickler.dispatch[opcode] for opcode in PLAIN}
    dispatch |= {pickle.FRAME[0]: load_frame, pickle.SETITEMS[0]: load_setitems, pickle.NEWOBJ[0]: load_newobj}
    dispatch |= {pickle.REDUCE[0]: load_reduce, pickle.BUILD[0]: load_build}
