"""The check of a compiled evaluator, which must give the bits of the five methods.

Weights are tried for which two rows have nearly the same θ: there the order of the rows shows how the features were
added up.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.evaluators.base import compiled_evaluator
from colayer.evaluators.statistics import MapsFeatures
from colayer.evaluators.visit import Visits
from colayer.problem import guard
from colayer.problem.abilities import Evaluator
from colayer.problem.bind import bind
from colayer.problem.check.trial import Trial, losses

#: Pairs of rows of each instance that get nearly the same θ.
PAIRS = 8


def evaluator(trial: Trial) -> None:
    """Check that the problem's evaluator gives the losses, features and scales of the five methods."""
    trial.need("evaluator")
    instances = [trial.instances[index] for index in trial.chosen]
    weights = _weights(trial)
    expected = losses(trial.problem, instances, weights)
    takes_workers = "workers" in inspect.signature(trial.problem.need("evaluator")).parameters
    for workers in (1, 2) if takes_workers else (None,):
        own = compiled_evaluator(trial.problem, instances, workers)
        if own is None:
            return
        try:
            if workers != 2:
                _same_losses(trial, _losses(trial, own, weights), expected)
            if not np.array_equal(_losses(trial, own, weights[1::5]), expected[1::5]):
                raise InputError(
                    "losses of the evaluator change when some weight vectors are given without the others, or to "
                    "two workers: let each loss depend on one weight vector and one instance"
                )
            _same_features(trial, own)
        finally:
            own.close()


def _weights(trial: Trial) -> Floats:
    """Return 0, each feature alone, random weights, and those for which two rows have nearly the same θ."""
    d, rng = trial.problem.dimension, trial.rng(4)
    spread = np.vstack([trial.features(index) for index in trial.chosen]).std(axis=0, dtype=np.float64)
    units = 1.0 / np.where(spread > 0, spread, 1.0)
    rows = [np.zeros((1, d)), np.eye(d), -np.eye(d), rng.normal(size=(3, d)), rng.normal(size=(3, d)) * units]
    for index in trial.chosen:
        features = trial.features(index).astype(np.float64)
        for _ in range(PAIRS if len(features) > 1 else 0):
            i, j = rng.choice(len(features), 2, replace=False)
            direction, weights = (features[i] - features[j]) * units, rng.normal(size=d)
            weights -= direction * float(direction @ weights) / max(float(direction @ direction), np.finfo(float).tiny)
            rows.append((weights * units)[None, :])
    return np.vstack(rows)


def _losses(trial: Trial, own: Evaluator, weights: Floats) -> Floats:
    shape, what = (len(weights), len(trial.chosen)), "losses of the evaluator"
    given = _guarded(trial, own.losses)(weights.copy())
    found = guard.array(given, what, f"an array of shape {shape}").astype(np.float64)
    if found.shape != shape:
        raise guard.refused(what, given, f"an array of shape {shape}, (weights, instances)")
    return found


def _guarded(trial: Trial, method: Callable[..., Any]) -> Callable[..., Any]:
    return trial.problem.guard.wrap("the evaluator", method)


def _same_losses(trial: Trial, found: Floats, expected: Floats) -> None:
    unlike = np.argwhere(found != expected)
    if len(unlike):
        k, trial.current = unlike[0]
        raise InputError(
            f"the evaluator's loss is {found[k, trial.current]!r}, the five methods give "
            f"{expected[k, trial.current]!r} ({len(unlike)} of {found.size} losses differ): let both call the same "
            "code; add up θ feature by feature in float64, and costs in the same order"
        )


def _one_each(answers: Any, count: int, method: str) -> list[Any]:
    found = guard.listed(answers, "a list with an answer for each instance", f"{method} of the evaluator")
    if len(found) != count:
        raise InputError(f"{method} of the evaluator answers for {len(found)} instances, expected {count}")
    return found


def _same_features(trial: Trial, own: Evaluator) -> None:
    """Compare the evaluator's features and scales, in the order asked for, with those of the methods."""
    if isinstance(own, MapsFeatures):
        matrices = _one_each(_guarded(trial, own.map_features)(np.array), len(trial.chosen), "map_features")
        for index, matrix in zip(trial.each(), matrices, strict=True):
            _same_matrix(trial, index, matrix, "map_features")
    if not isinstance(own, Visits):
        return
    asked = [*reversed(trial.chosen), 0]
    visited = _one_each(_guarded(trial, own.visit)(_looked, asked), len(asked), "visit")
    for index, seen in zip(trial.each(asked), visited, strict=True):
        number, matrix, scale, features = seen
        if number != index:
            raise InputError(f"visit of the evaluator shows instance {number} instead: go by the order given")
        _same_matrix(trial, index, matrix, "visit")
        _same_matrix(trial, index, features.T, "visit")
        expected = trial.problem.scale(trial.instances[index])
        if scale != expected:
            raise InputError(f"visit of the evaluator shows the scale {scale!r}: hand over {expected!r}, that of scale")


def _looked(visited: Any) -> tuple[int, NDArray[Any], float, NDArray[Any]]:
    """Return what an evaluator shows of an instance."""
    features = np.array(bind(visited.problem).features(visited.instance))
    return visited.number, np.array(visited.matrix), float(visited.scale), features


def _same_matrix(trial: Trial, index: int, matrix: NDArray[Any], method: str) -> None:
    expected = trial.features(index).T
    if not np.array_equal(matrix, expected):
        raise InputError(
            f"{method} of the evaluator shows features of shape {np.shape(matrix)} that differ from those of the "
            f"method: hand over their transpose, {expected.shape}"
        )
