"""`colayer explain --along`: the loss by the weight of one feature, in the terminal, as a document, as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from colayer._runtime.text import counted, percent, significant
from colayer.evaluators.along import LossAlong, middles
from colayer.models import Model
from colayer.problem.protocol import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from colayer.display.tables import Table

#: Heights of the line in the terminal, and its cells.
_HEIGHTS, _CELLS = "▁▂▃▄▅▆▇█", 60
#: The width of the moving average, relative to the reach of the line.
_WIDTH = 0.06
#: Of what a block is high: a half goes up, whatever rounding made of it.
_ROUNDING = 1e-9


def document_of(line: LossAlong, feature: str, model: Model) -> dict[str, Any]:
    """All of the line, and where its moving average is least; weights are in model units."""
    width = _WIDTH * line.high
    best = line.best(width)
    return {
        "feature": feature,
        "weight": float(model.weights[model.feature_names.index(feature)]),
        "exact": line.exact,
        "low": line.low,
        "high": line.high,
        "t": line.t.tolist(),
        "losses": line.losses.tolist(),
        "width": width,
        "best": {"t": best, "average": _average(line, best, width)},
    }


def parts_of(line: LossAlong, document: dict[str, Any], count: int) -> list[str | Table]:
    """The line as a row of blocks, and the losses at the weights that matter."""
    from colayer.display.tables import table

    weight, best, width = document["weight"], document["best"]["t"], document["width"]
    how = f"exact, {counted(len(line.t), 'step')}" if line.exact else f"at {len(line.losses)} weights"
    average = line.average(middles(line.low, line.high, _CELLS), (line.high - line.low) / _CELLS)
    low, high = float(average.min()), float(average.max())
    left, right = (significant(weight + t) for t in (line.low, line.high))
    lines = [
        f"Mean loss on {counted(count, 'instance')} by the weight of {document['feature']}, all others kept ({how}).",
        "",
        _blocks(average),
        f"{left}{right.rjust(_CELLS - len(left))}",
        f"{_HEIGHTS[0]} {significant(low, 5)}   {_HEIGHTS[-1]} {significant(high, 5)}",
        "",
    ]
    places = [("now", 0.0), ("least average", best)]
    if weight != 0.0 and line.low <= -weight <= line.high:
        places.insert(1, ("without the feature", -weight))
    now = _average(line, 0.0, width)
    rows = [
        (name, significant(weight + t), significant(float(line.at(t)), 5), significant(value, 5), percent(change))
        for name, t in places
        for value in (_average(line, t, width),)
        for change in ((value - now) / abs(now) if now else None,)
    ]
    headers = ("", "weight", "mean loss", f"average over {significant(width)}", "against now")
    return ["\n".join([*lines, ""]), table(headers, rows)]


def picture_of(line: LossAlong, document: dict[str, Any]) -> Axes:
    """The line with its moving average."""
    ax = line.plot(width=document["width"])
    ax.set(xlabel=f"change of the weight of {document['feature']}", title="The loss by one weight")
    return ax


def _average(line: LossAlong, t: float, width: float) -> float:
    """The moving average at t, or at the nearest place where its interval is inside the line."""
    inside = min(max(t, line.low + width / 2.0), line.high - width / 2.0)
    return float(line.average(np.array([inside]), width)[0])


def _blocks(values: Floats) -> str:
    """One block per value, from the lowest to the highest; all lowest where they are equal."""
    low, high = float(values.min()), float(values.max())
    span = high - low
    shares = [(value - low) / span if span > 0.0 else 0.0 for value in values.tolist()]
    return "".join(_HEIGHTS[math.floor(share * (len(_HEIGHTS) - 1) + 0.5 + _ROUNDING)] for share in shares)
