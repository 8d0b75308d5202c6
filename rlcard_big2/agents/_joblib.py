"""A reader of parameters that joblib dumped: a list of float arrays, and nothing else.

A pickle is a program, and to unpickle a file is to run it. This reader does not unpickle: it carries out by
hand the few instructions that a list of arrays takes. They make text, numbers, tuples, lists, dictionaries
and arrays; a class is only ever a name, that nothing imports or calls. Any other instruction is refused.

Source of the format: joblib/numpy_pickle.py, uncompressed, from joblib 0.10 on. Each array is an instance
of NumpyArrayWrapper, and the array's bytes follow the instruction that completes the instance; since joblib
1.2 one byte lies between, and as many bytes of padding as it says.
"""

from enum import Enum
from io import BytesIO
from math import prod
from pathlib import Path
from pickletools import genops
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.errors import Big2Error, FileError
from rlcard_kit.files import read_file

FloatArray = NDArray[np.floating[Any]]

MAX_BYTES = 1 << 24  # of a file
MAX_DIMENSIONS = 32  # of an array, in every numpy

CONSTANTS = {'NONE': None, 'NEWTRUE': True, 'NEWFALSE': False, 'EMPTY_TUPLE': ()}
DTYPES = {'f4': np.dtype('<f4'), 'f8': np.dtype('<f8')}
LITTLE_ENDIAN = (3, '<', None, None, None, -1, -1, 0)  # the state of a plain dtype
WRAPPER_KEYS = {'subclass', 'shape', 'order', 'dtype', 'allow_mmap', 'numpy_array_alignment_bytes'}
MARK = object()


class ParameterFileError(Big2Error):
    """A file of parameters that is missing, damaged, of other shapes, or that asks for more than arrays."""


class Name(Enum):
    """The classes that a file may name, by module and name."""

    WRAPPER = 'joblib.numpy_pickle NumpyArrayWrapper'
    ARRAY = 'numpy ndarray'
    DTYPE = 'numpy dtype'


def load_arrays(path: str | Path) -> list[FloatArray]:
    """Read a list of float arrays that joblib dumped without compression.

    Returns the arrays, read-only, of finite float32 or float64. ParameterFileError says what else the file
    holds, before any of that could run.
    """
    try:
        return _Machine(read_file(Path(path), MAX_BYTES)).run()
    except FileError as error:
        raise ParameterFileError(str(error)) from error
    except (ValueError, LookupError) as error:
        raise ParameterFileError(f'{path} is not a list of arrays that joblib dumped uncompressed: {error}') from error


class _Machine:
    """Carries out the instructions of one file; a ValueError or LookupError tells what is wrong with it."""

    def __init__(self, data: bytes) -> None:
        self._size = len(data)
        self._file = BytesIO(data)
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def run(self) -> list[FloatArray]:
        """Return the arrays of the list that the file makes."""
        for opcode, argument, _ in genops(self._file):
            self._execute(opcode.name, argument)
        if self._left() > 0:
            raise ValueError(f'{self._left()} bytes follow its end')
        match self._stack:
            case [list(arrays)] if all(isinstance(array, np.ndarray) for array in arrays):
                return arrays
        raise ValueError('it holds something else')

    def _left(self) -> int:
        return self._size - self._file.tell()

    def _execute(self, name: str, argument: Any) -> None:
        """Carry out one instruction; these are all there are."""
        match name:
            case 'PROTO' | 'FRAME' | 'STOP':
                pass
            case 'NONE' | 'NEWTRUE' | 'NEWFALSE' | 'EMPTY_TUPLE':
                self._stack.append(CONSTANTS[name])
            case 'BININT' | 'BININT1' | 'BININT2' | 'BINUNICODE' | 'SHORT_BINUNICODE':
                self._stack.append(argument)
            case 'MARK':
                self._stack.append(MARK)
            case 'TUPLE':
                self._stack.append(tuple(self._pop_to_mark()))
            case 'TUPLE1' | 'TUPLE2' | 'TUPLE3':
                self._stack.append(tuple(self._pop(int(name[-1]))))
            case 'EMPTY_LIST':
                self._stack.append([])
            case 'APPEND':
                self._append(self._pop(1))
            case 'APPENDS':
                self._append(self._pop_to_mark())
            case 'EMPTY_DICT':
                self._stack.append({})
            case 'SETITEMS':
                self._set_items(self._pop_to_mark())
            case 'BINPUT' | 'LONG_BINPUT':
                self._memo[argument] = self._stack[-1]
            case 'MEMOIZE':
                self._memo[len(self._memo)] = self._stack[-1]
            case 'BINGET' | 'LONG_BINGET':
                self._get(argument)
            case 'GLOBAL':
                self._name(argument.split(' '))
            case 'STACK_GLOBAL':
                self._name(self._pop(2))
            case 'NEWOBJ':
                self._new_wrapper(self._pop(2))
            case 'REDUCE':
                self._new_dtype(self._pop(2))
            case 'BUILD':
                self._build(self._pop(2))
            case _:
                raise ValueError(f'arrays do not need the instruction {name}')

    def _pop(self, count: int) -> list[Any]:
        if len(self._stack) < count:
            raise ValueError('an instruction lacks its operands')
        items = self._stack[-count:]
        del self._stack[-count:]
        return items

    def _pop_to_mark(self) -> list[Any]:
        items = []
        while (item := self._pop(1)[0]) is not MARK:
            items.append(item)
        return items[::-1]

    def _append(self, items: list[Any]) -> None:
        match self._stack:
            case [*_, list(target)]:
                target.extend(items)
            case _:
                raise ValueError('it appends to something that is not a list')

    def _set_items(self, items: list[Any]) -> None:
        keys, values = items[::2], items[1::2]
        if not isinstance(self._stack[-1], dict) or not all(isinstance(key, str) for key in keys):
            raise ValueError('it holds a dictionary whose keys are not text')
        self._stack[-1].update(zip(keys, values, strict=True))

    def _get(self, number: int) -> None:
        if number not in self._memo:
            raise ValueError('it repeats what it did not hold')
        self._stack.append(self._memo[number])

    def _name(self, words: list[Any]) -> None:
        """Put the name of a class on the stack; nothing is imported."""
        for name in Name:
            if words == name.value.split(' '):
                self._stack.append(name)
                return
        text = ' '.join(word for word in words if isinstance(word, str))
        raise ValueError(f'it asks for {text[:80]!r}, and arrays do not need that')

    def _new_wrapper(self, call: list[Any]) -> None:
        """Let the name of the wrapper stand for its instance."""
        if call[0] is not Name.WRAPPER:
            raise ValueError('it makes an object that is not an array')
        self._stack.append(Name.WRAPPER)

    def _new_dtype(self, call: list[Any]) -> None:
        if call[0] is not Name.DTYPE:
            raise ValueError('it calls something')
        match call[1]:
            case (str(code), 0, 1) if code in DTYPES:
                self._stack.append(DTYPES[code])
            case _:
                raise ValueError(f'its numbers are none of {", ".join(DTYPES)}')

    def _build(self, operands: list[Any]) -> None:
        target, state = operands
        if target is Name.WRAPPER and isinstance(state, dict) and state.keys() <= WRAPPER_KEYS:
            self._stack.append(self._read_array(state))
        elif isinstance(target, np.dtype) and isinstance(state, tuple) and state == LITTLE_ENDIAN:
            self._stack.append(target)
        else:
            raise ValueError('it sets the state of an object in a way that arrays do not need')

    def _read_array(self, state: dict[str, Any]) -> FloatArray:
        """Read the array that follows an instance of the wrapper with this state."""
        shape, order, dtype = (state.get(key) for key in ('shape', 'order', 'dtype'))
        if state.get('subclass') is not Name.ARRAY or not isinstance(dtype, np.dtype) or order not in ('C', 'F'):
            raise ValueError('it holds an array that is not plain')
        size = _count(shape) * dtype.itemsize
        if state.get('numpy_array_alignment_bytes') is not None:
            self._file.read(int.from_bytes(self._file.read(1), 'little'))
        if size > self._left():
            raise ValueError(f'an array of shape {shape} takes {size} bytes, and {self._left()} are left')
        array = np.frombuffer(self._file.read(size), dtype).reshape(shape, order=order)
        if not np.isfinite(array).all():
            raise ValueError('it holds a number that is not finite')
        return array


def _count(shape: Any) -> int:
    """Return how many elements an array of a shape has, which is yet to be checked."""
    if not isinstance(shape, tuple) or len(shape) > MAX_DIMENSIONS:
        raise ValueError('it holds an array without a proper shape')
    if not all(type(size) is int and size > 0 for size in shape):
        raise ValueError('it holds an array whose shape is not made of whole numbers above 0')
    return prod(shape)
