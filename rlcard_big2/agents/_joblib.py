"""A reader of parameters that joblib dumped: a list of float arrays, and nothing else.

To unpickle a file is to run it. This unpickler has the few instructions that a list of arrays takes, and its classes
are names: it imports nothing and calls nothing. Any other instruction, and any other name, is refused.

Source of the format: joblib/numpy_pickle.py, uncompressed, from joblib 0.10 on. Each array is an instance of
NumpyArrayWrapper, and the array's bytes follow the instruction that completes the instance. Since joblib 1.2, one byte
lies between, and as many bytes of padding as its value.
"""

import pickle
from enum import Enum
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
MAX_DIMENSIONS = 32  # of an array, in every numpy

DTYPES = {'f4': np.dtype('<f4'), 'f8': np.dtype('<f8')}
LITTLE_ENDIAN = (3, '<', None, None, None, -1, -1, 0)  # the state of a plain dtype
WRAPPER_KEYS = {'subclass', 'shape', 'order', 'dtype', 'allow_mmap', 'numpy_array_alignment_bytes'}
# Instructions of the standard library that make data, or ask `find_class`.
PLAIN = [getattr(pickle, name)[0] for name in """
    PROTO STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 BINUNICODE SHORT_BINUNICODE EMPTY_TUPLE TUPLE TUPLE1
    TUPLE2 TUPLE3 EMPTY_LIST APPEND APPENDS EMPTY_DICT BINPUT LONG_BINPUT MEMOIZE BINGET LONG_BINGET GLOBAL STACK_GLOBAL
    """.split()]  # fmt: skip  # noqa: SIM905


class ParameterFileError(KitError):
    """A file of parameters that is missing, damaged, of other shapes, or that asks for more than arrays."""


class Name(Enum):
    """The names that a file may use. They stand for the classes, which are not imported."""

    WRAPPER = 'joblib.numpy_pickle NumpyArrayWrapper'
    ARRAY = 'numpy ndarray'
    DTYPE = 'numpy dtype'


def load_arrays(path: str | Path) -> list[FloatArray]:
    """Read a list of float arrays that joblib dumped without compression.

    Returns:
        The arrays, read-only, of finite float32 or float64.

    Raises:
        ParameterFileError: if the file holds anything else. None of it runs.
    """
    try:
        return _read_arrays(read_file(Path(path), MAX_BYTES))
    except FileError as error:
        raise ParameterFileError(str(error)) from error
    except (ValueError, LookupError, AttributeError, TypeError, EOFError, pickle.UnpicklingError) as error:
        raise ParameterFileError(
            f'{path} is not a list of arrays that joblib dumped uncompressed: {error!s:.200}'
        ) from error


def _read_arrays(data: bytes) -> list[FloatArray]:
    unpickler = _Unpickler(data)
    arrays = unpickler.load()
    if not isinstance(arrays, list) or not all(isinstance(array, np.ndarray) for array in arrays) or unpickler.stack:
        raise ValueError('it holds something else')
    if rest := unpickler.file.read():
        raise ValueError(f'{len(rest)} bytes follow its end')
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
    """Makes text, numbers, tuples, lists, dictionaries and arrays; refuses all other instructions."""

    stack: list[Any]

    def __init__(self, data: bytes) -> None:
        self.file = _File(data)
        self._size = len(data)
        super().__init__(self.file)

    def find_class(self, module: str, name: str) -> Name:
        return Name(f'{module} {name}')

    def load_frame(self) -> None:
        """Skip the length of a frame, which only helps buffering."""
        self.file.read(8)

    def load_setitems(self) -> None:
        items = self.pop_mark()  # type: ignore[attr-defined]
        keys, target = items[::2], self.stack[-1]
        if not isinstance(target, dict) or not all(isinstance(key, str) for key in keys):
            raise ValueError('it holds a dictionary whose keys are not text')
        target.update(zip(keys, items[1::2], strict=True))

    def load_newobj(self) -> None:
        """Represent an instance of the wrapper by its name."""
        name, _ = self._pop_two()
        if name is not Name.WRAPPER:
            raise ValueError('it makes an object that is not an array')
        self.stack.append(name)

    def load_reduce(self) -> None:
        match self._pop_two():
            case Name.DTYPE, (str(code), 0, 1) if code in DTYPES:
                self.stack.append(DTYPES[code])
            case _:
                raise ValueError(f'it calls something, or its numbers are none of {", ".join(DTYPES)}')

    def load_build(self) -> None:
        target, state = self._pop_two()
        if target is Name.WRAPPER and isinstance(state, dict) and state.keys() <= WRAPPER_KEYS:
            self.stack.append(self._read_array(state))
        elif isinstance(target, np.dtype) and isinstance(state, tuple) and state == LITTLE_ENDIAN:
            self.stack.append(target)
        else:
            raise ValueError('it sets the state of an object in a way that arrays do not need')

    def _pop_two(self) -> tuple[Any, Any]:
        last = self.stack.pop()
        return self.stack.pop(), last

    def _read_array(self, state: dict[str, Any]) -> FloatArray:
        """Read the array that follows an instance of the wrapper with this state."""
        shape, order, dtype = (state.get(key) for key in ('shape', 'order', 'dtype'))
        if state.get('subclass') is not Name.ARRAY or not isinstance(dtype, np.dtype) or order not in ('C', 'F'):
            raise ValueError('it holds an array that is not plain')
        size = _count(shape) * dtype.itemsize
        if state.get('numpy_array_alignment_bytes') is not None:
            self.file.read(int.from_bytes(self.file.read(1), 'little'))
        if size > (left := self._size - self.file.tell()):
            raise ValueError(f'an array takes {size:.4g} bytes, and {left} are left')
        array = np.frombuffer(self.file.read(size), dtype).reshape(shape, order=order)
        if not np.isfinite(array).all():
            raise ValueError('it holds a number that is not finite')
        return array

    def load_other(self) -> None:
        raise ValueError('it has an instruction that arrays do not need')

    dispatch: ClassVar[dict[int, Any]] = dict.fromkeys(range(256), load_other)
    dispatch |= {opcode: pickle._Unpickler.dispatch[opcode] for opcode in PLAIN}
    dispatch |= {pickle.FRAME[0]: load_frame, pickle.SETITEMS[0]: load_setitems, pickle.NEWOBJ[0]: load_newobj}
    dispatch |= {pickle.REDUCE[0]: load_reduce, pickle.BUILD[0]: load_build}


def _count(shape: Any) -> int:
    """Return the number of elements of an array of a shape, which is yet to be checked."""
    if not isinstance(shape, tuple) or len(shape) > MAX_DIMENSIONS:
        raise ValueError('it holds an array without a proper shape')
    if not all(type(size) is int and size > 0 for size in shape):
        raise ValueError('it holds an array whose shape is not made of whole numbers above 0')
    return prod(shape)
