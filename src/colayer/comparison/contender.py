"""Contenders: learned pipelines, safe weights, plain rules, the problem's exact solver, HiGHS and CP-SAT.

A contender takes an instance and a time limit in seconds, and hands in what it found, with the times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Literal

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.clock import clock
from colayer.comparison import cpsat
from colayer.comparison.highs import solve_compact
from colayer.comparison.trajectory import Attempt
from colayer.errors import InputError
from colayer.evaluators.base import Backend
from colayer.models import LinearModel, Model, norm
from colayer.pipeline import Pipeline
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z
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
    """A named way to solve an instance within a time limit; `kind` says what it is in tables.

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
        """Tell whether it may fail: then it is left out."""
        return self.kind in ("rule", "solver") and not self.strict


def pipeline_contender(name: str, pipeline: Pipeline[X, Y, Z], kind: Kind = "learned", **draws: Any) -> Contender[X, Z]:
    """Return a pipeline that solves once, features included; `draws` are options of `Pipeline.solve`."""
    options = {**draws, "rounds": number_of_rounds(pipeline, draws.get("rounds"))}

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        solved = pipeline.solve(instance, bound=False, **options)
        return Attempt([(solved.seconds, solved.solution)])

    return Contender(name + words_of_draws(**options), attempt, kind)


def number_of_rounds(pipeline: Pipeline[X, Y, Z], rounds: int | None = None) -> int:
    """Return a pipeline's rounds: as asked for, else as its model was learned with; 1 if it has no rounds."""
    if not pipeline.bound_problem.features_use_solution:
        return 1
    return pipeline.model.rounds if rounds is None else rounds


def tried_by(draws: Mapping[str, Any]) -> int:
    """Return how many weight vectors a solve with these options tries."""
    return int(draws.get("samples", 0) + draws.get("candidates", 1))


def words_of_draws(samples: int = 0, candidates: int = 1, rounds: int = 1, **_: Any) -> str:
    """Return the part of a contender's name for rounds, candidates and samples: `, 20 samples`."""
    counts = {"rounds": rounds, "candidates": candidates, "samples": samples}
    return "".join(f", {n} {what}" for what, n in counts.items() if n > (what != "samples"))


def safe_contender(problem: Problem[X, Y, Z], like: Model | None = None, **draws: Any) -> list[Contender[X, Z]]:
    """Return the safe weights as a contender, if the problem has any. For `like` see `safe_pipeline`."""
    pipeline = safe_pipeline(bind(problem), like if tried_by(draws) > 1 else None)
    return [] if pipeline is None else [pipeline_contender(SAFE, pipeline, "safe", **draws)]


def safe_pipeline(problem: BoundProblem[X, Y, Z], like: Model | None = None) -> Pipeline[X, Y, Z] | None:
    """Return the pipeline of the safe weights; None if there are none. For `like` see `rule_pipeline`."""
    return None if problem.safe_weights is None else rule_pipeline(problem, problem.safe_weights, like)


def rule_pipeline(problem: BoundProblem[X, Y, Z], raw: Floats, like: Model | None = None) -> Pipeline[X, Y, Z]:
    """Return the pipeline of unlearned weights, in raw feature units.

    Perturbed, it is in the units of the model `like`, by the share of the norm of its weights that did best on the
    training instances of that model, or by as much as that model is itself.
    """
    if like is None:
        return Pipeline(problem, raw, safe=False)
    weights = raw * like.feature_scale
    length, share = norm(like.weights), like.provenance.get("rule_sigma")
    if not isinstance(share, float):
        share = like.default_sigma / length if length > 0 else None
    sigma = None if share is None else share * norm(weights)
    scale = like.feature_scale
    model = LinearModel(problem.feature_names, weights, scale, problem.name, problem.options, {}, sigma)
    return Pipeline.from_model(problem, model, safe=False)


def feature_contender(
    problem: BoundProblem[X, Y, Z],
    instances: Sequence[X],
    rounds: Sequence[int] = (1,),
    like: Model | None = None,
    **draws: Any,
) -> list[Contender[X, Z]]:
    """Return the single feature, of weight 1 or −1, that is best on these very instances.

    It is chosen in one round through the first decoder, which is the cheapest, and runs through that of the problem,
    once for each of several numbers of rounds. With `draws` it is the unlearned rule that draws go around.
    """
    d = problem.dimension
    rows = np.vstack([np.eye(d), -np.eye(d)])
    cheapest = problem.variant(decoder=problem.decoders[0]) if problem.decoders else problem
    with Backend().evaluators(cheapest) as evaluator_of:
        losses = evaluator_of(instances).losses(rows)
    best = int(np.argmin([math.fsum(row.tolist()) for row in losses]))
    name = f"{FEATURE} ({'' if best < d else '−'}{problem.feature_names[best % d]})"
    alone = rule_pipeline(problem, rows[best], like if draws else None)
    return [pipeline_contender(name, alone, "rule", **{**draws, "rounds": number}) for number in rounds]


def rule_contenders(problem: Problem[X, Y, Z]) -> list[Contender[X, Z]]:
    """Return the plain rules of the problem; rules that search count as solvers."""
    bound: BoundProblem[X, Y, Z] = bind(problem)
    if bound.baselines and bound.baseline is None:
        rule = bound.baselines[0]
        raise InputError(f"{bound.name} names the rule {rule!r} but has no method baseline(rule, instance)")
    rules = [function_contender(rule, partial(bound.need("baseline"), rule)) for rule in bound.baselines]
    return [replace(rule, kind="solver") if rule.name in bound.searches else rule for rule in rules]


def rules_together(problem: BoundProblem[X, Y, Z], instances: Sequence[X], count: int) -> list[Contender[X, Z]]:
    """Return the `count` plain rules that are best on these very instances as one contender, the best of them counts.

    None where there are fewer than two, or where it would be one rule alone; nor on days, which are played once.
    """
    rules = [rule for rule in problem.baselines if rule not in problem.searches]
    if count < 2 or len(rules) < 2 or problem.dynamic:
        return []
    solve = problem.need("baseline")
    if len(rules) > count:
        means = {
            rule: math.fsum(problem.cost(solve(rule, x), x) / problem.scale(x) for x in instances) for rule in rules
        }
        rules = sorted(rules, key=means.__getitem__)[:count]

    def best(instance: X) -> Z:
        found: list[Z] = [solve(rule, instance) for rule in rules]
        costs = [problem.cost(solution, instance) for solution in found]
        return found[costs.index(min(costs))]

    return [function_contender(f"{len(rules)} rules together", best)]


def function_contender(name: str, solve: Callable[[X], Z]) -> Contender[X, Z]:
    """Return a contender that calls a function from an instance to a solution."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        begin = clock()
        solution = solve(instance)
        return Attempt([(clock() - begin, solution)])

    return Contender(name, attempt)


def perturbed_contender(
    name: str, pipeline: Pipeline[X, Y, Z], seed: int = 0, kind: Kind = "learned"
) -> Contender[X, Z]:
    """Return a contender that tries the portfolio, then draws around its best members, until time is over."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        begin, deadline = clock(), clock() + limit
        problem, model = pipeline.bound_problem, pipeline.model
        features = problem.features(instance)
        tried = Candidates(problem, model, instance, features, seed)
        rows, names = fixed_rows(model, max(1, len(model.portfolio)), 0, None, seed, features)
        found: list[tuple[float, Z]] = []
        least = math.inf
        rounds = MOST if problem.features_use_solution else 1
        for best in tried.until(deadline, rows, names, None, rounds):
            if not found or best.cost < least:
                least = best.cost
                found.append((clock() - begin, best.solution))
        return Attempt(found)

    return Contender(name + PERTURBED, attempt, kind, anytime=True)


def solver_contenders(
    problem: BoundProblem[X, Y, Z], hint: Pipeline[X, Y, Z] | None = None, seed: int = 0
) -> tuple[list[Contender[X, Z]], list[str]]:
    """Return the exact solver, HiGHS, CP-SAT alone and hinted by `hint`; and notes on those skipped."""
    found: dict[str, Callable[[X, float], Attempt[Z]]] = {}
    missing: list[str] = []
    if problem.dynamic:  # a solver of the whole day would know it
        return [], []
    if problem.exact is not None:
        found[EXACT] = _exact(problem)
    if problem.compact is not None:
        safe = safe_pipeline(problem)
        start = None if safe is None else lambda instance: safe.solve(instance).solution
        found[HIGHS] = lambda instance, limit: solve_compact(problem, instance, limit, seed, start)
    else:
        missing.append(f"HiGHS is left out: {problem.name} has no compact model")
    if problem.constraint_program is None:
        missing.append(f"CP-SAT is left out: {problem.name} has no constraint program")
    elif not cpsat.available():
        missing.append(f"CP-SAT is left out: {cpsat.INSTALL}")
    else:
        found[CP_SAT] = lambda instance, limit: cpsat.solve_constraints(problem, instance, limit, seed)
        if hint is not None:
            found[CP_SAT_HINT] = _hinted(problem, hint, seed)
    return [Contender(name, attempt, "solver", anytime=True) for name, attempt in found.items()], missing


def contenders_named(contenders: Mapping[str, Pipeline[X, Y, Z] | Callable[[X], Z]]) -> list[Contender[X, Z]]:
    """Return a user's contenders: pipelines, and functions from an instance to a solution."""
    return [
        pipeline_contender(name, given) if isinstance(given, Pipeline) else function_contender(name, given)
        for name, given in contenders.items()
    ]


def reserved(problem: Problem[X, Y, Z]) -> set[str]:
    """Return the names that a learned pipeline may not have."""
    return {SAFE, SAFE + PERTURBED, EXACT, HIGHS, CP_SAT, CP_SAT_HINT, *bind(problem).baselines}


def check_names(contenders: Sequence[Contender[X, Z]]) -> None:
    """Refuse two contenders with the same name."""
    names = [contender.name for contender in contenders]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name!r} is the name of another contender", where="contenders")


def _exact(problem: BoundProblem[X, Y, Z]) -> Callable[[X, float], Attempt[Z]]:
    """Run the problem's own best solver, with the incumbent costs it reports."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        costs: list[tuple[float, float]] = []
        begin = clock()

        def progress(bound: float, cost: float) -> None:
            if not costs or cost < costs[-1][1]:
                costs.append((clock() - begin, float(cost)))

        solution, _, proved = problem.solve_exactly(instance, time_limit=limit, progress=progress)
        return Attempt([(clock() - begin, solution)], costs, proved)

    return attempt


def _hinted(problem: BoundProblem[X, Y, Z], pipeline: Pipeline[X, Y, Z], seed: int) -> Callable[[X, float], Attempt[Z]]:
    """Run the pipeline, then CP-SAT with its solution as a hint; time and solution of the pipeline count."""

    def attempt(instance: X, limit: float) -> Attempt[Z]:
        solved = pipeline.solve(instance)
        found = cpsat.solve_constraints(problem, instance, limit - solved.seconds, seed, start=solved.solution)
        later = [(solved.seconds + when, solution) for when, solution in found.solutions]
        note = found.note if later else f"the solution of the pipeline alone: {found.note or 'CP-SAT had none in time'}"
        return Attempt([(solved.seconds, solved.solution), *later], proved=found.proved, note=note)

    return attempt
