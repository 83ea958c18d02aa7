"""Solvers beside the pipeline: the plain rules of the comparison tables, and exact column generation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from colayer._runtime.arrays import Ints
from colayer.problems.rules import rule_named
from colayer.problems.vehicle_scheduling.column_generation import exact
from colayer.problems.vehicle_scheduling.decoder import decode
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.greedy import greedy_into
from colayer.problems.vehicle_scheduling.kernels.travel import scheduled_travel
from colayer.problems.vehicle_scheduling.layer import layer, safe_theta

__all__ = ["BASELINES", "baseline", "exact", "quick", "rules"]

#: By how much `delay x3` multiplies expected delays.
FACTOR = 3.0


def quick(instance: Instance) -> Ints:
    """Give each task, by begin, to the vehicle that waits the longest for it, as long as tasks end late on average.

    If there is none, a new vehicle takes it.
    """
    late = max(0.0, float(instance.scenario_end.mean() - instance.end.mean()))
    successor = np.empty(instance.tasks, dtype=np.int64)
    greedy_into(instance.times, instance.latest_first, late, successor)
    return successor


def _deterministic(instance: Instance) -> Ints:
    """Solve the layer with scheduled travel times as costs; a vehicle costs more than all travel together."""
    n = instance.tasks
    indptr, heads = instance.arcs
    travel = scheduled_travel(instance.times, np.repeat(np.arange(n), np.diff(indptr)), heads)
    vehicle = 1.0 + n * float(travel.max(initial=0.0))
    return layer(np.concatenate([travel, np.full(n, vehicle), np.zeros(n)]), instance)


def _delays_times(instance: Instance, factor: float = FACTOR) -> Ints:
    """Multiply expected delays by `factor`, because a late vehicle passes its delay on."""
    theta = safe_theta(instance)
    theta[: len(instance.arcs[1])] *= factor
    return layer(theta, instance)


#: The plain rules by name: functions from an instance to a solution.
#:
#: deterministic: as few vehicles as the schedule allows, then least scheduled travel; delays are not looked at.
#: delay x3: the safe weights with the expected delay three times, the best whole factor at 200 tasks and more.
BASELINES: dict[str, Callable[[Instance], Ints]] = {
    "deterministic": _deterministic,
    "delay x3": _delays_times,
}


def rules(decoder: str) -> tuple[str, ...]:
    """Return the names of the rules for a pipeline with this decoder: plain, and through it."""
    return (*BASELINES, *(() if decoder == "none" else (f"{rule}+{decoder}" for rule in BASELINES)))


def baseline(rule: str, instance: Instance, factor: float = FACTOR) -> Ints:
    """Return the solution of a rule, `RULE` or `RULE+DECODER`; `factor` is that of `delay x3`."""
    name, _, decoder = rule.partition("+")
    solve = rule_named(name, BASELINES)
    cover = _delays_times(instance, factor) if solve is _delays_times else solve(instance)
    return decode(cover, instance, decoder or "none")
