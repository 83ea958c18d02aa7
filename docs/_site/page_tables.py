"""Tables that pages show as a whole, by name: functions of results files that return Markdown; see `measured`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from colayer.display.outcome import CLAIMS, Conclusion, Verdict
from colayer.display.tables import duration

VERDICTS = get_args(Verdict)


def verdicts(*outcomes: dict[str, Any]) -> str:
    """Return how many claims of whom have which verdict."""
    rows = [f"| | {' | '.join(VERDICTS)} |", "|---" * (1 + len(VERDICTS)) + "|"]
    for whose, name in CLAIMS.items():
        found = Counter(drawn.verdict for outcome in outcomes for drawn in _conclusions(outcome) if drawn.of == whose)
        rows.append(f"| claims {name} | {' | '.join(str(found[verdict]) for verdict in VERDICTS)} |")
    return "\n".join(rows)


def claims(outcome: dict[str, Any]) -> str:
    """Return the command of an experiment, then every claim with its verdict and its numbers."""
    about = outcome["provenance"]
    beside = f", {outcome['source']}" if outcome.get("source") else ""
    time = duration(float(about["cpu_seconds"] or 0.0))
    rows = [f"`{about['command']}`{beside}; {time} of processor time.", "",
            "| claim | whose | here | numbers |", "|---|---|---|---|"]  # fmt: skip
    for drawn in _conclusions(outcome):
        numbers = " ".join(filter(None, [drawn.numbers.rstrip(".") + ".", drawn.reason]))
        verdict = f"**{drawn.verdict}**" if drawn.verdict == "holds" else drawn.verdict
        whose = "the paper" if drawn.of == "paper" else "ours"
        rows.append(f"| {drawn.claim.rstrip('.')} | {whose} | {verdict} | {numbers} |")
    return "\n".join(rows)


def _conclusions(outcome: dict[str, Any]) -> list[Conclusion]:
    return [Conclusion(**{"holds": None, **drawn}) for drawn in outcome["conclusions"]]


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
    "`prize+wait`, c tuned": "prize, wait", "linear": "linear, seed", "linear and simulation": "simulated, seed",
    "hindsight": "hindsight",
}  # fmt: skip


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


def _day_row(data: dict[str, Any], key: str) -> tuple[str, str, str]:
    """Return three cells; a contender on fewer days is compared on those, seeds are averaged day by day."""
    found = [entry for name, entry in data.items() if name == key or (key.endswith("seed") and name.startswith(key))]
    costs = np.array([entry["costs"] for entry in found], float)
    rule, least = (np.array(data[name]["costs"], float)[: costs.shape[1]] for name in ("prize, wait", "hindsight"))
    paired = 100.0 * (costs / rule - 1.0).mean(axis=0)
    above = 100.0 * float((costs / least - 1.0).mean())
    error = float(paired.std(ddof=1) / np.sqrt(len(paired)))
    difference = "reference" if key == "prize, wait" else f"{paired.mean():+.2f} ± {error:.2f} %".replace("-", "−")
    count = "" if costs.shape[1] == len(data["prize"]["costs"]) else f" ({costs.shape[1]} days)"
    return f"{above:.1f} %{count}", difference, duration(float(np.mean([entry["seconds"] for entry in found])))


#: Of the 50 official runs: the means of the teams, which the file of the organisers has.
TEAMS = {"winner": 352_158, "second": 361_386}


def competition(results: dict[str, Any]) -> str:
    """Return in words how the shipped weights do on the official runs of the competition."""
    key = next(name for name in results["runs"] if name.startswith("learned") and name.endswith("2 s"))
    costs, times = results["runs"][key], results["seconds"][key]
    mean, seconds = np.mean(list(costs.values())), np.mean([each[0] for each in times.values()])
    to = {team: 100.0 * (mean / cost - 1.0) for team, cost in TEAMS.items()}
    short = [
        list(runs.values()) for name, runs in results["runs"].items() if name.startswith("learned") and "short" in name
    ]
    rule = np.mean(list(results["runs"]["prize × vote, short"].values())) / np.mean(short)
    return (
        f"On {len(costs)} official runs of the EURO Meets NeurIPS 2022 competition the shipped weights for\n"
        f"[dynamic routing](docs/dynamic_routing.md) cost {mean:,.0f} on average with {seconds:.1f} s of one core per epoch: "
        f"{-to['second']:.1f} % below the mean of the second\n({TEAMS['second']:,}), {to['winner']:.1f} % above that of the winner "
        f"({TEAMS['winner']:,}), which had 120 s. Learning is the smaller part of it: at equal\niterations an unlearned rule, "
        f"`prize × vote`, is {100.0 * (rule - 1.0):.1f} % behind; the features, the decoder and the layer bring the rest."
    )


def routing_teams(results: dict[str, Any]) -> str:
    """Return the teams, the baselines and our rows of the competition, by their difference to the winner."""
    lines = ["| | runs | mean cost | to Kleopatra | to Team_sb | s per epoch |", "|---|---|---|---|---|---|"]
    for name, row in sorted(results["table"].items(), key=lambda item: item[1].get("Kleopatra", [0.0])[0]):
        pairs = ["{:+.2f} ± {:.2f} %".format(*row[team]) if team in row else "" for team in ("Kleopatra", "Team_sb")]
        seconds = "{:.2f}, at most {:.1f}".format(*row["seconds"]) if "seconds" in row else "120"
        shown = f"**{name}**" if "seconds" in row else name.replace("baseline_", "their ")
        lines.append(f"| {shown} | {row['runs']} | {row['mean']:,.0f} | {' | '.join(pairs)} | {seconds} |")
    return "\n".join(lines).replace(" -", " −")


def routing_steps(results: dict[str, Any]) -> str:
    """Return what each step of the routing pipeline brings on validation days."""
    kept = results["validation"]
    lines = ["| | days | to `greedy` | to `prize × vote` | CPU s per day |", "|---|---|---|---|---|"]
    for name, costs in sorted(kept.items(), key=lambda item: -np.mean(item[1])):
        words = []
        for other in ("greedy", "prize × vote"):
            percent = 100.0 * (np.array(costs) / np.array(kept[other][: len(costs)]) - 1.0)
            error = percent.std(ddof=1) / len(percent) ** 0.5
            words.append("" if name == other else f"{percent.mean():+.2f} ± {error:.2f} %")
        seconds = results["seconds"][f"validation, {name}"]
        lines.append(f"| {name} | {len(costs)} | {' | '.join(words)} | {seconds:.1f} |")
    return "\n".join(lines).replace(" -", " −")


TABLES: dict[str, Callable[..., str]] = {
    "routing_teams": routing_teams, "routing_steps": routing_steps,
    "verdicts": verdicts, "claims": claims, "days": days, "all_days": all_days, "competition": competition,
}  # fmt: skip
