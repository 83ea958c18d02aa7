"""The results of the competition: what was played so far, and beside whom (the tables of docs/dynamic_routing.md)."""

from __future__ import annotations

import csv
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from measure import RESULTS, machine

PATH = RESULTS / "competition.json"
#: The winner and the second of the competition; a cost that stands for a failed run.
TEAMS, FAILED = ("Kleopatra", "Team_sb"), 1e9
#: The rule that learning starts from.
RULE = "prize × vote"


def official(folder: Path) -> list[dict[str, str]]:
    """The rows of leaderboard.csv, by run."""
    with (folder / "leaderboard.csv").open(newline="") as file:
        return sorted(csv.DictReader(file), key=lambda row: int(row["run"]))


def stored() -> dict[str, Any]:
    """What was played so far."""
    return json.loads(PATH.read_text()) if PATH.exists() else {"runs": {}, "seconds": {}, "validation": {}, "table": {}}


@contextmanager
def recorded() -> Iterator[dict[str, Any]]:
    """What was played so far, to be added to: written whole, by one process at a time."""
    lock = os.open(RESULTS, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        results = stored()
        yield results
        results["machine"] = machine()
        part = PATH.with_suffix(".part")
        part.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
        part.replace(PATH)
    finally:
        os.close(lock)


def summary(results: dict[str, Any], rows: list[dict[str, str]]) -> dict[str, dict[str, Any]]:
    """Mean cost and paired differences of all teams, baselines and contenders, on the runs that each finished."""
    names = [name for name in rows[0] if name not in ("run", "instance", "seed")]
    costs = {name: {row["run"]: float(row[name] or FAILED) for row in rows} for name in names}
    costs = {name: {run: cost for run, cost in own.items() if cost < FAILED} for name, own in costs.items()}
    costs |= results["runs"]
    found: dict[str, dict[str, Any]] = {}
    for name, own in costs.items():
        found[name] = {"runs": len(own), "mean": float(np.mean(list(own.values())))}
        for other in TEAMS:
            if name != other:
                found[name][other] = difference([own[run] for run in own], [costs[other][run] for run in own])
        unlearned = f"{RULE}, {name.rpartition(', ')[2]}"
        if name.startswith("learned") and unlearned in costs:
            found[name][RULE] = difference([own[run] for run in own], [costs[unlearned][run] for run in own])
        if name in results["seconds"]:
            seconds = np.array([results["seconds"][name][run] for run in own])
            found[name]["seconds"] = [float(seconds[:, 0].mean()), float(seconds[:, 1].max())]
    return found


def difference(ours: list[float], theirs: list[float]) -> list[float]:
    """The mean paired difference in percent, and its standard error (none of a single run)."""
    percent = 100.0 * (np.array(ours) / np.array(theirs) - 1.0)
    return [float(percent.mean()), float(percent.std(ddof=1) / len(percent) ** 0.5) if len(percent) > 1 else 0.0]


def line(name: str, row: dict[str, Any]) -> str:
    """A row of the table, in Markdown."""
    pairs = [f"{row[other][0]:+.2f} ± {row[other][1]:.2f} %" if other in row else "" for other in TEAMS]
    seconds = "{:.2f}, at most {:.1f}".format(*row["seconds"]) if "seconds" in row else "120"
    return f"| {name} | {row['runs']} | {row['mean']:,.0f} | {' | '.join(pairs)} | {seconds} |"
