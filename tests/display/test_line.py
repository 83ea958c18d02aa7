"""The picture of the loss along a line: what is drawn is the step function and its average."""

from __future__ import annotations

import numpy as np

from colayer.evaluators.along import LossAlong

STEPS = LossAlong(-2.0, 2.0, np.array([-1.0, 0.5]), np.array([3.0, 1.0, 2.0]), exact=True)


def test_steps_and_the_mark_at_zero() -> None:
    ax = STEPS.plot()
    steps, mark = ax.get_lines()
    assert steps.get_xdata().tolist() == [-2.0, -1.0, 0.5, 2.0]
    assert steps.get_ydata().tolist() == [3.0, 1.0, 2.0, 2.0]
    assert steps.get_drawstyle() == "steps-post"
    assert (mark.get_xdata(), mark.get_ydata()) == ([0.0], [1.0])
    assert ax.get_legend() is None


def test_the_average_is_drawn_by_its_corners() -> None:
    ax = STEPS.plot(STEPS.plot(), width=1.0)
    average = ax.get_lines()[3]
    assert average.get_xdata().tolist() == [-1.5, -0.5, 0.0, 1.0, 1.5]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["exact", "exact", "average over 1"]


def test_many_steps_are_pale_and_a_line_away_from_zero_has_no_mark() -> None:
    line = LossAlong(1.0, 2.0, np.linspace(1.1, 1.9, 300), np.arange(301.0), exact=False)
    pale, _ = line.plot(width=0.1).get_lines()
    (plain,) = line.plot().get_lines()
    assert pale.get_alpha() < plain.get_alpha() == 1.0
