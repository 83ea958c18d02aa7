"""Predict, then optimise, beside PyEPO: regret and CPU time, `python benchmarks/context.py`.

PyEPO's own data (shortest path 5×5, knapsack of 32 items, tours of 10 places; noise 0.5; degrees 1, 4, 8; 100 and 1000
samples), the same layers as solvers on both sides, test sets of 1000, five seeds of data and learning. Defaults:
`Pipeline(ContextProblem(layer)).fit(contexts, thetas=costs)` here, the settings of its page of training loops there, at
two rates; see `context_cells.py`. Tuned: rate and passes chosen on a fifth of the samples, on both sides. Then crews
for regions whose demand is known by scenarios alone, against the rule that plans for the predicted mean.

It takes 20 minutes and goes on where it was stopped; `--again colayer` measures our side anew, `--again ''` everything.
Needs the extra `neural` and pyepo. Writes benchmarks/results/context.json, from which `docs/_site/measured.py` has the
table of docs/coming_from.md.
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
from itertools import product
from typing import Any

import numpy as np
import pyepo
import torch
from context_cells import Cell, data_of, pyepo_default, pyepo_tuned, regret_of
from context_crews import crews
from measure import RESULTS

from colayer import ContextProblem, Pipeline, SpoPlus, __version__

PATH = RESULTS / "context.json"
#: Of data and learning. Defaults were chosen on seeds 0 to 4.
SEEDS = range(100, 105)
#: What tuning tries here.
RATES, PASSES = (0.02, 0.05, 0.15), (5, 10, 20)


def cells() -> list[Cell]:
    """All cells, seed by seed."""
    kinds = [*((problem, degree) for degree in (1, 4, 8) for problem in ("path", "knapsack")), ("tour", 4)]
    return [Cell(*kind, samples, seed) for seed in SEEDS for samples in (100, 1000) for kind in kinds]


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
    "PyEPO SPO+, rate 1e-3": partial(pyepo_default, loss="spo+", rate=1e-3),
    "PyEPO SPO+, rate 1e-2": partial(pyepo_default, loss="spo+", rate=1e-2),
    "PyEPO PFYL, rate 1e-3": partial(pyepo_default, loss="pfyl", rate=1e-3),
    "PyEPO PFYL, rate 1e-2": partial(pyepo_default, loss="pfyl", rate=1e-2),
    "colayer, tuned": partial(measured, learn=tuned),
    "PyEPO SPO+, tuned": partial(pyepo_tuned, loss="spo+"),
    "PyEPO PFYL, tuned": partial(pyepo_tuned, loss="pfyl"),
}
#: Those that tours are too slow for.
_TUNED = tuple(name for name in CONTENDERS if name.endswith("tuned"))


def run(again: str | None) -> dict[str, Any]:
    """Measure what is not known yet, or what `again` names; save after each."""
    document = json.loads(PATH.read_text("utf-8")) if PATH.exists() else {}
    known: dict[str, Any] = document.get("measured", {})
    known = {key: value for key, value in known.items() if again is None or not key.startswith(again)}
    warm: set[str] = set()
    defaults = [name for name in CONTENDERS if name not in _TUNED]
    for cell, name in [*product(cells(), defaults), *product(cells(), _TUNED)]:
        key, work = f"{name} | {cell} | {cell.seed}", CONTENDERS[name]
        if key in known or (cell.problem == "tour" and name in _TUNED):
            continue
        if f"{name} {cell.problem}" not in warm:
            work(cell._replace(degree=1, samples=100))  # kernels are compiled, torch is warm
            warm.add(f"{name} {cell.problem}")
        known[key] = work(cell)
        save({**document, "measured": known})
        print(f"{key}: {known[key][0]:.4f} {known[key][1]:.3f} s", flush=True)
    if "crews" not in document or again is not None:
        document["crews"] = crews(SEEDS)
    document |= {"measured": known, "cells": summary(known)}
    save(document)
    return document


def summary(known: dict[str, Any]) -> list[dict[str, Any]]:
    """Return, for each cell, mean regret and CPU time of all, and how we differ from the best of PyEPO's on the test.

    That is the most that a user of PyEPO could get who knew which loss and rate to take.
    """
    found = []
    for label in dict.fromkeys(map(str, cells())):
        values = {
            name: np.array([known[f"{name} | {label} | {s}"] for s in SEEDS])
            for name in CONTENDERS
            if f"{name} | {label} | {SEEDS[0]}" in known
        }
        entry: dict[str, Any] = {
            name: {"regret": float(rows[:, 0].mean()), "seconds": float(np.median(rows[:, 1]))}
            for name, rows in values.items()
        }
        for ours, key in (("colayer", "difference"), ("colayer, tuned", "difference, tuned")):
            theirs = [name for name in entry if name.startswith("PyEPO") and (name in _TUNED) == (ours in _TUNED)]
            if theirs:
                best = min(theirs, key=lambda name: entry[name]["regret"])
                away = values[ours][:, 0] - values[best][:, 0]
                entry[key] = {
                    "to": best, "mean": float(away.mean()),
                    "standard_error": float(away.std(ddof=1) / np.sqrt(len(away))),
                    "time_ratio": entry[ours]["seconds"] / entry[best]["seconds"],
                }  # fmt: skip
        found.append({"cell": label, **entry})
    return found


def save(document: dict[str, Any]) -> None:
    head = {
        "command": "python benchmarks/context.py", "colayer": __version__, "pyepo": pyepo.__version__,
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "torch": torch.__version__},
        "seeds": list(SEEDS),
    }  # fmt: skip
    new = PATH.with_suffix(".new")
    new.write_text(json.dumps({**document, **head}, indent=1) + "\n", "utf-8")
    new.replace(PATH)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", metavar="NAME", help="measure contenders whose name begins so anew")
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for entry in run(parser.parse_args().again)["cells"]:
        away = entry["difference"]
        print(f"{entry['cell']}: {100 * away['mean']:+.2f} ± {100 * away['standard_error']:.2f} to {away['to']}")
