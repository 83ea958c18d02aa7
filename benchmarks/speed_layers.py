"""Speed of the layers beside scipy, networkx and HiGHS: `python benchmarks/speed_layers.py`.

The same θ for all in one run, values compared (this fails where they differ), CPU and wall times, best of ten
rounds over a few θ, in turns. What is fixed is built before the clock starts where a contender allows it. The
output, with the machine, also goes to benchmarks/results/speed_layers.json, if the machine was quiet or with --force.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import highspy
import networkx
import numpy as np
from measure import Bench, Time, add_force
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import bellman_ford, dijkstra

from colayer import __version__
from colayer.display.tables import duration, table
from colayer.layers import Assignment, Knapsack, LinearProgram, ShortestPath, TopK
from colayer.layers.path_cover import partial_assignment

#: Of every solver.
ROUNDS = 10
Solver = Callable[[np.ndarray], float]  # θ → the least value


def measured(bench: Bench, thetas: np.ndarray, solvers: dict[str, Solver]) -> dict[str, Time]:
    """The time a θ takes, by contender; the values of all must be equal."""
    values = {name: [solve(theta) for theta in thetas] for name, solve in solvers.items()}
    for name, found in values.items():
        if not np.allclose(found, values["colayer"], rtol=1e-7, atol=1e-9):
            raise SystemExit(f"{name} and colayer differ: {found}, {values['colayer']}")

    def through(solve: Solver) -> None:
        for theta in thetas:
            solve(theta)

    works = {name: partial(through, solve) for name, solve in solvers.items()}
    return {name: time / len(thetas) for name, time in bench.in_turns(works, ROUNDS).items()}


def value(theta: np.ndarray, y: np.ndarray) -> float:
    """⟨θ, y⟩ without BLAS, whose threads would be counted."""
    return (theta * y).sum()


def top_k(bench: Bench, n: int, k: int) -> dict[str, Time]:
    thetas = np.random.default_rng(0).normal(size=(20, n))
    layer = TopK(k)
    return measured(
        bench,
        thetas,
        {
            "colayer": lambda t: value(t, layer(t)),
            "numpy argpartition": lambda t: t[np.argpartition(t, k)[:k]].sum(),
            "numpy argsort": lambda t: t[np.argsort(t, kind="stable")[:k]].sum(),
        },
    )


def assignment(bench: Bench, n: int, highs: bool, products: bool = False) -> dict[str, Time]:
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

    solvers = {"colayer": lambda t: value(t, layer(t)), "scipy": scipy, "partial_assignment": kernel}
    if highs:
        pairs = np.arange(n * n)
        rows = coo_array((np.ones(2 * n * n), (np.r_[pairs // n, n + pairs % n], np.r_[pairs, pairs])))
        program = LinearProgram((rows, 1.0, 1.0))
        solvers["HiGHS, linear program"] = lambda t: value(t, program(t))
    return measured(bench, thetas, solvers)


def paths(bench: Bench, width: int, acyclic: bool) -> dict[str, Time]:
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
        bench,
        thetas,
        {
            "colayer": lambda t: value(t, layer(t)),
            f"scipy {find.__name__}": scipy,
            f"networkx {find.__name__}": lambda t: theirs(graphs[t.tobytes()], 0, last),
        },
    )


def knapsack(bench: Bench, n: int, correlated: bool) -> dict[str, Time]:
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 1000, n)
    thetas = -(weights + rng.integers(1, 100, (3, n)) if correlated else rng.integers(1, 1000, (3, n))).astype(float)
    capacity = int(weights.sum() // 3)
    layer = Knapsack(weights, capacity)
    program = LinearProgram((weights[None, :], 0.0, capacity), bounds=(0.0, 1.0), integrality=1)
    return measured(
        bench,
        thetas,
        {"colayer": lambda t: value(t, layer(t)), "HiGHS, integer program": lambda t: value(t, program(t))},
    )


def program(bench: Bench, depots: int, clients: int, whole: bool) -> dict[str, Time]:
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
        bench,
        thetas,
        {
            "colayer": lambda t: value(t, layer(t)),
            "HiGHS, warm": lambda t: again(kept, t),
            "scipy milp": scipy,
        },
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="the layers whose name begins so; nothing is written"
    )
    add_force(parser)
    chosen = parser.parse_args()
    bench = Bench("speed_layers", chosen.force)
    cases = {
        "top-k, 10 of 100": lambda: top_k(bench, 100, 10),
        "top-k, 1000 of 10000": lambda: top_k(bench, 10_000, 1000),
        "assignment, 20 × 20": lambda: assignment(bench, 20, highs=True),
        "assignment, 100 × 100": lambda: assignment(bench, 100, highs=True),
        "assignment, 500 × 500": lambda: assignment(bench, 500, highs=False),
        "assignment, 100 × 100, costs are products": lambda: assignment(bench, 100, highs=False, products=True),
        "path, grid 20 × 20, θ ≥ 0": lambda: paths(bench, 20, acyclic=False),
        "path, grid 100 × 100, θ ≥ 0": lambda: paths(bench, 100, acyclic=False),
        "path, acyclic grid 20 × 20, any θ": lambda: paths(bench, 20, acyclic=True),
        "path, acyclic grid 60 × 60, any θ": lambda: paths(bench, 60, acyclic=True),
        "knapsack, 50 items": lambda: knapsack(bench, 50, correlated=False),
        "knapsack, 500 items": lambda: knapsack(bench, 500, correlated=False),
        "knapsack, 100 items, correlated": lambda: knapsack(bench, 100, correlated=True),
        "linear program, 15 depots, 40 clients": lambda: program(bench, 15, 40, whole=False),
        "integer program, 15 depots, 40 clients": lambda: program(bench, 15, 40, whole=True),
    }
    results = {name: case() for name, case in cases.items() if name.startswith(chosen.only)}
    rows = [
        [layer, name, duration(time.cpu), duration(time.wall), f"{time.cpu / times['colayer'].cpu:.2f}"]
        for layer, times in results.items()
        for name, time in times.items()
    ]
    print(table(["layer", "solver", "CPU time", "wall time", "x colayer"], rows).text())
    if not chosen.only:
        bench.write({"command": "python benchmarks/speed_layers.py", "colayer": __version__, "seconds": results})


if __name__ == "__main__":
    main()
