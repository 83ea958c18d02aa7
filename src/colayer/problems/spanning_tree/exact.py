"""Exact solutions of small graphs by mixed-integer programming (HiGHS), tree constraints added as they are violated.

    min Σ_e c_e x_e + mean_s Σ_{e ∈ T_s} d_es y_es
    x(E) + y_s(T_s) = n − 1,   x(E(W)) + y_s(T_s(W)) ≤ |W| − 1 for each set W of nodes,   x ∈ {0, 1}, 0 ≤ y ≤ 1

Two facts keep it small: the second stage needs the edges of the minimum spanning trees T_s alone, and x only the
candidates of `kernels.lagrangian`. y stays continuous: for a forest x the constraints of the components that Kruskal's
algorithm goes through in completing it give the exact cost of the completion, by duality (Edmonds 1971). So either the
relaxed optimum is worth what its forest costs, and this is optimal, or one of these constraints is violated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.clock import clock
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.relaxation import candidates
from colayer.problems.spanning_tree.solution import Solution

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_VIOLATED = 1e-6  # of a constraint, and about the precision of HiGHS: bounds are valid up to it
_BINARY = 0.5


def mixed_integer(
    instance: Instance,
    time_limit: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    start: Solution | None = None,
) -> tuple[Solution, float, bool]:
    """(best solution, lower bound, whether it is proved optimal, up to the precision of HiGHS).

    Begins with the Lagrangian bound and solution (and `start`), which may be all there is to do. Meant for some dozens
    of nodes; stops after `time_limit` seconds with the best solution and bound so far.
    """
    began = clock()
    known = lagrangian(instance, iterations=200, tolerance=0.0, time_limit=time_limit, progress=progress, start=start)
    if known.gap == 0:
        return known.solution, known.bound, True
    program = _Program(instance)
    program.add(known.solution.first_stage)
    solution, cost, bound = known.solution, known.cost, known.bound
    whole = False  # first the linear relaxation, as long as it finds constraints to add
    while True:
        left = None if time_limit is None else time_limit - (clock() - began)
        if left is not None and left <= 0:
            return solution, min(bound, cost), False
        value, x, y = program.solve(whole, left)
        bound = max(bound, value)
        if x is None:  # out of time
            return solution, min(bound, cost), False
        if program.forest(x > _BINARY):
            tried, tried_cost = complete(program.edges[x > _BINARY], instance)
            if tried_cost < cost:
                solution, cost = tried, tried_cost
        if progress is not None:
            progress(min(bound, cost), cost)
        if bound >= cost - program.precision:
            return solution, cost, True
        if whole:
            program.add(program.edges[x > _BINARY])
        elif not program.separate(x, y):
            whole = True


class _Program:
    """The program in HiGHS: columns are x of the candidates, then y of each scenario; rows are sets of nodes."""

    def __init__(self, instance: Instance) -> None:
        import highspy

        self.instance = instance
        self.u, self.v, first, second = instance.arrays
        self.trees = instance.scenario_trees.astype(np.int64)
        scenarios, n = instance.scenarios, instance.nodes
        largest = max(1.0, float(np.abs(first).max()), float(np.abs(second).max()))
        self.edges, _ = candidates(instance)
        self.precision = 1e-7 * largest * n
        costs = np.take_along_axis(second, self.trees, axis=1) / scenarios
        columns = len(self.edges) + costs.size
        self.columns, self.rows = columns, set[tuple[int, bytes]]()
        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("mip_abs_gap", 0.0)):
            self.highs.setOptionValue(option, value)
        empty = np.empty(0, dtype=np.int32)
        objective = np.concatenate([first[self.edges], costs.ravel()])
        self.highs.addCols(
            columns, objective, np.zeros(columns), np.ones(columns), 0, np.zeros(columns, dtype=np.int32), empty,
            np.empty(0),
        )  # fmt: skip
        for s in range(scenarios):
            self._row(s, np.ones(n, dtype=bool), lower=n - 1.0)

    def solve(self, whole: bool, time_limit: float | None) -> tuple[float, Floats | None, Floats]:
        """(bound, x, y) of the relaxation; x is None where time ran out. With `whole`, x is to be 0 or 1."""
        import highspy

        kind = highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
        for j in range(len(self.edges)):
            self.highs.changeColIntegrality(j, kind)
        if time_limit is not None:
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + time_limit)
        self.highs.run()
        optimal = self.highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        info = self.highs.getInfo()
        bound = info.mip_dual_bound if whole else info.objective_function_value if optimal else -math.inf
        if not optimal:
            return bound, None, np.empty(0)
        values = np.array(self.highs.getSolution().col_value)
        y = values[len(self.edges) :].reshape(self.trees.shape)
        return bound, values[: len(self.edges)], y

    def forest(self, chosen: NDArray[np.bool_]) -> bool:
        """Whether the candidates chosen close no cycle."""
        edges = self.edges[chosen]
        return sum(1 for _ in self._joins(edges)) == len(edges)

    def add(self, forest: Ints) -> None:
        """The sets that Kruskal's algorithm goes through in completing `forest`, in each scenario."""
        for s in range(self.instance.scenarios):
            for members in self._joins(np.concatenate([forest, self.trees[s]])):
                self._row(s, members)

    def separate(self, x: Floats, y: Floats) -> bool:
        """Sets that grow along the edges of largest value, where they are violated; whether there was one."""
        found = False
        for s in range(self.instance.scenarios):
            edges = np.concatenate([self.edges, self.trees[s]])
            values = np.concatenate([x, y[s]])
            for members in self._joins(edges[np.argsort(-values, kind="stable")]):
                inside = members[self.u[edges]] & members[self.v[edges]]
                if values[inside].sum() > members.sum() - 1 + _VIOLATED:
                    found |= self._row(s, members)
        return found

    def _joins(self, edges: Ints) -> Iterator[NDArray[np.bool_]]:
        """The component that each of the edges makes as it joins two, in this order; some dozens of nodes."""
        component = np.arange(self.instance.nodes)
        for e in edges:
            a, b = component[self.u[e]], component[self.v[e]]
            if a != b:
                component[component == b] = a
                yield component == a

    def _row(self, s: int, members: NDArray[np.bool_], lower: float = -math.inf) -> bool:
        """x(E(W)) + y_s(T_s(W)) ≤ |W| − 1; whether it is new."""
        key = (s, members.tobytes())
        if key in self.rows:
            return False
        self.rows.add(key)
        at = [np.flatnonzero(members[self.u[edges]] & members[self.v[edges]]) for edges in (self.edges, self.trees[s])]
        index = np.concatenate([at[0], at[1] + len(self.edges) + s * self.trees.shape[1]]).astype(np.int32)
        self.highs.addRow(lower, members.sum() - 1.0, len(index), index, np.ones(len(index)))
        return True
