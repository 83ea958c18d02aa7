"""The stage "evaluate": a learned model on every test instance, costs and CPU seconds kept as they come."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Backend
from colayer.models import Model
from colayer.pipeline import Pipeline
from colayer.problem.abilities import Evaluator
from colayer.problem.bind import bind
from colayer.problem.protocol import Problem, X, Y, Z
from colayer_paper.frame.learned import Data, device_for
from colayer_paper.frame.sharing import Items, shared
from colayer_paper.frame.store import Run


@dataclass(frozen=True)
class Predicted:
    """Cost and CPU seconds on every instance."""

    costs: Floats
    cpu: Floats


def prediction(problem: Problem[X, Y, Z], model: Model, data: Data[X], *, what: str, samples: int = 0) -> Items[X]:
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
        "options": bind(problem).options,
        "weights": model.raw(),
        "feature_scale": model.feature_scale if samples else None,  # the units of the perturbation
        "sigma": model.sigma if samples else None,
        "samples": samples,
        "data": data.identity,
    }
    return Items(f"evaluate: {what}", "evaluate", identity, data.values, solve)


def predict(run: Run, predictions: Sequence[Items[X]]) -> list[Predicted]:
    """Costs and times of each prediction."""
    return [Predicted(*np.array(found, dtype=float).T) for found in shared(run, predictions)]


@contextmanager
def evaluator_on(run: Run, problem: Problem[X, Y, Z], instances: Sequence[X]) -> Iterator[Evaluator]:
    """The losses of these instances, on the device of the run where the problem has kernels for it."""
    with Backend(run.workers, device_for(run, problem)).evaluators(bind(problem)) as evaluator_of:
        yield evaluator_of(instances)


def costs_of(run: Run, problem: Problem[X, Y, Z], weights: Floats, instances: Sequence[X]) -> Floats:
    """Costs of many weight vectors (rows, in raw feature units) on the instances (columns), all at once."""
    with evaluator_on(run, problem, instances) as evaluator:
        losses = evaluator.losses(weights)
    return np.asarray(losses * np.array([problem.scale(instance) for instance in instances]))


def kept_costs(run: Run, problem: Problem[X, Y, Z], weights: Floats, data: Data[X], *, what: str) -> Floats:
    """`costs_of` on the instances of `data`, kept in the run."""

    def evaluate() -> list[list[float]]:
        run.report(f"evaluate: {what}", 0, 1)
        costs: list[list[float]] = costs_of(run, problem, weights, data.values).tolist()
        return costs

    options = bind(problem).options
    identity = {"problem": problem.name, "options": options, "weights": weights, "data": data.identity}
    return np.array(run.cached("evaluate", identity, evaluate))


def gaps(costs: Floats, reference: Floats) -> Floats:
    """(cost − reference) / |reference| in percent; no reference is 0 in these data."""
    return 100.0 * (costs - reference) / np.abs(reference)
