"""When learning has paid for itself: the arithmetic, by hand, and only where something is gained."""

from __future__ import annotations

import math

import pytest

from colayer.comparison.contender import Kind
from colayer.comparison.payback import Payback, payback
from colayer.comparison.race import Race
from colayer.comparison.trajectory import Trajectory

NOTHING = "no measurable gain"


def race(*rows: tuple[Trajectory, Trajectory], times: int = 10) -> Race:
    """Every row so many times: what is seen on one instance alone says nothing."""
    kinds: tuple[Kind, ...] = ("learned", "rule")
    count, names = times * len(rows), ("learned", "rival")
    return Race("toy", 10.0, 0, names, ({},) * count, rows * times, (None,) * count, (1.0,) * count, kinds)


def at(*points: tuple[float, float]) -> Trajectory:
    return Trajectory(points)


def only(found: Race, learning: float | None) -> Payback:
    (row,) = payback(found, "learned", ["rival"], learning)
    return row


def test_by_hand() -> None:
    """Both instances are solved after 3 s, with a mean gap of 10 % (20 % and 0 %) to the best costs, 50 and 8.

    The rival: 60 % and 25 % after 2 s, 0 % and 25 % after 4 s, 0 % and 12.5 % after 7 s. So 4 s are saved a solve, and
    22 s of learning paid after 6: the costs of the two cannot be told apart, and the pipeline is faster on both.
    """
    row = only(
        race((at((1.0, 60.0)), at((2.0, 80.0), (4.0, 50.0))), (at((3.0, 8.0)), at((2.0, 10.0), (7.0, 9.0)))), 22.0
    )
    assert (row.reached, row.instances, row.seconds, row.rival_seconds) == (10, 20, 3.0, 7.0)
    assert (row.saved, row.solves, row.bounded, row.words) == (4.0, 6.0, False, "6")
    assert row.difference is not None
    assert row.difference.verdict == "no measurable difference"
    assert row.difference.mean == pytest.approx((60 / 50 + 8 / 9) / 2 - 1)


def test_a_rule_of_equal_quality_that_is_faster_is_not_paid_for() -> None:
    """It ends 1 % worse on one half and 1 % better on the other; at 0.07 ms nobody should learn for that."""
    halves = (at((0.01, 100.0)), at((0.00007, 101.0))), (at((0.01, 101.0)), at((0.00007, 100.0)))
    row = only(race(*halves, (at((0.01, 100.0)), at((0.00007, 100.0001)))), 5.0)
    assert row.saved > 0  # its mean gap is a hair above that of the pipeline, which it never reaches
    assert (row.gains, row.solves, row.words) == (False, math.inf, NOTHING)


def test_a_rule_that_is_better_on_the_whole_is_not_outdone_by_one_instance() -> None:
    """It loses on the second instance by 1 % and wins on the first by 10 %: nobody should learn for that."""
    row = only(race((at((0.2, 110.0)), at((0.1, 100.0))), (at((0.2, 100.0)), at((0.1, 101.0)))), 5.0)
    assert (row.reached, row.words) == (10, NOTHING)


def test_what_is_seen_on_one_instance_is_no_gain() -> None:
    rows = (at((1.0, 5.0)), at((2.0, 6.0)))
    assert only(race(rows, times=1), 8.0).words == NOTHING
    assert only(race(rows, times=2), 8.0).words == "≤ 1"


def test_a_rival_that_never_gets_there_counts_with_the_time_limit_as_a_bound() -> None:
    """10 s − 1 s saved, or more: 65 s of learning are paid after at most 8 solves."""
    row = only(race((at((1.0, 5.0)), at((0.5, 6.0))), (at((1.0, 5.0)), at((5.0, 5.0)))), 65.0)
    assert (row.reached, row.saved, row.bounded, row.solves, row.words) == (10, 9.0, True, 8.0, "≤ 8")
    assert row.difference is not None
    assert row.difference.verdict == "better"


def test_a_rival_without_a_solution_of_some_instance_never_gets_there() -> None:
    row = only(race((at((2.0, 5.0)), Trajectory(()))), 8.0)
    assert (row.words, row.difference) == ("≤ 1", None)
    assert only(race((at((2.0, 5.0)), Trajectory(())), (at((2.0, 5.0)), at((1.0, 1.0)))), 16.0).words == "≤ 2"


@pytest.mark.parametrize("when", [0.5, 1.0])
def test_nothing_is_gained_where_the_rival_is_as_fast(when: float) -> None:
    row = only(race((at((1.0, 5.0)), at((when, 5.0)))), 8.0)
    assert row.solves == math.inf
    assert row.words == NOTHING


def test_a_fraction_of_a_millisecond_is_no_gain() -> None:
    """The same code runs 0.05 ms slower where another contender has left the caches cold."""
    assert only(race((at((0.0001, 5.0)), at((0.00015, 5.0)))), 8.0).words == NOTHING
    assert only(race((at((0.0001, 5.0)), at((0.0101, 5.0)))), 8.0).words == "800"


def test_a_worse_pipeline_gains_nothing_however_fast() -> None:
    assert only(race((at((1.0, 5.0)), at((2.0, 4.0)))), 8.0).words == NOTHING


def test_no_gain_is_known_without_knowing_what_learning_took_and_a_number_is_not() -> None:
    assert only(race((at((1.0, 5.0)), at((0.5, 4.0)))), None).words == NOTHING
    assert only(race((at((1.0, 5.0)), at((2.0, 5.0)))), None).words == "unknown"
    assert only(race((at((1.0, 5.0)), at((2.0, 5.0)))), None).solves is None


def test_learning_for_free_pays_with_the_first_solve() -> None:
    assert only(race((at((1.0, 5.0)), at((2.0, 5.0)))), 0.0).words == "1"


def test_instances_the_pipeline_does_not_solve_are_left_out() -> None:
    row = only(race((Trajectory(()), at((1.0, 5.0))), (at((1.0, 5.0)), at((3.0, 5.0)))), 20.0)
    assert (row.instances, row.saved, row.words) == (10, 2.0, "10")
    assert payback(race((Trajectory(()), at((1.0, 5.0)))), "learned", ["rival"], 20.0) == []


def test_large_numbers_are_grouped() -> None:
    assert only(race((at((1.0, 5.0)), at((1.5, 5.0)))), 1e6).words == "2,000,000"
