"""Figures: learning curves and gaps. Each draws on the axes it is given, or on a figure of its own, and returns them.

Nothing here touches pyplot or needs a display. A figure is reached from its axes, `ax.figure`, and written by `save`.
"""

from __future__ import annotations

import io
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, NullLocator

from colayer._runtime.arrays import Floats
from colayer._runtime.text import one_line, shortened
from colayer.comparison.contender import Kind
from colayer.comparison.table import Comparison, Summary, value
from colayer.display.line_labels import Label, at_ends, colours
from colayer.display.tables import percent, significant
from colayer.errors import InputError
from colayer.io.files import check_writable, write_atomic
from colayer.problem.abilities import Draws, need
from colayer.problem.answers import refused
from colayer.problem.faults import calling
from colayer.problem.protocol import Problem, X, Y, Z

if TYPE_CHECKING:
    from colayer.learning.run import Evaluation

#: Okabe and Ito's colours, told apart by colour-blind readers; yellow is left out, being faint on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: One more than there are colours: an eighth contender repeats a colour with another marker.
MARKERS = ("o", "s", "^", "D", "v", "p", "<", ">")
INK, FAINT, GRID = "#333333", "#9AA5B1", "#E3E6EA"

#: From this ratio of the largest to the smallest value on, an axis is logarithmic.
WIDE = 20.0

_SUFFIXES = (".png", ".svg", ".pdf")


def learning_curve(history: Sequence[Evaluation], ax: Axes | None = None) -> Axes:
    """Best training loss by evaluation, every loss tried as a faint dot, and the validation losses.

    The axis shows the range in which the best loss moves; losses above it are marked at the upper edge.
    """
    if not history:
        raise InputError("no evaluation to draw", where="history")
    ax = styled(ax)
    number = np.array([e.number for e in history], dtype=float)
    loss = np.array([e.loss for e in history], dtype=float)
    best = np.array([e.best for e in history], dtype=float)
    validation = np.array([math.nan if e.validation is None else e.validation for e in history], dtype=float)

    low, high = _window(loss, best, validation)
    style: dict[str, Any]
    inside = loss <= high
    ax.plot(number[inside], loss[inside], ".", ms=3.5, mew=0, color=FAINT, alpha=0.6, label="tried", zorder=1)
    if not inside.all():
        edge = np.full(int((~inside).sum()), high)
        style = {"ms": 3, "mew": 0, "color": FAINT, "alpha": 0.6, "clip_on": False, "zorder": 1}
        ax.plot(number[~inside], edge, "^", label="tried, above the axis", **style)
    dot = "." if len(number) == 1 else ""  # a line of one point is not seen
    ax.step(number, best, where="post", color=PALETTE[0], lw=1.8, marker=dot, label="best, training", zorder=3)
    known = np.isfinite(validation)
    if known.any():
        style = {"ms": 4.5, "mfc": "white", "mec": PALETTE[1], "mew": 1.3, "zorder": 4}
        ax.plot(number[known], validation[known], "D", label="best, validation", **style)
    ax.set_ylim(low, high)
    ax.margins(x=0.02)
    ax.set(xlabel="loss evaluation", ylabel="mean loss (cost / scale)", title="Learning by experience")
    style = {"frameon": False, "ncols": 2, "markerscale": 1.5}
    ax.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.17), **style)  # below: never over the data
    return ax


def gap_by(comparison: Comparison, key: str, ax: Axes | None = None) -> Axes:
    """Mean gap of every contender by a group key: a line each, or grouped bars where there are one or two groups."""
    rows, measure = comparison.by(key), comparison.measure
    groups = sorted({row.group[key] for row in rows})
    series = {name: _series(rows, name, measure) for name in comparison.contenders}
    return lines_by(key, groups, series, comparison.kinds, measure, ax)


def lines_by(
    key: str,
    groups: Sequence[float],
    series: Mapping[str, Floats],
    kinds: Sequence[Kind],
    measure: Literal["gap", "cost"] = "gap",
    ax: Axes | None = None,
) -> Axes:
    """The figure of `gap_by`, of values by contender and group (gaps in percent)."""
    ax = styled(ax, grid="y")
    shades = colours(kinds, len(series), PALETTE)
    ends: list[Label] = []
    if len(groups) > 2:
        for k, (name, y) in enumerate(series.items()):
            style: dict[str, Any] = {"color": shades[k], "marker": MARKERS[k % len(MARKERS)]}
            ax.plot(groups, y, lw=1.6, ms=4.5, mec="white", mew=0.6, label=drawable(name), **style)
            ends += [Label(g, float(v), drawable(name), shades[k]) for g, v in zip(groups, y, strict=True) if v == v][
                -1:
            ]
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
    _value_scale(ax, "y", np.concatenate(list(series.values())))
    ax.set(xlabel=key, ylabel=_label(measure), title=f"{'Gap' if measure == 'gap' else 'Cost'} by {key}")
    at_ends(ax, ends)
    return ax


def gap_bars(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Mean gap of every contender, the best on top, with a thin mark at its worst gap."""
    return dots(comparison.summary(), comparison.kinds, comparison.measure, ax)


def dots(
    summary: Sequence[Summary], kinds: Sequence[Kind], measure: Literal["gap", "cost"], ax: Axes | None = None
) -> Axes:
    """The figure of `gap_bars`: a dot a contender, since the length of a bar means nothing on a logarithmic axis."""
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
    _value_scale(ax, "x", factor * np.concatenate([means, worst]))
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


def signed_bars(labels: Sequence[str], values: Sequence[float], ax: Axes | None = None) -> Axes:
    """A bar a value, in the order given from the top, the value beside it; those below zero in another colour."""
    ax = styled(ax, size=(6.4, 1.2 + 0.28 * len(labels)), grid="x")
    places = np.arange(len(labels))
    ax.barh(places, values, 0.68, color=[PALETTE[0] if v >= 0 else PALETTE[1] for v in values])
    ax.axvline(0.0, color=FAINT, lw=0.8)
    sizes = np.abs(np.array(values))
    middle = float(np.median(sizes))
    if sizes.max() > WIDE * middle > 0:  # one bar would leave nothing to see of the others
        ax.set_xscale("symlog", linthresh=middle)
        decades = 10.0 ** np.arange(math.ceil(math.log10(middle)), math.floor(math.log10(sizes.max())) + 1)
        ax.set_xticks([t for t in (*-decades, 0.0, *decades) if min(values) <= t <= max(values)])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,g}"))
    for place, v in zip(places, values, strict=True):
        text = significant(v)
        ax.text(1.02, float(place), text, transform=ax.get_yaxis_transform(), va="center", fontsize=8, color=INK)
    ax.set_yticks(places, [drawable(label) for label in labels], fontsize=8)
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    return ax


def drawn(problem: Problem[X, Y, Z], solution: Z, instance: X) -> Axes | Figure:
    """The problem's own picture of a solution."""
    with calling(problem, "plot"):
        drawing = need(problem, Draws).plot(solution, instance)
    if not isinstance(drawing, Axes | Figure):
        raise refused(f"plot of {problem.name}", drawing, "matplotlib axes")
    return drawing


def save(drawing: Axes | Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, by the suffix: whole or not at all, the same bytes for the same figure."""
    target = Path(path)
    if target.suffix.lower() in _SUFFIXES:
        check_writable(target)  # before the work
    write_atomic(target, picture(drawing, target))


def picture(drawing: Axes | Figure, path: str | os.PathLike[str]) -> bytes:
    """What `save` writes to that path."""
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(f"no figure format {suffix!r}, expected {', '.join(_SUFFIXES)}", where=str(path))
    figure: Any = drawing.figure.figure if isinstance(drawing, Axes) else drawing  # the root, also from a subfigure
    for text in figure.findobj(Text):  # names are literal: a $ is no formula. Tick labels of ours are none either
        if r"\mathdefault" not in text.get_text():
            text.set_parse_math(False)
    content = io.BytesIO()
    metadata = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "colayer", "pdf.fonttype": 42}
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a box in its place will do
        figure.savefig(content, format=suffix[1:], dpi=200, metadata=metadata)
    return content.getvalue()


def drawable(name: str) -> str:
    """A name as it is drawn: on one line, and not so long that nothing else has room; `_` would hide it."""
    text = shortened(one_line(name), 40)
    return f" {text}" if text.startswith("_") else text


def styled(
    ax: Axes | None = None, size: tuple[float, float] = (6.4, 3.8), grid: Literal["x", "y", "both"] = "both"
) -> Axes:
    """The axes, or new ones in a figure of that size, with the lines and colours that all our figures have."""
    if ax is None:
        ax = Figure(figsize=size, layout="constrained").subplots()
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(color=FAINT, labelcolor=INK, labelsize=9)
    ax.grid(visible=True, axis=grid, color=GRID, lw=0.7)
    ax.set_axisbelow(True)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(INK)
    ax.title.set_fontsize(11)
    return ax


def _window(loss: Floats, best: Floats, validation: Floats) -> tuple[float, float]:
    """The range of the validation losses, and of the best ones once the first twentieth of the evaluations is over."""
    settled = np.concatenate([best[len(best) // 20 :], validation])
    settled = settled[np.isfinite(settled)]
    if not settled.size:
        return 0.0, 1.0
    low, high = float(settled.min()), float(settled.max())
    tried = loss[np.isfinite(loss)]
    if tried.size:  # room for half of the losses tried, as long as the best curve keeps a fifth of the height
        spread = max(high - low, 1e-3 * abs(high))
        high = max(high, min(float(np.median(tried)), low + 5 * spread))
    pad = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - pad, high + pad


def _series(rows: Sequence[Summary], name: str, measure: Literal["gap", "cost"]) -> Floats:
    values = [value(row, measure) for row in rows if row.contender == name]
    return (100.0 if measure == "gap" else 1.0) * np.array([math.nan if v is None else v for v in values])


def _value_scale(ax: Axes, axis: Literal["x", "y"], values: Floats) -> None:
    """From zero, or logarithmic where the values range widely (linear below the smallest where some are zero)."""
    finite = values[np.isfinite(values)]
    positive = finite[finite > 0]
    set_scale, set_limit = getattr(ax, f"set_{axis}scale"), getattr(ax, f"set_{axis}lim")
    spine = getattr(ax, f"{axis}axis")
    if positive.size and positive.max() / positive.min() >= WIDE:
        if positive.size < finite.size:
            set_scale("symlog", linthresh=float(positive.min()))
            set_limit(min(0.0, float(finite.min())), 1.6 * float(positive.max()))
        else:
            set_scale("log")
            set_limit(0.6 * float(positive.min()), 1.6 * float(positive.max()))
        spine.set_minor_locator(NullLocator())
    elif finite.size and finite.min() >= 0:
        set_limit(0, (1.08 * float(finite.max())) or 1.0)
    spine.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,g}"))


def _label(measure: Literal["gap", "cost"]) -> str:
    return "mean gap to the bound (%)" if measure == "gap" else "mean cost"
