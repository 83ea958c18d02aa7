"""Where each contender of a race stands: gaps by time, and the paired difference to the best plain rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colayer.comparison.paired import Difference, difference
from colayer.comparison.race import Race
from colayer.display.tables import percent

#: The parts of the time limit at which tables compare costs.
SHARES = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class Standing:
    """One contender over all instances. Gaps are means over the instances, to the best cost any contender found."""

    contender: str
    #: Instances with a solution in time, with the best one, and with a proof.
    solved: int
    wins: int
    proved: int
    #: Mean seconds to the first solution, over the instances with one.
    first: float | None
    #: Mean gap at each of `SHARES` of the time limit; None where an instance has no solution by then.
    gaps: tuple[float | None, ...]
    #: At the end, to the reference; None of the reference itself, and where an instance has no solution.
    difference: Difference | None
    #: Why there is less than there could be, as it was last said.
    note: str


def reference(race: Race) -> str | None:
    """The safe weights or the plain rule of least mean gap at the end; None where none solved every instance."""
    plain = [name for name, kind in zip(race.contenders, race.kinds, strict=True) if kind in ("safe", "rule")]
    gaps = {name: gap for name in plain if (gap := race.mean_gap(name, race.time_limit)) is not None}
    return min(gaps, key=lambda name: gaps[name]) if gaps else None


def standings(race: Race) -> list[Standing]:
    """One row per contender, in the order of the contenders."""
    to = reference(race)
    return [_standing(race, name, to) for name in race.contenders]


def winner(rows: Sequence[Standing], time_limit: float) -> str:
    """Who has the least mean gap in the end, whoever it is; of equals, the quickest to its first solution first."""
    known = [(row.gaps[-1], row.first or 0.0, row.contender) for row in rows if row.gaps[-1] is not None]
    if not known:
        return "Nobody solved every instance in time."
    least = min(gap for gap, _, _ in known)
    names = [name for gap, _, name in sorted(known) if gap == least]
    more = f", as good: {', '.join(names[1:])}" if len(names) > 1 else ""
    return f"The winner after {time_limit:g} s is {names[0]}, at a mean gap of {percent(least)}{more}."


def paired(race: Race, name: str, to: str) -> Difference | None:
    """The difference of the costs at the end; None where one of the two has no solution of an instance."""
    costs, known = ([found.cost for found in race.of(contender)] for contender in (name, to))
    pairs = [(a, b) for a, b in zip(costs, known, strict=True) if a is not None and b is not None]
    if len(pairs) < len(costs):
        return None
    return difference([a for a, _ in pairs], [b for _, b in pairs], to)


def _standing(race: Race, name: str, to: str | None) -> Standing:
    found = race.of(name)
    firsts = [t.first for t in found if t.first is not None]
    wins = sum(best is not None and t.reaches(best) is not None for t, best in zip(found, race.best, strict=True))
    return Standing(
        contender=name,
        solved=len(firsts),
        wins=wins,
        proved=sum(t.proved for t in found),
        first=math.fsum(firsts) / len(firsts) if firsts else None,
        gaps=tuple(race.mean_gap(name, share * race.time_limit) for share in SHARES),
        difference=None if to is None or to == name else paired(race, name, to),
        note=next((t.note for t in reversed(found) if t.note), ""),
    )
