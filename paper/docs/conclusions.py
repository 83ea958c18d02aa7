"""Writes paper/docs/conclusions.md from the outcomes of a run: `python paper/docs/conclusions.py [RUN]`.

RUN is paper/results, the results in this repository, unless another folder is given.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import get_args

from colayer.display.outcome import CLAIMS, Outcome, Verdict, read_outcomes
from colayer.display.tables import duration

HERE = Path(__file__).parent
RESULTS, PAGE, WORDS = HERE.parent / "results", HERE / "conclusions.md", HERE / "conclusions.txt"
VERDICTS = get_args(Verdict)
#: Where the counts go in the words at the head of the page.
COUNTS = "{counts}"


def page(run: Path) -> str:
    """The page: the words of conclusions.txt beside this file, then every claim with its verdict and its numbers."""
    outcomes = [outcome for _, outcome in read_outcomes(run)]
    order = ("tree", "scheduling", "vsp", "size")
    outcomes.sort(key=lambda outcome: order.index(outcome.name.partition("-")[0]))
    return (
        "\n\n".join([WORDS.read_text("utf-8").replace(COUNTS, counts(outcomes)).strip(), *map(section, outcomes)])
        + "\n"
    )


def counts(outcomes: list[Outcome]) -> str:
    """A table: the verdicts on the paper's claims and on ours."""
    drawn = [conclusion for outcome in outcomes for conclusion in outcome.conclusions]
    rows = [f"| | {' | '.join(VERDICTS)} |", "|---" * (1 + len(VERDICTS)) + "|"]
    for whose, name in CLAIMS.items():
        found = Counter(conclusion.verdict for conclusion in drawn if conclusion.of == whose)
        rows.append(f"| claims {name} | {' | '.join(str(found[verdict]) for verdict in VERDICTS)} |")
    return "\n".join(rows)


def section(outcome: Outcome) -> str:
    """One experiment."""
    about = outcome.provenance
    beside = f", {outcome.source}" if outcome.source else ""
    time = duration(float(about["cpu_seconds"] or 0.0))
    head = f"## {outcome.title}\n\n`{about['command']}`{beside}; {time} of processor time."
    rows = ["| claim | whose | here | numbers |", "|---|---|---|---|"]
    for conclusion in outcome.conclusions:
        numbers = " ".join(filter(None, [conclusion.numbers.rstrip(".") + ".", conclusion.reason]))
        verdict = f"**{conclusion.verdict}**" if conclusion.verdict == "holds" else conclusion.verdict
        whose = "the paper" if conclusion.of == "paper" else "ours"
        rows.append(f"| {conclusion.claim.rstrip('.')} | {whose} | {verdict} | {numbers} |")
    return f"{head}\n\n" + "\n".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS), "utf-8")
