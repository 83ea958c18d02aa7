"""Speed of the layers beside scipy, networkx and HiGHS: `python benchmarks/speed_layers.py`.

The same θ for all in one run, values compared (this fails where they differ), CPU times, best of several rounds over
a few θ. What is fixed is built before the clock starts where a contender allows it. The output, with the machine, also
goes to experiments/results/speed_layers.json.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import highspy
import msgspec
import networkx
import numpy as np
from measure import machine
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import bellman_ford, dijkstra

from colayer import __version__
from colayer.layers import Assignment, Knapsack, LinearProgram, ShortestPath, TopK
from colayer.layers.path_cover import partial_assignment
from colayer.report.tables import duration, table

RESULTS = Path(__file__).parent.parent / "experiments" / "results" / "speed_layers.json"
Solver = Callable[[np.ndarray], float]  # θ → the least value


def measured(thetas: np.ndarray, solvers: dict[str, tuple[Solver, int]]) -> dict[str, float]:
    """CPU seconds a θ by contender (the number is that of rounds); the values of all must be equal."""
    values = {name: [solve(theta) for theta in thetas] for name, (solve, _) in solvers.items()}
    for name, found in values.items():
        if not np.allclose(found, values["colayer"], rtol=1e-7, atol=1e-9):
            raise SystemExit(f"{name} and colayer differ: {found}, {values['colayer']}")
    best = dict.fromkeys(solvers, float("inf"))
    for k in range(max(rounds for _, rounds in solvers.values())):
        for name, (solve, rounds) in solvers.items():  # in turns: a busy moment of the machine hits all of them
            if k < rounds:
                begin = time.process_time()
                for theta in thetas:
                    solve(theta)
                best[name] = min(best[name], (time.process_time() - begin) / len(thetas))
    return best


def value(theta: np.ndarray, y: np.ndarray) -> float:
    """⟨θ, y⟩ without BLAS, whose threads would be counted."""
    return (theta * y).sum()


def top_k(n: int, k: int) -> dict[str, float]:
    thetas = np.random.default_rng(0).normal(size=(20, n))
    layer = TopK(k)
    return measured(
        thetas,
        {
            "colayer": (lambda t: value(t, layer(t)), 20),
            "numpy argpartition": (lambda t: t[np.argpartition(t, k)[:k]].sum(), 20),
            "numpy argsort": (lambda t: t[np.argsort(t, kind="stable")[:k]].sum(), 20),
        },
    )


def assignment(n: int, highs: bool, products: bool = False) -> dict[str, float]:
    rng = np.random.default_rng(0)
    thetas = np.array(
        [(rng.random((n, 1)) * rng.random(n) if products else rng.random((n, n))).ravel() for _ in range(5)]
    )
    layer = Assignment(n, n)
    indptr, columns = np.arange(n + 1) * n, np.tile(np.arange(n, dtype=np.int32), n)
    dear = np.full(n, float(n))

    def scipy(t: np.ndarray) -> float:
        matrix = t.reshape(n, n)
        return matrix[linear_sum_assignment(matrix)].sum()

    def kernel(t: np.ndarray) -> float:
        return t.reshape(n, n)[np.arange(n), partial_assignment(indptr, columns, t, dear, dear).partner].sum()

    solvers = {"colayer": (lambda t: value(t, layer(t)), 10), "scipy": (scipy, 10), "partial_assignment": (kernel, 10)}
    if highs:
        pairs = np.arange(n * n)
        rows = coo_array((np.ones(2 * n * n), (np.r_[pairs // n, n + pairs % n], np.r_[pairs, pairs])))
        program = LinearProgram((rows, 1.0, 1.0))
        solvers["HiGHS, linear program"] = (lambda t: value(t, program(t)), 3)
    return measured(thetas, solvers)


def paths(width: int, acyclic: bool) -> dict[str, float]:
    """A grid; both directions of every street, or those away from the source alone, with costs of either sign."""
    node = np.arange(width * width).reshape(width, width)
    arcs = np.concatenate([np.stack([g[:-1].ravel(), g[1:].ravel()], axis=1) for g in (node, node.T)])
    arcs = arcs if acyclic else np.concatenate([arcs, arcs[:, ::-1]])
    rng = np.random.default_rng(0)
    thetas = rng.normal(size=(3, len(arcs))) if acyclic else rng.random((3, len(arcs))) + 0.01
    last = int(node[-1, -1])
    layer = ShortestPath(node.size, arcs, 0, last)

    def matrix(t: np.ndarray) -> csr_array:
        return csr_array((t, arcs.T), shape=(node.size, node.size))

    def their_graph(t: np.ndarray) -> networkx.DiGraph:
        graph = networkx.DiGraph()
        graph.add_weighted_edges_from(zip(*arcs.T.tolist(), t.tolist(), strict=True))
        return graph

    matrices = {t.tobytes(): matrix(t) for t in thetas}
    graphs = {t.tobytes(): their_graph(t) for t in thetas}
    find = bellman_ford if acyclic else dijkstra
    theirs = networkx.bellman_ford_path_length if acyclic else networkx.dijkstra_path_length

    def scipy(t: np.ndarray) -> float:
        return find(matrices[t.tobytes()], indices=0, return_predecessors=True)[0][last]

    return measured(
        thetas,
        {
            "colayer": (lambda t: value(t, layer(t)), 20),
            f"scipy {find.__name__}": (scipy, 3 if acyclic else 10),
            f"networkx {find.__name__}": (lambda t: theirs(graphs[t.tobytes()], 0, last), 2),
        },
    )


def knapsack(n: int, correlated: bool) -> dict[str, float]:
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 1000, n)
    thetas = -(weights + rng.integers(1, 100, (3, n)) if correlated else rng.integers(1, 1000, (3, n))).astype(float)
    capacity = int(weights.sum() // 3)
    layer = Knapsack(weights, capacity)
    program = LinearProgram((weights[None, :], 0.0, capacity), bounds=(0.0, 1.0), integrality=1)
    return measured(
        thetas,
        {"colayer": (lambda t: value(t, layer(t)), 10), "HiGHS, integer program": (lambda t: value(t, program(t)), 2)},
    )


def program(depots: int, clients: int, whole: bool) -> dict[str, float]:
    """Facility location: the layer; HiGHS with warm starts, whose answer depends on the history; scipy's milp."""
    pairs = np.arange(depots * clients)
    columns, rows = depots + len(pairs), clients + len(pairs)
    row = np.r_[pairs % clients, clients + pairs, clients + pairs]
    entries = (row, np.r_[depots + pairs, depots + pairs, pairs // clients])
    ones = np.ones(len(pairs))
    matrix = coo_array((np.r_[ones, ones, -ones], entries), shape=(rows, columns))
    lower, upper = np.r_[np.ones(clients), -np.inf * ones], np.r_[np.ones(clients), 0.0 * ones]
    rng = np.random.default_rng(0)
    thetas = np.array([np.r_[rng.uniform(0.5, 3.0, depots), rng.random(len(pairs))] for _ in range(5)])
    layer = LinearProgram((matrix, lower, upper), bounds=(0.0, 1.0), integrality=int(whole))
    constraints, bounds = LinearConstraint(matrix, lower, upper), Bounds(0.0, 1.0)
    kept = LinearProgram((matrix, lower, upper), bounds=(0.0, 1.0), integrality=int(whole))._highs()

    def again(highs: highspy.Highs, t: np.ndarray) -> float:
        highs.changeColsCost(columns, np.arange(columns, dtype=np.int32), t)
        highs.run()
        return value(t, np.array(highs.getSolution().col_value))

    def scipy(t: np.ndarray) -> float:
        return milp(t, integrality=int(whole), bounds=bounds, constraints=constraints, options={"mip_rel_gap": 0.0}).fun

    return measured(
        thetas,
        {
            "colayer": (lambda t: value(t, layer(t)), 5),
            "HiGHS, warm": (lambda t: again(kept, t), 5),
            "scipy milp": (scipy, 3),
        },
    )


def main() -> None:
    results = {
        "top-k, 10 of 100": top_k(100, 10),
        "top-k, 1000 of 10000": top_k(10_000, 1000),
        "assignment, 20 × 20": assignment(20, highs=True),
        "assignment, 100 × 100": assignment(100, highs=True),
        "assignment, 500 × 500": assignment(500, highs=False),
        "assignment, 100 × 100, costs are products": assignment(100, highs=False, products=True),
        "path, grid 20 × 20, θ ≥ 0": paths(20, acyclic=False),
        "path, grid 100 × 100, θ ≥ 0": paths(100, acyclic=False),
        "path, acyclic grid 20 × 20, any θ": paths(20, acyclic=True),
        "path, acyclic grid 60 × 60, any θ": paths(60, acyclic=True),
        "knapsack, 50 items": knapsack(50, correlated=False),
        "knapsack, 500 items": knapsack(500, correlated=False),
        "knapsack, 100 items, correlated": knapsack(100, correlated=True),
        "linear program, 15 depots, 40 clients": program(15, 40, whole=False),
        "integer program, 15 depots, 40 clients": program(15, 40, whole=True),
    }
    document = {
        "command": "python benchmarks/speed_layers.py",
        "colayer": __version__,
        "machine": machine(),
        "seconds": results,
    }
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    rows = [
        [layer, name, duration(seconds), f"{seconds / times['colayer']:.2f}"]
        for layer, times in results.items()
        for name, seconds in times.items()
    ]
    print(table(["layer", "solver", "time", "x colayer"], rows).text())


if __name__ == "__main__":
    main()
