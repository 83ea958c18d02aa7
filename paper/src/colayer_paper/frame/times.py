"""How long a stage takes: at the rate so far, else as long as it took when the results in this repository were made."""

from __future__ import annotations

import csv
import importlib.resources
import io
from functools import cache

from colayer_paper.frame.learned import State

#: Of the package: scale, stage, wall seconds, CPU seconds and device of the run behind `paper/results`.
TIMES = "paper/times.csv"


def expected_seconds(state: State, scale: str) -> float | None:
    """The wall seconds that are left of a stage; 0 where it is done, None where nobody knows."""
    if state.done >= state.total:
        return 0.0
    known = _times().get((scale, state.what))
    return state.expected if state.expected is not None or known is None else known


@cache
def _times() -> dict[tuple[str, str], float]:
    text = importlib.resources.files("colayer_paper").joinpath(TIMES).read_text("utf-8")
    return {(row["scale"], row["stage"]): float(row["seconds"]) for row in csv.DictReader(io.StringIO(text))}
