"""Types of numpy arrays, for annotations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
#: Feature tables may have either precision.
Features = Singles | Floats
