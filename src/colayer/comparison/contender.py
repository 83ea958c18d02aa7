"""Contenders: learned pipelines, safe weights, plain rules, the problem's exact solver, HiGHS and CP-SAT.

A contender takes an instance and a time limit in seconds, and hands in what it found, with the times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal

import numpy as np

from colayer._runtime.clock import clock
from colayer.comparison import cpsat
from colayer.comparison.highs import solve_compact
from colayer.comparison.trajectory import Attempt
from colayer.errors import InputError
from colayer.evaluators.base import Backend
from colayer.models import LinearModel, Model, norm
from colayer.pipeline import Pipeline
from colayer.problem.abilities import Baselines, CompactPrograms, ConstraintPrograms, Exact, need
from colayer.problem.answers import given
from colayer.problem.compose import features_of, solve_exactly
from colayer.problem.faults import calling
from colayer.problem.protocol import Problem, X, Y, Z, declared, variant
from colayer.problem.rounds import MOST
from colayer.solving.candidates import Candidates, fixed_rows

#: What a contender stands for in a table.
Kind = Literal["learned", "safe", "rule", "solver"]

#: Names of the contenders that are not rules of the problem. With time left, a pipeline is perturbed.
FEATURE = "best single feature"
SAFE, EXACT, HIGHS, CP_SAT, CP_SAT_HINT = "safe weights", "exact", "HiGHS", "CP-SAT", "CP-SAT, hint"
PERTURBED = ", perturbed"


@dataclass(frozen=True, eq=False)
class Contender(Generic[X, Z]):
    """A name, and a way to solve an instance within a time limit; `kind` says what it stands for in a table.

    A contender that is `anytime` goes on until its time is over; others solve once.
    """

    name: str
    attempt: Callable[[X, float], Attempt[Z]]
    kind: Kind = "rule"
    #: Whether a fault or an infeasible solution of its ends the comparison; a rule or solver is left out instead.
    strict: bool = False
    anytime: bool = False

    @property
    def rival(self) -> bool:
        """Whether it may fail: then it is left out."""
        return self.kind in ("rule", "solver") and not self.strict


def pipeline_contender(name: str, pipeline: Pipeline[X, Y, Z], kind: Kind = "learned", **draws: Any) -> Contender[X, Z]:
    """A pipeline that solves once, features included; `draws` are options of `Pipeline.solve`, which its name tells."""
    options = {**draws, "rounds": rounds_of(pipeline, draws.get("rounds"))}

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        solved = pipeline.solve(instance, **options)
        return Attempt([(solved.seconds, solved.solution)])

    return Contender(name + drawn(**options), attempt, kind)


def rounds_of(pipeline: Pipeline[X, Y, Z], rounds: int | None = None) -> int:
    """In how many rounds a pipeline solves: as asked for, else as its model was learned; one if it cannot look back."""
    if not declared(pipeline.problem).looks_back:
        return 1
    return pipeline.model.rounds if rounds is None else rounds


def drawn(samples: int = 0, candidates: int = 1, rounds: int = 1, **_: Any) -> str:
    """What a name says of the rounds, candidates and samples that a contender may try: `, 20 samples`."""
    counts = {"rounds": rounds, "candidates": candidates, "samples": samples}
    return "".join(f", {n} {what}" for what, n in counts.items() if n > (what != "samples"))


def safe_contender(problem: Problem[X, Y, Z], like: Model | None = None, **draws: Any) -> list[Contender[X, Z]]:
    """The safe weights, through the problem's decoder; nothing where it has none. `like`: see `safe_pipeline`."""
    many = draws.get("samples", 0) + draws.get("candidates", 1) > 1
    pipeline = safe_pipeline(problem, like if many else None)
    return [] if pipeline is None else [pipeline_contender(SAFE, pipeline, "safe", **draws)]


def safe_pipeline(problem: Problem[X, Y, Z], like: Model | None = None) -> Pipeline[X, Y, Z] | None:
    """The pipeline of the safe weights, None where there are none.

    Perturbed, it is in the units of the model `like`, by as much of the norm of its weights as that model is.
    """
    known = declared(problem)
    if known.safe_weights is None:
        return None
    if like is None:
        return Pipeline(problem, known.safe_weights, safe=False)
    weights = known.safe_weights * like.feature_scale
    length = norm(like.weights)
    sigma = like.default_sigma * norm(weights) / length if length > 0 else None
    model = LinearModel(known.feature_names, weights, like.feature_scale, known.name, known.options, {}, sigma)
    return Pipeline.from_model(problem, model, safe=False)


def feature_contender(
    problem: Problem[X, Y, Z], instances: Sequence[X], rounds: Sequence[int] = (1,)
) -> list[Contender[X, Z]]:
    """The single feature, of weight 1 or −1, that is best on these very instances: a bar for what is learned.

    It is chosen in one round through the first decoder, which is the cheapest, and runs through that of the problem,
    once for each of several numbers of rounds.
    """
    known = declared(problem)
    rows = np.vstack([np.eye(known.dimension), -np.eye(known.dimension)])
    plain = variant(problem, decoder=known.decoders[0]) if known.decoders else problem
    with Backend().evaluators(plain, len(instances)) as evaluator_of:
        losses = evaluator_of(instances).losses(rows)
    best = int(np.argmin([math.fsum(row.tolist()) for row in losses]))
    sign = "" if best < known.dimension else "−"
    name = f"{FEATURE} ({sign}{known.feature_names[best % known.dimension]})"
    alone = Pipeline(problem, rows[best], safe=False)
    return [pipeline_contender(name, alone, "rule", rounds=number) for number in rounds]


def rule_contenders(problem: Problem[X, Y, Z]) -> list[Contender[X, Z]]:
    """The plain rules of the problem; those that search are solvers."""
    known = declared(problem)
    rules = [function_contender(rule, _rule(problem, rule)) for rule in known.baselines]
    return [replace(rule, kind="solver") if rule.name in known.searches else rule for rule in rules]


def function_contender(name: str, solve: Callable[[X], Z]) -> Contender[X, Z]:
    """A function from an instance to a solution."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        begin = clock()
        solution = solve(instance)
        return Attempt([(clock() - begin, solution)])

    return Contender(name, attempt)


def perturbed_contender(
    name: str, pipeline: Pipeline[X, Y, Z], seed: int = 0, kind: Kind = "learned"
) -> Contender[X, Z]:
    """All members of the portfolio, then draws around those that did best, until the time is over."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        begin, deadline = clock(), clock() + limit
        model = pipeline.model
        tried = Candidates(pipeline.problem, model, instance, features_of(pipeline.problem, instance), seed)
        rows, names = fixed_rows(model, max(1, len(model.portfolio)), 0, None, seed)
        found: list[tuple[float, Z]] = []
        least = math.inf
        rounds = MOST if declared(pipeline.problem).looks_back else 1
        for best in tried.until(deadline, rows, names, None, rounds):
            if not found or best.cost < least:
                least = best.cost
                found.append((clock() - begin, best.solution))
        return Attempt(found)

    return Contender(name + PERTURBED, attempt, kind, anytime=True)


def solver_contenders(
    problem: Problem[X, Y, Z], hint: Pipeline[X, Y, Z] | None = None, seed: int = 0
) -> tuple[list[Contender[X, Z]], list[str]]:
    """Exact solver, HiGHS, and CP-SAT without and with the solution of `hint`; and in words why some are left out."""
    found: list[Contender[X, Z]] = []
    missing: list[str] = []
    if isinstance(problem, Exact):
        found.append(Contender(EXACT, _exact(problem)))
    if isinstance(problem, CompactPrograms):
        found.append(Contender(HIGHS, _compact(problem, seed)))
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
    return {SAFE, SAFE + PERTURBED, EXACT, HIGHS, CP_SAT, CP_SAT_HINT, *declared(problem).baselines}


def check_names(contenders: Sequence[Contender[X, Z]]) -> None:
    """Refuse two contenders of one name."""
    names = [contender.name for contender in contenders]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name!r} is the name of another contender", where="contenders")


def _rule(problem: Problem[X, Y, Z], rule: str) -> Callable[[X], Z]:
    if not isinstance(problem, Baselines):
        raise InputError(f"{problem.name} names the rule {rule!r} and has no method baseline(rule, instance)")

    def solve(instance: X) -> Z:
        with calling(problem, "baseline"):
            solution: Z = problem.baseline(rule, instance)
        return given(solution, f"baseline of {problem.name}", "a solution")

    return solve


def _exact(problem: Problem[X, Y, Z]) -> Callable[[X, float], Attempt[Z]]:
    """The problem's own best solver; where it tells its best cost on the way, that counts as well."""
    need(problem, Exact)

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        costs: list[tuple[float, float]] = []
        begin = clock()

        def progress(bound: float, cost: float) -> None:
            if not costs or cost < costs[-1][1]:
                costs.append((clock() - begin, float(cost)))

        solution, _, proved = solve_exactly(problem, instance, time_limit=limit, progress=progress)
        return Attempt([(clock() - begin, solution)], costs, proved)

    return attempt


def _compact(problem: Problem[X, Y, Z], seed: int) -> Callable[[X, float], Attempt[Z]]:
    """HiGHS, from the solution of the safe weights where there are some."""
    safe = safe_pipeline(problem)
    start = None if safe is None else lambda instance: safe.solve(instance).solution
    return lambda instance, limit: solve_compact(problem, instance, limit, seed, start)


def _hinted(problem: Problem[X, Y, Z], pipeline: Pipeline[X, Y, Z], seed: int) -> Callable[[X, float], Attempt[Z]]:
    """The pipeline, then CP-SAT with its solution as a hint; time and solution of the pipeline count."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        solved = pipeline.solve(instance)
        found = cpsat.solve_constraints(problem, instance, limit - solved.seconds, seed, start=solved.solution)
        later = [(solved.seconds + when, solution) for when, solution in found.solutions]
        note = found.note if later else f"the solution of the pipeline alone: {found.note or 'CP-SAT had none in time'}"
        return Attempt([(solved.seconds, solved.solution), *later], proved=found.proved, note=note)

    return attempt
