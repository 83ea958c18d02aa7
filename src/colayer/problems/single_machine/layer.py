"""The layer: 1 || Σ C_j with processing times θ, solved by sorting (SPT), ties by job index."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer.errors import InputError
from colayer.layers import sorting
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.rows import mix_into


def layer(theta: ArrayLike, instance: Instance) -> NDArray[np.int64]:
    """Return the sequence that minimises Σ_j θ_j·(n − position of j)."""
    values = np.asarray(theta, dtype=np.float64)
    if values.shape != (instance.jobs,):
        raise InputError(f"shape {values.shape}, expected one entry per job, ({instance.jobs},)", where="theta")
    return sorting.sort(values)


def embed(sequence: NDArray[np.int64], instance: Instance) -> NDArray[np.float64]:
    """Return n − position by job; also the target of a solution, since every sequence is an answer of the layer."""
    return sorting.embed(sequence)


def augmented(
    theta: NDArray[np.float64], target: NDArray[np.float64], instance: Instance
) -> tuple[NDArray[np.float64], float]:
    """Return θ′ and a for the hinge loss (see `sorting.augmented`)."""
    return sorting.augmented(theta, target)


def likelihood(
    theta: NDArray[np.float64], target: NDArray[np.float64], instance: Instance
) -> tuple[float, NDArray[np.float64]]:
    """Return value and gradient of the likelihood (see `sorting.likelihood`)."""
    return sorting.likelihood(theta, target)


def mixed(orders: NDArray[np.int64], coefficients: NDArray[np.float64], instance: Instance) -> NDArray[np.float64]:
    """Return Σ_k c_k·embed(orders[k])."""
    out = np.empty(instance.jobs)
    mix_into(orders, coefficients, out)
    return out
