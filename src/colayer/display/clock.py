"""An axis of minutes since a date, labelled as a clock."""

from __future__ import annotations

from datetime import datetime

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MultipleLocator

from colayer.io.dates import dates_or_numbers

#: Minutes between ticks, and how many ticks there may be.
_STEPS, _TICKS = (5, 15, 30, 60, 120, 180, 360, 720, 1440, 7 * 1440), 11


def clock_axis(ax: Axes, origin: datetime, span: float) -> None:
    """Label the x axis, `span` minutes long, with times of day, and with the date at midnight."""
    step = next((step for step in _STEPS if span <= _TICKS * step), span / _TICKS)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda t, _: _label(t, origin)))
    ax.set_xlabel(f"time, from {origin:%Y-%m-%d}")


def _label(minutes: float, origin: datetime) -> str:
    when: datetime = dates_or_numbers([minutes], origin)[0]
    return f"{when.day} {when:%b}" if (when.hour, when.minute) == (0, 0) else f"{when.hour}:{when:%M}"
