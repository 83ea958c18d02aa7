"""This checkout against another one, in one run: `python benchmarks/side_by_side.py OTHER_CHECKOUT [--rounds N]`.

One process per checkout is kept, and both are asked in turn for the time of the same work: layers, losses and solves of
the three problems. The smallest time of each counts. Exits with 1 where one is more than `--allowed` slower here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def works() -> dict:
    """name → a function without arguments; only names that every version has are used."""
    import numpy as np

    from colayer import Pipeline
    from colayer.layers.path_cover import path_cover
    from colayer.layers.sorting import sort
    from colayer.layers.spanning_tree import minimum_spanning_tree
    from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

    rng = np.random.default_rng(0)
    keys = rng.normal(size=3000)
    tree, jobs, tasks = SpanningTree(), SingleMachine(), VehicleScheduling()
    graph = tree.generate(seed=1, width=40, scenarios=20)
    costs = rng.normal(size=len(graph.edges))
    city = tasks.generate(seed=1, tasks=500, scenarios=20)
    indptr, heads = city.arcs
    arcs = rng.uniform(0, 1000, size=len(heads) + 2 * city.tasks)
    n = city.tasks
    parts = (arcs[: len(heads)], arcs[len(heads) : len(heads) + n], arcs[len(heads) + n :])
    found = {
        "layer: sort 3000": lambda: sort(keys),
        "layer: spanning tree, 1600 nodes": lambda: minimum_spanning_tree(graph.nodes, graph.edges, costs),
        "layer: path cover, 500 tasks": lambda: path_cover(indptr, heads, *parts),
    }
    sets = {
        "jobs": (jobs, [jobs.generate(seed=s, jobs=200, rho=1.0) for s in range(40)]),
        "jobs, ls": (SingleMachine(decoder="ls"), [jobs.generate(seed=s, jobs=200, rho=1.0) for s in range(40)]),
        "trees": (tree, [tree.generate(seed=s, width=15, scenarios=10) for s in range(20)]),
        "tasks": (VehicleScheduling("23"), [tasks.generate(seed=s, tasks=100, scenarios=20) for s in range(10)]),
    }
    for name, (problem, instances) in sets.items():
        for workers in (1, 2):
            evaluator = problem.evaluator(instances, workers)
            for rows in (1, 20):
                W = rng.normal(size=(rows, len(problem.feature_names)))
                found[f"losses: {name}, {rows} rows, {workers} workers"] = lambda e=evaluator, W=W: e.losses(W)
    large = {
        "3000 jobs": (jobs, jobs.generate(seed=1, jobs=3000, rho=1.0)),
        "3000 jobs, rdi": (SingleMachine(decoder="rdi"), jobs.generate(seed=1, jobs=3000, rho=1.0)),
        "1600 nodes": (tree, graph),
        "500 tasks": (tasks, city),
        "20 jobs": (jobs, jobs.generate(seed=1, jobs=20, rho=1.0)),
    }
    for name, (problem, instance) in large.items():
        pipeline = Pipeline(problem)
        found[f"solve: {name}"] = lambda p=pipeline, x=instance: p.solve(x)
    return found


def serve() -> None:
    """Answer names with the time of that work, the smallest of a few, until stdin ends."""
    known = works()
    for work in known.values():
        work()
    print(json.dumps(list(known)), flush=True)
    for line in sys.stdin:
        work = known[json.loads(line)]
        best, spent = float("inf"), 0.0
        while spent < 0.15:
            begin = time.perf_counter()
            work()
            seconds = time.perf_counter() - begin
            best, spent = min(best, seconds), spent + seconds
        print(json.dumps(best), flush=True)


def started(checkout: Path) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONWARNINGS": "ignore"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, __file__, "--serve"], env=environment, cwd=checkout, **pipes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--allowed", type=float, default=0.05, help="slowdown that is let pass")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return
    processes = [started(checkout) for checkout in (arguments.other.resolve(), ROOT.resolve())]
    names = [json.loads(process.stdout.readline()) for process in processes][1]
    slower = []
    print(f"{'':44}{'other':>12}{'here':>12}{'here / other':>14}")
    for name in names:
        best = [float("inf")] * 2
        for _ in range(arguments.rounds):
            for k, process in enumerate(processes):
                process.stdin.write(json.dumps(name) + "\n")
                process.stdin.flush()
                best[k] = min(best[k], json.loads(process.stdout.readline()))
        ratio = best[1] / best[0]
        slower += [name] * (ratio > 1 + arguments.allowed)
        print(f"{name:44}{1e3 * best[0]:9.3f} ms{1e3 * best[1]:9.3f} ms{ratio:14.3f}", flush=True)
    for process in processes:
        process.stdin.close()
        process.wait()
    if slower:
        sys.exit(f"more than {arguments.allowed:.0%} slower here: {', '.join(slower)}")


if __name__ == "__main__":
    main()
