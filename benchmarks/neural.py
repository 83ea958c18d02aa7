"""Networks against linear models on held-out instances, at the same budget: `python benchmarks/neural.py`.

Needs the extra `neural`. By experience: `auto` with all the evaluations, against a network whose linear model gets a
quarter of them. By demonstration: Fenchel-Young with all the passes, against a network whose linear model gets a
quarter; the solutions to imitate are the best that a quick heuristic finds. Gaps are to the cheap bound, on instances
that were not learned on; safe weights are not a fallback. The difference to the linear model is paired, instance by
instance, with its standard error over the instances. Writes benchmarks/results/neural.json.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from colayer import Pipeline, __version__
from colayer.display.tables import duration, percent, table
from colayer.neural import Neural
from colayer.problem.gap import gap
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Trial:
    """A problem, its instances by seed, who solves them for imitation, and what learning gets."""

    problem: Any
    instances: Callable[[int], list[Any]]
    #: None: not by demonstration.
    teacher: Callable[[Any], Any] | None
    evaluations: int = 4000
    passes: int = 200


def trials() -> dict[str, Trial]:
    def jobs(count: int) -> Callable[[int], list[Any]]:
        sizes = [(n, rho) for n in (20, 50, 100) for rho in (0.3, 1.0, 2.0)]

        def instances(seed: int) -> list[Any]:
            chosen = [sizes[k % len(sizes)] for k in range(count)]
            return [
                SingleMachine().generate(np.random.SeedSequence([seed, k]), jobs=n, rho=rho)
                for k, (n, rho) in enumerate(chosen)
            ]

        return instances

    def grids(seed: int) -> list[Any]:
        return [SpanningTree().generate(np.random.SeedSequence([seed, k]), width=8, scenarios=10) for k in range(60)]

    def tasks(seed: int) -> list[Any]:
        return [
            VehicleScheduling().generate(np.random.SeedSequence([seed, k]), tasks=50, scenarios=20) for k in range(60)
        ]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # where no weights are shipped, safe ones are used
        iterated = Pipeline(SingleMachine(decoder="rdi"))
        descended = Pipeline(VehicleScheduling(decoder="ls"))
    scheduling = SingleMachine("27", "none")
    return {
        "single-machine, 27 features": Trial(scheduling, jobs(180), lambda x: iterated.solve(x, samples=20).solution),
        "single-machine, 27 features, 600 instances": Trial(scheduling, jobs(600), None),
        "spanning-tree": Trial(SpanningTree(), grids, lambda x: SpanningTree().baseline("lagrangian", x)),
        "vehicle-scheduling, 23 features": Trial(
            VehicleScheduling("23", "none"), tasks, lambda x: descended.solve(x, samples=20).solution
        ),
    }


def measured(trial: Trial, seeds: int, stages: int) -> list[dict[str, Any]]:
    """The rows of one trial."""
    problem = trial.problem
    training, test = trial.instances(1), trial.instances(3)
    bounds = [problem.bound(x) for x in test]
    rows: list[dict[str, Any]] = []
    ways: list[tuple[str, int, dict[str, Any]]] = [("by experience", trial.evaluations, {})]
    if trial.teacher is not None:
        imitated = [gap(problem.cost(trial.teacher(x), x), b) for x, b in zip(test, bounds, strict=True)]
        rows.append({"model": "the solutions imitated", "test_gap": float(np.mean(imitated))})
        ways.append(("by demonstration", trial.passes, {"solutions": [trial.teacher(x) for x in training]}))
    for learned, budget, known in ways:
        linear: Any = None
        for model, method in (("linear", "auto"), ("network", Neural(stages=stages))):
            gaps, seconds = [], []
            for seed in range(seeds):
                begin = time.perf_counter()
                pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
                pipeline.fit(training, method=method, evaluations=budget, seed=seed, **known)
                seconds.append(time.perf_counter() - begin)
                gaps.append([gap(pipeline.solve(x).cost, b) for x, b in zip(test, bounds, strict=True)])
            found = np.array(gaps)
            row = {
                "learned": learned,
                "budget": budget,
                "model": model,
                "test_gap": float(found.mean()),
                "test_gap_by_seed": found.mean(axis=1).tolist(),
                "seconds": float(np.mean(seconds)),
            }
            if linear is None:
                linear = found
            else:
                difference = (found - linear).mean(axis=0)
                row["difference"] = float(difference.mean())
                row["standard_error"] = float(difference.std(ddof=1) / np.sqrt(len(test)))
            rows.append(row)
            print(learned, model, percent(row["test_gap"]), duration(row["seconds"]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--problem", help="only those whose name begins so; nothing is written then", default="")
    parser.add_argument("--stages", type=int, default=1, help="of the networks; nothing is written but for 1")
    arguments = parser.parse_args()
    rows = [
        {"problem": name, **row}
        for name, trial in trials().items()
        if name.startswith(arguments.problem)
        for row in measured(trial, arguments.seeds, arguments.stages)
    ]
    document = {
        "command": f"python benchmarks/neural.py --seeds {arguments.seeds}",
        "colayer": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "rows": rows,
    }
    if not arguments.problem and arguments.stages == 1:
        output = ROOT / "benchmarks" / "results" / "neural.json"
        output.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    cells = [
        [
            row["problem"],
            row.get("learned", ""),
            row["model"],
            percent(row["test_gap"]),
            f"{percent(row['difference'])} ± {percent(row['standard_error'])}" if "difference" in row else "",
            duration(row["seconds"]) if "seconds" in row else "",
        ]
        for row in rows
    ]
    print(table(["problem", "learned", "model", "test gap", "against linear", "time"], cells).text())


if __name__ == "__main__":
    main()
