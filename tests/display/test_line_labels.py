"""Labels beside what they name: where they stand, and in which colours."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from colayer.display.line_labels import Label, at_ends, beside, spread


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8).map(sorted))
def test_spread_keeps_order_and_distance(wanted: list[float]) -> None:
    places = spread(wanted, 0.1)
    assert all(b - a >= 0.1 - 1e-9 for a, b in itertools.pairwise(places))
    assert places[0] >= -0.4
    if all(b - a >= 0.1 for a, b in itertools.pairwise(wanted)):
        assert places == pytest.approx(wanted)


def test_spread_stays_on_the_axes_where_there_is_room() -> None:
    assert spread([0.9, 0.95, 1.0], 0.1) == pytest.approx([0.8, 0.9, 1.0])


def test_equal_ends_are_told_apart() -> None:
    """Both are beside the axes, one above the other, in their colours."""
    ax = Figure().subplots()
    at_ends(ax, [Label(1.0, 0.5, "a", "red"), Label(1.0, 0.5, "b", "blue")])
    ax.figure.draw_without_rendering()
    first, second = (text.get_window_extent() for text in ax.texts)
    assert not first.overlaps(second)
    assert min(first.x0, second.x0) >= ax.get_window_extent().x1
    assert [text.get_color() for text in ax.texts] == ["red", "blue"]


def test_a_label_hides_no_point_and_no_line() -> None:
    ax = Figure().subplots()
    line = [(0.5, 0.5), (1.0, 0.5)]
    beside(ax, [Label(0.5, 0.5, "at its end", "red"), Label(0.52, 0.5, "next to it", "blue")], [line])
    ax.figure.draw_without_rendering()
    pixels = [ax.transData.transform(point) for point in ((0.5, 0.5), (0.52, 0.5), (0.6, 0.5), (0.7, 0.5))]
    for text in ax.texts:
        assert not any(Text.get_window_extent(text).contains(x, y) for x, y in pixels)
