"""The picture of the loss along a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from colayer.display.charts import PALETTE, styled

if TYPE_CHECKING:
    from colayer.evaluators.along import LossAlong

#: From so many steps on the steps themselves are a thin, pale line behind their average.
_MANY = 200


def draw_line(along: LossAlong, ax: Axes | None = None, width: float | None = None) -> Axes:
    """The loss by t, a step for every solution that changes; with `width`, its moving average; a mark at t = 0."""
    ax = styled(ax)
    edges, many = along.edges, len(along.t) > _MANY
    values = np.concatenate([along.losses, along.losses[-1:]])
    style: dict[str, Any] = {"lw": 0.6, "alpha": 0.55} if many and width is not None else {"lw": 1.2, "alpha": 1.0}
    ax.step(edges, values, where="post", color=PALETTE[0], label="exact" if along.exact else "on a grid", **style)
    if width is not None:
        ax.plot(*along.smoothed(width), color=PALETTE[1], lw=1.8, label=f"average over {width:.3g}")
        ax.legend(fontsize="small", frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    if along.low <= 0.0 <= along.high:
        ax.plot([0.0], [float(along.at(0.0))], "o", ms=5, color=PALETTE[6], zorder=4)
    ax.margins(x=0.0)
    ax.set(xlabel="t", ylabel="mean loss (cost / scale)", title="The loss along a line of weights")
    return ax
