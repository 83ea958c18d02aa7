"""Tables of the lab notebooks: learners, Bayesian optimisation, networks, portfolios, as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from colayer.display.tables import significant

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


def network_jobs(results: dict[str, Any]) -> str:
    """Return mean gaps of the networks for jobs, by number of jobs; of five seeds mean and range."""
    small = [run for run in results["networks"] if run["name"] == "single-machine-27-small" and "stream" in run]
    one, two = ([run["held_out"] for run in small if run["stages"] == stages] for stages in (1, 2))
    wide = next(run["held_out"] for run in results["networks"] if _is(run, "single-machine-27-none", stages=2))
    heads = ["linear", "SRPT midpoints", f"one stage, {len(one)} seeds", f"two stages, {len(two)} seeds", "shipped"]
    lines = [f"| jobs | {' | '.join(heads)} | 128 channels, two stages | look-ahead |", "|---" * 8 + "|"]
    for size, row in two[0].items():
        seeds = [[100.0 * found[size]["network"]["mean_gap"] for found in runs] for runs in (one, two)]
        spread = [f"{np.mean(gaps):.3f} % ({min(gaps):.3f} to {max(gaps):.3f})" for gaps in seeds]
        cells = [_gap(row, "linear"), _gap(row, "srpt-midpoint"), *spread, _gap(row, "network"),
                 _gap(wide[size], "network"), _gap(row, "look-ahead")]  # fmt: skip
        lines.append(f"| {size.split()[0]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def network_jobs_less(results: dict[str, Any]) -> str:
    """Return paired differences of the shipped network, and of the widest, by number of jobs."""
    small = next(run["held_out"] for run in results["networks"] if _is(run, "single-machine-27-small", stages=2))
    wide = next(run["held_out"] for run in results["networks"] if _is(run, "single-machine-27-none", stages=2))
    lines = ["| jobs | shipped − linear, points | shipped − look-ahead | 128 channels − look-ahead |", "|---" * 4 + "|"]
    for size, row in small.items():
        cells = [_less(row, "linear"), _less(row, "look-ahead"), _less(wide[size], "look-ahead")]
        lines.append(f"| {size.split()[0]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def second_opinion(results: dict[str, Any]) -> str:
    """Return the better of network and linear weights with 66 features, by number of jobs."""
    options = {"features": "66", "decoder": "none"}
    found = next(run["held_out"] for run in results["networks"] if "taken" in run and run["options"] == options)
    heads = ["jobs", "look-ahead = linear", "linear, best of 10", "network", "network or linear", "− look-ahead"]
    lines = [f"| {' | '.join(heads)} | − best of 10 |", "|---" * 7 + "|"]
    for size, row in found.items():
        gaps = [_gap(row, name, 4) for name in ("linear", "linear, 10 candidates", "network", "network or linear")]
        share = 100.0 * row["look-ahead"]["both_minus"] / row["look-ahead"]["mean_gap"]
        apart = [f"{_less(row, 'look-ahead', 'both', 4)} ({share:+.1f} %)".replace("(-", "(−")]
        apart.append(_less(row, "linear, 10 candidates", "both", 4))
        lines.append(f"| {size.split()[0]} | {' | '.join([*gaps, *apart])} |")
    return "\n".join(lines)


def network_trees(results: dict[str, Any]) -> str:
    """Return mean gaps of the shipped networks for trees beside linear weights, by number of nodes."""
    found = [
        next(run["held_out"] for run in results["networks"] if _is(run, f"spanning-tree-{features}", stages=2))
        for features in ("cost", "prices")
    ]
    heads = [f"`{name}`, linear | best of 10 | network | − linear, points" for name in ("cost", "prices")]
    lines = [f"| nodes | {' | '.join(heads)} |", "|---" * 9 + "|"]
    for size in found[0]:
        cells = []
        for row in (held[size] for held in found):
            cells += [
                _gap(row, "linear"),
                _gap(row, "linear, 10 candidates"),
                _gap(row, "network"),
                _less(row, "linear"),
            ]
        lines.append(f"| {size.split()[0]} | {' | '.join(cells)} |")
    return "\n".join(lines)


#: Contenders of the table of vehicles, as the results name them, and what they are called here.
VEHICLES = {
    "delay x3": "rule delay × 3", "23, linear": "linear", "23, 10 candidates": "best of 10", "23, network": "network",
    "extended, linear": "`extended`, linear", "5 rounds, 2 candidates": "5 rounds, 2 candidates",
    "23, linear, then ls": "linear, then `ls`",
}  # fmt: skip


def network_vehicles(results: dict[str, Any]) -> str:
    """Return gap, paired difference of the network and CPU time of each contender, by number of tasks."""
    lines = [f"| tasks | | {' | '.join(VEHICLES.values())} |", "|---" * (len(VEHICLES) + 2) + "|"]
    for size, row in results["rows"].items():
        if size.endswith("tasks"):
            gaps = [_gap(row, key, 2) for key in VEHICLES]
            less = ["" if key == "23, network" else _less(row, key, digits=2) for key in VEHICLES]
            times = [f"{1e3 * row[key]['cpu_seconds']:.0f} ms" for key in VEHICLES]
            lines.append(f"| {size.split()[0]} | gap | {' | '.join(gaps)} |")
            lines += [f"| | network less it | {' | '.join(less)} |", f"| | time | {' | '.join(times)} |"]
    return "\n".join(lines)


def around(results: dict[str, Any]) -> str:
    """Return what lies around the orders of the rule look-ahead."""
    lines = ["| | gap | − look-ahead |", "|---|---|---|"]
    for row in results["rows"]:
        away = f"{row['minus_look_ahead']:+.3f} ± {row['standard_error']:.3f}".replace("-", "−")
        away = away if row["changed"] else "" if row["order"] == "look-ahead" else "no order changes"
        lines.append(f"| {row['order']} | {row['mean_gap_percent']:.3f} % | {away} |")
    return "\n".join(lines)


def network_times(results: dict[str, Any]) -> str:
    """Return CPU milliseconds of a solve by linear weights and networks, and how many times the former."""
    heads = {"linear": "linear", "16 channels, 6 blocks": "16 channels", "32 channels, 6 blocks": "32 channels",
             "shipped, 1 of its stages": "shipped, first stage", "shipped, 2 of its stages": "all stages"}  # fmt: skip
    rows: dict[str, dict[str, str]] = {}
    for row in results["rows"]:
        size = next(f"{key} {row[key]}" for key in ("jobs", "width", "tasks") if key in row)
        shown = f"{significant(1e3 * row['cpu_seconds'], 2)}"
        shown += "" if row["model"] == "linear" else f" ({row['ratio']:.1f}×)"
        rows.setdefault(f"{row['problem']}, {row['features']}, {size}", {})[row["model"]] = shown
    lines = [f"| | {' | '.join(heads.values())} |", "|---" * (len(heads) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(cells.get(key, '') for key in heads)} |" for name, cells in rows.items()]
    return "\n".join(lines)


def _is(run: dict[str, Any], name: str, stages: int) -> bool:
    return run["name"] == name and run.get("stages") == stages and run.get("stream", 1) == 1


def _gap(row: dict[str, Any], name: str, digits: int = 3) -> str:
    return f"{100.0 * row[name]['mean_gap']:.{digits}f} %"


def _less(row: dict[str, Any], name: str, of: str = "network", digits: int = 3) -> str:
    mean, error = row[name][f"{of}_minus"], row[name]["standard_error" if of == "network" else "both_standard_error"]
    return f"{100.0 * mean:+.{digits}f} ± {100.0 * error:.{digits}f}".replace("-", "−")


NOTEBOOKS: dict[str, Callable[..., str]] = {
    table.__name__: table
    for table in (
        *(learners, bayes, network_jobs, network_jobs_less, second_opinion, network_trees, network_vehicles),
        *(around, network_times),
    )
}
