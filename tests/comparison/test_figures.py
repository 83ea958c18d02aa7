"""The figure of a race: where lines begin, what they show, and which marks are filled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

from colayer.comparison.figures import cost_over_time
from colayer.comparison.race import Race
from colayer.comparison.trajectory import Trajectory
from colayer.display.line_labels import SHADES


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


def test_names_stand_beside_what_they_name() -> None:
    """Learned in blue, rules in another colour, no legend, and no two names on top of each other."""
    once = Trajectory(((0.1, 9.0),))
    names = ("learned", "learned, perturbed", *(f"rule {k}" for k in range(9)))
    kinds = ("learned", "learned", *("rule",) * 9)
    longer = Trajectory(((0.1, 9.0), (1.0, 8.0)))
    ax = cost_over_time(raced(names, (once, longer, *(once,) * 9), kinds=kinds))
    assert ax.get_legend() is None
    assert {text.get_text() for text in ax.texts} == set(names)
    lines = {line.get_label(): line.get_color() for line in ax.get_lines()}
    assert lines["learned"] in SHADES["learned"]
    assert all(lines[f"rule {k}"] in SHADES["rule"] for k in range(9))
    ax.get_figure().draw_without_rendering()  # type: ignore[union-attr]
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without the leaders
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
