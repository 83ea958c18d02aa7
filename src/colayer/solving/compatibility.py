"""Which model belongs to which problem: its options, its features, and the weights that are shipped."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.text import short
from colayer.errors import ColayerError, InputError
from colayer.io.validate import table
from colayer.models import LinearModel, Model
from colayer.pretrained import pretrained
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import X, Y, Z


def problem_of_model(
    model: Model, problem: BoundProblem[X, Y, Z] | None = None, *, keep: bool = False
) -> BoundProblem[X, Y, Z]:
    """Return the problem of a model: `problem`, or the registered one it names, with the model's options.

    With `keep`, options of `problem` that differ from its defaults are the user's choice, and stay.
    """
    from colayer.problems import problem_names, registered

    if problem is None:
        if model.problem not in problem_names():  # a file never makes us import a module of its choice
            names = ", ".join(problem_names())
            message = f"no problem {short(model.problem)}, expected one of {names}, or --problem MODULE:NAME"
            raise InputError(message, where="problem")
        problem = registered(model.problem)
    if model.problem != problem.name or not model.options:
        return problem
    chosen = _chosen_options(problem) if keep else {}
    try:
        return problem.variant(**{**model.options, **chosen})
    except (ColayerError, TypeError) as error:
        raise InputError(f"not options of {problem.name} ({error})", where="options") from None


def _chosen_options(problem: BoundProblem[X, Y, Z]) -> dict[str, Any]:
    """Return the options in which a problem differs from one made without arguments."""
    options = problem.options
    try:
        defaults = bind(type(problem.problem)()).options
    except TypeError:  # it cannot be made without arguments: all of them are chosen
        return options
    return {key: value for key, value in options.items() if key not in defaults or defaults[key] != value}


def default_model(problem: BoundProblem[X, Y, Z]) -> Model:
    """Return the weights shipped for the problem, else its safe weights, with a warning."""
    shipped = pretrained(problem)
    if shipped is not None:
        return require_model_for(problem, shipped)
    if problem.safe_weights is None:
        raise ColayerError(f"{problem.name} has neither shipped nor safe weights: call fit, or pass weights")
    warnings.warn(f"no weights are shipped for {problem.title}: using its safe weights", stacklevel=4)
    return raw_model(problem, problem.safe_weights, "safe weights")


def default_source(problem: BoundProblem[X, Y, Z]) -> str:
    """Return where `default_model` finds weights: "shipped", "safe", or "no" if nowhere."""
    if pretrained(problem) is not None:
        return "shipped"
    return "no" if problem.safe_weights is None else "safe"


def given_model(
    problem: BoundProblem[X, Y, Z], weights: ArrayLike | None, portfolio: ArrayLike | None
) -> LinearModel | None:
    """Return a model of weights and further members in raw feature units, the weights first; None without weights."""
    if weights is None:
        if portfolio is not None:
            raise InputError("expected weights as well, which come first", where="portfolio")
        return None
    model = raw_model(problem, weights, "given")
    if portfolio is None:
        return model
    rows = table(portfolio, "portfolio", (None, problem.dimension))
    others = rows[(rows != model.weights).any(axis=1)]
    return replace(model, portfolio=np.vstack([model.weights, others]))


def raw_model(problem: BoundProblem[X, Y, Z], weights: ArrayLike, source: str) -> LinearModel:
    """Return a model of weights in raw feature units."""
    names, scale = problem.feature_names, np.ones(problem.dimension)
    return LinearModel(names, np.asarray(weights), scale, problem.name, problem.options, {"source": source})


def require_model_for(problem: BoundProblem[X, Y, Z], model: Model) -> Model:
    """Return `model`; refuse one that was not made for this problem and its features."""
    if model.problem != problem.name:
        raise InputError(f"a model for {short(model.problem)}, expected one for {problem.name!r}", where="problem")
    if model.feature_names != problem.feature_names:
        found, needed = next((a, b) for a, b in zip_longest(model.feature_names, problem.feature_names) if a != b)
        said = f"{len(model.feature_names)} features, expected the {problem.dimension} of {problem.title}"
        raise InputError(f"{said}: {short(found)} in the place of {short(needed)}", where="feature_names")
    return model
