"""Tables that pages show as a whole, by name: functions of results files that return Markdown; see `measured`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

from notebook_tables import NOTEBOOKS
from result_tables import RESULTS

from colayer.analysis.cells import counted_error
from colayer.analysis.guarantees import deviation, excess_risk
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


def claims(outcome: dict[str, Any], before: list[dict[str, str]]) -> str:
    """Return the command of an experiment, then every claim: its verdict before and now, the test, the numbers."""
    about = outcome["provenance"]
    beside = f", {outcome['source']}" if outcome.get("source") else ""
    time = f"{duration(float(about['cpu_seconds']))} of processor time"
    if "cuda" in about.get("learned_on", ""):  # what a processor did beside a GPU says little
        time = f"{duration(float(about['seconds']))} by the clock, learned on {about['learned_on']}"
    rows = [f"`{about['command']}`{beside}; {time}.", "",
            "| claim | before | now | test | numbers |", "|---|---|---|---|---|"]  # fmt: skip
    was = {entry["claim"]: entry["was"] for entry in before}
    for drawn in _conclusions(outcome):
        numbers = " ".join(filter(None, [drawn.numbers.rstrip(".") + ".", drawn.reason]))
        then = next((verdict for claim, verdict in was.items() if drawn.claim.startswith(claim)), "")
        claim = drawn.claim.rstrip(".") + " (ours)" * (drawn.of != "paper")
        rows.append(f"| {claim} | {then} | **{drawn.verdict}** | {drawn.test} | {numbers} |")
    return "\n".join(rows)


def _conclusions(outcome: dict[str, Any]) -> list[Conclusion]:
    return [Conclusion(**{"holds": None, **drawn}) for drawn in outcome.get("conclusions", [])]


#: The paper's training set and two smaller ones: name → instances by number of jobs.
SAMPLES = {
    "100 of 50 jobs": {50: 100},
    "600: half of 50, half of 200 jobs": {50: 300, 200: 300},
    "the paper's 2400": dict.fromkeys((50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000), 200),
}


def bounds() -> str:
    """Return the first terms of the bounds for sorting with 66 features, in units of the range, at σ = M."""
    rows = ["| instances | `cells` | `sharper` | `corrected` | `paper` |", "|---" * 5 + "|"]
    for name, by_jobs in SAMPLES.items():
        n = sum(by_jobs.values())
        rows.append(f"| {name} | {_cells(by_jobs):.1f} | " + " | ".join(f"{found:.0f}" for found in _balls(n)) + " |")
    enough = next(n for n in range(100, 100_000, 100) if _cells({50: n}) <= 1.0)
    needed = [f"{float(f'{found**2 / 1e6:.2g}'):,g} million" for found in _balls(1)]
    rows.append(f"| needed of 50 jobs, for R | {enough:,} | " + " | ".join(needed) + " |")
    return "\n".join(rows)


def _cells(by_jobs: dict[int, int], d: int = 66) -> float:
    compared = math.log(sum(count * math.comb(jobs, 2) for jobs, count in by_jobs.items()))
    return counted_error(sum(by_jobs.values()), d, compared)


def _balls(n: int, d: int = 66) -> list[float]:
    """The radius is Euclidean but in the form as printed."""
    radius = {"sharper": math.sqrt(d), "corrected": math.sqrt(d), "paper": 1.0}
    return [excess_risk(n, d, r, 1.0, form=form) - deviation(n, 0.05) for form, r in radius.items()]


TABLES: dict[str, Callable[..., str]] = {
    "verdicts": verdicts,
    "claims": claims,
    "bounds": bounds,
    **RESULTS,
    **NOTEBOOKS,
}
