"""Figures of comparisons: gaps of contenders, and the mean gap of a race over time.

What is learned is blue, what needs no learning (rules, safe weights) is orange to brown, what searches is green.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import cycle, pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from colayer._runtime.arrays import Floats
from colayer._runtime.text import duration, percent, significant
from colayer.comparison.contender import CP_SAT, CP_SAT_HINT, EXACT, HIGHS, PERTURBED, Kind
from colayer.comparison.race import Race
from colayer.comparison.table import Comparison, Measure, Summary, value
from colayer.display.charts import FAINT, INK, MARKERS, PALETTE, WIDE, drawable, styled, value_scale
from colayer.display.line_labels import Label, at_ends, beside

#: Shades of each kind of contender; who has no kind takes the colours of all in turn.
SHADES: dict[str, tuple[str, ...]] = {
    "learned": ("#0072B2", "#56B4E9", "#00436B", "#3D8FBF"),
    "safe": ("#8C4A00", "#B8722C"),
    "rule": ("#D55E00", "#E69F00", "#A33B00", "#C9826B"),
    "solver": ("#009E73", "#5B6470", "#56A98A", "#2F5D50"),
}
#: Gaps, in percent, that are drawn as zero where no smaller one tells how far down the axis should go.
_SMALL = 1e-3
_BEST = "mean gap to the best known cost (%)"
_ANYTIME = (EXACT, HIGHS, CP_SAT, CP_SAT_HINT)


def gap_by(comparison: Comparison, key: str, ax: Axes | None = None) -> Axes:
    """Draw the mean gap of every contender by a group key: a line each, or grouped bars of one or two groups."""
    rows, measure = comparison.by(key), comparison.measure
    groups = sorted({row.group[key] for row in rows})
    series = {name: _series(rows, name, measure) for name in comparison.contenders}
    drawn = lines_by(key, groups, series, comparison.kinds, measure, ax)
    if comparison.to_best:
        drawn.set_ylabel(_BEST)
    return drawn


def lines_by(
    key: str,
    groups: Sequence[float],
    series: Mapping[str, Floats],
    kinds: Sequence[Kind],
    measure: Measure = "gap",
    ax: Axes | None = None,
) -> Axes:
    """Draw the figure of `gap_by`, of values by contender and group (gaps in percent)."""
    ax = styled(ax, grid="y")
    shades = colours(kinds, len(series))
    ends: list[Label] = []
    if len(groups) > 2:
        for k, (name, y) in enumerate(series.items()):
            style: dict[str, Any] = {"color": shades[k], "marker": MARKERS[k % len(MARKERS)]}
            ax.plot(groups, y, lw=1.6, ms=4.5, mec="white", mew=0.6, label=drawable(name), **style)
            points = [(g, float(v)) for g, v in zip(groups, y, strict=True) if v == v]
            ends += [Label(*last, drawable(name), shades[k]) for last in points[-1:]]
        if groups[0] > 0 and groups[-1] / groups[0] >= WIDE:
            ax.set_xscale("log")
        ax.set_xticks(groups, [f"{g:g}" for g in groups])
        ax.xaxis.set_minor_locator(NullLocator())
        if len(groups) > 8:
            ax.tick_params(axis="x", labelrotation=45)
    else:
        width = 0.8 / len(series)
        for k, (name, y) in enumerate(series.items()):
            at = np.arange(len(groups)) + (k - (len(series) - 1) / 2) * width
            ax.bar(at, y, 0.92 * width, color=shades[k], label=drawable(name))
        ax.set_xticks(range(len(groups)), [f"{g:g}" for g in groups])
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    value_scale(ax, "y", np.concatenate(list(series.values())))
    ax.set(xlabel=key, ylabel=_label(measure), title=f"{'Gap' if measure == 'gap' else 'Cost'} by {key}")
    at_ends(ax, ends)
    return ax


def gap_bars(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the mean gap of every contender, the best on top, with a thin mark at its worst gap."""
    drawn = dots(comparison.summary(), comparison.kinds, comparison.measure, ax)
    if comparison.to_best:
        drawn.set_xlabel(_BEST.replace("mean gap", "gap") + ": mean ●, worst |")
    return drawn


def dots(summary: Sequence[Summary], kinds: Sequence[Kind], measure: Measure, ax: Axes | None = None) -> Axes:
    """Draw the figure of `gap_bars` with dots, since bar lengths mean nothing on a logarithmic axis."""
    shades = colours(kinds, len(summary), PALETTE[:1])
    rows = sorted(zip(summary, shades, strict=True), key=lambda each: value(each[0], measure) or 0.0)
    means = np.array([value(row, measure) for row, _ in rows], dtype=float)
    worst = np.array([row.worst_gap for row, _ in rows if row.worst_gap is not None], dtype=float)
    factor = 100.0 if measure == "gap" else 1.0
    ax = styled(ax, size=(6.4, 1.2 + 0.34 * len(rows)), grid="x")
    places = np.arange(len(rows))
    ax.scatter(factor * means, places, 42, [shade for _, shade in rows], zorder=3)
    if measure == "gap":
        ax.hlines(places, factor * means, factor * worst, [shade for _, shade in rows], lw=1.2, alpha=0.5)
        ax.plot(factor * worst, places, "|", ms=9, mew=1.4, color=FAINT)
    value_scale(ax, "x", factor * np.concatenate([means, worst]))
    for place, (row, shade) in zip(places, rows, strict=True):
        text = "mean " + (percent(row.mean_gap) if measure == "gap" else significant(row.mean_cost, 4))
        # beside the axes, where no mark of a worst gap can run through it
        ax.text(1.02, float(place), text, transform=ax.get_yaxis_transform(), va="center", fontsize=8.5, color=shade)
    ax.set_yticks(places, [drawable(row.contender) for row, _ in rows])
    for tick, (_, shade) in zip(ax.get_yticklabels(), rows, strict=True):
        tick.set_color(shade)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set(xlabel=_label(measure).replace("mean gap", "gap") + (": mean ●, worst |" if measure == "gap" else ""))
    ax.set_title("Gap" if measure == "gap" else "Cost", loc="left", color=INK, fontsize=11)
    return ax


def cost_over_time(race: Race, ax: Axes | None = None) -> Axes:
    """Draw a line for each contender that uses all the time, a mark for one that solves once, filled if learned.

    Colours say what a contender is, and its name stands beside its mark or at the end of its line.

    A line begins where the contender has a solution of every instance. The axis of time is logarithmic; that of the
    gap is, too, but for its lower end, which is zero: the best solution that any contender found.
    """
    ax = styled(ax, (7.6, 4.4))
    lines = {name: [(when, 100.0 * gap) for when, gap in race.mean_gaps(name)] for name in race.contenders}
    drawn = {name: line for name, line in lines.items() if line}
    shades = dict(zip(race.contenders, colours(race.kinds, len(race.contenders)), strict=True))
    learned = {name for name, kind in zip(race.contenders, race.kinds, strict=True) if kind == "learned"}
    ends, points, steps = [], [], []
    for name, line in drawn.items():
        when, gaps = zip(*line, strict=True)
        colour, label = shades[name], drawable(name)
        if name in _ANYTIME or name.endswith(PERTURBED):
            ax.step([*when, race.time_limit], [*gaps, gaps[-1]], where="post", color=colour, lw=1.7, label=label)
            ax.plot(when[:1], gaps[:1], ".", ms=7, color=colour, clip_on=False)
            ends.append(Label(race.time_limit, gaps[-1], label, colour))
            steps.append(_corners([*line, (race.time_limit, gaps[-1])]))
        else:
            style: dict[str, Any] = {"color": colour, "mew": 1.2, "ls": "none", "clip_on": False, "zorder": 3}
            ax.plot(when[-1:], gaps[-1:], "o", ms=5.5, mfc=colour if name in learned else "white", label=label, **style)
            points.append(Label(when[-1], gaps[-1], label, colour))
    _scales(ax, [gap for line in drawn.values() for _, gap in line])
    ax.set(
        xlabel="wall-clock time",
        ylabel=_BEST,
        title=f"{race.problem}: {len(race.rows)} instance{'s' * (len(race.rows) > 1)}, one core",
    )
    if drawn:
        ax.set_xlim(right=race.time_limit)
    at_ends(ax, ends)
    beside(ax, points, steps)
    return ax


def _corners(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of the steps drawn for these points: across, then down."""
    return [line[0], *(corner for (_, y), (x, below) in pairwise(line) for corner in ((x, y), (x, below)))]


def _scales(ax: Axes, gaps: list[float]) -> None:
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds, 1)))
    ax.xaxis.set_minor_locator(NullLocator())
    least = min((gap for gap in gaps if gap > _SMALL), default=_SMALL)
    lowest = 10.0 ** math.floor(math.log10(least))
    ax.set_yscale("symlog", linthresh=lowest, linscale=0.5)
    ax.set_ylim(0.0, 2.0 * max([*gaps, lowest]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda gap, _: f"{gap:g}"))
    ax.yaxis.set_minor_locator(NullLocator())


def colours(kinds: Sequence[Kind], count: int, palette: Sequence[str] = PALETTE) -> list[str]:
    """Return a colour for each of `count` contenders: a shade of its kind; without kinds, the palette in turn."""
    if len(kinds) != count:
        return [palette[k % len(palette)] for k in range(count)]
    shades = {kind: cycle(SHADES[kind]) for kind in set(kinds)}
    return [next(shades[kind]) for kind in kinds]


def _series(rows: Sequence[Summary], name: str, measure: Measure) -> Floats:
    values = [value(row, measure) for row in rows if row.contender == name]
    return (100.0 if measure == "gap" else 1.0) * np.array([math.nan if v is None else v for v in values])


def _label(measure: Measure) -> str:
    return "mean gap to the bound (%)" if measure == "gap" else "mean cost"
