"""The decoders h: "none", the identity; "ls", local search that reassigns the work in a window of the day.

The windows are large neighbourhoods, each searched by solving an assignment (`kernels/windows.py`): one that lasts to
the end of the day exchanges the tails of all routes at once, a short one moves and exchanges tasks between all routes
at once; vehicles are opened and closed where that pays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError, OptionError
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.delay import solution_cost
from colayer.problems.vehicle_scheduling.kernels.losses import costs_into, covers_into
from colayer.problems.vehicle_scheduling.kernels.routes import refresh
from colayer.problems.vehicle_scheduling.kernels.travel import Times
from colayer.problems.vehicle_scheduling.kernels.windows import sweep
from colayer.problems.vehicle_scheduling.near import NearArcs
from colayer.problems.vehicle_scheduling.solution import checked

DECODERS = ("none", "ls")

#: Cuts of the day in a sweep of tails, and twice the number of short windows.
_CUTS = 40
#: Sweeps continue while they gain this share of the cost, at most this often.
_GAIN, _SWEEPS = 5e-4, 20
#: With more than twice as many scenarios, this many are searched first.
_SAMPLE = 64
#: Price of a vehicle in the first sweep of a second try: a vehicle opened at one cut pays at all those after it, which
#: no single window sees.
_CHEAP = 0.5
#: Price of a vehicle, in minutes, if delays are free.
_MANY = 1e6


def decode(successor: ArrayLike, instance: Instance, decoder: str) -> Ints:
    """Return a new solution: `successor` itself, or improved by local search; it never costs more."""
    if decoder not in DECODERS:
        raise OptionError(f"no decoder {decoder!r}, expected one of {', '.join(DECODERS)}", where="--decoder")
    start = checked(successor, instance)
    return start if decoder == "none" else improve(start, instance)


def solved(thetas: Floats, instance: Instance, decoder: str) -> tuple[Ints, Floats]:
    """Return the (K, n) covers of the layer, one per row of `thetas`, and their costs after the decoder."""
    rows = np.ascontiguousarray(thetas, dtype=np.float64)
    covers, costs = np.empty((len(rows), instance.tasks), dtype=np.int64), np.empty(len(rows))
    if not covers_into(rows, *instance.arcs, instance.latest_first, covers):
        raise InputError("not finite", where="theta")
    ends = covers if decoder == "none" else np.array([decode(cover, instance, decoder) for cover in covers])
    costs_into(instance.times, ends, instance.vehicle_cost, instance.delay_cost, costs)
    return covers, costs


def best_cover(near: NearArcs, decoder: str, weights: Floats) -> tuple[int, Ints, float]:
    """Return (row, solution, cost) of the best row of weights of the 23 features, at equal cost the first."""
    covers = np.array([decode(near.cover(row), near.instance, decoder) for row in weights])
    costs, x = np.empty(len(covers)), near.instance
    costs_into(x.times, covers, x.vehicle_cost, x.delay_cost, costs)
    row = int(np.argmin(costs))
    return row, covers[row], float(costs[row])


def improve(start: Ints, instance: Instance, stop: Callable[[], bool] = lambda: False) -> Ints:
    """Run local search: sweep over the windows of the day until they gain little; return `start` if nothing is gained.

    `stop` is called between sweeps.
    """
    # in minutes of delay; if those are free, look for the fewest vehicles
    price = instance.vehicle_cost / instance.delay_cost if instance.delay_cost > 0.0 else _MANY
    times = instance.times
    best = start
    if instance.scenarios > 2 * _SAMPLE:
        best = _descend(_first_scenarios(times, _SAMPLE), best, price, stop)
    best = _descend(times, best, price, stop)
    costs = [solution_cost(times, z, instance.vehicle_cost, instance.delay_cost) for z in (start, best)]
    return best if costs[1] < costs[0] else start


def _descend(times: Times, start: Ints, price: float, stop: Callable[[], bool]) -> Ints:
    """Sweep twice from `start` as it is and from a sweep with cheap vehicles; go on from the better one."""
    searches = [_Search(times, start, price) for _ in range(2)]
    for search, factors in zip(searches, ((1.0, 1.0), (_CHEAP, 1.0)), strict=True):
        for factor in factors:
            if not stop():
                search.sweep(factor)
    search = min(searches, key=lambda search: search.cost)
    for _ in range(_SWEEPS):
        before = search.cost
        if not stop():
            search.sweep(1.0)
        if search.cost >= before * (1.0 - _GAIN):
            break
    return search.successor


class _Search:
    """A solution under local search. Costs are in minutes of delay, a vehicle at `price` minutes."""

    def __init__(self, times: Times, successor: Ints, price: float) -> None:
        tasks, scenarios = times.begin.shape
        self.times = times
        self.price = price
        self.successor = successor.copy()
        self.order = np.argsort(times.task_begin, kind="stable")
        self.predecessor = np.full(tasks, -2, dtype=np.int64)
        self.slack, self.late, self.base = (np.empty((tasks, scenarios)) for _ in range(3))
        self.sweeps = 0
        self._state = self.order, self.successor, self.predecessor, self.slack, self.late
        refresh(times, *self._state)

    @property
    def cost(self) -> float:
        return float(solution_cost(self.times, self.successor, self.price, 1.0))

    def sweep(self, factor: float) -> None:
        """Visit all windows once, vehicles at `factor` times their price; every other sweep shifts the cuts."""
        begin = self.times.task_begin[self.order]
        n, scenarios = self.late.shape
        price = self.price * scenarios
        least = 1e-9 * max(price, scenarios)
        step = max(n / _CUTS, 1.0)
        shift = 0.5 * (self.sweeps % 2)
        self.sweeps += 1
        for width, apart in ((n, step), (2 * step, 2 * step)):
            first = np.minimum(np.arange(shift * apart, n, apart).astype(np.int64), n - 1)
            last = np.minimum((first + width).astype(np.int64), n)
            highs = np.append(begin, np.inf)[last]
            sweep(self.times, *self._state, self.base, begin[first], highs, factor * price, least)


def _first_scenarios(times: Times, count: int) -> Times:
    """Return the times with the first scenarios only."""
    parts = {name: getattr(times, name)[..., :count].copy() for name in ("begin", "end", "leave", "district", "table")}
    return times._replace(**parts)
