"""Models for general solvers: which arcs are used, and the delay of each task in each scenario.

    min vehicle_cost · vehicles + delay_cost · mean_s Σ_v d_vs
    d_vs ≥ d_us + e_uvs wherever arc (u, v) is used,   d_vs ≥ Σ_u max(e_uvs, 0) x_uv,   d ≥ 0

with e the delay at v of a vehicle that left u in time, negative where there is slack. Delays never exceed those of the
worst way to reach a task, U_vs = max_u (U_us + e_uvs, 0): a row is only needed where U_us + e_uvs > 0, and this number
is the least "big M" there is. The second family of rows lifts the relaxation to the bound of the layer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.problem.programs import (
    LARGEST_INT,
    LEAST_INT,
    CompactModel,
    ConstraintProgram,
    Rows,
    TooLargeError,
    check_size,
    whole,
)
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.slack import slacks_into

#: The most arcs times scenarios that are visited to count rows.
_MOST_PAIRS = 5_000_000
#: CP-SAT takes delays as whole numbers of these parts of a minute.
_PARTS = 1000


@dataclass(frozen=True, eq=False)
class _Lateness:
    """The columns: x of the arcs, x of the first tasks of vehicles, then d by task and scenario."""

    tails: Ints
    heads: Ints
    late: Floats  # (arcs, S) e_uvs
    most: Floats  # (n, S) U_vs
    positive: tuple[Ints, Ints]  # (arc, scenario) with e > 0
    linked: tuple[Ints, Ints]  # (arc, scenario) with U_us > 0 and U_us + e_uvs > 0

    @property
    def arcs(self) -> int:
        """Return the number of arcs between tasks."""
        return len(self.tails)

    def delay(self, task: Ints, scenario: Ints) -> Ints:
        """Return the column of d_vs."""
        n, scenarios = self.most.shape
        column: Ints = self.arcs + n + task * scenarios + scenario
        return column

    def successors(self, values: Floats | Ints) -> Ints:
        """Return the solution that the columns of the arcs stand for."""
        successor = np.full(len(self.most), -1, dtype=np.int64)
        used = np.asarray(values)[: self.arcs] > 0.5
        successor[self.tails[used]] = self.heads[used]
        return successor

    def used(self, successor: Ints) -> NDArray[np.bool_]:
        """Return x of a solution: which arcs are used, and which tasks come first."""
        first = np.ones(len(self.most), dtype=bool)
        first[successor[successor >= 0]] = False
        return np.concatenate([successor[self.tails] == self.heads, first])


def _lateness(instance: Instance, rounded: Callable[[Floats], Floats] = lambda late: late) -> _Lateness:
    """Return what is late after what, refused if it is too much; `rounded` is the rounding of times."""
    n, scenarios = instance.tasks, instance.scenarios
    indptr, heads = instance.arcs[0], instance.arcs[1].astype(np.int64)
    if len(heads) * scenarios > _MOST_PAIRS:
        what = f"{len(heads):,} arcs in {scenarios} scenarios, at most {_MOST_PAIRS:,} pairs of these are tried"
        raise TooLargeError(f"the model has a row for each of {what}")
    tails = np.repeat(np.arange(n), np.diff(indptr))
    slack = np.empty((len(heads), scenarios))
    slacks_into(instance.times, tails, heads, slack)
    late = rounded(-slack)
    most = np.zeros((n, scenarios))
    for u in instance.latest_first[::-1].tolist():  # arcs go from earlier to later tasks
        part = slice(int(indptr[u]), int(indptr[u + 1]))
        most[heads[part]] = np.maximum(most[heads[part]], most[u] + late[part])
    reach = most[tails]
    positive, linked = np.nonzero(late > 0), np.nonzero((reach > 0) & (reach + late > 0))
    check_size(2 * len(heads) + n * (1 + scenarios) + len(positive[0]) + 3 * len(linked[0]))
    return _Lateness(tails, heads, late, most, positive, linked)  # type: ignore[arg-type]


def compact(instance: Instance) -> CompactModel:
    """Return the program above."""
    it = _lateness(instance)
    n, scenarios, arcs = instance.tasks, instance.scenarios, it.arcs
    rows = Rows()
    task = np.arange(n)
    rows.add(np.ones(n), 1.0, (it.heads, np.arange(arcs), 1.0), (task, arcs + task, 1.0))
    rows.add(np.zeros(n), 1.0, (it.tails, np.arange(arcs), 1.0))
    every = np.arange(n * scenarios)
    a, s = it.positive
    rows.add(
        np.zeros(n * scenarios),
        np.inf,
        (every, arcs + n + every, 1.0),
        (it.heads[a] * scenarios + s, a, -it.late[a, s]),
    )
    a, s = it.linked
    u, k = it.tails[a], np.arange(len(a))
    large = it.most[u, s] + it.late[a, s]
    rows.add(
        it.late[a, s] - large,
        np.inf,
        (k, it.delay(it.heads[a], s), 1.0),
        (k, it.delay(u, s), -1.0),
        (k, a, -large),
    )
    delay = np.full(n * scenarios, instance.delay_cost / scenarios)
    return CompactModel(
        cost=np.concatenate([np.zeros(arcs), np.full(n, instance.vehicle_cost), delay]),
        rows=rows,
        lower=np.zeros(arcs + n + n * scenarios),
        upper=np.concatenate([np.ones(arcs + n), it.most.ravel()]),
        integral=np.arange(arcs + n + n * scenarios) < arcs + n,
        solution=it.successors,
        start=lambda successor: it.used(successor).astype(np.float64),
    )


def constraint_program(instance: Instance) -> ConstraintProgram:
    """Return the same program with literals: one arc into each task, at most one out, delays if their arc is used."""
    it = _lateness(instance, lambda late: np.rint(late * _PARTS))
    n, scenarios, arcs = instance.tasks, instance.scenarios, it.arcs
    rows = Rows()
    conditions = []
    rows.add(np.full(n, LEAST_INT), 1, (it.tails, np.arange(arcs), 1))
    conditions.append(np.full(n, -1))
    every = np.arange(n * scenarios)
    a, s = it.positive
    late = it.late.astype(np.int64)
    rows.add(
        np.zeros(n * scenarios, dtype=np.int64), LARGEST_INT,
        (every, arcs + n + every, 1), (it.heads[a] * scenarios + s, a, -late[a, s]),
    )  # fmt: skip
    conditions.append(np.full(n * scenarios, -1))
    a, s = it.linked
    k = np.arange(len(a))
    rows.add(late[a, s], LARGEST_INT, (k, it.delay(it.heads[a], s), 1), (k, it.delay(it.tails[a], s), -1))
    conditions.append(a)
    into: list[list[int]] = [[arcs + v] for v in range(n)]
    for arc, v in enumerate(it.heads.tolist()):
        into[v].append(arc)
    vehicle, delay = _prices(instance)

    def hint(successor: Ints) -> Ints:
        x = it.used(successor)
        delays = np.zeros((n, scenarios), dtype=np.int64)  # of the rounded times
        used = np.flatnonzero(x[:arcs])
        for arc in used[np.argsort(instance.begin[it.tails[used]], kind="stable")].tolist():
            delays[it.heads[arc]] = np.maximum(delays[it.tails[arc]] + late[arc], 0)
        return np.concatenate([x, delays.ravel()]).astype(np.int64)

    return ConstraintProgram(
        cost=np.concatenate([np.zeros(arcs), np.full(n, vehicle), np.full(n * scenarios, delay)]).astype(np.int64),
        lower=np.zeros(arcs + n + n * scenarios, dtype=np.int64),
        upper=np.concatenate([np.ones(arcs + n), it.most.ravel()]).astype(np.int64),
        reported=arcs,
        solution=it.successors,
        hint=hint,
        rows=rows,
        conditions=conditions,
        exactly_one=into,
    )


def _prices(instance: Instance) -> tuple[int, int]:
    """Return whole prices, in the proportion of the costs, of a vehicle and of a part of a minute of delay in a
    scenario.
    """
    part = instance.delay_cost / (instance.scenarios * _PARTS)
    unit = part if part > 0.0 else max(instance.vehicle_cost, 1.0)
    prices, _ = whole([instance.vehicle_cost / unit, part / unit])
    return int(prices[0]), int(prices[1])
