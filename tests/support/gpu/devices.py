"""The devices that tests without a GPU run on: plain Python always, and the kernels themselves where g++ is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from colayer.evaluators.gpu import on_device
from colayer.problem.bind import bind
from support.gpu.emulated import COMPILER, Emulated, HostArrays
from support.gpu.reference import Reference

DEVICES: dict[str, Callable[[Path], HostArrays]] = {"reference": lambda _: Reference()}
if COMPILER is not None:
    DEVICES["emulated"] = Emulated


def same_bits(problem: Any, data: list[Any], weights: np.ndarray, device: HostArrays, *, alone: int) -> None:
    """The losses on the device are those of the processor, for all weight vectors and for one `alone`."""
    expected = problem.evaluator(data, workers=1).losses(weights)
    gpu = on_device(bind(problem), data, device)
    assert np.array_equal(gpu.losses(weights), expected)
    assert np.array_equal(gpu.losses(weights[alone : alone + 1]), expected[alone : alone + 1])
    if isinstance(device, Emulated):  # threads in the other order
        device.backwards = True
        assert np.array_equal(gpu.losses(weights), expected)
        device.backwards = False
    gpu.close()
