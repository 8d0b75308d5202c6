"""The types of arrays, said once."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
Int8Array = NDArray[np.int8]
Int64Array = NDArray[np.int64]
Float32Array = NDArray[np.float32]
Float64Array = NDArray[np.float64]
