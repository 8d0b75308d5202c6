"""Types of arrays and of records, and checks of a caller's arrays before kernels read or write them."""

from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.errors import ArrayError

BoolArray = NDArray[np.bool_]
Int8Array = NDArray[np.int8]
Int64Array = NDArray[np.int64]
Float32Array = NDArray[np.float32]
Float64Array = NDArray[np.float64]

INT64, BOOL = np.dtype(np.int64), np.dtype(np.bool_)  # INT64 is also a word of a record


class Feature(NamedTuple):
    """One block of an unpacked observation: a mask of 52 cards, or a one-hot number."""

    name: str
    size: int


def record_dtype(kind: type) -> np.dtype[Any]:
    """Return the structured dtype of a record class, which declares a record of kernels once.

    Each field of the class is annotated `Annotated[TYPE, DTYPE]` or `Annotated[TYPE, DTYPE, SHAPE]`: TYPE is for
    mypy inside kernels, DTYPE and SHAPE are those of an array of such records.
    """
    hints = get_type_hints(kind, include_extras=True)
    return np.dtype([(name, *hint.__metadata__) for name, hint in hints.items()])


def num_words(kind: np.dtype[Any]) -> int:
    """Return how many words of 64 bits a record takes."""
    return kind.itemsize // INT64.itemsize


def words_of(records: NDArray[Any]) -> Int64Array:
    """Return a view of records, [N], as words to copy, int64 [N, words]: records are copied field by field."""
    return records.view(INT64).reshape(len(records), num_words(records.dtype))


def records_of(words: Int64Array, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the records of a dtype that words, int64 [N, words], were copied from, [N]."""
    return np.ascontiguousarray(words).view(kind)[:, 0]


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
    flags = array.flags
    rights = {'not C-contiguous': flags.c_contiguous, 'not aligned': flags.aligned, 'read-only': flags.writeable}
    faults = [fault for fault, is_right in rights.items() if not is_right]
    return ', '.join([f'{_kind(array.dtype)} {list(array.shape)}', *faults])


def _kind(dtype: np.dtype[Any]) -> str:
    return f'records of {dtype.itemsize} bytes' if dtype.names else str(dtype)
