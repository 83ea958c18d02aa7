"""The layer: 1 || Σ C_j with processing times θ, solved by sorting (SPT), ties by job index."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.layers import sorting
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.losses import mix


def layer(theta: ArrayLike, instance: Instance) -> Ints:
    """Return the sequence that minimises Σ_j θ_j·(n − position of j)."""
    values = np.asarray(theta, dtype=np.float64)
    if values.shape != (instance.jobs,):
        raise InputError(f"shape {values.shape}, expected one entry per job, ({instance.jobs},)", where="theta")
    return sorting.sort(values)


def embed(sequence: Ints, instance: Instance) -> Floats:
    """Return n − position by job; also the target of a solution, since every sequence is an answer of the layer."""
    return sorting.embed(sequence)


def augmented(theta: Floats, target: Floats, instance: Instance) -> tuple[Floats, float]:
    """Return θ′ and a for the hinge loss (see `sorting.augmented`)."""
    return sorting.augmented(theta, target)


def likelihood(theta: Floats, target: Floats, instance: Instance) -> tuple[float, Floats]:
    """Return value and gradient of the likelihood (see `sorting.likelihood`)."""
    return sorting.likelihood(theta, target)


def mixed(orders: Ints, coefficients: Floats, instance: Instance) -> Floats:
    """Return Σ_k c_k·embed(orders[k])."""
    mixture: Floats = mix(orders, coefficients)
    return mixture
