"""What the benchmarks share: fair repetitions, wall and CPU time, and whether the process had its core to itself.

All peers have the same number of rounds and take turns, so that a busy moment of the machine hits all of them. Results
are written only where the process had at least 90 % of a core, or by force, and then they say so.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
#: The least share of its core, CPU time over wall time, with which what was measured counts.
LEAST_SHARE = 0.9
#: Wall seconds of the busy loop that measures the share.
_BUSY = 0.5


@dataclass(frozen=True)
class Time:
    """Seconds of the fastest of several rounds: what is left when others on the machine are quiet."""

    wall: float
    cpu: float
    rounds: int

    def __truediv__(self, parts: float) -> Time:
        """The time of one of several parts."""
        return Time(self.wall / parts, self.cpu / parts, self.rounds)


class Bench:
    """One run of a benchmark: its measurements, the share of a core that it had, and the file of its results."""

    def __init__(self, name: str, force: bool = False) -> None:
        self.results = RESULTS / f"{name}.json"
        self.force = force
        self._least = core_share()
        self._wall = self._cpu = 0.0

    def in_turns(
        self, works: Mapping[str, Callable[[], object]], rounds: int = 5, *, alone: bool = True
    ) -> dict[str, Time]:
        """The time of each work, best of `rounds` for every one.

        Where all run in this process, on one thread (`alone`), their own CPU and wall times tell the share as well.
        """
        best = dict.fromkeys(works, (math.inf, math.inf))
        for _ in range(rounds):
            for name, work in works.items():
                cpu, wall = time.process_time(), time.perf_counter()
                work()
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                best[name] = min(best[name][0], wall), min(best[name][1], cpu)
                if alone:
                    self._wall += wall
                    self._cpu += cpu
        return {name: Time(wall, cpu, rounds) for name, (wall, cpu) in best.items()}

    def best_of(self, work: Callable[[], object], rounds: int = 5, *, alone: bool = True) -> Time:
        """The time of one work; peers go through `in_turns`."""
        return self.in_turns({"": work}, rounds, alone=alone)[""]

    def add_share(self, *shares: float) -> None:
        """Shares that other processes of the benchmark had: the least counts."""
        self._least = min(self._least, *shares)

    def share(self) -> float:
        """The least of the shares of a core before, during and after the measurements."""
        during = self._cpu / self._wall if self._wall > 0.0 else 1.0
        return min(self._least, during, core_share())

    def write(self, document: Mapping[str, Any]) -> None:
        """Write the results with machine and share, or end with a message where others had too much of the core."""
        import msgspec

        about = settled(self.share(), self.force)
        whole = {**document, "machine": machine(), **about}
        self.results.parent.mkdir(parents=True, exist_ok=True)
        self.results.write_bytes(msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")


def write_results(name: str, document: Mapping[str, Any]) -> None:
    """Results that no quiet core is needed for: the command as it was given, version and machine, then the document."""
    import msgspec

    from colayer import __version__

    command = shlex.join(["python", f"benchmarks/{name}.py", *sys.argv[1:]])
    whole = {"command": command, "colayer": __version__, "machine": machine(), **document}
    (RESULTS / f"{name}.json").write_bytes(msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")


def settled(share: float, force: bool) -> dict[str, Any]:
    """What results say of the share of the core; a share that is too small ends the program, unless forced."""
    share = min(1.0, share)
    if share >= LEAST_SHARE:
        return {"core_share": share}
    said = f"the process had {share:.0%} of its core, and results need {LEAST_SHARE:.0%}"
    if not force:
        raise SystemExit(f"not written: {said}; run it again on a quiet machine, or with --force")
    return {"core_share": share, "forced": said}


def core_share(seconds: float = _BUSY) -> float:
    """CPU time over wall time of a busy loop: 1 on a quiet machine."""
    cpu, begin = time.process_time(), time.perf_counter()
    while (wall := time.perf_counter() - begin) < seconds:
        pass
    return (time.process_time() - cpu) / wall


def add_force(parser: argparse.ArgumentParser) -> None:
    """The option to write results of a machine that was not quiet."""
    parser.add_argument("--force", action="store_true", help="write the results of a busy machine too; they say so")


def machine() -> str:
    """What results name as the machine."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
