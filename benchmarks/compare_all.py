"""The three problems at three sizes: learned pipelines against rules, exact solvers, HiGHS and CP-SAT at equal time.

    python benchmarks/compare_all.py [--seconds 10] [--again] [--force] [CELL...]

learns a model for each problem, runs what `colayer compare` runs on 20 instances that learning has not seen, and keeps
each cell (problem and size) in benchmarks/results/compare.json as it is done: started again, it goes on where it was.
A cell that had less than 90 % of its core is not kept, unless forced. The tables in
paper/docs/compare_measured.md are written from
what is kept (`--tables`: this alone), the figures of the middle sizes to docs/images. About four hours on one core;
needs the extra `compare`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from pathlib import Path
from typing import Any

from measure import add_force, core_share, machine, settled

from colayer import Pipeline, compare
from colayer.comparison.charts import cost_over_time
from colayer.comparison.paired import EQUAL, Difference
from colayer.comparison.results import Results
from colayer.display.charts import save
from colayer.display.tables import duration, percent, table
from colayer.io.files import encode, write_atomic
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "paper" / "docs" / "compare_measured.md"
KEPT = ROOT / "benchmarks" / "results" / "compare.json"
IMAGES, RUNS = ROOT / "docs" / "images", ROOT / "runs"
#: Instances that are compared have these seeds, those that are learned from have smaller ones.
FIRST_SEED, INSTANCES = 1000, 20
#: Seconds of the busy loop between two runs that measures the share of the core.
GLANCE = 0.05
RHO = (0.4, 0.8, 1.0, 1.5, 2.0)
#: What is said of a rival against which learning does not pay.
UNPAID = ("never", "no measurable gain")

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


def cell(
    name: str, size: dict[str, Any], chosen: argparse.Namespace, models: dict[str, Any]
) -> tuple[dict[str, Any], Results]:
    """One problem at one size."""
    problem, *_, evaluations = PROBLEMS[name]
    pipelines, learning = learned(name, models)
    further = [{"rho": rho} for rho in RHO] if name == "single-machine" else [{}]
    sizes = [size | further[k % len(further)] for k in range(chosen.instances)]
    instances = [problem.generate(FIRST_SEED + k, **size) for k, size in enumerate(sizes)]
    shares = [core_share()]
    before, begin = sum(os.times()[:4]), time.perf_counter()
    results = compare(
        problem,
        instances,
        pipelines,
        time_limit=chosen.seconds,
        learning_seconds=learning,
        progress=lambda done, total: shares.append(core_share(GLANCE)),  # on the core that all of them share
    )
    spent = time.perf_counter() - begin
    document = results.document()
    if chosen.instances >= INSTANCES:
        RUNS.mkdir(exist_ok=True)
        write_atomic(RUNS / f"compare_{name}_{next(iter(size.values()))}.json", encode(document))
    document.pop("instances")  # all trajectories: too much for the repository
    about = {
        "size": size,
        "instances": len(instances),
        "learning_seconds": learning,
        "learned_from": models[name][2],
        "evaluations": evaluations,
        "verdicts": results.verdicts(),
        "core_used": (sum(os.times()[:4]) - before) / spent,
        **settled(math.fsum(shares) / len(shares), chosen.force or chosen.instances < INSTANCES),
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
        hidden -= {row["rival"] for found in cells.values() for row in found["payback"] if row["payback"] in UNPAID}
        columns = ["contender"]
        for key, found in cells.items():
            size, limit = key.rpartition("-")[2], found["time_limit"]
            columns += [
                f"{size}: {duration(0.01 * limit, 1)}",
                duration(limit, 2),
                "against the reference",
                "paid after",
            ]
        names = dict.fromkeys(row["contender"] for found in cells.values() for row in found["standings"])
        rows = [
            (_shown(contender), *(text for found in cells.values() for text in _cells(found, contender)))
            for contender in names
            if contender not in hidden
        ]
        text += f"\n## {name}\n\n" + table(columns, rows).markdown() + "\n"
        for key, found in cells.items():
            learning = f"learning took {duration(found['learning_seconds'], 2)}"
            against = f"{found['instances']} instances, the reference is {found.get('reference') or 'not known'}"
            text += f"- {key}: {against}; {learning}; the run had {found['core_share']:.0%} of the core\n"
            text += "".join(f"    - {_shown(verdict)}\n" for verdict in found.get("verdicts", ()))
            text += "".join(f"    - {_said(row, found['instances'])}\n" for row in found["standings"] if row["note"])
        image = f"compare_{name.replace('-', '_')}.svg"
        if (IMAGES / image).exists():
            text += f"\n![{name}: mean gap over time at the middle size](../../docs/images/{image})\n"
    return text


def _said(row: dict[str, Any], instances: int) -> str:
    return f"{_shown(row['contender'])}: {row['note']} ({row['solved']} of {instances} solved)"


def _shown(text: str) -> str:
    """Pipelines are named after their decoder twice: by us, and by the comparison, as they differ in it."""
    for decoder in {decoder for _, decoders, *_ in PROBLEMS.values() for decoder in decoders}:
        text = text.replace(f", {decoder}, decoder {decoder}", f", decoder {decoder}")
    return text


def write_page(kept: dict[str, Any]) -> None:
    """The tables and figures at the end of the page, in the place of those that are there."""
    head, mark, _ = PAGE.read_text().partition("<!-- what follows is written by benchmarks/compare_all.py -->\n")
    write_atomic(PAGE, (head + mark + tables(kept)).encode())


def _best_rule(found: dict[str, Any], rules: tuple[str, ...]) -> str:
    gaps = {row["contender"]: row["gaps"][-1] for row in found["standings"] if row["contender"] in rules}
    return min(gaps, key=lambda rule: (gaps[rule] is None, gaps[rule]))


def _cells(found: dict[str, Any], contender: str) -> tuple[str, str, str, str]:
    """Gaps after 1 % of the time and at the end, then paired, and the solves after which `learned` has paid."""
    rows = [row for row in found["standings"] if row["contender"] == contender]
    if not rows:  # at this size alone
        return "-", "-", "-", ""
    gaps, apart = rows[0]["gaps"], rows[0].get("difference")
    told = "-" if apart is None else EQUAL if apart["verdict"] == EQUAL else Difference(**apart).words
    told = "reference" if contender == found.get("reference") else told
    first = found["contenders"][0]  # learned, without a further decoder
    paid = [r["payback"] for r in found["payback"] if (r["pipeline"], r["rival"]) == (first, contender)]
    return percent(gaps[0], 2), percent(gaps[-1], 2), told, paid[0] if paid else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cells", nargs="*", metavar="CELL", help="as in single-machine-50; all if not given")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each instance and contender")
    parser.add_argument("--instances", type=int, default=INSTANCES, help="with fewer than 20 nothing is kept")
    parser.add_argument("--again", action="store_true", help="also what is kept already")
    parser.add_argument("--tables", action="store_true", help="write the page from what is kept, run nothing")
    add_force(parser)
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
        done = key in kept and kept[key]["instances"] >= INSTANCES
        if (chosen.cells and key not in chosen.cells) or (done and not chosen.again):
            continue
        found, results = cell(name, size, chosen, models)
        if chosen.instances < INSTANCES:
            print(tables({key: found}), flush=True)
            continue
        kept[key] = found
        kept = {k: kept[k] for k in cells if k in kept}
        write_atomic(KEPT, json.dumps(json.loads(encode(kept)), indent=1).encode() + b"\n")
        if middle:
            save(cost_over_time(results.race), IMAGES / f"compare_{name.replace('-', '_')}.svg")
        write_page(kept)
        print(tables({key: kept[key]}), flush=True)


if __name__ == "__main__":
    main()
