"""Types of arrays, and checks of a caller's arrays before kernels read or write them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.errors import ArrayError

BoolArray = NDArray[np.bool_]
Int8Array = NDArray[np.int8]
Int64Array = NDArray[np.int64]
Float32Array = NDArray[np.float32]
Float64Array = NDArray[np.float64]

INT64, BOOL = np.dtype(np.int64), np.dtype(np.bool_)


def check_array(name: str, array: Any, dtype: np.dtype[Any], *shape: int) -> None:
    """Check that kernels, which do not check bounds, can read an array.

    Raises:
        ArrayError: if it is not an array, of another type or shape, not C-contiguous, or not aligned.
    """
    if not (_is_of(array, dtype) and array.shape == shape and array.flags.c_contiguous and array.flags.aligned):
        raise ArrayError(f'{name} is {_described(array)}: expected {_kind(dtype)} {list(shape)}, C-contiguous')


def check_buffer(name: str, array: Any, dtype: np.dtype[Any], *shape: int, longer: bool = False) -> None:
    """Check that kernels can write into an array; see `check_array`. With `longer`, it may be longer."""
    if not (
        _is_of(array, dtype)
        and (array.shape == shape or (longer and array.ndim == 1 and array.size >= shape[0]))
        and array.flags.carray
    ):
        least = 'at least ' * longer
        raise ArrayError(
            f'{name} is {_described(array)}: expected {least}{_kind(dtype)} {list(shape)}, C-contiguous and writable'
        )


def _is_of(array: Any, dtype: np.dtype[Any]) -> bool:
    return type(array) is np.ndarray and (array.dtype is dtype or array.dtype == dtype)


def _described(array: Any) -> str:
    """Describe an object that is not the array it should be."""
    if type(array) is not np.ndarray:
        return f'of type {type(array).__name__}'
    flags, faults = array.flags, []
    if not flags.c_contiguous:
        faults.append(', not C-contiguous')
    if not flags.aligned:
        faults.append(', not aligned')
    if not flags.writeable:
        faults.append(', read-only')
    return f'{_kind(array.dtype)} {list(array.shape)}{"".join(faults)}'


def _kind(dtype: np.dtype[Any]) -> str:
    return f'records of {dtype.itemsize} bytes' if dtype.names else str(dtype)
