"""Tables of the lab notebooks: learners, Bayesian optimisation, networks, portfolios, as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Columns of the table of learners, as the results name them, and what they are called here.
LEARNED_ON = {
    "single-machine, 27 features": "jobs, 27 features",
    "single-machine, 27 features, 200 instances": "… 200 instances",
    "single-machine, 66 features": "jobs, 66 features",
    "spanning-tree": "tree",
    "vehicle-scheduling, 23 features": "vehicles, 23",
    "vehicle-scheduling, extended": "vehicles, extended",
}
#: A method that is no longer there.
_GONE = "experience, line"


def learners(results: dict[str, Any]) -> str:
    """Return the mean gap of each learner, its spread over seeds, and what it takes to learn."""
    rows: dict[str, dict[str, str]] = {}
    for row in results["rows"]:
        name, _, which = row["learner"].partition(" (")
        if not name.startswith(_GONE):
            gaps = 100.0 * np.array(row["gaps"])
            shown = f"{gaps.mean():.3f}"
            if len(gaps) > 1:
                shown += f" ± {gaps.std(ddof=1):.3f}, {row['seconds']:.1f} s"
            rows.setdefault(name, {})[row["problem"]] = f"{shown} ({which}" if which else shown
    lines = [f"| mean gap ± spread, % | {' | '.join(LEARNED_ON.values())} |", "|---" * (len(LEARNED_ON) + 1) + "|"]
    for name, cells in rows.items():
        shown = f"**{name}**" if name in ("experience, srl, 1000", "experience, auto, 1000") else name
        lines.append(f"| {shown} | {' | '.join(cells.get(problem, '') for problem in LEARNED_ON)} |")
    return "\n".join(lines)


def bayes(results: dict[str, Any]) -> str:
    """Return the mean gap and time of each method by problem and budget."""
    searched = [row for row in results["rows"] if "evaluations" in row]
    columns = list(dict.fromkeys((row["problem"], row["evaluations"]) for row in searched))
    cells: dict[str, dict[tuple[str, int], str]] = {}
    for row in searched:
        shown = f"{100.0 * row['test_gap']:.2f} %, {row['seconds']:.1f} s"
        cells.setdefault(row["method"], {})[row["problem"], row["evaluations"]] = shown
    heads = [
        f"{problem.replace('single-machine', 'jobs').replace('vehicle-scheduling', 'vehicles')}, {evaluations}"
        for problem, evaluations in columns
    ]
    lines = [f"| mean gap to the cheap bound on other instances, time | {' | '.join(heads)} |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    lines += [f"| {name} | {' | '.join(found[column] for column in columns)} |" for name, found in cells.items()]
    return "\n".join(lines)


NOTEBOOKS: dict[str, Callable[..., str]] = {table.__name__: table for table in (learners, bayes)}
