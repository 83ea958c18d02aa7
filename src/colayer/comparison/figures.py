"""The figure of a race: the mean gap to the best known cost over time."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from colayer.comparison.contender import CP_SAT, CP_SAT_HINT, EXACT, HIGHS, PERTURBED
from colayer.comparison.race import Race
from colayer.display.charts import PALETTE, drawable, styled
from colayer.display.line_labels import Label, at_ends, beside, colours
from colayer.display.tables import duration

#: Gaps, in percent, that are drawn as zero where no smaller one tells how far down the axis should go.
_SMALL = 1e-3
_ANYTIME = (EXACT, HIGHS, CP_SAT, CP_SAT_HINT)


def cost_over_time(race: Race, ax: Axes | None = None) -> Axes:
    """A line for each contender that uses all the time, a mark for those that solve once, filled for learned ones.

    Colours say what a contender is, and its name stands beside its mark or at the end of its line.

    A line begins where the contender has a solution of every instance. The axis of time is logarithmic; that of the
    gap is, too, but for its lower end, which is zero: the best solution that any contender found.
    """
    ax = styled(ax, (7.6, 4.4))
    lines = {name: _line(race, name) for name in race.contenders}
    drawn = {name: line for name, line in lines.items() if line}
    shades = dict(zip(race.contenders, colours(race.kinds, len(race.contenders), PALETTE), strict=True))
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
        ylabel="mean gap to the best known cost (%)",
        title=f"{race.problem}: {len(race.rows)} instance{'s' * (len(race.rows) > 1)}, one core",
    )
    if drawn:
        ax.set_xlim(right=race.time_limit)
    at_ends(ax, ends)
    beside(ax, points, steps)
    return ax


def _line(race: Race, contender: str) -> list[tuple[float, float]]:
    """(seconds, mean gap in percent) wherever the mean gap changes, from when every instance has a solution."""
    times = sorted({when for found in race.of(contender) for when, _ in found.points})
    gaps = ((when, race.mean_gap(contender, when)) for when in times)
    return [(when, 100.0 * gap) for when, gap in gaps if gap is not None]


def _corners(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of the steps that are drawn for these points: across, then down."""
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
