"""Where the contenders of a race stand, by hand: gaps by time, and the difference to the best that is plain."""

from __future__ import annotations

from typing import Any

import pytest

from colayer.comparison.race import Race
from colayer.comparison.standings import paired, reference, standings, winner
from colayer.comparison.trajectory import Trajectory


def raced(kinds: tuple[Any, ...], *rows: tuple[float | None, ...]) -> Race:
    """Contenders a, b, … of these kinds: the cost of each on each instance, after 0.05 s; None: no solution."""
    found = tuple(
        tuple(Trajectory(() if cost is None else ((0.05, cost),), note="" if cost else "too large") for cost in row)
        for row in rows
    )
    count = len(rows)
    names = tuple("abcde"[: len(kinds)])
    return Race("pick", 10.0, 0, names, ({},) * count, found, (None,) * count, (1.0,) * count, kinds)


def test_the_reference_is_the_best_that_is_plain_and_solves_all() -> None:
    rows = ((5.0, 9.0, 8.0, 1.0), (50.0, 90.0, 80.0, None))
    assert reference(raced(("learned", "rule", "safe", "rule"), *rows)) == "c"
    assert reference(raced(("learned", "rule", "solver", "rule"), *rows)) == "b"
    assert reference(raced(("learned", "solver", "solver", "rule"), *rows)) is None


def test_differences_are_paired_with_the_costs_of_the_reference() -> None:
    found = raced(("learned", "rule", "solver"), (9.0, 10.0, 5.0), (19.0, 20.0, None), (27.0, 30.0, 5.0))
    a, b, c = standings(found)
    assert a.difference is not None
    assert (a.difference.to, a.difference.mean) == ("b", pytest.approx(-(0.1 + 0.05 + 0.1) / 3))
    assert a.difference.verdict == "better"
    assert (b.difference, c.difference) == (None, None)  # the reference itself; without a solution of the second
    assert (c.solved, c.wins, c.note, c.gaps[-1]) == (2, 2, "too large", None)
    assert (a.solved, a.wins, a.first, a.note) == (3, 1, pytest.approx(0.05), "")
    assert paired(found, "a", "c") is None
    back = paired(found, "b", "a")
    assert back is not None
    assert back.verdict == "worse"


def test_gaps_are_at_parts_of_the_time_limit() -> None:
    (alone,) = standings(raced(("rule",), (2.0,), (3.0,)))
    assert alone.gaps == (0.0, 0.0, 0.0)
    late = Race("pick", 10.0, 0, ("a",), ({},), ((Trajectory(((0.5, 2.0), (2.0, 1.0))),),), (None,), (1.0,), ("rule",))
    (row,) = standings(late)
    assert row.gaps == (None, 1.0, 0.0)


def test_the_winner_is_named_whoever_it_is() -> None:
    """Of equals, the first by its time and name; those without a solution of every instance do not count."""
    found = raced(("learned", "rule", "solver", "solver"), (9.0, 10.0, 8.0, 8.0), (19.0, 20.0, 18.0, 18.0))
    assert winner(standings(found), 10.0) == "The winner after 10 s is c, at a mean gap of 0 %, as good: d."
    alone = raced(("learned", "rule"), (9.0, None))
    assert winner(standings(alone), 0.5) == "The winner after 0.5 s is a, at a mean gap of 0 %."
    assert winner(standings(raced(("rule",), (None,))), 1.0) == "Nobody solved every instance in time."
