"""Axes that count from a date show times, and the date where a day begins."""

from __future__ import annotations

from datetime import datetime

import pytest
from matplotlib.figure import Figure

from colayer.display.clock import clock_axis

ORIGIN = datetime(2026, 1, 5)


@pytest.mark.parametrize(
    ("left", "right", "labels"),
    [
        (450, 500, ["7:30", "7:35", "7:40"]),
        (420, 840, ["7:00", "8:00", "9:00"]),
        (1300, 1700, ["22:00", "23:00", "6 Jan"]),
        (0, 10_000, ["5 Jan", "6 Jan", "7 Jan"]),
    ],
)
def test_ticks_are_times_of_day(left: float, right: float, labels: list[str]) -> None:
    ax = Figure().subplots()
    ax.set_xlim(left, right)
    clock_axis(ax, ORIGIN, right - left)
    shown = [ax.xaxis.get_major_formatter()(t) for t in ax.xaxis.get_majorticklocs() if t >= left]
    assert shown[:3] == labels
    assert len(shown) <= 13
    assert ax.get_xlabel() == "time, from 2026-01-05"
