"""After how many solves learning has paid for itself.

Gaps are means over the instances that the pipeline solves. Let t be when the pipeline has solved them all, with mean
gap g, and T when the mean gap of the rival is g or less: T − t is the distance of the two in the figure of the race, at
the height of the pipeline. Learning, which took L seconds, has paid for itself after

    n* = ⌈L / (T − t)⌉ solves,

"at most" so many where the rival does not get there: then T is the time limit, and it would need longer than that, if
it ever got there. Learning pays only where it gains something that can be measured: the pipeline is better than the
rival, or there is no measurable difference of cost and it is faster, each by more than two standard errors of the
paired difference, and faster by a millisecond at least. Else the table says "no measurable gain".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colayer.comparison.paired import Difference, difference
from colayer.comparison.race import Race
from colayer.comparison.standings import paired
from colayer.comparison.trajectory import EQUAL

#: Seconds per solve below which two that do the same are not equally fast: what ran before them decides.
_CLOCK = 1e-3


@dataclass(frozen=True)
class Payback:
    """A comparison of a pipeline with one rival: the solves after which learning has paid off."""

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
    #: Of the costs at the end, pipeline against rival; None where the rival has no solution of an instance.
    difference: Difference | None
    #: The pipeline is measurably better, or measurably faster at equal quality.
    gains: bool

    @property
    def saved(self) -> float:
        """Return the seconds saved per solve."""
        return self.rival_seconds - self.seconds

    @property
    def solves(self) -> float | None:
        """Return n*: infinite where nothing is gained; None where it is not known what learning took."""
        if not self.gains or self.saved <= 0.0:
            return math.inf
        return None if self.learning is None else float(max(1, math.ceil(self.learning / self.saved)))

    @property
    def words(self) -> str:
        """Return n* for a table."""
        solves = self.solves
        if solves is None:
            return "unknown"
        return "no measurable gain" if math.isinf(solves) else f"{'≤ ' if self.bounded else ''}{solves:,.0f}"


def payback(race: Race, pipeline: str, rivals: Sequence[str], learning: float | None) -> list[Payback]:
    """Return a row per rival; none if the pipeline solved no instance in time."""
    race = race.only([i for i, found in enumerate(race.of(pipeline)) if found.points])
    level = race.mean_gap(pipeline, race.time_limit) if race.rows else None
    seconds = None if level is None else _time_to(race, pipeline, level)
    if level is None or seconds is None:
        return []
    rows = []
    for rival in rivals:
        when = _time_to(race, rival, level)
        costs = zip(race.of(pipeline), race.of(rival), strict=True)
        reached = sum(theirs.reaches(ours.points[-1][1]) is not None for ours, theirs in costs)
        against = paired(race, pipeline, rival)
        verdict = "better" if against is None else against.verdict
        gains = verdict == "better" or (verdict != "worse" and _faster(race, pipeline, rival))
        rival_seconds, bounded = (race.time_limit, True) if when is None else (when, False)
        rows.append(
            Payback(pipeline, rival, reached, len(race.rows), seconds, rival_seconds, bounded, learning, against, gains)
        )
    return rows


def _faster(race: Race, pipeline: str, rival: str) -> bool:
    """Tell whether the pipeline has its last solution measurably before the rival."""
    ours, theirs = ([found.points[-1][0] for found in race.of(name)] for name in (pipeline, rival))
    saved = (math.fsum(theirs) - math.fsum(ours)) / len(ours)
    return saved >= _CLOCK and difference(ours, theirs, rival).verdict == "better"


def _time_to(race: Race, contender: str, level: float) -> float | None:
    """Return when the contender's mean gap first is `level` or less; None if never."""
    enough = level + EQUAL * (1.0 + abs(level))
    return next((when for when, gap in race.mean_gaps(contender) if gap <= enough), None)
