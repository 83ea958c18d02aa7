"""Tables of results: five days, all days, the competition, and the static problems, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from colayer.display.tables import duration

#: Rows of `days` and their names in the results; several seeds of learning are one row.
DAYS = {
    "`greedy`: everything leaves at once": "greedy",
    "`prize`: a request leaves if it pays c · trip": "prize",
    "`prize+wait`: and if none must go, the route waits": "prize, wait",
    "**learned**, 10 s of one core": "linear, seed",
    "hindsight, which no policy reaches": "hindsight",
}
ALL_DAYS = {
    "`greedy`": "greedy", "`lazy`": "lazy", "`look-ahead`": "look-ahead", "`prize`, c tuned": "prize",
    "`prize+wait`, c tuned": "prize, wait", "linear": "linear, seed",
    "`prize+wait` and simulation": "prize, wait, simulated", "linear and simulation": "simulated, seed",
    "hindsight": "hindsight",
}  # fmt: skip
OTHER_LEARNERS = {"`srl`, 90 days, 30 passes": "srl, seed", "imitation, DAgger, 30 days, 10 passes": "DAgger, seed"}


def days(results: dict[str, Any]) -> str:
    """Return five rows of the generator's days: above hindsight, paired to the best rule, and time."""
    rows = ["| | above hindsight | to `prize+wait` | per day |", "|---|---|---|---|"]
    for name, key in DAYS.items():
        above, paired, time = _day_row(results["generator"], key)
        bold = "**" if "learned" in name else ""
        rows.append(f"| {name} | {above} | {bold}{paired}{bold} | {time} |")
    return "\n".join(rows)


def all_days(results: dict[str, Any]) -> str:
    """Return every row of both data sets: above hindsight, and paired to the best rule."""
    rows = ["| | files: above hindsight | to `prize+wait` | generator | to `prize+wait` | per day |", "|---" * 6 + "|"]
    for name, key in ALL_DAYS.items():
        cells = [_day_row(results[data], key) for data in ("files", "generator")]
        rows.append(f"| {name} | {cells[0][0]} | {cells[0][1]} | {cells[1][0]} | {cells[1][1]} | {cells[1][2]} |")
    return "\n".join(rows)


def days_to_prize(results: dict[str, Any]) -> str:
    """Return every row of both data sets, paired to the rule `prize`; the learners of the generator's days as well."""
    rows = ["| to `prize` | files | generator | per day |", "|---|---|---|---|"]
    for name, key in (ALL_DAYS | OTHER_LEARNERS).items():
        cells = [_day_row(results[data], key, "prize") for data in ("files", "generator")]
        rows.append(f"| {name} | {cells[0][1]} | {cells[1][1]} | {cells[1][2]} |")
    return "\n".join(rows)


def _day_row(data: dict[str, Any], key: str, reference: str = "prize, wait") -> tuple[str, str, str]:
    """Return three cells, empty where nothing is known; on the days that were played, seeds averaged day by day."""
    found = [entry for name, entry in data.items() if name == key or (key.endswith("seed") and name.startswith(key))]
    if not found:
        return "", "", ""
    costs = np.array([entry["costs"] for entry in found], float)
    rule, least = (np.array(data[name]["costs"], float)[: costs.shape[1]] for name in (reference, "hindsight"))
    paired = 100.0 * (costs / rule - 1.0).mean(axis=0)
    above = 100.0 * float((costs / least - 1.0).mean())
    difference = "reference" if key == reference else _mean(paired)
    count = "" if costs.shape[1] == len(data["prize"]["costs"]) else f" ({costs.shape[1]} days)"
    return f"{above:.1f} %{count}", difference, duration(float(np.mean([entry["seconds"] for entry in found])))


#: The winner and the second of the competition, as the results name them.
WINNER, SECOND = "Kleopatra", "Team_sb"


def competition(results: dict[str, Any]) -> str:
    """Return in words how the best learned weights do on the official runs, and beside the unlearned rule."""
    rows, runs = results["table"], results["runs"]
    most = max(row["runs"] for name, row in rows.items() if name.startswith("learned"))
    learned_names = [n for n, row in rows.items() if n.startswith("learned") and row["runs"] == most]
    best = min(learned_names, key=lambda n: rows[n][WINNER][0])
    winner, second = (_paired(rows[best][team]) for team in (WINNER, SECOND))
    learner, _, own = best.rpartition(", ")
    budget = next(one for one in (own, "2 s", "short") if len(runs.get(f"prize × vote, {one}", ())) == most)
    learned, rule = runs[f"{learner}, {budget}"], runs[f"prize × vote, {budget}"]
    percent = np.array([100.0 * (learned[run] / rule[run] - 1.0) for run in rule])
    return (
        f"On {most} official runs of the EURO Meets NeurIPS 2022 competition the weights for\n"
        f"[dynamic routing](docs/dynamic_routing.md) cost {rows[best]['mean']:,.0f} in the mean, the winner "
        f"{rows[WINNER]['mean']:,.0f}:\n{winner} (paired{_unless_apart(*rows[best][WINNER])}), "
        f"and {second} against the second,\n"
        f"with {rows[best]['seconds'][0]:.1f} s of one core per epoch where the teams had 120 s. "
        f"Learning is the smaller part: to the\nunlearned rule `prize × vote`, at equal budget, "
        f"it is {_mean(percent)}{_unless_apart(percent.mean(), _error(percent))};\n"
        "features that look at drawn futures and the layer bring the rest."
    )


def _unless_apart(mean: float, error: float) -> str:
    return ", no measurable difference" if abs(mean) < 2.0 * error else ""


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _mean(percent: np.ndarray) -> str:
    return _paired([percent.mean(), _error(percent)])


def _paired(difference: list[float]) -> str:
    return f"{difference[0]:+.2f} ± {difference[1]:.2f} %".replace("-", "−")


#: Contenders of the tables below, as the results name them, and what they are called here.
JOBS = {
    "srpt-midpoint": "SRPT completion − p/2", "shortest-available": "shortest available", "look-ahead": "look-ahead",
    "aprtf": "APRTF (Chu 1992)", "aprtf+rdi": "APRTF, `rdi`", "learned, none": "**learned**: it is look-ahead",
    "learned, 27 features, none": "learned, 27 features", "learned, ls": "learned, `ls`",
    "learned, rdi": "learned, `rdi`", "learned, rdi, 150 samples": "learned, `rdi`, 150 samples",
}  # fmt: skip
TREES = {
    "no first stage": "E_1 = ∅", "approximation": "approximation algorithm (safe weights)",
    "learned, indicator": "learned, the paper's features", "learned, cost": "**learned**",
    "lagrangian": "Lagrangian heuristic", "certified": "certified: bound and heuristic",
}  # fmt: skip
VEHICLES = {
    "deterministic": "blind to delays", "learned, 23": "learned, 23 features",
    "learned, extended": "**learned**, extended",
    "safe weights, ls": "safe weights, then `ls`", "learned, extended, ls": "learned, extended, then `ls`",
}  # fmt: skip


def jobs(results: dict[str, Any]) -> str:
    """Return mean and worst gap and time on the single machine."""
    return _gaps(results["rows"], JOBS)


def trees(results: dict[str, Any], exact: dict[str, Any]) -> str:
    """Return mean and worst gap and time on trees; of the exact solver how many it proves optimal."""
    every = exact["all"]
    worst = f"{100.0 * every['exact_gap_worst']:.3f} %"
    proved = f"{100.0 * every['exact_gap_share_zero']:.0f} % proved optimal"
    row = f"| exact solver | {proved} | {worst} | {duration(every['exact_seconds_mean'])} |"
    return f"{_gaps(results['rows'], TREES)}\n{row}"


def vehicles(results: dict[str, Any]) -> str:
    """Return mean costs against the safe weights, by number of tasks."""
    sizes = list(results["by_tasks"])
    rows = [f"| tasks | {' | '.join(sizes)} |", "|---" * (len(sizes) + 1) + "|"]
    for key, name in VEHICLES.items():
        cells = [results["by_tasks"][size].get(key) for size in sizes]
        shown = ["" if cell is None else f"{100.0 * cell['against_safe']:+.1f} %".replace("-", "−") for cell in cells]
        rows.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(rows)


def cities(results: dict[str, Any]) -> str:
    """Return processor time of one thread, time by the clock of two, and memory of large cities."""
    rows = ["| | CPU time, one thread | by the clock, two | memory |", "|---|---|---|---|"]
    for name, row in results["solves"].items():
        rows.append(f"| {name} | {duration(row['cpu'])} | {duration(row['clock'])} | {row['gb']:.2f} GB |")
    return "\n".join(rows)


def layers(results: dict[str, Any]) -> str:
    """Return the time of each layer, and how many times as long others take."""
    rows = ["| layer | colayer | others, times colayer |", "|---|---|---|"]
    for name, times in results["seconds"].items():
        own = times["colayer"]["cpu"]
        ratios = {who: each["cpu"] / own for who, each in times.items() if who != "colayer"}
        others = ", ".join(f"{who} {ratio:{'.0f' if ratio >= 100 else '.2g'}}" for who, ratio in ratios.items())
        rows.append(f"| {name} | {duration(own)} | {others} |")
    return "\n".join(rows)


#: The plans of a real timetable, as the results name them, and what they are called here.
PLANS = {
    "published blocks": "published blocks", "fewest vehicles": "fewest vehicles",
    "delay x3": "`delay x3`, a plain rule", "shipped weights": "shipped weights", "learned": "learned from this day",
    "shipped, 20 rounds": "shipped weights, 20 [rounds](choose_a_learner.md#rounds)",
    "delay x3 + ls": "`delay x3`, then `ls`", "learned + ls": "learned, then `ls`",
}  # fmt: skip


def prize_path_cover(results: dict[str, Any]) -> str:
    """Return the time of the layer with prizes by number of requests, and that of general solvers."""
    rows = ["| requests | colayer | scipy, sparse matching | OR-Tools, assignment |", "|---|---|---|---|"]
    for entry in results["results"]:
        times = entry["cpu_seconds"]
        cells = [duration(times[who]) if who in times else "" for who in ("colayer", "scipy", "ortools")]
        rows.append(f"| {entry['requests']} | {' | '.join(cells)} |")
    return "\n".join(rows)


def timetable(results: dict[str, Any]) -> str:
    """Return vehicles, delay and cost of each plan, and its difference to the rule."""
    by_name = {row["plan"]: row for row in results["rows"]}
    rows = ["| plan | vehicles | delay, min | cost | to `delay x3` | time |", "|---" * 6 + "|"]
    for key, name in PLANS.items():
        row, away = by_name[key], by_name[key]["difference"]
        paired = _paired([100.0 * away["mean"], 100.0 * away["standard_error"]]) if key != away["to"] else "reference"
        cost = f"{row['cost']:,.0f} ± {row['standard_error']:.0f}"
        time = f"{row['seconds']:.2f} s" if row["seconds"] else ""
        rows.append(f"| {name} | {row['vehicles']:.1f} | {row['expected_delay']:,.0f} | {cost} | {paired} | {time} |")
    return "\n".join(rows)


def _gaps(found: list[dict[str, Any]], names: Mapping[str, str]) -> str:
    by_name = {row["contender"]: row for row in found}
    rows = ["| | mean gap | worst | time |", "|---|---|---|---|"]
    for key, name in names.items():
        row = by_name[key]
        gaps = f"{100.0 * row['mean_gap']:.3f} % | {100.0 * row['worst_gap']:.2f} %"
        rows.append(f"| {name} | {gaps} | {duration(row['mean_seconds'])} |")
    return "\n".join(rows)


def routing_teams(results: dict[str, Any]) -> str:
    """Return teams, baselines and our rows by their difference to the winner; those of few runs last."""
    most = max(row["runs"] for row in results["table"].values())

    def place(named: tuple[str, dict[str, Any]]) -> tuple[bool, float]:
        return 2 * named[1]["runs"] < most, named[1].get(WINNER, [0.0])[0]

    lines = ["| | runs | mean cost | to Kleopatra | to Team_sb | s per epoch |", "|---|---|---|---|---|---|"]
    for name, row in sorted(results["table"].items(), key=place):
        pairs = [_paired(row[team]) if team in row else "" for team in (WINNER, SECOND)]
        seconds = "{:.2f}, at most {:.1f}".format(*row["seconds"]) if "seconds" in row else "120"
        shown = f"**{name}**" if "seconds" in row else name.replace("baseline_", "their ")
        lines.append(f"| {shown} | {row['runs']} | {row['mean']:,.0f} | {' | '.join(pairs)} | {seconds} |")
    return "\n".join(lines)


def routing_steps(results: dict[str, Any]) -> str:
    """Return what each step of the routing pipeline brings on validation days."""
    kept = results["validation"]
    lines = ["| | days | to `greedy` | to `prize × vote` | CPU s per day |", "|---|---|---|---|---|"]
    for name, costs in sorted(kept.items(), key=lambda item: -np.mean(item[1])):
        words = []
        for other in ("greedy", "prize × vote"):
            percent = 100.0 * (np.array(costs) / np.array(kept[other][: len(costs)]) - 1.0)
            words.append("" if name == other else _mean(percent))
        seconds = results["seconds"][f"validation, {name}"]
        lines.append(f"| {name} | {len(costs)} | {' | '.join(words)} | {seconds:.1f} |")
    return "\n".join(lines)


#: Header → contenders; of several, PyEPO's two rates, the one of least regret on the test samples stands there.
_CONTENDERS = {
    "regression": ("two-stage regression",),
    "**colayer**": ("colayer",),
    "PyEPO SPO+": ("PyEPO SPO+, rate 1e-3", "PyEPO SPO+, rate 1e-2"),
    "PyEPO PFYL": ("PyEPO PFYL, rate 1e-3", "PyEPO PFYL, rate 1e-2"),
}
_TUNED = {"tuned: colayer": ("colayer, tuned",), "SPO+": ("PyEPO SPO+, tuned",), "PFYL": ("PyEPO PFYL, tuned",)}
_DATA = {"path": "path 5×5", "knapsack": "knapsack 32", "tour": "TSP 10"}


def context(results: dict[str, Any]) -> str:
    """Return regrets beside PyEPO's, in percent, paired differences to its best, and CPU time; then the source."""
    heads = ["data, degree, samples", *_CONTENDERS, "difference to PyEPO's best", "CPU time", *_TUNED]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for entry in results["cells"]:
        problem, degree, samples = entry["cell"].split()
        away = entry["difference"]
        cells = [
            f"{_DATA[problem]}, {degree}, {samples}",
            *(_regret(entry, names) for names in _CONTENDERS.values()),
            f"{100 * away['mean']:+.2f} ± {100 * away['standard_error']:.2f}".replace("-", "−"),
            f"{entry['colayer']['seconds']:.3f} s, {away['time_ratio']:.2f}×",
            *(_regret(entry, names) for names in _TUNED.values()),
        ]
        cells[2] = f"**{cells[2]}**"
        rows.append(f"| {' | '.join(cells)} |")
    seeds, cores = results["seeds"], results["machine"]["cores"]
    source = f"`{results['command']}`, PyEPO {results['pyepo']}, seeds {seeds[0]} to {seeds[-1]}, {cores} cores, busy"
    return "\n".join([*rows, "", f"{source}: CPU time counts."])


def _regret(entry: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = [entry[name]["regret"] for name in names if name in entry]
    return f"{100 * min(found):.1f}" if found else ""


RESULTS: dict[str, Callable[..., str]] = {
    table.__name__: table
    for table in (
        *(days, all_days, days_to_prize, competition, routing_teams, routing_steps),
        *(jobs, trees, vehicles, cities, layers, prize_path_cover, timetable, context),
    )
}
