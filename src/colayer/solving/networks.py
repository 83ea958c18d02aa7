"""What a network adds to the θ of an instance of a problem: the problem says how rows relate, at first and later."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.models import ContextModel, Model, thetas
from colayer.problem.compose import layer_of
from colayer.problem.protocol import Floats, Problem, X, Y, Z
from colayer.problem.structure import Structure, structure_of


def theta_of(problem: Problem[X, Y, Z], model: Model, instance: X, features: NDArray[Any]) -> Floats:
    """θ of one instance."""
    linear, added = thetas(features, model.raw()[None, :])[0], correction_of(problem, model, instance, features)
    return np.asarray(linear if added is None else linear + added)


def correction_of(problem: Problem[X, Y, Z], model: Model, instance: X, features: NDArray[Any]) -> Floats | None:
    """What the model adds to the linear part of θ, whatever the weights; None for a linear model."""
    if not isinstance(model, ContextModel):
        return model.correction(features)
    structure = () if model.silent else structure_of(problem, instance, len(features))
    return model.correction(features, structure, partial(structure_after, problem, instance))


def structure_after(problem: Problem[X, Y, Z], instance: X, theta: Floats) -> Structure:
    """How rows relate in the answer of the layer to θ."""
    return structure_of(problem, instance, len(theta), layer_of(problem, theta, instance))
