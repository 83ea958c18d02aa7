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
    """One contender over all instances; gaps are means to the best cost any contender found."""

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
    """Return the safe weights or plain rule of least mean gap at the end; None if none solved all."""
    gaps = {name: gap for name in race.plain if (gap := race.mean_gap(name, race.time_limit)) is not None}
    return min(gaps, key=gaps.__getitem__, default=None)


def standings(race: Race) -> list[Standing]:
    """Return one row per contender, in the order of the contenders."""
    to = reference(race)
    return [_standing(race, name, to) for name in race.contenders]


def winner(rows: Sequence[Standing], time_limit: float) -> str:
    """Name the contender of least final mean gap in a sentence; among equals, the first to have a solution."""
    finished = [(row.gaps[-1], row.first or 0.0, row.contender) for row in rows if row.gaps[-1] is not None]
    if not finished:
        return "Nobody solved every instance in time."
    least = min(gap for gap, _, _ in finished)
    names = [name for gap, _, name in sorted(finished) if gap == least]
    more = f", as good: {', '.join(names[1:])}" if len(names) > 1 else ""
    return f"The winner after {time_limit:g} s is {names[0]}, at a mean gap of {percent(least)}{more}."


def paired(race: Race, name: str, to: str) -> Difference | None:
    """Return the difference of the final costs; None if one of the two misses a solution."""
    costs, reference_costs = ([t.cost for t in race.of(contender) if t.cost is not None] for contender in (name, to))
    return difference(costs, reference_costs, to) if len(costs) == len(reference_costs) == len(race.rows) else None


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
