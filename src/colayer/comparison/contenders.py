"""The contenders: learned pipelines, safe weights, plain rules, the problem's exact solver, HiGHS and CP-SAT.

A contender takes an instance and a time limit in seconds, and hands in what it found, with the times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from colayer.comparison import cpsat
from colayer.comparison.highs import solve_compact
from colayer.comparison.trajectory import Attempt
from colayer.compose import features_of, theta_blocks
from colayer.errors import InputError
from colayer.learning.perturbation import draws
from colayer.pipeline import Pipeline
from colayer.problem import provides

Contender = Callable[[Any, float], Attempt]

#: Names of the contenders that are not rules of the problem. With time left, a pipeline is perturbed.
SAFE, EXACT, HIGHS, CP_SAT, CP_SAT_HINT = "safe weights", "exact", "HiGHS", "CP-SAT", "CP-SAT, hint"
PERTURBED = ", perturbed"

#: σ of the perturbed pipeline by draw: the best one is not known before, so that the draws take turns.
SIGMAS = (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)
#: The share of the time limit that a batch of draws should not exceed, and its draws at most.
_BATCH, _MOST = 0.05, 10_000


def contenders_of(
    problem: Any, learned: Mapping[str, Pipeline], seed: int = 0
) -> tuple[dict[str, Contender], list[str]]:
    """All contenders there are for the problem, by name, and in words why others are left out."""
    found: dict[str, Contender] = {}
    for name, pipeline in learned.items():
        if name in reserved(problem) or name.removesuffix(PERTURBED) in found:
            raise InputError(f"{name!r} is the name of another contender", where="learned")
        found[name] = once(pipeline)
        found[name + PERTURBED] = perturbed(pipeline, seed)
    if problem.safe_weights is not None:
        found[SAFE] = once(Pipeline(problem, problem.safe_weights, safe=False))
    found |= {name: rule(problem, name) for name in problem.baselines}
    missing = []
    if provides(problem, "exact"):
        found[EXACT] = exact(problem)
    if provides(problem, "compact"):
        found[HIGHS] = lambda instance, limit: solve_compact(problem, instance, limit, seed)
    else:
        missing.append(f"HiGHS is left out: {problem.name} has no compact model")
    if not provides(problem, "constraint_program"):
        missing.append(f"CP-SAT is left out: {problem.name} has no constraint program")
    elif not cpsat.available():
        missing.append(f"CP-SAT is left out: {cpsat.INSTALL}")
    else:
        found[CP_SAT] = lambda instance, limit: cpsat.solve_constraints(problem, instance, limit, seed)
        if learned:
            found[CP_SAT_HINT] = hinted(problem, next(iter(learned.values())), seed)
    return found, missing


def reserved(problem: Any) -> set[str]:
    """The names that a learned pipeline cannot have."""
    return {SAFE, EXACT, HIGHS, CP_SAT, CP_SAT_HINT, *problem.baselines}


def once(pipeline: Pipeline) -> Contender:
    """The pipeline, features included."""

    def run(instance: Any, limit: float) -> Attempt:
        solved = pipeline.solve(instance)
        return Attempt([(solved.seconds, solved.solution)])

    return run


def perturbed(pipeline: Pipeline, seed: int = 0) -> Contender:
    """The best of w, w + σZ_1, w + σZ_2, … until the time is over; σ takes turns, see `SIGMAS`."""

    def run(instance: Any, limit: float) -> Attempt:
        begin = time.perf_counter()
        problem, model = pipeline.problem, pipeline.model
        features = features_of(problem, instance)
        correction = model.correction(features)

        def best(rows: Any) -> tuple[Any, float]:
            blocks = theta_blocks(features, model.raw(rows), correction)
            _, solution, cost = min((problem.best(block, instance, seed + done) for _, block in blocks), key=_cost)
            return solution, cost

        done = batch = 0
        count = 1
        solution, least = best(model.weights[None, :])
        seconds = time.perf_counter() - begin
        found = [(seconds, solution)]
        each = seconds  # an upper guess for a draw: without the features it is less
        while seconds + each <= limit:
            # twice as many draws as before, so that batches are few, but none that would not end in time
            count = max(1, min(2 * count, _MOST, int(_BATCH * limit / each), int((limit - seconds) / each)))
            Z = draws(seed + batch, count, len(model.weights))
            sigma = np.array([SIGMAS[k % len(SIGMAS)] for k in range(done, done + count)])
            solution, cost = best(model.weights + sigma[:, None] * Z)
            done += count
            batch += 1
            before, seconds = seconds, time.perf_counter() - begin
            each = (seconds - before) / count
            if cost < least:
                least = cost
                found.append((seconds, solution))
        return Attempt(found)

    return run


def _cost(row: tuple[int, Any, float]) -> float:
    return row[2]


def rule(problem: Any, name: str) -> Contender:
    """A plain rule."""

    def run(instance: Any, limit: float) -> Attempt:
        begin = time.perf_counter()
        solution = problem.baseline(name, instance)
        return Attempt([(time.perf_counter() - begin, solution)])

    return run


def exact(problem: Any) -> Contender:
    """The problem's own best solver; where it tells its best cost on the way, that counts as well."""

    def run(instance: Any, limit: float) -> Attempt:
        told: list[tuple[float, float]] = []
        begin = time.perf_counter()

        def tell(bound: float, cost: float) -> None:
            if not told or cost < told[-1][1]:
                told.append((time.perf_counter() - begin, float(cost)))

        solution, _, proved = problem.exact(instance, time_limit=limit, progress=tell)
        return Attempt([(time.perf_counter() - begin, solution)], told, proved)

    return run


def hinted(problem: Any, pipeline: Pipeline, seed: int = 0) -> Contender:
    """The pipeline, then CP-SAT with its solution as a hint; time and solution of the pipeline count."""

    def run(instance: Any, limit: float) -> Attempt:
        solved = pipeline.solve(instance)
        found = cpsat.solve_constraints(problem, instance, limit - solved.seconds, seed, start=solved.solution)
        later = [(solved.seconds + when, solution) for when, solution in found.solutions]
        note = found.note if later else f"the solution of the pipeline alone: {found.note or 'CP-SAT had none in time'}"
        return Attempt([(solved.seconds, solved.solution), *later], proved=found.proved, note=note)

    return run
