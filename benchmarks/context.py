"""Predict, then optimise, beside PyEPO: regret and CPU time, `python benchmarks/context.py`.

PyEPO's own data (shortest path 5×5, knapsack of 32 items, tours of 10 places; noise 0.5; degrees 1, 4, 8; 100 and 1000
samples), the same layers as solvers on both sides, test sets of 1000, five seeds of data and learning. Defaults:
`Pipeline(ContextProblem(layer)).fit(contexts, thetas=costs)` here; see `context_cells.py` for PyEPO's. Tuned: rate and
passes chosen on a fifth of the samples, on both sides. Then crews for regions whose demand is known by scenarios alone,
against the rule that plans for the predicted mean.

It goes on where it was stopped; `--again colayer` measures our side anew, `--again ''` everything. Needs the extra
`neural` and pyepo. Writes benchmarks/results/context.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from context_cells import Cell, data_of, pyepo_default, pyepo_tuned, regret_of
from context_crews import crews

from colayer import ContextProblem, Pipeline, SpoPlus, __version__
from colayer.display.tables import table

RESULTS = Path(__file__).parent / "results" / "context.json"
SEEDS = range(5)
#: Seeds below which a mean is not shown.
FEWEST = 3
#: What tuning tries here.
RATES, PASSES = (0.02, 0.05, 0.15), (5, 10, 20)


def cells() -> list[Cell]:
    """All cells, TSP last."""
    sizes = [(samples, seed) for seed in SEEDS for samples in (100, 1000)]
    found = [Cell(p, degree, n, s) for n, s in sizes for degree in (1, 4, 8) for p in ("path", "knapsack")]
    return found + [Cell("tour", 4, n, s) for n, s in sizes]


def fitted(cell: Cell, **options: Any) -> Pipeline[Any, Any, Any]:
    data = data_of(cell)
    problem = ContextProblem(data.layer, size=data.costs.shape[1])
    return Pipeline(problem).fit(data.contexts, thetas=data.costs, seed=cell.seed, **options)


def measured(cell: Cell, learn: Callable[[Cell], Pipeline[Any, Any, Any]]) -> tuple[float, float]:
    """Return (regret on the test set, CPU seconds)."""
    data, start = data_of(cell), time.process_time()
    model: Any = learn(cell).model
    seconds = time.process_time() - start
    return regret_of(data, data.test_contexts @ model.matrix.T + model.offset, data.test_costs), seconds


def tuned(cell: Cell) -> Pipeline[Any, Any, Any]:
    """Return the pipeline of the rate and passes that did best on the samples held out."""
    tries = [fitted(cell, method=SpoPlus(rate=rate), evaluations=passes) for rate in RATES for passes in PASSES]
    return min(tries, key=lambda one: one.validation_loss_ or 0.0)


def two_stage(cell: Cell) -> tuple[float, float]:
    """Return (regret, CPU seconds) of least squares."""
    data, start = data_of(cell), time.process_time()
    inputs = np.column_stack([data.contexts, np.ones(len(data.contexts))])
    W, *_ = np.linalg.lstsq(inputs, data.costs, rcond=None)
    seconds = time.process_time() - start
    return regret_of(data, data.test_contexts @ W[:-1] + W[-1], data.test_costs), seconds


CONTENDERS: dict[str, Callable[[Cell], tuple[float, float]]] = {
    "two-stage regression": two_stage,
    "colayer": partial(measured, learn=fitted),
    "PyEPO SPO+": partial(pyepo_default, loss="spo+"),
    "PyEPO PFYL": partial(pyepo_default, loss="pfyl"),
    "colayer, tuned": partial(measured, learn=tuned),
    "PyEPO SPO+, tuned": partial(pyepo_tuned, loss="spo+"),
    "PyEPO PFYL, tuned": partial(pyepo_tuned, loss="pfyl"),
}
#: Those that tours are too slow for.
_TUNED = tuple(name for name in CONTENDERS if name.endswith("tuned"))


def run(again: str | None) -> dict[str, Any]:
    """Measure what is not known yet, or what `again` names; save after each."""
    document = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    known: dict[str, Any] = document.get("measured", {})
    known = {key: value for key, value in known.items() if again is None or not key.startswith(again)}
    for name, work in CONTENDERS.items():
        for cell in cells():
            key = f"{name} | {cell} | {cell.seed}"
            if key in known or (cell.problem == "tour" and name in _TUNED):
                continue
            if cell == cells()[0]:
                work(cell)  # kernels are compiled, torch is warm
            known[key] = work(cell)
            save({**document, "measured": known})
            print(f"{key}: {known[key][0]:.4f} {known[key][1]:.3f} s", flush=True)
    if "crews" not in document or again is not None:
        document["crews"] = crews(SEEDS)
    document |= {"measured": known, "cells": summary(known)}
    save(document)
    return document


def summary(known: dict[str, Any]) -> list[dict[str, Any]]:
    """Return, for each cell, mean regret and CPU time of all, and how we differ from the better of PyEPO's losses.

    Differences are paired over the seeds that both sides have; `seeds` says how many.
    """
    found = []
    for label in dict.fromkeys(map(str, cells())):
        values = {
            name: {s: known[key] for s in SEEDS if (key := f"{name} | {label} | {s}") in known} for name in CONTENDERS
        }
        entry: dict[str, Any] = {
            name: {
                "regret": float(np.mean([regret for regret, _ in rows.values()])),
                "seconds": float(np.median([seconds for _, seconds in rows.values()])),
                "seeds": len(rows),
            }
            for name, rows in values.items()
            if len(rows) >= FEWEST
        }
        for ending in ("", ", tuned"):
            theirs = [name for name in (f"PyEPO SPO+{ending}", f"PyEPO PFYL{ending}") if name in entry]
            if len(theirs) == 2 and f"colayer{ending}" in entry:
                best = min(theirs, key=lambda name: entry[name]["regret"])
                ours = values[f"colayer{ending}"]
                away = np.array([ours[s][0] - values[best][s][0] for s in SEEDS if s in ours and s in values[best]])
                entry[f"difference{ending}"] = {
                    "to": best, "mean": away.mean(), "standard_error": away.std(ddof=1) / np.sqrt(len(away)),
                    "time_ratio": entry[f"colayer{ending}"]["seconds"] / entry[best]["seconds"],
                }  # fmt: skip
        found.append({"cell": label, **entry})
    return found


def save(document: dict[str, Any]) -> None:
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "torch": torch.__version__}
    new = RESULTS.with_suffix(".new")
    new.write_text(json.dumps({"colayer": __version__, "machine": machine, **document}, indent=1) + "\n", "utf-8")
    new.replace(RESULTS)


def lines(document: dict[str, Any]) -> list[list[str]]:
    """Return the table of the docs."""
    rows = []
    for entry in document["cells"]:
        away = entry.get("difference")
        shown = [f"{100 * entry[n]['regret']:.1f}" if n in entry else "" for n in CONTENDERS]
        if away is not None:
            shown += [f"{100 * away['mean']:+.1f} ± {100 * away['standard_error']:.1f}", f"{away['time_ratio']:.2f}"]
        rows.append([entry["cell"], *shown])
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", metavar="NAME", help="measure contenders whose name begins so anew")
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    result = run(parser.parse_args().again)
    print(table(["cell", *CONTENDERS, "difference", "time"], lines(result)))
    print(json.dumps(result["crews"], indent=1))
