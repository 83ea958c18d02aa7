"""A picture of a solution, readable from one task to thousands: the vehicles over the day."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

from colayer._runtime.arrays import Floats
from colayer._runtime.text import counted
from colayer.display.clock import clock_axis
from colayer.io.validate import named
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.delay import solution_cost, solution_delays
from colayer.problems.vehicle_scheduling.solution import checked, routes_of

#: Up to this many vehicles, rows are named and boxes carry their task where it fits; up to DENSE, a row has two lanes.
LABELLED, DENSE = 15, 60
#: Share of the scenarios in which a task ends before the mark.
QUANTILE = 0.95

SCHEDULED, EXPECTED, DELAY, INK, FAINT = "#0072B2", "#A9CFE8", "#D55E00", "#333333", "#9AA5B1"


def gantt(successor: Any, instance: Instance, ax: Axes | None = None) -> Axes:
    """Draw the vehicles over the day, one row each, in the order of their first tasks.

    Dark: the tasks as scheduled. Light, below: the tasks as they are expected under the scenarios, from mean begin to
    mean end, a thin line to the time by which 95 % of the scenarios end it. Orange before it: the mean delay, from when
    the task could begin until its vehicle is there. With many vehicles the row is the schedule, and delays lie on it.
    """
    solution = checked(successor, instance)
    routes = sorted(routes_of(solution), key=lambda route: (instance.begin[route[0]], route[0]))
    row = np.empty(instance.tasks)
    for k, route in enumerate(routes):
        row[route] = k
    delays = solution_delays(instance.times, solution)
    late = delays.mean(axis=1)
    ready = instance.times.begin.mean(axis=1)
    leave = instance.times.end + delays
    vehicles = len(routes)
    if ax is None:
        ax = Figure(figsize=(8.0, min(7.5, 1.6 + 0.42 * vehicles)), layout="constrained").subplots()
    if vehicles <= DENSE:
        ax.add_collection(_boxes(instance.begin, instance.end, row - 0.17, 0.42, SCHEDULED, "as scheduled"))
        lane = row + 0.22
        mean, most = leave.mean(axis=1), np.quantile(leave, QUANTILE, axis=1)
        ax.hlines(
            lane, mean, most, color=FAINT, lw=0.9, label=f"{100 * QUANTILE:.0f} % of scenarios have ended", zorder=2
        )
        ax.add_collection(_boxes(ready + late, mean, lane, 0.28, EXPECTED, "mean over scenarios"))
        ax.add_collection(_boxes(ready, ready + late, lane, 0.28, DELAY, "mean delay"))
        right = float(max(most.max(), instance.end.max()))
    else:
        ax.add_collection(_boxes(instance.begin, instance.end, row, 0.9, EXPECTED, "as scheduled"))
        ax.add_collection(_boxes(instance.begin, instance.begin + late, row, 0.9, DELAY, "mean delay"))
        right = float(max((instance.begin + late).max(), instance.end.max()))
    left = float(instance.begin.min())
    ax.set_xlim(left - 0.01 * (right - left), right + 0.01 * (right - left))
    ax.set_ylim(vehicles - 0.4, -0.6)
    if vehicles <= LABELLED:
        for v, name in enumerate(map(str, named(np.arange(instance.tasks), instance.names))):
            if instance.end[v] - instance.begin[v] > max(0.02, 0.009 * len(name)) * (right - left):  # it fits
                at = (instance.begin[v] + instance.end[v]) / 2, row[v] - 0.17
                label = ax.text(*at, name, ha="center", va="center", color="white", fontsize=7, zorder=5)
                label.set_parse_math(False)
        ax.set_yticks(range(vehicles), [f"vehicle {k + 1}" for k in range(vehicles)])
    else:
        ticks = [t for t in MaxNLocator(6, integer=True).tick_values(0, vehicles) if 0 < t <= vehicles]
        ax.set_yticks([t - 1 for t in ticks], [f"{t:,.0f}" for t in ticks])
        ax.set_ylabel("vehicles in order of their first task", color=INK)
    _clock(ax, instance, right - left)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(color=FAINT, labelcolor=INK, labelsize=8.5)
    cost = float(solution_cost(instance.times, solution, instance.vehicle_cost, instance.delay_cost))
    text = f"{counted(instance.tasks, 'task')} on {counted(vehicles, 'vehicle')}:  cost = {cost:,.6g}"
    text += f",  {float(late.mean()):.3g} minutes of delay a task"
    ax.set_title(text, loc="left", fontsize=10.5, color=INK, pad=22)
    ax.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False, fontsize=8.5, borderpad=0.3,
        borderaxespad=0.1, handlelength=1.2, columnspacing=1.6,
    )  # fmt: skip
    return ax


def _clock(ax: Axes, instance: Instance, span: float) -> None:
    """Label times if the instance has dates or is a day in a city, plain numbers otherwise."""
    if instance.origin is not None:
        clock_axis(ax, instance.origin, span)
        ax.xaxis.label.set_color(INK)
        return
    if instance.city is None:
        ax.set_xlabel("minutes", color=INK)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{t:,g}"))
        return
    ax.xaxis.set_major_locator(MultipleLocator(120 if span > 360 else 60))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{int(t // 60)}:{int(t % 60):02d}"))


def _boxes(left: Floats, right: Floats, middle: Floats, height: float, colour: str, label: str) -> PolyCollection:
    """Return boxes from left to right around the heights `middle` as one artist: thousands of patches would be slow."""
    low, high = middle - height / 2, middle + height / 2
    corners = [np.column_stack(corner) for corner in ((left, low), (right, low), (right, high), (left, high))]
    return PolyCollection(list(np.stack(corners, axis=1)), facecolor=colour, linewidth=0, label=label, zorder=3)
