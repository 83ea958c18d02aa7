"""The devices that tests without a GPU run on: plain Python always, and the kernels themselves where g++ is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.gpu.emulated import COMPILER, Emulated, HostArrays
from support.gpu.reference import Reference

DEVICES: dict[str, Callable[[Path], HostArrays]] = {"reference": lambda _: Reference()}
if COMPILER is not None:
    DEVICES["emulated"] = Emulated
