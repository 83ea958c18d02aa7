"""What the runs of a contest say: gaps, paired differences to one reference per column, spread over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from arena_contenders import DRAWS, NOISE, TOGETHER, Contender
from arena_problems.contest import Contest

from colayer.comparison.paired import EQUAL, moments, significance

#: A contender with its runs, one for each seed.
Entry = tuple[Contender, Sequence[dict[str, Any]]]


def standings(contest: Contest, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the two columns of a contest: with one solve, and with as many as there are candidates."""
    columns = []
    for solves in (1, contest.candidates):
        present = [(contender, runs) for contender, runs in entries if str(solves) in runs[0]["costs"]]
        costs = {contender.name: column_costs(runs, solves) for contender, runs in present}
        rivals = [c.name for c, _ in present if (c.rule if solves == 1 else c.name in (DRAWS, TOGETHER))]
        reference = min(rivals, key=lambda name: contest.gaps(costs[name]).mean())
        rows = [
            row(contest, contender, runs, solves, costs[reference] if contender.name != reference else None)
            for contender, runs in present
        ]
        column = {"solves": solves, "reference": reference, "rows": rows}
        if NOISE in costs:
            learned = [c.name for c, runs in present if runs[0]["seconds"] is not None]
            column["against_noise"] = {name: difference(contest, costs[name], costs[NOISE]) for name in learned}
        columns.append(column)
    return {"instances": len(contest.test), "trained_on": len(contest.train), "columns": columns}


def column_costs(runs: Sequence[dict[str, Any]], solves: int) -> np.ndarray:
    """Return the costs (seeds, instances) of a contender."""
    return np.array([run["costs"][str(solves)] for run in runs])


def row(
    contest: Contest, contender: Contender, runs: Sequence[dict[str, Any]], solves: int, reference: np.ndarray | None
) -> dict[str, Any]:
    """Return what the table says of a contender."""
    costs = column_costs(runs, solves)
    gaps = contest.gaps(costs).mean(axis=1)
    learned = runs[0]["seconds"] is not None
    return {
        "contender": contender.name, "chosen": sorted({run["chosen"] for run in runs} - {""}),
        "gap": float(gaps.mean()), "spread": float(gaps.std(ddof=1)) if len(gaps) > 1 else None,
        "difference": None if reference is None else difference(contest, costs, reference),
        "ms": float(np.mean([run["ms"][str(solves)] for run in runs])),
        "seconds": float(np.mean([run["seconds"] for run in runs])) if learned else None,
    }  # fmt: skip


def difference(contest: Contest, costs: np.ndarray, reference: np.ndarray) -> dict[str, Any]:
    """Return the mean over the instances of the difference of gaps, each the mean over seeds, and how sure it is."""
    apart = (contest.gaps(costs).mean(axis=0) - contest.gaps(reference).mean(axis=0)).tolist()
    mean, error = moments(apart)
    verdict = {-1: "better", 0: EQUAL, 1: "worse"}[significance(mean, error, len(apart))]
    return {"mean": mean, "standard_error": error, "verdict": verdict}
