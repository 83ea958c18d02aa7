"""Which model belongs to which problem: its options, its features, and the weights that are shipped."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.text import short
from colayer.errors import ColayerError, InputError
from colayer.models import LinearModel, Model
from colayer.pretrained import pretrained
from colayer.problem.protocol import Declared, Problem, X, Y, Z, declared, variant


def problem_of_model(model: Model, problem: Problem[X, Y, Z] | None = None, *, keep: bool = False) -> Problem[X, Y, Z]:
    """The problem as the model knows it: `problem`, or the registered one that it names, with the model's options.

    With `keep`, options of `problem` that differ from its defaults are the user's choice, and stay.
    """
    from colayer.problems import find_problem, problem_names

    if problem is None:
        if model.problem not in problem_names():  # a file never makes us import a module of its choice
            known = ", ".join(problem_names())
            message = f"no problem {short(model.problem)}, expected one of {known}, or --problem MODULE:NAME"
            raise InputError(message, where="problem")
        problem = find_problem(model.problem)
    if model.problem != problem.name or not model.options:
        return problem
    chosen = _chosen_options(problem) if keep else {}
    try:
        return variant(problem, **{**model.options, **chosen})
    except (ColayerError, TypeError) as error:
        raise InputError(f"not options of {problem.name} ({error})", where="options") from None


def _chosen_options(problem: Problem[X, Y, Z]) -> dict[str, Any]:
    """The options in which a problem differs from one made without arguments."""
    options = declared(problem).options
    try:
        defaults = declared(type(problem)()).options
    except TypeError:  # it cannot be made without arguments: all of them are chosen
        return options
    return {key: value for key, value in options.items() if key not in defaults or defaults[key] != value}


def default_model(problem: Problem[X, Y, Z]) -> Model:
    """The weights shipped for the problem, else its safe weights, with a warning."""
    known, shipped = declared(problem), pretrained(problem)
    if shipped is not None:
        return checked(shipped, known)
    if known.safe_weights is None:
        raise ColayerError(f"{known.name} has neither shipped nor safe weights: call fit, or give weights")
    warnings.warn(f"no weights are shipped for {known.title}: safe weights are used", stacklevel=4)
    return raw_model(known, known.safe_weights, "safe weights")


def default_source(problem: Problem[X, Y, Z]) -> str:
    """Which weights `default_model` takes: "shipped" or "safe", or "no" where it finds none."""
    if pretrained(problem) is not None:
        return "shipped"
    return "no" if declared(problem).safe_weights is None else "safe"


def raw_model(known: Declared, weights: ArrayLike, source: str) -> LinearModel:
    """A model of weights in raw feature units."""
    scale = np.ones(known.dimension)
    return LinearModel(known.feature_names, np.asarray(weights), scale, known.name, known.options, {"source": source})


def checked(model: Model, known: Declared) -> Model:
    """`model`, refused where it was not made for this problem and its features."""
    if model.problem != known.name:
        raise InputError(f"a model for {short(model.problem)}, expected one for {known.name!r}", where="problem")
    if model.feature_names != known.feature_names:
        raise InputError(
            f"{len(model.feature_names)} features that are not those of {known.title}, {known.dimension} of them",
            where="feature_names",
        )
    return model
