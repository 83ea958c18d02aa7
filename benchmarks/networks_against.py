"""Networks of trees and vehicles against all that is none: `python benchmarks/networks_against.py`.

Everyone solves the same instances of the paper's test sets, on one thread: linear weights and ten of their candidates,
the shipped networks by their stages, weights for features that look further ahead, rounds, and the best rules and
heuristics by hand. Gaps are to the Lagrangian bound (trees) and to the layer's (vehicles); differences to the whole
network are paired, ± standard error over the instances. Times are medians of CPU seconds, with all a solve needs,
of instances of which nothing is known yet. Writes benchmarks/results/networks_against.json.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from measure import write_results

from colayer import Pipeline
from colayer._runtime.threads import limited
from colayer.comparison.paired import moments
from colayer.display.tables import table
from colayer.pretrained import pretrained_network
from colayer.problem.gap import gap
from colayer.problems import SpanningTree, VehicleScheduling
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer_paper.spanning_tree import datasets as trees
from colayer_paper.vehicle_scheduling import datasets as vehicles

Contender = Callable[[Any], float]
WIDTHS, TASKS = (10, 20, 30, 40, 50, 60), (200, 500, 1000)


def solver(pipeline: Pipeline, **options: Any) -> Contender:
    return lambda instance: pipeline.solve(instance, **options).cost


def learned(problem: Any, name: str) -> dict[str, Contender]:
    """Linear weights, and the stages of the network on top of them."""
    linear = Pipeline(problem, safe=False)
    found = {f"{name}, linear": solver(linear), f"{name}, 10 candidates": solver(linear, candidates=10)}
    stages = pretrained_network(problem).stages
    for stage in range(1, stages + 1):
        label = "network" if stage == stages else f"network, {stage} of {stages} stages"
        model = pretrained_network(problem, stage)
        found[f"{name}, {label}"] = solver(Pipeline.from_model(problem, model, safe=False))
    return found


def of_trees() -> dict[str, Contender]:
    problem = SpanningTree()
    return {
        "approximation algorithm": lambda x: problem.cost(problem.baseline("approximation", x), x),
        **learned(problem, "cost"),
        **learned(SpanningTree("prices"), "prices"),
        **{f"Lagrangian, {k} iterations": lambda x, k=k: lagrangian(x, iterations=k).cost for k in (8, 100)},
    }


def of_vehicles() -> dict[str, Contender]:
    plain = VehicleScheduling("23")
    rounds = Pipeline(VehicleScheduling("rounds"), safe=False)
    search = Pipeline(VehicleScheduling("23", "ls"), safe=False)
    return {
        "delay x3": lambda x: plain.cost(plain.baseline("delay x3", x), x),
        **learned(plain, "23"),
        "extended, linear": solver(Pipeline(VehicleScheduling("extended"), safe=False)),
        "5 rounds, 2 candidates": solver(rounds, rounds=5, candidates=2),
        "23, linear, then ls": solver(search),
    }


def compiled(contenders: dict[str, Contender], instance: Any) -> dict[str, Contender]:
    """The same, once all have solved a small instance."""
    for work in contenders.values():
        work(instance)
    return contenders


def measured(
    contenders: dict[str, Contender], instances: list[Any], bound: Callable[[Any], float | None], whole: str
) -> dict[str, Any]:
    """name → mean gap, difference to the network named `whole`, CPU seconds."""
    gaps: dict[str, list[float]] = {name: [] for name in contenders}
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for instance in instances:
        least = bound(instance)
        for name, work in contenders.items():
            fresh = replace(instance)  # without what was derived of it
            begin = time.process_time()
            cost = work(fresh)
            seconds[name].append(time.process_time() - begin)
            gaps[name].append(gap(cost, least) or 0.0)
    rows: dict[str, Any] = {"instances": len(instances)}
    for name, own in gaps.items():
        less, error = moments((np.array(gaps[whole]) - np.array(own)).tolist())
        rows[name] = {
            "mean_gap": float(np.mean(own)),
            "network_minus": less,
            "standard_error": error or 0.0,
            "cpu_seconds": float(np.median(seconds[name])),
        }
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=2, help="instances of each cell (width, scenarios, costs)")
    parser.add_argument("--vehicles", type=int, default=12, help="instances of each size")
    arguments = parser.parse_args()
    document: dict[str, Any] = {}
    with limited(1):
        works = compiled(of_trees(), SpanningTree().generate(0, width=4, scenarios=3))
        for width in WIDTHS:
            found, label = trees.paper_set("test", arguments.trees, (width,)), f"{width * width} nodes"
            document[label] = measured(works, found, lambda x: lagrangian(x).bound, "cost, network")
            show(label, document[label])
        works = compiled(of_vehicles(), VehicleScheduling().generate(0, tasks=20, scenarios=3))
        for tasks in TASKS:
            found = list(vehicles.paper_set("test", tasks=(tasks,), scenarios=(50,), per_cell=arguments.vehicles))
            label = f"{tasks} tasks"
            document[label] = measured(works, found, VehicleScheduling("23").bound, "23, network")
            show(label, document[label])
    write_results("networks_against", {"rows": document})


def show(label: str, rows: dict[str, Any]) -> None:
    print(f"\n{label}, {rows['instances']} instances")
    cells = []
    for name, row in rows.items():
        if name != "instances":
            less, error = (f"{100 * row[key]:.4f}" for key in ("network_minus", "standard_error"))
            cells.append(
                [name, f"{100 * row['mean_gap']:.4f} %", f"{less} ± {error}", f"{1e3 * row['cpu_seconds']:.1f} ms"]
            )
    print(table(["", "gap", "network less it, points", "CPU"], cells).text(), flush=True)


if __name__ == "__main__":
    main()
