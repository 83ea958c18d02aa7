"""What the speed benchmarks share: the best of several times, and the machine they ran on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable


def best_of(work: Callable[[], object], rounds: int = 5) -> float:
    """Seconds of the fastest of several rounds: what is left when others on the machine are quiet."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def machine() -> str:
    """What results name as the machine."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
