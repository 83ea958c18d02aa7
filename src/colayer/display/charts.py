"""The style of all figures, bars, pictures of solutions, and how figures are written.

A function that draws takes axes, or makes a figure of its own, and returns the axes. Nothing here touches pyplot or
needs a display. A figure is reached from its axes, `ax.figure`, and written by `save`.
"""

from __future__ import annotations

import io
import math
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, NullLocator

from colayer._runtime.arrays import Floats
from colayer._runtime.text import one_line, shortened, significant
from colayer.errors import InputError
from colayer.io.files import check_writable, write_atomic
from colayer.problem.bind import bind
from colayer.problem.guard import refused
from colayer.problem.protocol import Problem, X, Y, Z

#: Okabe and Ito's colours, told apart by colour-blind readers; yellow is left out, being faint on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: One more than there are colours: an eighth contender repeats a colour with another marker.
MARKERS = ("o", "s", "^", "D", "v", "p", "<", ">")
INK, FAINT, GRID = "#333333", "#9AA5B1", "#E3E6EA"

#: From this ratio of the largest to the smallest value on, an axis is logarithmic.
WIDE = 20.0

_SUFFIXES = (".png", ".svg", ".pdf")


def signed_bars(labels: Sequence[str], values: Sequence[float], ax: Axes | None = None) -> Axes:
    """Draw a bar for each value, from the top in the given order; negative ones in another colour."""
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
    """Return the problem's own picture of a solution."""
    drawing = bind(problem).need("plot")(solution, instance)
    if not isinstance(drawing, Axes | Figure):
        raise refused(f"plot of {problem.name}", drawing, "matplotlib axes")
    return drawing


def save(drawing: Axes | Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, by the suffix: atomically, with the same bytes for the same figure."""
    target = Path(path)
    if target.suffix.lower() in _SUFFIXES:
        check_writable(target)  # before the work
    write_atomic(target, picture(drawing, target))


def picture(drawing: Axes | Figure, path: str | os.PathLike[str]) -> bytes:
    """Return the bytes that `save` writes to that path."""
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
    """Return a name for drawing: on one line, shortened, without a leading `_`, which would hide it."""
    text = shortened(one_line(name), 40)
    return f" {text}" if text.startswith("_") else text


def styled(
    ax: Axes | None = None, size: tuple[float, float] = (6.4, 3.8), grid: Literal["x", "y", "both"] = "both"
) -> Axes:
    """Return the axes, or new ones in a figure of that size, in the style of all our figures."""
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


def value_scale(ax: Axes, axis: Literal["x", "y"], values: Floats) -> None:
    """Start the axis at zero, or make it logarithmic for a wide range (linear near zero if some are 0)."""
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
