"""Columns by their labels, cells beside the paper's."""

from __future__ import annotations

import math

import pytest

from colayer.display.outcome import Cell, Column
from colayer_paper.frame.config import paper_seconds
from colayer_paper.frame.sheets import against, beside, cells, columns, compared, spread


def test_a_unit_at_the_end_of_a_label_is_that_of_the_column() -> None:
    labels = ("learner", "mean gap (%)", "CPU time, all seeds (s)", "learned on (jobs)", "largest (%) of all")
    found = columns(*labels)
    assert found == (
        Column("learner"),
        Column("mean gap", "%"),
        Column("CPU time, all seeds", "s"),
        Column("learned on (jobs)"),
        Column("largest (%) of all"),
    )
    assert tuple(column.label for column in found) == labels


def test_a_cell_stands_beside_the_papers_where_it_has_the_row() -> None:
    row = {"gap": "2.5", "samples": "100", "time": "0:01:20", "features": "66"}
    assert beside(1.5, row, "gap") == Cell(1.5, 2.5)
    assert beside(7, row, "samples", int) == Cell(7, 100)
    assert beside(3.0, row, "time", paper_seconds) == Cell(3.0, 80.0)
    assert beside("27", row, "features", str) == Cell("27", "66")
    assert beside(None, row, "gap") == Cell(None, 2.5)  # the paper ran it, we did not
    assert beside(1.5, None, "gap") == Cell(1.5)


def test_cells_of_our_own() -> None:
    assert cells("a", 1, None) == (Cell("a"), Cell(1), Cell(None))


def test_differences_are_paired_and_in_percent() -> None:
    """−10, −20, −30 % of the costs beside them: mean −20, spread 10, standard error 10/√3."""
    found = compared([90.0, 160.0, 7.0], [100.0, 200.0, 10.0], "safe weights")
    assert found[:2] == pytest.approx((-20.0, 10 / math.sqrt(3)))
    assert found[2] == "no measurable difference"  # of three instances it takes 4.3 standard errors
    assert compared([1.0], [2.0], "a") == (-50.0, None, "no measurable difference")
    assert columns(*against("a")) == (Column("difference to a", "%"), Column("standard error", "%"), Column("verdict"))


def test_the_spread_over_seeds_by_hand() -> None:
    assert spread([1.0, 3.0]) == pytest.approx(math.sqrt(2.0))
    assert spread([2.0, 2.0, 2.0]) == 0.0
    assert spread([5.0]) is None
