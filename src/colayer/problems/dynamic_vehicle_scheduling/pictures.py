"""A picture of a day: the routes on the map, by epoch, and what was driven and left open over the day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from colayer._runtime.arrays import Floats
from colayer._runtime.text import counted
from colayer.problems.dynamic_vehicle_scheduling.state import start, step

INK, FAINT = "#333333", "#9AA5B1"


def draw_day(
    decisions: Sequence[Any],
    day: Any,
    ax: Axes | None = None,
    start: Callable[[Any], Any] = start,
    step: Callable[[Any, Any], tuple[float, Any]] = step,
) -> Axes:
    """Draw the routes of a day on the map, coloured by the epoch in which they leave, early ones dark.

    Small dots are the customers of the city, rings the requests. Where the city has no points, customers lie on a
    circle by their number, as far from the middle as they are from the depot. `start` and `step` are those of the day.
    """
    if ax is None:
        ax = Figure(figsize=(6.5, 6.0), layout="constrained").subplots()
    points = _points(day)
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, max(2, day.city.epochs)))
    ax.scatter(points[1:, 0], points[1:, 1], s=3, color=FAINT, linewidth=0, zorder=1)
    total, routes = 0.0, 0
    state = start(day)
    for decision in decisions:
        assert state is not None
        epoch = state.epoch
        cost, state = step(state, decision)
        total += cost
        for k, route in enumerate(decision):
            stops = points[[0, *day.location[list(route)], 0]]
            label = f"leave at {epoch + 1}:00" if k == 0 else None
            ax.plot(*stops.T, color=colours[epoch], lw=1.1, label=label, zorder=2)
            ax.scatter(stops[1:-1, 0], stops[1:-1, 1], s=14, facecolor="white", edgecolor=colours[epoch], zorder=3)
        routes += len(decision)
    ax.scatter(points[:1, 0], points[:1, 1], marker="s", s=45, color=INK, label="depot", zorder=4)
    ax.set_aspect("equal")
    ax.set_axis_off()
    text = f"{counted(day.requests, 'request')} on {counted(routes, 'route')}:  {total / 3600.0:,.1f} hours driven"
    ax.set_title(text, loc="left", fontsize=10.5, color=INK)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8.5)
    return ax


def _points(day: Any) -> Floats:
    """Return where places are drawn."""
    if day.city.points is not None:
        points: Floats = day.city.points
        return points
    angle = np.linspace(0.0, 2.0 * np.pi, day.city.customers + 1)
    places: Floats = day.city.travel[0][:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return places
