"""The stage "evaluate": a learned model on every test instance, costs and CPU seconds kept as they come."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colayer.compose import scale_of
from colayer.evaluators.base import evaluator_for
from colayer.experiments.frame.learned import Data
from colayer.experiments.frame.store import Run
from colayer.models import Model
from colayer.pipeline import Pipeline
from colayer.problem import Problem, X, Y, Z, declared

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Predicted:
    """Cost and CPU seconds on every instance."""

    costs: Floats
    cpu: Floats


def predict(
    run: Run, problem: Problem[X, Y, Z], model: Model, data: Data[X], *, what: str, samples: int = 0
) -> Predicted:
    """Solve each instance with the model's weights alone (`safe=False`), through the problem's decoder.

    The CPU seconds are those of `Pipeline.solve`, features and bound included, over all its threads.
    """
    pipeline = Pipeline.from_model(problem, model, safe=False)
    warm: list[float] = []

    def solve(instance: X) -> tuple[float, float]:
        if not warm:
            warm.append(pipeline.solve(instance, samples=samples).cost)  # compile
        begin = time.process_time()
        cost = pipeline.solve(instance, samples=samples).cost
        return cost, time.process_time() - begin

    identity = {
        "problem": problem.name,
        "options": declared(problem).options,
        "weights": model.raw(),
        "feature_scale": model.feature_scale if samples else None,  # the units of the perturbation
        "samples": samples,
        "data": data.identity,
    }
    # one thread: the clock is that of the process
    found = run.items("evaluate", identity, data.values, solve, what=f"evaluate: {what}", threads=1)
    costs, cpu = np.array(found, dtype=float).T
    return Predicted(costs, cpu)


def costs_of(run: Run, problem: Problem[X, Y, Z], weights: Floats, instances: Sequence[X]) -> Floats:
    """Costs of many weight vectors (rows, in raw feature units) on the instances (columns), all at once."""
    with closing(evaluator_for(problem, instances, run.workers)) as evaluator:
        losses = evaluator.losses(weights)
    return np.asarray(losses * np.array([scale_of(problem, instance) for instance in instances]))


def gaps(costs: Floats, reference: Floats) -> Floats:
    """(cost − reference) / |reference| in percent; no reference is 0 in these data."""
    return 100.0 * (costs - reference) / np.abs(reference)
