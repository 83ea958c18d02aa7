"""The layer: 1 || Σ C_j with processing times θ, solved by sorting (SPT), ties by job index."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer.errors import InputError
from colayer.layers import sorting
from colayer.problems.single_machine.instance import Instance


def layer(theta: ArrayLike, instance: Instance) -> NDArray[np.int64]:
    """The sequence that minimises Σ_j θ_j·(n − position of j)."""
    values = np.asarray(theta, dtype=np.float64)
    if values.shape != (instance.jobs,):
        raise InputError(f"shape {values.shape}, expected one entry a job, ({instance.jobs},)", where="theta")
    return sorting.sort(values)
