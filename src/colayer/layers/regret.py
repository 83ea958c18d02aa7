"""What deciding by predicted costs loses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.layers.many import solve_rows


def regret(predicted: Any, true: Any, layer: Callable[[Floats], Any], *, workers: int = 1) -> float:
    """Return Σ ⟨θ*, y(θ) − y(θ*)⟩ / Σ |⟨θ*, y(θ*)⟩| over the rows, as `pyepo.metric.regret` does.

    Parameters:
        predicted: θ, a row per sample; an array or a torch tensor.
        true: θ*, of the same shape.
        layer: What minimises ⟨θ, y⟩, from a vector to a vector.
        workers: Threads that solve the rows.
    """
    thetas, costs = (_rows(values, where) for values, where in ((predicted, "predicted"), (true, "true")))
    if thetas.shape != costs.shape:
        raise InputError(f"shape {thetas.shape}, expected that of true, {costs.shape}", where="predicted")
    found, best = (solve_rows(layer, rows, workers) for rows in (thetas, costs))
    return float((costs * (found - best)).sum() / np.abs((costs * best).sum(axis=1)).sum())


def _rows(values: Any, where: str) -> Floats:
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InputError("expected rows of finite numbers", where=where)
    return rows
