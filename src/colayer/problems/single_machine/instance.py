"""Instances of 1 | r_j | Σ C_j: data, validation, generator, file format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.text import counted
from colayer.errors import InputError
from colayer.io.dates import checked_origin, clock_time, dates_or_numbers
from colayer.io.frames import HasFrame
from colayer.io.validate import named, names, numbers, refuse, table
from colayer.layers.sorting import sort
from colayer.problems.single_machine.kernels.schedule import srpt

#: ρ of the paper's generator, and the sizes of its experience and test sets (paper, section 5.3).
PAPER_RHO = (0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0)
PAPER_JOBS = (50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000)


@dataclass(frozen=True, eq=False, repr=False)
class Instance(HasFrame):
    """n jobs with release dates r_j ≥ 0 and processing times p_j > 0 (read-only float64 arrays).

    `names`, if given, are distinct; solutions are then written with them. With an `origin`, times are minutes since
    then, and tables of solutions hold dates.
    """

    release: Floats
    processing: Floats
    names: tuple[Any, ...] | None = None
    origin: datetime | None = None

    def __post_init__(self) -> None:
        for field in ("release", "processing"):
            object.__setattr__(self, field, table(getattr(self, field), field, (None,)))
        if len(self.release) != len(self.processing):
            raise InputError(
                f"{len(self.processing)} entries, expected {len(self.release)} as in release", where="processing"
            )
        refuse(self.release < 0, self.release, "release", "is negative, expected a number >= 0")
        refuse(self.processing <= 0, self.processing, "processing", "is not positive, expected a number > 0")
        with np.errstate(over="ignore"):
            finite = np.isfinite(self.release.max() + self.processing.sum())
        if not finite:
            raise InputError("the processing times sum to infinity, expected a finite sum", where="processing")
        object.__setattr__(self, "names", names(self.names, "names", len(self.release)))
        object.__setattr__(self, "origin", checked_origin(self.origin))

    def __reduce__(self) -> tuple[Any, ...]:
        # read-only again on the other side
        return Instance, (self.release, self.processing, self.names, self.origin)

    def __repr__(self) -> str:
        """Return one line: jobs, the work in them, when they are released."""
        first, last = float(self.release.min()), float(self.release.max())
        said = [f"{t:.6g}" if self.origin is None else clock_time(t, self.origin) for t in (first, last)]
        work = f"{float(self.processing.sum()):.6g}"
        return f"Instance(single-machine: {counted(self.jobs, 'job')}, {work} of work, released {' to '.join(said)})"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`: one row per job, with dates if times count from an `origin`."""
        return {
            "job": named(np.arange(self.jobs), self.names),
            "release": dates_or_numbers(self.release, self.origin),
            "processing": numbers(self.processing),
        }

    @property
    def jobs(self) -> int:
        """Return n."""
        return len(self.release)

    @cached_property
    def integral(self) -> bool:
        """Return whether all data are whole and all completion times exact in float64, so that sums have no order."""
        if not all(bool(np.all(values == np.floor(values))) for values in (self.release, self.processing)):
            return False
        return float(self.release.max() + self.processing.sum()) * self.jobs < 2.0**53

    @cached_property
    def arrays(self) -> tuple[Floats, Floats]:
        """Return writable copies of (release, processing); the kernels are compiled for writable arrays only."""
        return np.array(self.release), np.array(self.processing)

    @cached_property
    def preemptive(self) -> tuple[Ints, Floats, Floats]:
        """Return the preemptive optimum (SRPT): the jobs by release date, and the start and completion of each.

        `features` computes it too and stores it here.
        """
        r, p = self.arrays
        return sort(r), *srpt(r, p)[:2]

    def note_preemptive(self, by_release: Ints, start: Floats, completion: Floats) -> None:
        """Keep `preemptive` as the features found it, so that it needs no pass of its own."""
        self.__dict__.setdefault("preemptive", (by_release, start, completion))


def generate(seed: int | np.random.SeedSequence, jobs: int = 100, rho: float = 1.0) -> Instance:
    """Draw p_j uniform on 1..100 and r_j as the ceiling of a uniform on (0, 50.5·n·ρ) (paper, section 5.3)."""
    if jobs < 1:
        raise InputError(f"{jobs} is out of range, expected at least 1", where="jobs")
    if not (np.isfinite(rho) and rho >= 0):
        raise InputError(f"{rho} is out of range, expected a number >= 0", where="rho")
    rng = np.random.default_rng(seed)
    processing = rng.integers(1, 100, size=jobs, endpoint=True).astype(np.float64)
    release = np.ceil(rng.random(jobs) * (50.5 * jobs * rho))
    return Instance(release, processing)


def read(document: Mapping[str, Any]) -> Instance:
    """Return the instance of `{"release": [n], "processing": [n]}`, with `"names": [n]` and `"origin"` if there are."""
    return Instance(document["release"], document["processing"], document.get("names"), document.get("origin"))


def write(instance: Instance) -> dict[str, Any]:
    """Return the fields of the file format; whole numbers are written as integers."""
    named = {} if instance.names is None else {"names": list(instance.names)}
    dated = {} if instance.origin is None else {"origin": instance.origin.isoformat()}
    return {"release": numbers(instance.release), "processing": numbers(instance.processing), **named, **dated}


def content(instance: Instance) -> bytes:
    """Return release dates and processing times as bytes."""
    return instance.release.tobytes() + instance.processing.tobytes()
