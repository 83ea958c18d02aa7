"""Checks of what a problem may have beside the five methods: the best of many θ, rules, exact solver, another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer._runtime.snapshot import difference, snapshot
from colayer.models import thetas
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.check.trial import ROUNDING, Trial, finite, guarded, parts
from colayer.problem.check.values import above
from colayer.problem.structure import looks_again, structure_of


def best(trial: Trial) -> None:
    """The best of many θ: its cost is that of its solution, and no worse than the first θ alone."""
    trial.need("best")
    for index in trial.chosen:
        instance, many = trial.instances[index], trial.thetas(index)
        answer = trial.call("best", many.copy(), instance, 0, on=index)
        where = f"{trial.at(index)}best"
        _, solution, said = parts(answer, 3, where, "(row, solution, cost)")
        cost = finite(said, f"{where}: its cost")
        costed = trial.cost(index, solution, "the solution of best")
        if abs(cost - costed) > ROUNDING * max(abs(cost), abs(costed)):
            raise Mistake(
                f"{where} says the cost is {cost:.10g}, cost(solution) is {costed:.10g}: return the true cost"
            )
        plain = trial.sample(index, many[0]).cost
        if above(cost, plain):
            raise Mistake(f"{where} costs {cost:.10g}, its first θ alone {plain:.10g}: include every row")


def structure(trial: Trial) -> None:
    """How rows relate: relations of as many rows as the features have, the same at every call; in an answer y too."""
    trial.need("structure")
    for index in trial.chosen:
        instance, rows = trial.instances[index], trial.rows[index]
        answers = [trial.layer(index, trial.thetas(index)[0])] if looks_again(trial.problem) else []
        for y in (None, *answers):
            where = f"{trial.at(index)}structure{'' if y is None else '(instance, y)'}"
            given, seen = snapshot((instance, y)), []
            for _ in range(2):
                seen.append(snapshot(guarded(where, structure_of, trial.problem, instance, rows, y)))
                if difference(given, snapshot((instance, y)), "the arguments") is not None:
                    raise Mistake(f"{where} changes its arguments: work on copies")
            if difference(seen[0], seen[1], "structure") is not None:
                raise Mistake(f"{where} is not the same at a second call: it must depend on its arguments alone")


def baselines(trial: Trial) -> None:
    """Every rule gives a feasible solution of finite cost, at least the bound."""
    rules = trial.words("baselines")
    if not rules:
        raise Skip("the problem has no baselines")
    if not trial.has("baseline"):
        raise Mistake(f"baselines names {', '.join(rules)}, but there is no method baseline(rule, x)")
    for index in trial.chosen:
        for rule in rules:
            solution = trial.call("baseline", rule, trial.instances[index], on=index)
            _judge(trial, index, solution, f"baseline {rule!r}")


def exact(trial: Trial) -> None:
    """(solution, bound, proved) with bound ≤ cost; what is proved optimal is not beaten by the pipeline."""
    trial.need("exact")
    for index in trial.smallest:
        start, solved, where = trial.best_sample(index), trial.solved(index), f"{trial.at(index)}exact"
        cost = _judge(trial, index, solved.solution, "exact")
        if above(solved.bound, cost):
            raise Mistake(f"{where}: its bound {solved.bound:.10g} is above its cost {cost:.10g}: one of them is wrong")
        if solved.proved and above(cost, start.cost):
            raise Mistake(
                f"{where} says that {cost:.10g} is optimal, but a decoded solution costs {start.cost:.10g}: the two "
                "cost differently, have opposite signs, or the solver stopped early"
            )


def shuffled(trial: Trial) -> None:
    """With the parts of an instance in another order, rows of features move with them and the cost stays."""
    trial.need("shuffled")
    for index in trial.chosen:
        answer = trial.call("shuffled", trial.instances[index], trial.seed, on=index)
        where = trial.at(index)
        other, given = parts(answer, 2, f"{where}shuffled", "(instance, order of the rows)")
        order = np.asarray(given)
        features = trial.features(index)
        if not np.array_equal(np.sort(order), np.arange(len(features))):
            raise Mistake(f"{where}the order of shuffled is no permutation of the {len(features)} rows of features")
        moved = np.asarray(trial.call("features", other, on=index))
        if moved.shape != features.shape:
            raise Mistake(f"{where}features has shape {moved.shape} after shuffled, {features.shape} before")
        unlike = np.argwhere(~np.isclose(moved, features[order], rtol=1e-5, atol=1e-9))
        if len(unlike):
            row, column = unlike[0]
            raise Mistake(
                f"{where}feature {trial.problem.feature_names[column]!r} depends on the order of the data: row {row} "
                f"is {moved[row, column]:.6g} after shuffling, {features[order[row], column]:.6g} before. Compute it "
                "from what the row stands for, not from its place (ties broken by index count as well)"
            )
        for method in ("scale", *(["bound"] if trial.has("bound") else [])):
            before = trial.call(method, trial.instances[index], on=index)
            _same(before, trial.call(method, other, on=index), f"{where}{method}")
        _same_costs(trial, index, other, order)


def _judge(trial: Trial, index: int, solution: Any, of: str) -> float:
    """The cost of a solution that did not come from decode: finite, feasible, at least the bound."""
    cost = trial.cost(index, solution, of)
    said = trial.infeasible(index, solution)
    if said is not None:
        raise Mistake(
            f"{trial.at(index)}{of} returned an infeasible solution ({said}): return what decode would return"
        )
    known = trial.bound(index)
    if known is not None and above(known, cost):
        raise Mistake(
            f"{trial.at(index)}{of} costs {cost:.10g}, less than the bound {known:.10g}: the bound is too high, "
            "or the solution is none"
        )
    return cost


def _same(before: Any, after: Any, what: str) -> None:
    if before is not None and not np.isclose(float(before), float(after), rtol=ROUNDING):
        raise Mistake(
            f"{what} is {float(after):.10g} after shuffled, {float(before):.10g} before: it depends on the order"
        )


def _same_costs(trial: Trial, index: int, other: Any, order: Any) -> None:
    """The pipeline costs the same on the shuffled instance, for θ without ties (which are broken by index)."""
    features = trial.features(index)
    weights = trial.rng(5, index).normal(size=(5, features.shape[1]))
    for theta in thetas(features, weights):
        apart = np.diff(np.sort(theta))
        if len(apart) and apart.min() <= 1e-7 * np.ptp(theta):
            continue
        y = trial.call("layer", theta[order].copy(), other, on=index)
        cost = trial.call("cost", trial.call("decode", y, other, on=index), other, on=index)
        _same(trial.sample(index, theta).cost, cost, f"{trial.at(index)}the cost of the pipeline for one θ")
