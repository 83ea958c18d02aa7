"""The heat map of the size generalisation experiment."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from numpy.typing import NDArray

from colayer.display.charts import WIDE
from colayer.display.tables import significant
from colayer_paper.frame.figures import new_axes


def heat_map(rows: Sequence[str], sizes: Sequence[int], gaps: NDArray[np.float64], *, unit: str) -> Axes:
    """Gaps in percent written into the cells; colours are logarithmic where the gaps range widely."""
    ax = new_axes((2.4 + 0.7 * len(sizes), 1.3 + 0.34 * len(rows)))[0]
    ax.grid(visible=False)
    positive = gaps[gaps > 0]
    low, high = (float(positive.min()), float(positive.max())) if positive.size else (0.0, 1.0)
    wide = low > 0 and high / low >= WIDE
    # a hundredth of the largest is the palest: what lies below is as good as zero
    low = max(low, high / 100)
    norm = LogNorm(low, high) if wide else Normalize(0.0, high)
    shown = np.maximum(gaps, low) if wide else gaps
    colours = mpl.colormaps["YlGnBu"]
    ax.imshow(shown, aspect="auto", cmap=colours, norm=norm)
    for (i, j), gap in np.ndenumerate(gaps):
        red, green, blue, _ = colours(norm(shown[i, j]))
        ink = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
        ax.text(j, i, significant(float(gap), 2), ha="center", va="center", color=ink, fontsize=8)
    ax.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    ax.set_yticks(range(len(rows)), list(rows))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel=f"tested on ({unit})", ylabel="learned on", title="mean gap (%)")
    return ax
