"""What the portfolios of the shipped weights gain: `python benchmarks/shipped.py --workers 16`.

On instances of the paper's test sets, which no shipped weights have seen, the best of the first K members stands beside
the weights alone, and beside the best of the weights and K − 1 draws at the σ of the model. Gaps are to the problem's
cheap bound, and differences of costs are paired over the instances, with standard errors. Writes
benchmarks/results/shipped.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from measure import write_results

from colayer.comparison.paired import difference
from colayer.display.tables import percent, table
from colayer.evaluators.base import Backend
from colayer.learning.perturbation import draws
from colayer.pretrained import pretrained
from colayer.problem.abilities import bound_of
from colayer.problems.single_machine import datasets as single_machine
from colayer.problems.spanning_tree import datasets as spanning_tree
from colayer.problems.vehicle_scheduling import datasets as vehicle_scheduling
from colayer_paper.portfolios import NAMES
from colayer_paper.pretrain import RECIPES

COUNTS = (1, 5, 10, 20, 32)
#: Up to this many tasks.
_TASKS = tuple(n for n in vehicle_scheduling.PAPER_TASKS if n <= 1000)
TEST: dict[str, Callable[[], list[Any]]] = {
    "single-machine": lambda: single_machine.paper_set("test", 2),
    "spanning-tree": lambda: spanning_tree.paper_set("test", 1),
    "vehicle-scheduling": lambda: list(vehicle_scheduling.paper_set("test", tasks=_TASKS, per_cell=2)),
}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME")
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    rows, cells = [], []
    for name in arguments.names:
        problem = RECIPES[name].problem
        model, data = pretrained(problem), TEST[problem.name]()
        assert model is not None
        known = model.portfolio if len(model.portfolio) else model.weights[None, :]
        members = known[np.minimum(np.arange(max(COUNTS)), len(known) - 1)]
        drawn = model.weights + model.default_sigma * draws(0, max(COUNTS) - 1, len(model.weights))
        with Backend(arguments.workers).evaluators(problem) as evaluator_of:
            losses = evaluator_of(data).losses(model.raw(np.vstack([members, model.weights[None, :], drawn])))
        costs = losses * np.array([problem.scale(x) for x in data])
        bounds = np.array([bound_of(problem, x) for x in data], dtype=float)
        best = np.minimum.accumulate(costs.reshape(2, max(COUNTS), -1), axis=1)
        for count in COUNTS:
            ours, theirs = best[:, count - 1]
            alone = difference(ours.tolist(), best[0, 0].tolist(), "the weights alone")
            apart = difference(ours.tolist(), theirs.tolist(), "draws")
            gaps = [float(((part - bounds) / np.abs(bounds)).mean()) for part in (ours, theirs)]
            rows.append({
                "name": name, "instances": len(data), "members": len(known), "candidates": count,
                "portfolio": gaps[0], "draws": gaps[1], "to_weights": msgspec.to_builtins(alone),
                "to_draws": msgspec.to_builtins(apart),
            })  # fmt: skip
            cells.append([name, count, percent(gaps[0], 3), percent(gaps[1], 3), alone.words, apart.words])
            print(*cells[-1], flush=True)
    write_results("shipped", {"rows": rows})
    print(table(["file", "best of", "portfolio", "draws", "to the weights alone", "to draws"], cells).text())


if __name__ == "__main__":
    main()
