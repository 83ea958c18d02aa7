"""Contenders: learned pipelines, safe weights, plain rules, the problem's exact solver, HiGHS and CP-SAT.

A contender takes an instance and a time limit in seconds, and hands in what it found, with the times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal

import numpy as np

from colayer.capabilities import Baselines, CompactPrograms, ConstraintPrograms, Exact, need
from colayer.comparison import cpsat
from colayer.comparison.highs import solve_compact
from colayer.comparison.trajectory import Attempt
from colayer.compose import best_of, features_of, solve_exactly, theta_blocks
from colayer.errors import InputError
from colayer.learning.perturbation import draws
from colayer.pipeline import Pipeline
from colayer.problem import Problem, X, Y, Z, declared

#: Names of the contenders that are not rules of the problem. With time left, a pipeline is perturbed.
SAFE, EXACT, HIGHS, CP_SAT, CP_SAT_HINT = "safe weights", "exact", "HiGHS", "CP-SAT", "CP-SAT, hint"
PERTURBED = ", perturbed"

#: σ of the perturbed pipeline by draw: the best one is not known before, so that the draws take turns.
SIGMAS = (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)
#: The share of the time limit that a batch of draws should not exceed, and its draws at most.
_BATCH, _MOST = 0.05, 10_000


@dataclass(frozen=True, eq=False)
class Contender(Generic[X, Z]):
    """A name, and a way to solve an instance within a time limit; `kind` says what it stands for in a table.

    A contender that is `anytime` goes on until its time is over; others solve once.
    """

    name: str
    attempt: Callable[[X, float], Attempt[Z]]
    kind: Literal["learned", "safe", "rule", "solver"] = "rule"
    anytime: bool = False

    @property
    def rival(self) -> bool:
        """Whether learning is compared with it: one that fails is left out, the others end the comparison."""
        return self.kind in ("rule", "solver")


def pipeline_contender(
    name: str, pipeline: Pipeline[X, Y, Z], kind: Literal["learned", "safe"] = "learned", **draws: Any
) -> Contender[X, Z]:
    """A pipeline that solves once, features included; `draws` are the samples, sigma and seed of `Pipeline.solve`."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        solved = pipeline.solve(instance, **draws)
        return Attempt([(solved.seconds, solved.solution)])

    return Contender(name, attempt, kind)


def safe_contender(problem: Problem[X, Y, Z], **draws: Any) -> list[Contender[X, Z]]:
    """The safe weights, through the problem's decoder; nothing where it has none."""
    weights = declared(problem).safe_weights
    if weights is None:
        return []
    return [pipeline_contender(SAFE, Pipeline(problem, weights, safe=False), "safe", **draws)]


def rule_contenders(problem: Problem[X, Y, Z]) -> list[Contender[X, Z]]:
    """The plain rules of the problem."""
    return [function_contender(rule, _rule(problem, rule)) for rule in declared(problem).baselines]


def function_contender(name: str, solve: Callable[[X], Z]) -> Contender[X, Z]:
    """A function from an instance to a solution."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        begin = time.perf_counter()
        solution = solve(instance)
        return Attempt([(time.perf_counter() - begin, solution)])

    return Contender(name, attempt)


def perturbed_contender(name: str, pipeline: Pipeline[X, Y, Z], seed: int = 0) -> Contender[X, Z]:
    """The best of w, w + σZ_1, w + σZ_2, … until the time is over; σ takes turns, see `SIGMAS`."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        begin = time.perf_counter()
        problem, model = pipeline.problem, pipeline.model
        features = features_of(problem, instance)
        correction = model.correction(features)

        def best(rows: Any) -> tuple[Z, float]:
            blocks = theta_blocks(features, model.raw(rows), correction)
            found = [best_of(problem, block, instance, seed + done) for _, block in blocks]
            _, solution, cost = min(found, key=lambda row: row[2])
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
            drawn = draws(seed + batch, count, len(model.weights))
            sigma = np.array([SIGMAS[k % len(SIGMAS)] for k in range(done, done + count)])
            solution, cost = best(model.weights + sigma[:, None] * drawn)
            done += count
            batch += 1
            before, seconds = seconds, time.perf_counter() - begin
            each = (seconds - before) / count
            if cost < least:
                least = cost
                found.append((seconds, solution))
        return Attempt(found)

    return Contender(name + PERTURBED, attempt, "learned", anytime=True)


def solver_contenders(
    problem: Problem[X, Y, Z], hint: Pipeline[X, Y, Z] | None = None, seed: int = 0
) -> tuple[list[Contender[X, Z]], list[str]]:
    """Exact solver, HiGHS, and CP-SAT without and with the solution of `hint`; and in words why some are left out."""
    found: list[Contender[X, Z]] = []
    missing: list[str] = []
    if isinstance(problem, Exact):
        found.append(Contender(EXACT, _exact(problem)))
    if isinstance(problem, CompactPrograms):
        found.append(Contender(HIGHS, lambda instance, limit: solve_compact(problem, instance, limit, seed)))
    else:
        missing.append(f"HiGHS is left out: {problem.name} has no compact model")
    if not isinstance(problem, ConstraintPrograms):
        missing.append(f"CP-SAT is left out: {problem.name} has no constraint program")
    elif not cpsat.available():
        missing.append(f"CP-SAT is left out: {cpsat.INSTALL}")
    else:
        alone = lambda instance, limit: cpsat.solve_constraints(problem, instance, limit, seed)  # noqa: E731
        found.append(Contender(CP_SAT, alone))
        if hint is not None:
            found.append(Contender(CP_SAT_HINT, _hinted(problem, hint, seed)))
    return [replace(contender, kind="solver", anytime=True) for contender in found], missing


def contenders_named(contenders: Mapping[str, Pipeline[X, Y, Z] | Callable[[X], Z]]) -> list[Contender[X, Z]]:
    """Contenders of the user's: pipelines, and functions from an instance to a solution."""
    return [
        pipeline_contender(name, given) if isinstance(given, Pipeline) else function_contender(name, given)
        for name, given in contenders.items()
    ]


def reserved(problem: Problem[X, Y, Z]) -> set[str]:
    """The names that a learned pipeline cannot have."""
    return {SAFE, EXACT, HIGHS, CP_SAT, CP_SAT_HINT, *declared(problem).baselines}


def check_names(contenders: Sequence[Contender[X, Z]]) -> None:
    """Refuse two contenders of one name."""
    names = [contender.name for contender in contenders]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name!r} is the name of another contender", where="contenders")


def _rule(problem: Problem[X, Y, Z], rule: str) -> Callable[[X], Z]:
    if not isinstance(problem, Baselines):
        raise InputError(f"{problem.name} names the rule {rule!r} and has no method baseline(rule, instance)")
    return lambda instance: problem.baseline(rule, instance)


def _exact(problem: Problem[X, Y, Z]) -> Callable[[X, float], Attempt[Z]]:
    """The problem's own best solver; where it tells its best cost on the way, that counts as well."""
    need(problem, Exact)

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        costs: list[tuple[float, float]] = []
        begin = time.perf_counter()

        def progress(bound: float, cost: float) -> None:
            if not costs or cost < costs[-1][1]:
                costs.append((time.perf_counter() - begin, float(cost)))

        solution, _, proved = solve_exactly(problem, instance, time_limit=limit, progress=progress)
        return Attempt([(time.perf_counter() - begin, solution)], costs, proved)

    return attempt


def _hinted(problem: Problem[X, Y, Z], pipeline: Pipeline[X, Y, Z], seed: int) -> Callable[[X, float], Attempt[Z]]:
    """The pipeline, then CP-SAT with its solution as a hint; time and solution of the pipeline count."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        solved = pipeline.solve(instance)
        found = cpsat.solve_constraints(problem, instance, limit - solved.seconds, seed, start=solved.solution)
        later = [(solved.seconds + when, solution) for when, solution in found.solutions]
        note = found.note if later else f"the solution of the pipeline alone: {found.note or 'CP-SAT had none in time'}"
        return Attempt([(solved.seconds, solved.solution), *later], proved=found.proved, note=note)

    return attempt
