"""After how many solves learning has paid for itself.

Gaps are means over the instances that the pipeline solves. Let t be when the pipeline has solved them all, with mean
gap g, and T when the mean gap of the rival is g or less: T − t is the distance of the two in the figure of the race, at
the height of the pipeline. Learning, which took L seconds, has paid for itself after

    n* = ⌈L / (T − t)⌉ solves,

"at most" so many where the rival does not get there: then T is the time limit, and it would need longer than that, if
it ever got there. It never has where T ≤ t: then the rival is as good in as little time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colayer.comparison.race import Race
from colayer.comparison.trajectory import EQUAL


@dataclass(frozen=True)
class Payback:
    """A pipeline against one rival."""

    pipeline: str
    rival: str
    #: Instances on which the rival ends no worse than the pipeline, of those the pipeline solves.
    reached: int
    instances: int
    #: t and T; T is the time limit where `bounded`.
    seconds: float
    rival_seconds: float
    #: The rival does not get to the mean gap of the pipeline: `saved` is a lower bound, `solves` an upper one.
    bounded: bool
    #: What learning took, in seconds; None where that is not known.
    learning: float | None

    @property
    def saved(self) -> float:
        """Seconds saved a solve."""
        return self.rival_seconds - self.seconds

    @property
    def solves(self) -> float | None:
        """n*: infinite where nothing is saved; None where it is not known what learning took."""
        if self.saved <= 0.0:
            return math.inf
        return None if self.learning is None else float(max(1, math.ceil(self.learning / self.saved)))

    @property
    def words(self) -> str:
        """n* for a table."""
        solves = self.solves
        if solves is None:
            return "unknown"
        return "never" if math.isinf(solves) else f"{'≤ ' if self.bounded else ''}{solves:,.0f}"


def payback(race: Race, pipeline: str, rivals: Sequence[str], learning: float | None) -> list[Payback]:
    """A row per rival; none where the pipeline had no solution in time on any instance."""
    race = race.only([i for i, found in enumerate(race.of(pipeline)) if found.points])
    level = race.mean_gap(pipeline, race.time_limit) if race.rows else None
    seconds = None if level is None else _time_to(race, pipeline, level)
    if level is None or seconds is None:
        return []
    rows = []
    for rival in rivals:
        when = _time_to(race, rival, level)
        costs = zip(race.of(pipeline), race.of(rival), strict=True)
        rows.append(
            Payback(
                pipeline=pipeline,
                rival=rival,
                reached=sum(theirs.reaches(ours.points[-1][1]) is not None for ours, theirs in costs),
                instances=len(race.rows),
                seconds=seconds,
                rival_seconds=race.time_limit if when is None else when,
                bounded=when is None,
                learning=learning,
            )
        )
    return rows


def _time_to(race: Race, contender: str, level: float) -> float | None:
    """When the mean gap of the contender is `level` or less; None where it never is."""
    for when in sorted({when for found in race.of(contender) for when, _ in found.points}):
        gap = race.mean_gap(contender, when)
        if gap is not None and gap <= level + EQUAL * (1.0 + abs(level)):
            return when
    return None
