"""Checks of what the five methods return: shapes, finite numbers, feasible solutions, costs above the bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from colayer._runtime.snapshot import difference, snapshot
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.check.trial import ROUNDING, Trial, copied, finite, named


def features(trial: Trial) -> None:
    """float32 or float64, finite, one row per dimension of θ, one column per name; on every instance."""
    names = tuple(trial.problem.feature_names)
    for index, instance in enumerate(trial.instances):
        value = trial.call("features", copied(instance), on=index)
        where = trial.at(index)
        if not isinstance(value, np.ndarray) or value.ndim != 2:
            got = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else named(value)
            raise Mistake(
                f"{where}features returned {got}: return an array with one row for each entry of θ and one "
                "column for each name in feature_names (np.column_stack makes one)"
            )
        if value.shape[1] != len(names):
            raise Mistake(
                f"{where}features has {value.shape[1]} columns, feature_names has {len(names)} names "
                f"({', '.join(names)}): name every column, in order"
            )
        if value.dtype not in (np.float32, np.float64):
            raise Mistake(f"{where}features are {value.dtype}: return float64 (or float32), `.astype(float)`")
        if len(value) == 0:
            raise Mistake(f"{where}features has no rows: leave empty instances out, or give θ at least one entry")
        wrong = np.argwhere(~np.isfinite(value))
        if len(wrong):
            row, column = wrong[0]
            raise Mistake(
                f"{where}feature {names[column]!r} is {value[row, column]} in row {row}: "
                "look for a division by 0 or a logarithm of 0 there"
            )


def scale(trial: Trial) -> None:
    """A finite number > 0, on every instance."""
    for index, instance in enumerate(trial.instances):
        value = finite(trial.call("scale", copied(instance), on=index), f"{trial.at(index)}scale")
        if value <= 0:
            raise Mistake(
                f"{trial.at(index)}scale returned {value:g}: return the order of magnitude of an optimal cost, > 0 "
                "also where costs are negative; 1.0 where there is no idea"
            )


def layer(trial: Trial) -> None:
    """Takes any θ of one number per row: from features, free, with ties, 0."""
    for index in trial.chosen:
        for theta in trial.thetas(index):
            instance = copied(trial.instances[index])
            if trial.call("layer", theta.copy(), instance, on=index) is None:
                raise Mistake(f"{trial.at(index)}layer returned None: return y, the solution of the easy problem")


def decode(trial: Trial) -> None:
    """Makes a solution of whatever the layer returns."""
    for index in trial.chosen:
        for theta in trial.thetas(index):
            if _solution(trial, index, theta)[0] is None:
                raise Mistake(f"{trial.at(index)}decode returned None: return a solution (y itself where y is one)")


def cost(trial: Trial) -> None:
    """A finite number for every decoded solution."""
    for index in trial.chosen:
        for theta in trial.thetas(index):
            solution, instance = _solution(trial, index, theta)
            value = trial.call("cost", solution, instance, on=index)
            if np.ndim(value) != 0:
                raise Mistake(f"{trial.at(index)}cost returned {named(value)}: return one number, `.sum()`")
            finite(value, f"{trial.at(index)}cost", "a decoded solution")


def theta_matters(trial: Trial) -> None:
    """Some θ leads to another y than some other one."""
    if max(trial.rows) == 1:
        raise Skip("every instance has one row of features")
    for index in trial.chosen:
        seen = [snapshot(sample.y) for sample in trial.samples if sample.index == index]
        if any(difference(seen[0], other, "y") for other in seen[1:]):
            return
    raise Mistake(
        "layer returned the same y for every θ, on every instance: does it use theta? "
        "(If it does, these instances leave no choice: check on larger ones.)"
    )


def feasible(trial: Trial) -> None:
    """Decoded solutions are solutions, by the problem's own word."""
    if not trial.has("violation") and not trial.has("write_solution", "read_solution"):
        raise Skip("the problem has neither violation, nor read_solution and write_solution, to tell")
    for sample in trial.samples:
        said = trial.infeasible(sample.index, sample.solution)
        if said is not None:
            raise Mistake(
                f"{trial.at(sample.index)}decode made an infeasible solution ({said}): let decode repair it, "
                "or correct the test if the solution is right"
            )


def bound(trial: Trial) -> None:
    """At most the cost of every solution met, those of the exact solver among them."""
    trial.need("bound")
    known = {index: trial.bound(index) for index in trial.chosen}
    if all(value is None for value in known.values()):
        raise Skip("bound returned None")
    for index, cost, of in _costs(trial):
        least = known[index]
        if least is not None and above(least, cost):
            raise Mistake(
                f"{trial.at(index)}bound returned {least:.10g}, but {of} costs {cost:.10g}: a bound is at most every "
                "cost. Either bound is too high, or cost forgets a part or has the wrong sign"
            )


def _costs(trial: Trial) -> Iterator[tuple[int, float, str]]:
    """(instance, cost, of what) of every feasible solution that is known."""
    for sample in trial.samples:
        yield sample.index, sample.cost, "a decoded solution"
    for index in trial.smallest if trial.has("exact") else []:
        try:
            solved = trial.solved(index)
            feasible = trial.infeasible(index, solved.solution) is None
        except Mistake:
            continue  # the check of exact says it
        if feasible and not above(solved.bound, solved.cost):
            yield index, solved.cost, "the solution of exact"


def above(bound: float, cost: float) -> bool:
    """Whether a bound is above a cost, rounding aside."""
    return bound > cost + ROUNDING * max(abs(bound), abs(cost))


def _solution(trial: Trial, index: int, theta: Any) -> tuple[Any, Any]:
    """A solution and the instance, a copy that nothing else uses."""
    instance = copied(trial.instances[index])
    y = trial.call("layer", theta.copy(), copied(instance), on=index)
    return trial.call("decode", y, copied(instance), on=index), instance
