"""The slope of the smoothed cost of a sequence in the priority of each job, on a GPU; see `insertions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from colayer.evaluators.gpu.device import Device

#: Places by which a job is moved at most.
WINDOW = 16
_THREADS = 128


def slopes(device: Device, by_place: Sequence[Any], window: int, width: float, temperature: float, out: Any) -> None:
    """Fill `out`; all arrays are (sequences, n) float64 on the device, by place.

    `by_place` are the priorities as drawn, the job's own, r, p and the completion times. A temperature of 0 is none.
    """
    assert window <= WINDOW
    rows, n = out.shape
    values = [*by_place, np.int64(rows), np.int32(n), np.int32(window), np.float64(width), np.float64(temperature), out]
    device.launch("moves", "slopes", (-(-rows * n // _THREADS), 1), _THREADS, 0, values)
