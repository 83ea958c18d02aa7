"""The figure of a race: where lines begin, what they show, and which marks are filled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.comparison.figures import cost_over_time
from colayer.comparison.race import Race
from colayer.comparison.trajectory import Trajectory


def raced(
    contenders: tuple[str, ...], *rows: tuple[Trajectory, ...], limit: float = 10.0, kinds: tuple[Any, ...] = ()
) -> Race:
    count = len(rows)
    kinds = kinds or ("solver",) * len(contenders)
    return Race("pick", limit, 0, contenders, ({},) * count, rows, (None,) * count, (1.0,) * count, kinds)


def test_a_line_begins_where_all_instances_have_a_solution() -> None:
    ax = cost_over_time(
        raced(
            ("A", "HiGHS", "C"),
            (Trajectory(((0.05, 110.0), (5.0, 100.0))), Trajectory(((2.0, 120.0),)), Trajectory(((1.0, 100.0),))),
            (Trajectory(((0.1, -50.0),)), Trajectory(((0.5, -90.0), (9.0, -100.0))), Trajectory(())),
        )
    )
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(np.asarray(lines["HiGHS"].get_xdata())) == [2.0, 9.0, 10.0]
    assert np.asarray(lines["HiGHS"].get_ydata()) == pytest.approx([15.0, 10.0, 10.0])
    assert "C" not in lines
    assert ax.get_title() == "pick: 2 instances, one core"


def test_who_solves_once_has_a_mark_filled_where_it_is_learned() -> None:
    once = Trajectory(((0.1, 9.0),))
    names, kinds = ("a", "a, perturbed", "rule", "rule, perturbed"), ("learned", "learned", "rule", "solver")
    longer = Trajectory(((0.1, 9.0), (1.0, 8.0)))
    ax = cost_over_time(raced(names, (once, longer, once, longer), kinds=kinds))
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(np.asarray(lines["a"].get_xdata())) == [0.1]
    assert np.asarray(lines["a"].get_ydata()) == pytest.approx([12.5])
    assert (lines["a"].get_markerfacecolor() == "white", lines["rule"].get_markerfacecolor()) == (False, "white")
    assert list(np.asarray(lines["a, perturbed"].get_xdata())) == [0.1, 1.0, 10.0]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "symlog")
    assert ax.get_ylim() == (0.0, 25.0)
    assert ax.get_title() == "pick: 1 instance, one core"


def test_a_race_without_solutions_is_drawn() -> None:
    ax = cost_over_time(raced(("A",), (Trajectory(()),), limit=1.0))
    assert ax.get_lines() == []
    assert ax.get_legend() is None


def test_the_axes_given_are_drawn_on() -> None:
    ax = cost_over_time(raced(("A",), (Trajectory(((0.1, 9.0),)),)))
    assert cost_over_time(raced(("A",), (Trajectory(((0.1, 9.0),)),)), ax) is ax
