"""The learning curve: what is drawn, and on which axes."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from colayer.errors import InputError
from colayer.learning.curve import learning_curve


def history(losses: Sequence[float], validation: Sequence[tuple[int, float]] = (), cost: int = 1) -> list[Any]:
    best = np.minimum.accumulate(losses)
    checked = dict(validation)
    return [
        SimpleNamespace(number=k + 1, cost=cost, loss=loss, best=float(best[k]), validation=checked.get(k))
        for k, loss in enumerate(losses)
    ]


HISTORY = history([9.0, 5.0, 6.0, 4.0], [(0, 9.5), (3, 4.5)])


def test_draws_on_the_axes_given() -> None:
    ax = Figure().subplots()
    assert learning_curve(HISTORY, ax) is ax
    assert ax.get_xlabel()
    assert ax.get_title()


def test_learning_curve_shows_best_tries_and_validation() -> None:
    ax = learning_curve(HISTORY)
    lines = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert lines == {"tried": [9, 5, 6, 4], "best, training": [9, 5, 5, 4], "best, validation": [9.5, 4.5]}


def test_the_picture_ends_where_the_budget_does() -> None:
    """A pass that looks at many solutions counts for as many evaluations as it costs."""
    lines = {line.get_label(): line.get_xdata().tolist() for line in learning_curve(history([3.0, 2.0], cost=10)).lines}
    assert lines["tried"] == lines["best, training"] == [10, 20]


@pytest.mark.parametrize(("count", "marker"), [(1, "."), (2, "")])
def test_a_curve_of_one_point_is_seen(count: int, marker: str) -> None:
    best = next(line for line in learning_curve(history([3.0] * count)).lines if line.get_label() == "best, training")
    assert best.get_marker() == marker


def test_learning_curve_clips_outliers() -> None:
    """One absurd loss must not flatten the curve; it is marked at the upper edge."""
    ax = learning_curve(history([10.0, *[3.0 - 0.01 * k for k in range(60)], 1e9, float("inf")]))
    low, high = ax.get_ylim()
    assert (low, high) == pytest.approx((2.4 - 0.07, 3.0 + 0.07), abs=0.08)  # what settles, and little around it
    above = next(line for line in ax.lines if line.get_label() == "tried, above the axis")
    assert above.get_xdata().tolist() == [1, 62, 63]


def test_learning_curve_of_one_evaluation_and_of_none() -> None:
    low, high = learning_curve(history([2.0])).get_ylim()
    assert low < 2.0 < high
    assert learning_curve(history([float("inf")])).get_ylim() == (0.0, 1.0)
    with pytest.raises(InputError, match="no evaluation"):
        learning_curve([])


def test_the_legend_of_the_learning_curve_is_below_the_data() -> None:
    ax = learning_curve(HISTORY)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y1 <= ax.get_window_extent().y0
