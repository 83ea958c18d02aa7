"""Rounds tried on the two-stage spanning tree, where they are not shipped: `python benchmarks/rounds_trees.py`.

In later rounds three features look at the solution before, of first stage F: the first cost once more, the *price* of
an edge, which is the mean over the scenarios of what it costs to join its ends without it, given the rest of F, and
whether F holds it. `srl` learns with them in three rounds, and without them once, from the same TRAIN instances of
width 20 with 20 scenarios, by as many evaluations; `prices by hand` goes on from the latter with θ = (c, price) as long
as it gains, every edge of F kept. Differences to the weights that solve once are paired over TEST other instances, in
percent of their cost, with standard errors. Writes benchmarks/results/rounds_trees.json.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from measure import machine
from numba import njit

from colayer import Pipeline, __version__
from colayer.display.tables import table
from colayer.problem.bind import bind
from colayer.problems import SpanningTree

OUTPUT = Path(__file__).parent / "results" / "rounds_trees.json"
LEARN, MEASURE = 91_000, 92_000
ROUNDS = 3
_NONE = -1e300  # what an edge costs that is there already
_KEPT = 1e3  # more than any price


@njit(nogil=True)
def prices(nodes, u, v, forest, completions, trees, second):  # type: ignore[no-untyped-def]
    """The price of every edge given the forest, and given the rest of it for an edge of the forest.

    In a scenario the forest and its completion are a spanning tree. The ends of an edge outside are joined at the
    largest cost on their path in it; those of a forest edge at the cheapest edge across, its own second cost at most:
    edges of the scenario's tree that are not in this one, by increasing cost, cover the paths between their ends.
    """
    scenarios, m = second.shape
    out, inside, used = np.zeros(m), np.zeros(m, np.bool_), np.zeros(m, np.bool_)
    inside[forest] = True
    start, place = np.zeros(nodes + 1, np.int64), np.empty(nodes, np.int64)
    near, stack = np.empty(2 * nodes, np.int64), np.empty(nodes, np.int64)
    parent, link = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    depth, up = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    across, cost = np.empty(nodes), np.empty(nodes)
    for s in range(scenarios):
        tree = np.concatenate((forest, completions[s]))
        start[:] = 0
        for e in tree:
            used[e] = True
            start[u[e] + 1] += 1
            start[v[e] + 1] += 1
        start[:] = np.cumsum(start)
        place[:] = start[:-1]
        for e in tree:
            for a in (u[e], v[e]):
                near[place[a]] = e
                place[a] += 1
        parent[:] = -1
        stack[0], left = 0, 1
        while left > 0:
            left -= 1
            a = stack[left]
            for e in near[start[a] : start[a + 1]]:
                b = u[e] + v[e] - a
                if b != parent[a]:
                    parent[b], link[b], depth[b] = a, e, depth[a] + 1
                    cost[b] = _NONE if inside[e] else second[s, e]
                    stack[left] = b
                    left += 1
        across[:] = np.inf
        for a in range(nodes):
            up[a] = a
        for g in trees[s]:
            if used[g]:
                continue
            a, b = u[g], v[g]
            while True:
                while up[a] != a:
                    a = up[a]
                while up[b] != b:
                    b = up[b]
                if a == b:
                    break
                if depth[a] < depth[b]:
                    a, b = b, a
                across[a], up[a] = second[s, g], parent[a]
        for a in range(1, nodes):
            if inside[link[a]]:
                out[link[a]] += min(across[a], second[s, link[a]]) / scenarios
        least = second[s].min()
        for e in range(m):
            if inside[e]:
                continue
            a, b, most = u[e], v[e], least
            while a != b:
                if depth[a] < depth[b]:
                    a, b = b, a
                most = max(most, cost[a])
                a = parent[a]
            out[e] += most / scenarios
        used[tree] = False
    return out


def prices_after(instance: Any, solution: Any) -> np.ndarray:
    """Those given the first stage of a solution."""
    u, v, _, second = instance.arrays
    completions = np.array(solution.second_stage)
    found = prices(instance.nodes, u, v, solution.first_stage, completions, instance.scenario_trees, second)
    return np.asarray(found)


class InRounds(SpanningTree):
    """The tree with features that look at the solution before."""

    looks_back = True
    evaluator = None  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__("cost")
        self.feature_names = (*self.feature_names, "first_again", "price", "kept")
        self.feature_groups = None
        self.safe_weights = np.append(self.safe_weights, np.zeros(3))
        self._known: dict[int, tuple[Any, np.ndarray]] = {}

    def features(self, instance: Any, solution: Any = None) -> np.ndarray:
        """Those of the set "cost", computed once, and three more."""
        if id(instance) not in self._known:
            self._known[id(instance)] = instance, super().features(instance)
        plain, m = self._known[id(instance)][1], instance.edge_count
        found = np.zeros((2 * m, plain.shape[1] + 3), dtype=np.float32)
        found[:, :-3] = plain
        if solution is not None:
            found[:m, -3], found[m:, -2] = instance.first, prices_after(instance, solution)
            found[solution.first_stage, -1] = 1.0
        return found


def by_hand(problem: SpanningTree, solution: Any, cost: float, instance: Any) -> float:
    """The cost after rounds with θ = (c, price), all of the first stage kept, as long as they gain."""
    while True:
        theta = np.concatenate([instance.first, prices_after(instance, solution)])
        theta[solution.first_stage] -= _KEPT
        solution, found = bind(problem).solution_at(theta, instance)
        if found >= cost:
            return cost
        cost = found


def main() -> None:
    """Learn, measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=int, default=30)
    parser.add_argument("--test", type=int, default=30)
    parser.add_argument("--evaluations", type=int, default=500)
    chosen = parser.parse_args()
    plain, rounds = SpanningTree("cost"), InRounds()
    train, test = (
        [plain.generate(seed=first + k, width=20, scenarios=20) for k in range(count)]
        for first, count in ((LEARN, chosen.train), (MEASURE, chosen.test))
    )
    options: dict[str, Any] = {"method": "srl", "evaluations": chosen.evaluations, "validation": 0.0}
    once = Pipeline(plain, safe=False).fit(train, **options)
    often = Pipeline(rounds, safe=False).fit(train, rounds=ROUNDS, **options)
    first = [once.solve(x) for x in test]
    costs = {"learned, one solve": [solved.cost for solved in first]}
    seconds = {}
    works = {
        "learned, 6 candidates": lambda x, _: once.solve(x, candidates=2 * ROUNDS).cost,
        "3 rounds": lambda x, _: often.solve(x, rounds=ROUNDS).cost,
        "3 rounds, 2 candidates": lambda x, _: often.solve(x, rounds=ROUNDS, candidates=2).cost,
        "learned, then prices by hand": lambda x, solved: by_hand(plain, solved.solution, solved.cost, x),
    }
    for name, work in works.items():
        begin = time.process_time()
        costs[name] = [work(x, solved) for x, solved in zip(test, first, strict=True)]
        seconds[name] = (time.process_time() - begin) / len(test)
    base = np.array(costs["learned, one solve"])
    rows = []
    for name in works:
        each = 100.0 * (np.array(costs[name]) - base) / np.abs(base)
        error = float(each.std(ddof=1) / np.sqrt(len(each)))
        rows.append({"name": name, "mean": float(each.mean()), "standard_error": error, "cpu_seconds": seconds[name]})
    document = {"colayer": __version__, "machine": machine(), **vars(chosen), "rows": rows}
    OUTPUT.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    cells = [(row["name"], f"{row['mean']:+.4f} ± {row['standard_error']:.4f}") for row in rows]
    print(table(("", "percent of the cost of one solve"), cells).text())


if __name__ == "__main__":
    main()
