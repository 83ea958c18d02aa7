"""Figures of the experiments, in the style of `colayer.display.charts`; written by its `save`."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from colayer.display.charts import FAINT, MARKERS, PALETTE, styled

#: Characters of a name in one line beside its bars.
_LINE = 46
#: name → (x, y)
Series = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def new_axes(size: tuple[float, float] = (6.4, 3.8), columns: int = 1, share_y: bool = False) -> list[Axes]:
    """Axes side by side in one figure, styled like the report's."""
    figure = Figure(figsize=size, layout="constrained")
    found: list[Axes] = np.atleast_1d(figure.subplots(1, columns, sharey=share_y)).tolist()
    for ax in found:
        styled(ax)
    return found


def line_figure(
    series: Series,
    *,
    x: str,
    y: str,
    ax: Axes | None = None,
    log_x: bool = False,
    log_y: bool = False,
    ticks: Sequence[float] = (),
    dashed: Sequence[str] = (),
    legend: bool = True,
) -> Axes:
    """A line with markers for each series; those named in `dashed` take the colour of the series before them.

    `ticks` are marked on the axis of x. Where the colours are used up, they come again with dotted lines.
    """
    ax = new_axes()[0] if ax is None else ax
    colour = -1
    for name, (at, values) in series.items():
        colour += name not in dashed
        style: dict[str, Any] = {"color": PALETTE[colour % len(PALETTE)], "marker": MARKERS[colour % len(MARKERS)]}
        line = "--" if name in dashed else "-" if colour < len(PALETTE) else ":"
        ax.plot(at, values, line, lw=1.2 if name in dashed else 1.6, ms=4.5, mec="white", mew=0.6, label=name, **style)
    if log_x:
        ax.set_xscale("log")
        _plain_numbers(ax.xaxis)
    if ticks:
        ax.set_xticks(list(ticks), [f"{v:g}" for v in ticks], rotation=45 if len(ticks) > 6 else 0)
    positive = [v for _, values in series.values() for v in values if v > 0]
    if log_y and positive:
        zero = any(v <= 0 for _, values in series.values() for v in values)
        if zero:
            ax.set_yscale("symlog", linthresh=min(positive))
            ax.set_ylim(0.0, 1.6 * max(positive))
        else:
            ax.set_yscale("log")
            ax.set_ylim(0.6 * min(positive), 1.6 * max(positive))
        _plain_numbers(ax.yaxis)
    ax.set(xlabel=x, ylabel=y)
    if legend:
        _legend_beside(ax)
    return ax


def curves(ax: Axes, losses: Sequence[Sequence[float]], *, title: str) -> None:
    """The best loss so far of several searches, a thin line each, and their mean."""
    best = np.array([np.minimum.accumulate(run) for run in losses])
    number = np.arange(1, best.shape[1] + 1)
    for k, line in enumerate(best):
        ax.step(number, line, where="post", color=FAINT, lw=0.9, label="one seed" if k == 0 else None)
    ax.step(number, best.mean(axis=0), where="post", color=PALETTE[0], lw=1.8, label="mean over seeds")
    zoom(ax, list(best), 0.06)
    ax.set(xlabel="loss evaluation", ylabel="best training loss", title=title)
    _legend_beside(ax)


def grouped_bars(names: Sequence[str], series: Mapping[str, Sequence[float]], *, y: str) -> Axes:
    """Horizontal bars: a group per name, from the top, and in it a bar per series; the axis is logarithmic."""
    ax = new_axes((9.6, 1.4 + 0.13 * len(names) * (len(series) + 1)))[0]
    height = 0.8 / len(series)
    for k, (label, values) in enumerate(series.items()):
        at = np.arange(len(names)) + (k - (len(series) - 1) / 2) * height
        ax.barh(at, values, 0.9 * height, color=PALETTE[k % len(PALETTE)], label=label)
    ax.set_yticks(range(len(names)), [textwrap.fill(name, _LINE) for name in names], fontsize=8)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    positive = [v for values in series.values() for v in values if v > 0]
    if positive:
        ax.set_xscale("log")
        ax.set_xlim(0.6 * min(positive), 1.6 * max(positive))
        _plain_numbers(ax.xaxis)
    ax.invert_yaxis()
    ax.set(xlabel=y)
    _legend_beside(ax)
    return ax


def zoom(ax: Axes, searches: Sequence[Any], margin: float) -> None:
    """Losses from the least to the largest after a twentieth of each search: the first ones would hide the others."""
    settled = [np.asarray(best)[len(best) // 20 :] for best in searches]
    low, high = min(float(best.min()) for best in settled), max(float(best.max()) for best in settled)
    pad = margin * (high - low) or 0.05 * abs(high) or 1.0
    ax.set_ylim(low - pad, high + pad)


def _plain_numbers(axis: Axis) -> None:
    """Numbers as they are, not as powers of ten, on a logarithmic axis."""
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))


def _legend_beside(ax: Axes) -> None:
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
