"""The learning curve: losses by evaluation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.display.charts import FAINT, PALETTE, styled
from colayer.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.learning.run import Evaluation


def kept_evaluation(history: Sequence[Evaluation], weights: Sequence[float] | Floats) -> tuple[int, float] | None:
    """Return what was spent when `weights` (model units) were evaluated, and their loss; None if they were not."""
    spent = 0
    for evaluation in history:
        spent += evaluation.cost
        if evaluation.weights is not None and np.array_equal(evaluation.weights, weights):
            return spent, evaluation.loss
    return None


def learning_curve(
    history: Sequence[Evaluation], ax: Axes | None = None, kept: Sequence[float] | Floats | None = None
) -> Axes:
    """Draw the best training loss by evaluation, every loss tried as a faint dot, and the validation losses.

    Where `kept`, the weights that were learned, are among those evaluated, a star marks them.
    The axis shows the range in which the best loss moves; losses above it are marked at the upper edge.
    """
    if not history:
        raise InputError("no evaluation to draw", where="history")
    ax = styled(ax)
    number = np.cumsum([e.cost for e in history], dtype=float)  # of what the budget counts
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
    chosen = None if kept is None else kept_evaluation(history, kept)
    if chosen is not None and chosen[1] <= high:
        ax.plot(*chosen, "*", ms=11, color=PALETTE[0], mec="white", mew=0.8, label="kept", zorder=5)
    ax.set_ylim(low, high)
    ax.margins(x=0.02)
    ax.set(xlabel="loss evaluation", ylabel="mean loss (cost / scale)", title="Learning by experience")
    style = {"frameon": False, "ncols": 2, "markerscale": 1.5}
    ax.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.17), **style)  # below: never over the data
    return ax


def _window(loss: Floats, best: Floats, validation: Floats) -> tuple[float, float]:
    """Return the range of the validation losses, and of the best ones after the first twentieth of the evaluations."""
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
