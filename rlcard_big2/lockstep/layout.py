"""Records of kernels, declared once: a class whose annotations are the fields' types, dtypes and shapes."""

from typing import Any, get_type_hints

import numpy as np


def record_dtype(kind: type) -> np.dtype[Any]:
    """Return the structured dtype of a record class.

    Each field of the class is annotated `Annotated[TYPE, DTYPE]` or `Annotated[TYPE, DTYPE, SHAPE]`: TYPE is what
    mypy sees inside kernels, DTYPE and SHAPE are what an array of such records holds.
    """
    hints = get_type_hints(kind, include_extras=True)
    return np.dtype([(name, *hint.__metadata__) for name, hint in hints.items()])
