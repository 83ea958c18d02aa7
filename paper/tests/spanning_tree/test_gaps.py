"""`tree-gap`: every algorithm on the test set, by number of vertices; conclusions by the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer_paper.frame.predict import Predicted
from colayer_paper.spanning_tree import epsilon
from colayer_paper.spanning_tree.gaps import (
    APPROXIMATION,
    AUTO,
    DEMONSTRATION,
    EXPERIENCE,
    HEURISTIC,
    SHIPPED,
    conclusions,
    learnings,
)
from tiny_experiments import TinyRun, tiny, values


def test_no_gap_is_negative_and_the_parts_make_the_whole(tiny_run: TinyRun) -> None:
    """Widths 4 and 5, as many instances of each: the mean is that of the means, the worst the worse of both."""
    summary, by_nodes = tiny_run.outcome("tree-gap").sheets
    assert [row[0].value for row in summary.rows] == [
        HEURISTIC, APPROXIMATION, DEMONSTRATION, EXPERIENCE, AUTO, SHIPPED,
    ]  # fmt: skip
    assert [c.label for c in by_nodes.columns[1:]] == [
        f"|V| = {n}, {which} gap (%)" for n in (16, 25) for which in ("mean", "worst")
    ]
    assert all(value >= 0 for row in values(summary) for value in row[1:3])
    assert all(value >= 0 for row in values(by_nodes) for value in row[1:])
    assert [c.label for c in summary.columns[4:]] == [
        f"difference to {APPROXIMATION} (%)",
        "standard error (%)",
        "verdict",
    ]
    verdicts = {row[0].value: row[-1].value for row in summary.rows}
    assert verdicts[APPROXIMATION] == "reference"
    assert set(verdicts.values()) <= {"reference", "better", "worse", "no measurable difference"}
    for whole, parts in zip(values(summary), values(by_nodes), strict=True):
        assert whole[0] == parts[0]
        assert whole[1] == pytest.approx((parts[1] + parts[3]) / 2)
        assert whole[2] == max(parts[2], parts[4])


def predicted(seconds: float) -> Predicted:
    return Predicted(np.zeros(3), np.full(3, seconds))


def test_conclusions_follow_the_gaps_and_the_times() -> None:
    spread = np.array([0.0, 0.01, 0.02])
    names = (HEURISTIC, APPROXIMATION, DEMONSTRATION, EXPERIENCE)
    gaps = dict(zip(names, (0.5 + spread, 6.0 + 2 * spread, 0.55 + spread, 0.52 + spread), strict=True))
    found = {name: predicted(40.0 if name == HEURISTIC else 0.004) for name in names}
    assert [c.verdict for c in conclusions(found, gaps)] == ["holds"] * 3
    assert "a factor of 1e+04" in conclusions(found, gaps)[2].numbers
    gaps[EXPERIENCE] = 7.0 + spread
    found[EXPERIENCE] = predicted(40.0)
    assert [c.holds for c in conclusions(found, gaps)] == [False, False, False]
    gaps[EXPERIENCE] = np.array([0.0, 6.0, 12.0])  # in the mean as the approximation: chance may do that
    assert conclusions(found, gaps)[1].holds is None


def test_what_a_better_heuristic_leaves_nothing_of_is_moot() -> None:
    """One that closes the gap, and one that is fast: the claims are about the paper's, which did and was neither."""
    spread = np.array([0.0, 0.01, 0.02])
    names = (HEURISTIC, APPROXIMATION, DEMONSTRATION, EXPERIENCE)
    gaps = dict(zip(names, (0.01 * spread, 6.0 + 2 * spread, 0.55 + spread, 0.52 + spread), strict=True))
    found = {name: predicted(0.04 if name == HEURISTIC else 0.004) for name in names}
    drawn = conclusions(found, gaps)
    assert [(c.holds, c.verdict) for c in drawn] == [(False, "moot"), (True, "holds"), (False, "moot")]
    assert [bool(c.reason) for c in drawn] == [True, False, True]
    assert {c.of for c in drawn} == {"paper"}


def test_a_reason_stands_only_where_something_is_moot() -> None:
    spread = np.array([0.0, 0.01, 0.02])
    names = (HEURISTIC, APPROXIMATION, DEMONSTRATION, EXPERIENCE)
    gaps = dict(zip(names, (0.5 + spread, 6.0 + 2 * spread, 0.55 + spread, 0.52 + spread), strict=True))
    found = {name: predicted(40.0 if name == HEURISTIC else 0.004) for name in names}
    assert [c.reason for c in conclusions(found, gaps)] == ["", "", ""]


def test_what_is_learned_for_it(tiny_run: TinyRun) -> None:
    """By demonstration, by DIRECT at the strength that the paper chose, as in tree-epsilon, and by default."""
    found = learnings(tiny_run.run, tiny("tree-gap"))
    names = ["tree, by demonstration", "tree, by experience, ε = 0.001", "tree, auto"]
    assert [learning.what for learning in found] == names
    other = {learning.what: learning for learning in epsilon.learnings(tiny_run.run, tiny("tree-epsilon"))}
    assert found[1].identity == other[found[1].what].identity
