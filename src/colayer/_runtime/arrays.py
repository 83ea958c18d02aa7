"""Types of numpy arrays, for annotations, and arrays of what is given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.text import short
from colayer.errors import InputError

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
#: Feature tables may have either precision.
Features = Singles | Floats


def finite_numbers(given: Any, where: str) -> Floats:
    """Return what is given as an array of float64, of any shape; refuse all but finite real numbers."""
    try:
        found = np.asarray(given)
    except (ValueError, RuntimeError):  # rows of several lengths, a tensor with gradients
        found = np.array(None)
    if found.dtype.kind not in "biuf":
        said = f"an array of {found.dtype} of shape {found.shape}" if isinstance(given, np.ndarray) else short(given)
        raise InputError(f"{said}, expected finite numbers", where=where)
    wrong = np.argwhere(~np.isfinite(found))
    if len(wrong):
        place = "".join(f"[{k}]" for k in wrong[0])
        raise InputError(f"{found[tuple(wrong[0])]}, expected a finite number", where=f"{where}{place}")
    return found.astype(np.float64)
