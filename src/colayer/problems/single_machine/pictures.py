"""A picture of a schedule, readable from one job to thousands."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from colayer._runtime.arrays import Floats
from colayer._runtime.text import counted
from colayer.display.clock import clock_axis
from colayer.io.validate import named
from colayer.problems.single_machine.cost import bound
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.schedule import completion_times
from colayer.problems.single_machine.solution import checked

#: Up to this many jobs, rows and boxes carry the number of their job.
LABELLED = 30
#: From this many jobs on, a box would be thinner than a pixel: starts are dots, releases a line.
DENSE = 150

WAITING, PROCESSING, RELEASE, IDLE, INK = "#A9CFE8", "#0072B2", "#D55E00", "#E6E6E6", "#333333"


def gantt(sequence: Any, instance: Instance, ax: Axes | None = None) -> Axes:
    """Draw the schedule that processes the jobs in the order of `sequence`, each as early as it can.

    The upper lane is the machine, one box per job. Below it each job has a row, in order of release: light from
    release to start, dark from start to completion. Grey bands are the times at which the machine idles.
    """
    n = instance.jobs
    order = checked(sequence, instance)
    completion = completion_times(order, *instance.arrays)
    free = np.concatenate([[0.0], completion[order][:-1]])  # when the machine becomes free for each job of the sequence
    start = np.empty(n)
    start[order] = np.maximum(free, instance.release[order])

    if ax is None:
        ax = Figure(figsize=(7.2, min(5.0, 2.0 + 0.24 * n)), layout="constrained").subplots()
    lane, height = -max(1.5, 0.045 * n), max(0.8, 0.035 * n)
    top, bottom = lane - height / 2 - 0.01 * n - 0.2, n - 0.4 + 0.01 * n
    idle = start[order] > free
    # a band over all rows, or over the machine's lane alone where there would be hundreds of bands
    band = (bottom - top, (top + bottom) / 2) if n < DENSE else (height, lane)
    lines = np.full(int(idle.sum()), band[1])
    ax.add_collection(_boxes(free[idle], start[order][idle], lines, band[0], IDLE, "machine idle", zorder=0))
    edge = 0.6 if n <= LABELLED else 0.25 if n < DENSE else 0.0
    boxes = _boxes(start, completion, np.full(n, lane), height, PROCESSING, None, zorder=2)
    boxes.set(edgecolor="white", linewidth=edge)
    ax.add_collection(boxes)

    rows = np.lexsort((np.arange(n), instance.release))
    y = np.arange(n, dtype=float)
    release, begin, end = instance.release[rows], start[rows], completion[rows]
    thickness = 0.76 if n < DENSE else max(1.0, n / 500)
    ax.add_collection(_boxes(release, begin, y, thickness, WAITING, "job waits", zorder=2))
    if n < DENSE:
        ax.add_collection(_boxes(begin, end, y, 0.76, PROCESSING, "job is processed", zorder=4))
        ax.plot(release, y, "|", ms=min(11.0, 240 / n), mew=1.5, color=RELEASE, label="release", zorder=3)
    else:
        size = max(1.2, 2.6 - n / 1500)
        ax.plot(begin, y, "o", ms=size, mew=0, color=PROCESSING, label="job starts", zorder=3)
        ax.plot(release, y, lw=0.9, color=RELEASE, label="release", zorder=4)

    last = float(completion.max())
    left = 0.0 if instance.origin is None else float(instance.release.min())
    ax.set_xlim(left, last + 0.01 * (last - left))
    ax.set_ylim(bottom, top)
    names = [str(name) for name in named(np.arange(n), instance.names)]
    _decorate(ax, rows, lane, [f"job {name}" for name in names] if instance.names is None else names)
    if instance.origin is not None:
        clock_axis(ax, instance.origin, last - left)
    if n <= LABELLED:
        for j, name in enumerate(names):
            if instance.processing[j] > max(0.018, 0.012 * len(name)) * (last - left):  # it fits
                middle = (start[j] + completion[j]) / 2
                label = ax.text(middle, lane, name, ha="center", va="center", color="white", fontsize=8, zorder=5)
                label.set_parse_math(False)
    cost, least = float(completion.sum()), bound(instance)
    distance = (cost - least) / least  # the bound is at least Σ p_j > 0
    title = f"{counted(n, 'job')}:  Σ C = {cost:{',.0f' if instance.integral else ',.6g'}}"
    ax.set_title(f"{title},  {100 * distance:.3g} % above the SRPT bound", loc="left", fontsize=10.5, color=INK, pad=22)
    ax.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False, fontsize=8.5, borderpad=0.3,
        borderaxespad=0.1, handlelength=1.2, columnspacing=1.6, markerscale=1.0 if n < DENSE else 2.5,
    )  # fmt: skip
    return ax


def _decorate(ax: Axes, rows: np.ndarray[Any, np.dtype[np.int64]], lane: float, names: list[str]) -> None:
    """Tidy the axes: name the machine's lane, and the rows if their names can be read."""
    n = len(names)
    if n <= LABELLED:
        ax.set_yticks([lane, *range(n)], ["machine", *(names[j] for j in rows)], parse_math=False)
        ax.set_xlabel("time")
    else:
        ticks = [t for t in MaxNLocator(5, integer=True).tick_values(0, n) if 0 < t <= n]
        ax.set_yticks([lane, *(t - 1 for t in ticks)], ["machine", *(f"{t:,.0f}" for t in ticks)])
        ax.set(xlabel="time", ylabel="jobs in order of release")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda t, _: f"{t:,g}"))
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color("#9AA5B1")
    ax.tick_params(axis="y", length=0)
    ax.tick_params(color="#9AA5B1", labelcolor=INK, labelsize=8.5)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)


def _boxes(
    left: Floats, right: Floats, middle: Floats, height: float, colour: str, label: str | None, zorder: float
) -> PolyCollection:
    """Return boxes from left to right around the heights `middle` as one artist: thousands of patches would be slow."""
    low, high = middle - height / 2, middle + height / 2
    corners = [np.column_stack(corner) for corner in ((left, low), (right, low), (right, high), (left, high))]
    vertices = list(np.stack(corners, axis=1))
    return PolyCollection(vertices, facecolor=colour, linewidth=0, label=label, zorder=zorder)
