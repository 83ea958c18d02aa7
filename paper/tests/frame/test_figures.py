"""Figures of the experiments: what is drawn, in which colours, on which axes."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.display.charts import MARKERS, PALETTE
from colayer_paper.frame.figures import curves, grouped_bars, line_figure, new_axes, zoom


def test_axes_side_by_side_in_one_figure() -> None:
    left, right = new_axes((8.0, 2.0), columns=2, share_y=True)
    assert left.figure is right.figure
    assert left.figure.get_size_inches().tolist() == [8.0, 2.0]
    left.set_ylim(3, 4)
    assert right.get_ylim() == (3, 4)


def test_a_dashed_line_takes_the_colour_of_the_series_before_it() -> None:
    series = {"a": ([1, 2], [3, 4]), "a, worst": ([1, 2], [5, 6]), "b": ([1, 2], [7, 8])}
    ax = line_figure(series, x="size", y="gap", dashed=["a, worst"])
    a, worst, b = ax.lines
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--", "-"]
    assert a.get_color() == worst.get_color() == PALETTE[0]
    assert (b.get_color(), b.get_marker()) == (PALETTE[1], MARKERS[1])
    assert [list(line.get_ydata()) for line in ax.lines] == [[3, 4], [5, 6], [7, 8]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("size", "gap")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(series)


def test_colours_that_are_used_up_come_again_with_dotted_lines() -> None:
    ax = line_figure({f"s{k}": ([1], [1]) for k in range(len(PALETTE) + 1)}, x="", y="", legend=False)
    assert ax.lines[-1].get_color() == ax.lines[0].get_color()
    assert (ax.lines[0].get_linestyle(), ax.lines[-1].get_linestyle()) == ("-", ":")
    assert ax.get_legend() is None


@pytest.mark.parametrize(("least", "scale"), [(0.5, "log"), (0.0, "symlog")])
def test_a_gap_of_zero_is_shown_on_a_logarithmic_axis(least: float, scale: str) -> None:
    ax = line_figure({"a": ([1, 10], [least, 50.0])}, x="", y="", log_x=True, log_y=True, ticks=[1, 10])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", scale)
    low, high = ax.get_ylim()
    assert low <= least < 50 < high
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10"]
    assert ax.yaxis.get_major_formatter()(1000, 0) == "1000"


def test_nothing_but_zeros_leaves_the_axis_as_it_is() -> None:
    assert line_figure({"a": ([1, 2], [0.0, 0.0])}, x="", y="", log_y=True).get_yscale() == "linear"


def test_curves_are_the_best_so_far_and_their_mean() -> None:
    ax = new_axes()[0]
    curves(ax, [[5.0, 7.0, 3.0], [9.0, 4.0, 6.0]], title="two seeds")
    assert [list(line.get_ydata()) for line in ax.lines] == [[5, 5, 3], [9, 4, 4], [7, 4.5, 3.5]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one seed", "mean over seeds"]
    assert ax.get_title() == "two seeds"


def test_the_start_of_a_search_does_not_hide_the_rest() -> None:
    """The first twentieth is left out of what the axis spans."""
    ax = new_axes()[0]
    zoom(ax, [np.array([1e6] + [3.0] * 19 + [1.0] * 20), np.array([1e6] + [2.0] * 19)], 0.1)
    assert ax.get_ylim() == pytest.approx((0.8, 3.2))
    zoom(ax, [np.array([4.0, 4.0])], 0.1)  # all equal: a tenth around it
    assert ax.get_ylim() == pytest.approx((3.8, 4.2))
    zoom(ax, [np.array([0.0])], 0.1)
    assert ax.get_ylim() == (-1.0, 1.0)


def test_bars_stand_in_groups_from_the_top() -> None:
    ax = grouped_bars(["first", "second"], {"none": [10.0, 2.0], "ls": [1.0, 0.0]}, y="gap")
    none, ls = ax.containers
    assert [bar.get_width() for bar in none] == [10.0, 2.0]
    assert [bar.get_width() for bar in ls] == [1.0, 0.0]
    # in a group the bars follow each other, and the next group comes after both
    centres = [bar.get_y() + bar.get_height() / 2 for bar in (none[0], ls[0], none[1], ls[1])]
    assert centres == sorted(centres)
    assert ax.yaxis_inverted()
    assert (ax.get_xscale(), ax.get_xlabel()) == ("log", "gap")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    assert grouped_bars(["one"], {"none": [0.0]}, y="").get_xscale() == "linear"
