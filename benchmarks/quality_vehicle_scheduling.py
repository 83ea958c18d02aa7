"""Costs of the shipped weights against safe weights and plain rules, by size: stochastic vehicle scheduling.

`python benchmarks/quality_vehicle_scheduling.py`: the paper's test cells with SCENARIOS scenarios, PER_CELL instances
up to 1000 tasks and LARGE of 2000 and 5000, none of which was learned on. Every contender's mean cost as a change
against the safe weights on the same instances, and its gap to the bound; learned pipelines with and without the safe
weights as a fallback, and with the decoder `ls` after them up to LS tasks. Results are kept in `runs/` as they come, so
that a run that was stopped goes on. Writes benchmarks/results/quality_vehicle_scheduling.json, which
`docs/_site/figures.py` draws.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from measure import machine

from colayer import Pipeline, __version__
from colayer.display.tables import duration, percent, table
from colayer.io.hashing import content_hash
from colayer.pretrained import pretrained
from colayer.problem.bind import bind
from colayer.problems import VehicleScheduling
from colayer_paper.vehicle_scheduling.datasets import PAPER_TASKS, paper_set

ROOT = Path(__file__).parent.parent
SAFE = "safe weights"


def contenders(ls: bool) -> dict[str, Pipeline]:
    """The pipelines to compare, all through `solve`."""
    plain = VehicleScheduling("23")
    chosen = {SAFE: Pipeline(plain, plain.safe_weights, safe=False)}
    for features in ("23", "extended"):
        for decoder in ("none", "ls") if ls else ("none",):
            problem = VehicleScheduling(features, decoder)
            model = pretrained(VehicleScheduling(features, "none"))
            if model is not None:
                for safe in (False, True) if decoder == "none" else (False,):
                    name = f"learned, {features}" + ", ls" * (decoder == "ls") + ", safe" * safe
                    chosen[name] = Pipeline.from_model(problem, model, safe=safe)
    if ls:
        through = VehicleScheduling("23", "ls")
        chosen[f"{SAFE}, ls"] = Pipeline(through, through.safe_weights, safe=False)
    return chosen


def results(arguments: argparse.Namespace, log: Path) -> Iterator[list[dict]]:
    """For each instance the records of all contenders, from the log or new."""
    problem = VehicleScheduling("23")
    known = {}
    if log.exists():
        known = {(r["data"], r["contender"]): r for r in map(msgspec.json.decode, log.read_bytes().splitlines())}
    log.parent.mkdir(exist_ok=True)
    warm = problem.generate(seed=0, tasks=30, scenarios=5)
    for pipeline in contenders(ls=True).values():
        pipeline.solve(warm)  # compile
    with log.open("ab") as out:
        for tasks in arguments.tasks:
            count = arguments.per_cell if tasks <= 1000 else arguments.large
            for instance in paper_set("test", tasks=(tasks,), scenarios=arguments.scenarios, per_cell=count):
                data, bound, records = content_hash(bind(problem), [instance]), None, []
                chosen: dict = dict(contenders(ls=tasks <= arguments.ls))
                chosen.update(dict.fromkeys(problem.baselines))
                for name, pipeline in chosen.items():
                    if (data, name) not in known:
                        if bound is None:
                            bound = problem.bound(instance)
                        record = {"data": data, "contender": name, "tasks": tasks, "bound": bound}
                        if pipeline is None:
                            begin = time.perf_counter()
                            successor = problem.baseline(name, instance)
                            seconds = time.perf_counter() - begin
                            cost = problem.cost(successor, instance)
                        else:
                            solved = pipeline.solve(instance)
                            cost, seconds = solved.cost, solved.seconds
                        known[data, name] = {**record, "cost": cost, "seconds": seconds}
                        out.write(msgspec.json.encode(known[data, name]) + b"\n")
                        out.flush()
                    records.append(known[data, name])
                sys.stderr.write(f"{tasks} tasks: {len(records)} contenders\n")
                yield records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=8, help="instances per size up to 1000 tasks")
    parser.add_argument("--large", type=int, default=3, help="instances of 2000 and of 5000 tasks")
    parser.add_argument("--ls", type=int, default=1000, help="the decoder ls is run up to so many tasks")
    parser.add_argument("--tasks", type=int, nargs="*", default=PAPER_TASKS)
    parser.add_argument("--scenarios", type=int, nargs="*", default=(50,))
    arguments = parser.parse_args()
    every = list(results(arguments, Path("runs") / "quality-vehicle-scheduling.jsonl"))
    sizes: dict[int, dict[str, dict[str, float]]] = {}
    for tasks in arguments.tasks:
        here = [{r["contender"]: r for r in records} for records in every if records[0]["tasks"] == tasks]
        base = np.array([r[SAFE]["cost"] for r in here])
        sizes[tasks] = {}
        for name in here[0]:
            cost, bound = (np.array([r[name][key] for r in here]) for key in ("cost", "bound"))
            sizes[tasks][name] = {
                "instances": len(here),
                "mean_cost": float(cost.mean()),
                "against_safe": float(cost.mean() / base.mean() - 1),
                "worst_against_safe": float((cost / base - 1).max()),
                "mean_gap": float(((cost - bound) / bound).mean()),
                "mean_seconds": float(np.mean([r[name]["seconds"] for r in here])),
            }
    document = {
        "command": " ".join(["python benchmarks/quality_vehicle_scheduling.py", *sys.argv[1:]]),
        "colayer": __version__,
        "machine": machine(),
        "scenarios": list(arguments.scenarios),
        "by_tasks": sizes,
    }
    output = ROOT / "benchmarks" / "results" / "quality_vehicle_scheduling.json"
    output.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")
    for tasks, rows in sizes.items():
        shares = ("against_safe", "worst_against_safe", "mean_gap")
        cells = [
            [name, row["mean_cost"], *(percent(row[key]) for key in shares), duration(row["mean_seconds"])]
            for name, row in rows.items()
        ]
        print(f"{tasks} tasks, {rows[SAFE]['instances']} instances")
        print(table(["contender", "mean cost", "against safe", "worst", "gap", "time"], cells).text())


if __name__ == "__main__":
    main()
