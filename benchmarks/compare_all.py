"""The three problems at three sizes: learned pipelines against rules, exact solvers, HiGHS and CP-SAT at equal time.

    python benchmarks/compare_all.py [--seconds 10] [--again] [CELL...]

learns a model for each problem, runs what `colayer compare` runs on instances that learning has not seen, and keeps
each cell (problem and size) in experiments/results/compare.json as it is done: started again, it goes on where it was.
The tables in docs/compare.md are written from what is kept (`--tables`: this alone), the figures of the middle sizes to
docs/images. About an hour on one core; needs the extra `compare`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from measure import machine

from colayer import Pipeline, compare
from colayer.comparison.figures import cost_over_time
from colayer.comparison.results import Results
from colayer.files import encode, write_atomic
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.report.figures import save
from colayer.report.tables import duration, percent, table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "compare.md"
KEPT = ROOT / "experiments" / "results" / "compare.json"
IMAGES, RUNS = ROOT / "docs" / "images", ROOT / "runs"
#: Instances that are compared have these seeds, those that are learned from have smaller ones.
FIRST_SEED, INSTANCES = 1000, 5
RHO = (0.4, 0.8, 1.0, 1.5, 2.0)

#: problem → (object, further decoders, sizes of the three cells, sizes learned from, instances of each, evaluations)
PROBLEMS: dict[str, tuple[Any, tuple[str, ...], list[dict[str, Any]], list[dict[str, Any]], int, int]] = {
    "single-machine": (
        SingleMachine(), ("rdi",), [{"jobs": n} for n in (50, 200, 1000)],
        [{"jobs": n, "rho": rho} for n in (50, 100, 200) for rho in RHO], 8, 1000,
    ),
    "spanning-tree": (
        SpanningTree(), (), [{"width": w, "scenarios": 20} for w in (10, 20, 40)],
        [{"width": w, "scenarios": 20} for w in (10, 20)], 10, 1000,
    ),
    "vehicle-scheduling": (
        VehicleScheduling(), ("ls",), [{"tasks": n, "scenarios": 50} for n in (50, 200, 1000)],
        [{"tasks": n, "scenarios": 50} for n in (50, 100, 200)], 8, 1000,
    ),
}  # fmt: skip


def learned(name: str, models: dict[str, Any]) -> tuple[dict[str, Pipeline], float]:
    """The pipelines of a problem, one per decoder, and the seconds of one core that learning took."""
    problem, decoders, _, sizes, count, evaluations = PROBLEMS[name]
    if name not in models:
        instances = [problem.generate(s, **size) for size in sizes for s in range(count)]
        Pipeline(problem, problem.safe_weights).fit(instances[:6], evaluations=3, workers=1)  # compiles
        begin = time.process_time()
        pipeline = Pipeline(problem, problem.safe_weights)
        pipeline.fit(instances, evaluations=evaluations, seed=0, workers=1)
        models[name] = pipeline.model, time.process_time() - begin, len(instances)
    model, seconds, _ = models[name]
    pipelines = {"learned": Pipeline.from_model(problem, model, safe=False)}
    for decoder in decoders:
        other = problem.with_options(decoder=decoder)
        pipelines[f"learned, {decoder}"] = Pipeline.from_model(other, model, safe=False)
    return pipelines, seconds


def cell(name: str, size: dict[str, Any], seconds: float, models: dict[str, Any]) -> tuple[dict[str, Any], Results]:
    """One problem at one size."""
    problem, *_, evaluations = PROBLEMS[name]
    pipelines, learning = learned(name, models)
    sizes = [size | ({"rho": rho} if name == "single-machine" else {}) for rho in RHO][:INSTANCES]
    instances = [problem.generate(FIRST_SEED + k, **size) for k, size in enumerate(sizes)]
    before, begin = sum(os.times()[:4]), time.perf_counter()
    results = compare(problem, instances, pipelines, time_limit=seconds, learning_seconds=learning)
    spent = time.perf_counter() - begin
    document = results.document()
    RUNS.mkdir(exist_ok=True)
    write_atomic(RUNS / f"compare_{name}_{next(iter(size.values()))}.json", encode(document))
    document.pop("instances")  # all trajectories: too much for the repository
    about = {
        "size": size,
        "instances": len(instances),
        "learning_seconds": learning,
        "learned_from": models[name][2],
        "evaluations": evaluations,
        "core_share": (sum(os.times()[:4]) - before) / spent,
        "seconds": spent,
        "machine": machine(),
    }
    return about | document, results


def tables(kept: dict[str, Any]) -> str:
    """What is kept, as Markdown: one table per problem; of its rules those best, or not paid for, at some size."""
    text = ""
    for name, (problem, *_) in PROBLEMS.items():
        cells = {key: found for key, found in kept.items() if found["problem"] == name}
        if not cells:
            continue
        hidden = set(problem.baselines) - {_best_rule(found, problem.baselines) for found in cells.values()}
        hidden -= {row["rival"] for found in cells.values() for row in found["payback"] if row["payback"] == "never"}
        columns = ["contender"]
        for key, found in cells.items():
            size, limit = key.rpartition("-")[2], found["time_limit"]
            columns += [f"{size}: {duration(0.01 * limit, 1)}", duration(limit, 2), "paid after"]
        names = dict.fromkeys(row["contender"] for found in cells.values() for row in found["standings"])
        rows = [
            (contender, *(text for found in cells.values() for text in _cells(found, contender)))
            for contender in names
            if contender not in hidden
        ]
        text += f"\n### {name}\n\n" + table(columns, rows).markdown() + "\n"
        for key, found in cells.items():
            learning = f"learning took {duration(found['learning_seconds'], 2)}"
            text += f"- {key}: {learning}; the run had {found['core_share']:.0%} of the core\n"
            text += "".join(f"    - {_said(row, found['instances'])}\n" for row in found["standings"] if row["note"])
        image = f"compare_{name.replace('-', '_')}.svg"
        if (IMAGES / image).exists():
            text += f"\n![{name}: mean gap over time at the middle size](images/{image})\n"
    return text


def _said(row: dict[str, Any], instances: int) -> str:
    return f"{row['contender']}: {row['note']} ({row['solved']} of {instances} solved)"


def write_page(kept: dict[str, Any]) -> None:
    """The tables and figures at the end of the page, in the place of those that are there."""
    head, mark, _ = PAGE.read_text().partition("<!-- what follows is written by benchmarks/compare_all.py -->\n")
    write_atomic(PAGE, (head + mark + tables(kept)).encode())


def _best_rule(found: dict[str, Any], rules: tuple[str, ...]) -> str:
    gaps = {row["contender"]: row["gaps"][-1] for row in found["standings"] if row["contender"] in rules}
    return min(gaps, key=lambda rule: (gaps[rule] is None, gaps[rule]))


def _cells(found: dict[str, Any], contender: str) -> tuple[str, str, str]:
    """Gap after 1 % of the time, gap at the end, and the solves after which `learned` has paid against it."""
    gaps = next(row["gaps"] for row in found["standings"] if row["contender"] == contender)
    paid = [r["payback"] for r in found["payback"] if (r["pipeline"], r["rival"]) == ("learned", contender)]
    return percent(gaps[0], 2), percent(gaps[-1], 2), paid[0] if paid else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cells", nargs="*", metavar="CELL", help="as in single-machine-50; all if not given")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each instance and contender")
    parser.add_argument("--again", action="store_true", help="also what is kept already")
    parser.add_argument("--tables", action="store_true", help="write the page from what is kept, run nothing")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if chosen.tables:
        write_page(kept)
        return
    models: dict[str, Any] = {}
    cells = {
        f"{name}-{next(iter(size.values()))}": (name, size, k == 1)
        for name, (_, _, sizes, *_) in PROBLEMS.items()
        for k, size in enumerate(sizes)
    }
    for key, (name, size, middle) in cells.items():
        if (chosen.cells and key not in chosen.cells) or (key in kept and not chosen.again):
            continue
        kept[key], results = cell(name, size, chosen.seconds, models)
        kept = {k: kept[k] for k in cells if k in kept}
        write_atomic(KEPT, json.dumps(json.loads(encode(kept)), indent=1).encode() + b"\n")
        if middle:
            save(cost_over_time(results.race), IMAGES / f"compare_{name.replace('-', '_')}.svg")
        write_page(kept)
        print(tables({key: kept[key]}), flush=True)


if __name__ == "__main__":
    main()
