"""A reference solution, from which the extended features know of lateness and of the instance as a whole.

It is found by layer solves alone, each costed, the cheapest kept:

1. the layer under the safe weights with the expected delay taken 1, 2 and 3 times (a vehicle that is late passes its
   delay on, so one minute of it costs more than a minute; how much more depends on the instance);
2. twice: the layer with the chained delays of the best solution so far (`kernels/chain.py`), mixed with the expected
   delays, or alone with a premium on staying with the arcs of that solution.

Most arcs have no expected delay at all. Of otherwise equal solutions, those with more slack are taken, so that the
reference depends neither on the numbering of the tasks nor on how the layer breaks ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.threads import Threads, allowed
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.chain import breaks_of, chained_into
from colayer.problems.vehicle_scheduling.kernels.delay import solution_cost, solution_delays
from colayer.problems.vehicle_scheduling.layer import layer

FACTORS = (1.0, 2.0, 3.0)
ROUNDS = 2
_SHARE = 0.3  # of the chained delays in the mix
_PREMIUM = 0.01  # of the vehicle cost, for staying with an arc
_TIE_BREAK = 5e-5  # of a minute of delay, for a minute of slack


@dataclass(frozen=True, eq=False)
class Reference:
    """A solution, and what its routes mean for every task arc."""

    successor: Ints
    cost: float
    factor: float  # the multiple of the expected delay that did best
    late: Floats  # (n, S) delay of each task
    delays: Floats  # (arcs,) E[d]
    chained: Floats  # (arcs,) E[d + what follows from it]
    used: NDArray[np.bool_]  # (arcs,) the arcs of the solution


def reference(instance: Instance) -> Reference:
    """Return the reference solution of an instance."""
    expected = instance.delay_cost * instance.mean_delay
    premium = _PREMIUM * instance.vehicle_cost
    tie_break = (-_TIE_BREAK * instance.delay_cost) * instance.slacks[0].astype(np.float64)
    successor, cost, chosen = _cheapest([f * expected + tie_break for f in FACTORS], instance)
    factor = FACTORS[chosen]
    seen = arcs_of(successor, instance)
    for _ in range(ROUNDS):
        _, _, chained, used = seen
        follow = instance.delay_cost * chained
        mixed = (1.0 - _SHARE) * factor * expected + _SHARE * follow + tie_break
        other, other_cost, _ = _cheapest([mixed, follow - premium * used + tie_break], instance)
        if other_cost >= cost:
            break
        successor, cost = other, other_cost
        seen = arcs_of(successor, instance)
    return Reference(successor, cost, factor, *seen)


def arcs_of(successor: Ints, instance: Instance) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return (late, delays, chained, used) of a solution."""
    times = instance.times
    indptr, heads = instance.arcs
    late, least_slack = solution_delays(times, successor), instance.slacks[1]
    breaks = breaks_of(times, successor, instance.latest_first)
    delays, chained = np.empty(len(heads)), np.empty(len(heads))

    def fill(low: int, high: int) -> None:
        chained_into(times, indptr, heads, least_slack, late, breaks, low, high, delays, chained)

    instance.over_tails(fill)
    used = np.repeat(successor, np.diff(indptr)) == heads
    return late, delays, chained, used


def _cheapest(arc_costs: Sequence[Floats], instance: Instance) -> tuple[Ints, float, int]:
    """Return the layer's cheapest solution over several vectors of task arc costs, the first at equal cost."""
    n = instance.tasks
    ends = np.concatenate([np.full(n, instance.vehicle_cost), np.zeros(n)])

    def solve(costs: Floats) -> tuple[Ints, float]:
        successor = layer(np.concatenate([costs, ends]), instance)
        return successor, float(solution_cost(instance.times, successor, instance.vehicle_cost, instance.delay_cost))

    with Threads(min(allowed(), len(arc_costs))) as threads:
        found = threads.map(solve, arc_costs)
    best = min(range(len(found)), key=lambda k: found[k][1])
    return *found[best], best
