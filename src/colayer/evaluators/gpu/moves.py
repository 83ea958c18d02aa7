"""The slope of the smoothed cost of a sequence in the priority of each job, on a GPU; see `insertions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from colayer.evaluators.gpu.device import Device

_THREADS = 128


def slopes(device: Device, by_place: Sequence[Any], window: int, sigma: float, out: Any) -> None:
    """Fill `out`; all arrays are (sequences, n) float64 on the device, by place.

    `by_place` are the priorities as drawn, the job's own, r, p and the completion times.
    """
    rows, n = out.shape
    values = [*by_place, np.int64(rows), np.int32(n), np.int32(window), np.float64(sigma), out]
    device.launch("moves", "slopes", (-(-rows * n // _THREADS), 1), _THREADS, 0, values)
