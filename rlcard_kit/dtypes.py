"""Records of kernels, declared once: a class whose annotations are the fields' types, dtypes and shapes."""

from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Int64Array

WORD = np.dtype(np.int64)


def record_dtype(kind: type) -> np.dtype[Any]:
    """Return the structured dtype of a record class.

    Each field of the class is annotated `Annotated[TYPE, DTYPE]` or `Annotated[TYPE, DTYPE, SHAPE]`: TYPE is for
    mypy inside kernels, DTYPE and SHAPE are those of an array of such records.
    """
    hints = get_type_hints(kind, include_extras=True)
    return np.dtype([(name, *hint.__metadata__) for name, hint in hints.items()])


def num_words(kind: np.dtype[Any]) -> int:
    """Return how many words of 64 bits a record takes."""
    return kind.itemsize // WORD.itemsize


def words_of(records: NDArray[Any]) -> Int64Array:
    """Return a view of records, [N], as words to copy, int64 [N, words]: records are copied field by field."""
    return records.view(WORD).reshape(len(records), num_words(records.dtype))


def records_of(words: Int64Array, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the records of a dtype that words, int64 [N, words], were copied from, [N]."""
    return np.ascontiguousarray(words).view(kind)[:, 0]
