"""Checks of what does the work of many calls at once: the compiled evaluator, and many θ of one instance.

Both must give the bits of the five methods. Weights are tried for which two rows have nearly the same θ: there the
order of the rows shows how the features were added up.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer.evaluators.base import Evaluator, compiled_evaluator
from colayer.evaluators.loaded import Held
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import MapsFeatures
from colayer.evaluators.visit import Visits
from colayer.problem.check.report import Mistake
from colayer.problem.check.trial import Trial, guarded, named, parts
from colayer.problem.compose import features_of

Floats = NDArray[np.float64]

#: Pairs of rows of each instance that get nearly the same θ.
PAIRS = 8
#: Rows of θ that are solved at once.
MANY = 20


def evaluator(trial: Trial) -> None:
    """The problem's own evaluator gives the bits of the five methods: losses, and the features that it holds."""
    trial.need("evaluator")
    instances = [trial.instances[index] for index in trial.chosen]
    weights = _weights(trial)
    expected = guarded("the pipeline", LocalEvaluator(trial.problem, instances).losses, weights)
    takes_workers = "workers" in inspect.signature(getattr(trial.problem, "evaluator")).parameters  # noqa: B009
    for workers in (1, 2) if takes_workers else (None,):
        fused: Any = guarded("evaluator", compiled_evaluator, trial.problem, instances, workers)
        if fused is None:
            return
        try:
            if workers != 2:
                _same_losses(_losses(fused, weights, len(instances)), expected)
            if not np.array_equal(_losses(fused, weights[1::5], len(instances)), expected[1::5]):
                raise Mistake(
                    "the evaluator's losses of some weight vectors are other numbers when these are given without the "
                    "others, or to two workers: each loss is a function of one weight vector and one instance"
                )
            _held(trial, fused)
        finally:
            guarded("evaluator: close", fused.close)


def solves_many(trial: Trial) -> None:
    """`solved` and `mixed` give the bits of layer, decode, cost and embed."""
    trial.need("solved", "mixed")
    for index in trial.chosen:
        instance, where = trial.instances[index], trial.at(index)
        many = np.vstack([trial.thetas(index), trial.thetas(index, MANY, 7)])
        answer = trial.call("solved", many.copy(), instance, on=index)
        ys, given = parts(answer, 2, f"{where}solved", "(ys, the cost of each decoded)")
        costs = _numbers(given, (len(many),), f"{where}solved: costs that it")
        samples = [trial.sample(index, theta) for theta in many]
        for k, sample in enumerate(samples):
            if costs[k] != sample.cost:
                raise Mistake(
                    f"{where}solved says that row {k} costs {costs[k]!r}, layer, decode and cost give {sample.cost!r}: "
                    "let both call the same code"
                )
        if trial.has("embed"):
            vectors = [trial.embed(index, sample.y) for sample in samples]
            _same_mixture(trial, index, ys, vectors)


def _same_mixture(trial: Trial, index: int, ys: Any, vectors: list[Floats]) -> None:
    """Σ_k c_k·embed(y_k): for each k alone, then for all."""
    instance, count = trial.instances[index], len(vectors)
    for k, coefficients in enumerate([*np.eye(count), trial.rng(8, index).normal(size=count)]):
        expected = np.zeros(len(vectors[0]))
        for factor, vector in zip(coefficients, vectors, strict=True):
            expected += factor * vector
        answer = trial.call("mixed", ys, coefficients.copy(), instance, on=index)
        found = trial.vector(answer, index, "mixed")
        close = np.allclose(found, expected, rtol=1e-12, atol=1e-12 * float(np.abs(expected).max()))
        if k < count and not close:
            raise Mistake(
                f"{trial.at(index)}mixed gives the y of row {k} of solved another vector than embed of what layer "
                "returns for that θ: return Σ_k c_k·embed(y_k)"
            )
        if not np.array_equal(found, expected):
            much = "" if close else ", and not by rounding alone"
            raise Mistake(
                f"{trial.at(index)}mixed differs from Σ_k c_k·embed(y_k){much}: take c_k as it is, and add up in the "
                "order of k"
            )


def _weights(trial: Trial) -> Floats:
    """0, each feature alone, random ones, and those for which two rows of an instance have nearly the same θ."""
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


def _losses(fused: Evaluator, weights: Floats, count: int) -> Floats:
    losses = guarded("evaluator: losses", fused.losses, weights.copy())
    return _numbers(losses, (len(weights), count), "evaluator: losses", "(weights, instances)")


def _numbers(value: Any, shape: tuple[int, ...], what: str, axes: str = "") -> Floats:
    """An array of numbers of this shape."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise Mistake(f"{what} returned {named(value)}: return an array of numbers") from None
    if numbers.shape != shape:
        raise Mistake(f"{what} returned shape {numbers.shape}: return {shape}{axes and ', '}{axes}")
    return numbers


def _same_losses(losses: Floats, expected: Floats) -> None:
    unlike = np.argwhere(losses != expected)
    if len(unlike):
        k, index = unlike[0]
        raise Mistake(
            f"instance {index}: the evaluator's loss is {losses[k, index]!r}, the five methods give "
            f"{expected[k, index]!r} ({len(unlike)} of {losses.size} losses differ): let both call the same code; add "
            "up θ feature by feature in float64, and costs in the same order"
        )


def _held(trial: Trial, fused: Evaluator) -> None:
    """The features and scales that the evaluator holds are those of the instances, in the order asked for."""
    if isinstance(fused, MapsFeatures):
        matrices = guarded("evaluator: map_features", fused.map_features, np.array)
        for index in trial.chosen:
            _same_features(trial, index, matrices[index] if index < len(matrices) else None, "map_features")
    if not isinstance(fused, Visits):
        return
    asked = [*reversed(trial.chosen), 0]
    visited = guarded("evaluator: visit", fused.visit, _looked, asked)
    if not isinstance(visited, list | tuple) or len(visited) != len(asked):
        raise Mistake(f"evaluator: visit returned {named(visited)}: return a list of what work returns, as asked for")
    for index, (number, matrix, scale, features) in zip(asked, visited, strict=True):
        if number != index:
            raise Mistake(
                f"evaluator: visit shows work the instance {number} where {index} was asked for: go by the order given"
            )
        _same_features(trial, index, matrix, "visit")
        expected = float(trial.call("scale", trial.instances[index], on=index))
        if scale != expected:
            raise Mistake(f"instance {index}: evaluator: visit shows the scale {scale!r}, scale gives {expected!r}")
        if not np.array_equal(features, trial.features(index)):
            raise Mistake(f"instance {index}: evaluator: visit shows work an instance with other features")


def _looked(held: Held[Any, Any, Any]) -> tuple[int, NDArray[Any], float, NDArray[Any]]:
    """What an evaluator shows of an instance."""
    features = np.array(features_of(held.problem, held.instance))
    return held.number, np.array(held.matrix), float(held.scale), features


def _same_features(trial: Trial, index: int, matrix: Any, method: str) -> None:
    expected = trial.features(index).T
    if not isinstance(matrix, np.ndarray) or matrix.shape != expected.shape or not np.array_equal(matrix, expected):
        shape = f" of shape {matrix.shape}" if isinstance(matrix, np.ndarray) else ""
        raise Mistake(
            f"instance {index}: evaluator: {method} shows other features{shape} than the method gives: hand over their "
            f"transpose, {expected.shape}"
        )
