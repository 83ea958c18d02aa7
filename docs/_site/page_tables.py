"""Tables that pages show as a whole, by name: functions of results files that return Markdown; see `measured`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

from result_tables import RESULTS

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


TABLES: dict[str, Callable[..., str]] = {"verdicts": verdicts, "claims": claims, **RESULTS}
