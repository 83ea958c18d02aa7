"""What a network adds to the θ of an instance; the problem says how its rows relate."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.models import ContextModel, FromContext, Model, thetas
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z
from colayer.problem.structure import Structure


def theta_of(problem: BoundProblem[X, Y, Z], model: Model, instance: X, features: NDArray[Any]) -> Floats:
    """Return θ of one instance."""
    linear, added = thetas(features, model.raw()[None, :])[0], correction_of(problem, model, instance, features)
    return np.asarray(linear if added is None else linear + added)


def correction_of(problem: BoundProblem[X, Y, Z], model: Model, instance: X, features: NDArray[Any]) -> Floats | None:
    """Return what the model adds to the linear part of θ, for any weights; None for a linear model.

    A network sees how rows relate, a model of the context that.
    """
    if isinstance(model, FromContext):
        return model.from_context(problem.need("context")(instance))
    if not isinstance(model, ContextModel):
        return model.correction(features)
    structure = () if model.silent else problem.structure_of(instance, len(features))
    return model.correction(features, structure, partial(structure_after, problem, instance))


def structure_after(problem: BoundProblem[X, Y, Z], instance: X, theta: Floats) -> Structure:
    """Return how rows relate in the answer of the layer to θ."""
    return problem.structure_of(instance, len(theta), problem.layer(theta, instance))
