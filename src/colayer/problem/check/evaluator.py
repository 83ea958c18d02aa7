"""The check of a compiled evaluator, which must give the bits of the five methods.

Weights are tried for which two rows have nearly the same θ: there the order of the rows shows how the features were
added up.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.evaluators.base import Evaluator, compiled_evaluator
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import MapsFeatures
from colayer.evaluators.visit import LoadedInstance, Visits
from colayer.problem import answers
from colayer.problem.check.trial import Trial
from colayer.problem.compose import features_of, scale_of
from colayer.problem.faults import calling

#: Pairs of rows of each instance that get nearly the same θ.
PAIRS = 8


def evaluator(trial: Trial) -> None:
    """The problem's own evaluator gives the losses of the five methods, and holds their features and scales."""
    trial.need("evaluator")
    instances = [trial.instances[index] for index in trial.chosen]
    weights = _weights(trial)
    expected = LocalEvaluator(trial.problem, instances).losses(weights)
    takes_workers = "workers" in inspect.signature(getattr(trial.problem, "evaluator")).parameters  # noqa: B009
    for workers in (1, 2) if takes_workers else (None,):
        own = compiled_evaluator(trial.problem, instances, workers)
        if own is None:
            return
        try:
            with calling(trial.problem, "the evaluator"):
                if workers != 2:
                    _same_losses(trial, _losses(own, weights, len(instances)), expected)
                if not np.array_equal(_losses(own, weights[1::5], len(instances)), expected[1::5]):
                    raise InputError(
                        "losses of the evaluator change when some weight vectors are given without the others, or to "
                        "two workers: let each loss depend on one weight vector and one instance"
                    )
                _same_features(trial, own)
        finally:
            own.close()


def _weights(trial: Trial) -> Floats:
    """Return 0, each feature alone, random weights, and those for which two rows have nearly the same θ."""
    d, rng = len(trial.problem.feature_names), trial.rng(4)
    spread = np.vstack([trial.features(index) for index in trial.chosen]).std(axis=0, dtype=np.float64)
    units = 1.0 / np.where(spread > 0, spread, 1.0)
    rows = [np.zeros((1, d)), np.eye(d), -np.eye(d), rng.normal(size=(3, d)), rng.normal(size=(3, d)) * units]
    for index in trial.chosen:
        features = trial.features(index).astype(np.float64)
        for _ in range(PAIRS if len(features) > 1 else 0):
            i, j = rng.choice(len(features), 2, replace=False)
            apart, weights = (features[i] - features[j]) * units, rng.normal(size=d)
            weights -= apart * float(apart @ weights) / max(float(apart @ apart), np.finfo(float).tiny)
            rows.append((weights * units)[None, :])
    return np.vstack(rows)


def _losses(own: Evaluator, weights: Floats, count: int) -> Floats:
    shape, what = (len(weights), count), "losses of the evaluator"
    given = own.losses(weights.copy())
    losses = answers.array(given, what, f"an array of shape {shape}").astype(np.float64)
    if losses.shape != shape:
        raise answers.refused(what, given, f"an array of shape {shape}, (weights, instances)")
    return losses


def _same_losses(trial: Trial, losses: Floats, expected: Floats) -> None:
    unlike = np.argwhere(losses != expected)
    if len(unlike):
        k, trial.current = unlike[0]
        raise InputError(
            f"the evaluator's loss is {losses[k, trial.current]!r}, the five methods give "
            f"{expected[k, trial.current]!r} ({len(unlike)} of {losses.size} losses differ): let both call the same "
            "code; add up θ feature by feature in float64, and costs in the same order"
        )


def _same_features(trial: Trial, own: Evaluator) -> None:
    """Compare the features and scales that the evaluator holds, in the order asked for, with those of the methods."""
    if isinstance(own, MapsFeatures):
        for index, matrix in zip(trial.each(), own.map_features(np.array), strict=True):
            _same_matrix(trial, index, matrix, "map_features")
    if not isinstance(own, Visits):
        return
    asked = [*reversed(trial.chosen), 0]
    for index, seen in zip(trial.each(asked), own.visit(_looked, asked), strict=True):
        number, matrix, scale, features = seen
        if number != index:
            raise InputError(f"visit of the evaluator shows instance {number} instead: go by the order given")
        _same_matrix(trial, index, matrix, "visit")
        _same_matrix(trial, index, features.T, "visit")
        expected = scale_of(trial.problem, trial.instances[index])
        if scale != expected:
            raise InputError(f"visit of the evaluator shows the scale {scale!r}: hand over {expected!r}, that of scale")


def _looked(held: LoadedInstance[Any, Any, Any]) -> tuple[int, NDArray[Any], float, NDArray[Any]]:
    """Return what an evaluator shows of an instance."""
    features = np.array(features_of(held.problem, held.instance))
    return held.number, np.array(held.matrix), float(held.scale), features


def _same_matrix(trial: Trial, index: int, matrix: NDArray[Any], method: str) -> None:
    expected = trial.features(index).T
    if not np.array_equal(matrix, expected):
        raise InputError(
            f"{method} of the evaluator shows features of shape {np.shape(matrix)} that differ from those of the "
            f"method: hand over their transpose, {expected.shape}"
        )
