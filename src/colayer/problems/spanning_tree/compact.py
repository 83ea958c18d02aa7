"""The problem as a general solver is told it: flows for mixed-integer programs, levels for CP-SAT.

In both, x_e buys edge e now and y_es in scenario s, and in each scenario the edges bought form a spanning tree, rooted
at node 0.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.problem.programs import LARGEST_INT, CompactModel, ConstraintProgram, Rows, check_size, whole
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.solution import Solution


class _Columns:
    """The columns of the variables: x_e, then y_es by scenario, then two arcs for each edge and scenario."""

    def __init__(self, instance: Instance) -> None:
        self.n, self.m, self.scenarios = instance.nodes, instance.edge_count, instance.scenarios
        S, m = self.scenarios, self.m
        u, v = instance.edges.T
        self.tails, self.heads = np.concatenate([u, v]), np.concatenate([v, u])
        self.x = np.arange(m)
        self.y = m + np.arange(S * m).reshape(S, m)
        self.arcs = m + S * m + np.arange(2 * S * m).reshape(S, 2 * m)
        self.bought = m + S * m
        self.total = m + 3 * S * m

    def solution(self, values: NDArray[np.float64] | Ints) -> Solution:
        """Return the edges bought, given by `x` and `y`."""
        chosen = np.asarray(values)[: self.bought].reshape(1 + self.scenarios, self.m) > 0.5
        first, *second = (np.flatnonzero(row) for row in chosen)
        return Solution(first, tuple(second))

    def purchases(self, solution: Solution) -> Floats:
        """Return x and y of a solution, as numbers."""
        values = np.zeros(self.bought)
        values[solution.first_stage] = 1.0
        for s, second in enumerate(solution.second_stage):
            values[self.y[s, second]] = 1.0
        return values


def compact(instance: Instance) -> CompactModel:
    """Return a program with n − 1 edges in each scenario and a flow along them from node 0 to every other node."""
    at = _Columns(instance)
    n, m, S = at.n, at.m, at.scenarios
    check_size(S * 10 * m)
    rows = Rows()
    edges, nodes = np.arange(S * m).reshape(S, m), np.arange(S * (n - 1)).reshape(S, n - 1)
    scenario = np.arange(S)[:, None]
    rows.add(np.full(S, n - 1.0), n - 1.0, (scenario, at.x, 1.0), (scenario, at.y, 1.0))
    # what comes into a node, less what leaves it, is 1
    into, out = (np.flatnonzero(ends > 0) for ends in (at.heads, at.tails))
    rows.add(
        np.ones(nodes.size),
        1.0,
        (nodes[:, at.heads[into] - 1], at.arcs[:, into], 1.0),
        (nodes[:, at.tails[out] - 1], at.arcs[:, out], -1.0),
    )
    rows.add(
        np.full(edges.size, -np.inf),
        0.0,
        (edges, at.arcs[:, :m], 1.0),
        (edges, at.arcs[:, m:], 1.0),
        (edges, at.x, 1.0 - n),
        (edges, at.y, 1.0 - n),
    )
    most = np.where(at.heads == 0, 0.0, np.where(at.tails == 0, n - 1.0, n - 2.0))
    return CompactModel(
        cost=np.concatenate([instance.first, instance.second.ravel() / S, np.zeros(2 * S * m)]),
        rows=rows,
        lower=np.zeros(at.total),
        upper=np.concatenate([np.ones(at.bought), np.tile(most, S)]),
        integral=np.arange(at.total) < at.bought,
        solution=at.solution,
        start=at.purchases,
    )


def constraint_program(instance: Instance) -> ConstraintProgram:
    """Return a program with one tree arc into every node but 0; levels grow along the arcs, so they close no cycle."""
    at = _Columns(instance)
    n, m, S = at.n, at.m, at.scenarios
    check_size(S * 12 * m)
    level = at.total + np.arange(S * n).reshape(S, n)
    rows = Rows()
    conditions: list[NDArray[np.int64]] = []
    edges, arcs = np.arange(S * m).reshape(S, m), np.arange(2 * S * m).reshape(S, 2 * m)
    rows.add(
        np.zeros(S * m, dtype=np.int64), 0,
        (edges, at.x, 1), (edges, at.y, 1), (edges, at.arcs[:, :m], -1), (edges, at.arcs[:, m:], -1),
    )  # fmt: skip
    conditions.append(np.full(S * m, -1))
    rows.add(
        np.ones(2 * S * m, dtype=np.int64), LARGEST_INT, (arcs, level[:, at.heads], 1), (arcs, level[:, at.tails], -1)
    )
    conditions.append(at.arcs.ravel())
    into = [np.flatnonzero(at.heads == v) for v in range(1, n)]
    costs, _ = whole(np.concatenate([S * instance.first, instance.second.ravel()]))
    upper = np.concatenate([np.ones(at.bought), np.tile(at.heads != 0, S), np.tile(np.arange(n) > 0, S) * (n - 1)])

    def hint(solution: Solution) -> Ints:
        values = np.zeros(at.total + S * n, dtype=np.int64)
        values[: at.bought] = at.purchases(solution)
        for s, second in enumerate(solution.second_stage):
            chosen, levels = _rooted(at, np.concatenate([solution.first_stage, second]))
            values[at.arcs[s, chosen]] = 1
            values[level[s]] = levels
        return values

    return ConstraintProgram(
        cost=np.concatenate([costs, np.zeros(2 * S * m + S * n, dtype=np.int64)]),
        lower=np.zeros(at.total + S * n, dtype=np.int64),
        upper=upper.astype(np.int64),
        reported=at.bought,
        solution=at.solution,
        hint=hint,
        rows=rows,
        conditions=conditions,
        exactly_one=[at.arcs[s, arcs].tolist() for s in range(S) for arcs in into],
    )


def _rooted(at: _Columns, tree: Ints) -> tuple[list[int], Ints]:
    """Return (arcs, levels by node) of a spanning tree, directed away from node 0."""
    leaving: list[list[int]] = [[] for _ in range(at.n)]
    for arc in np.concatenate([tree, tree + at.m]).tolist():
        leaving[at.tails[arc]].append(arc)
    levels, chosen = np.full(at.n, -1), []
    levels[0] = 0
    queue = deque([0])
    while queue:
        u = queue.popleft()
        for arc in leaving[u]:
            v = int(at.heads[arc])
            if levels[v] < 0:
                levels[v] = levels[u] + 1
                chosen.append(arc)
                queue.append(v)
    return chosen, levels
