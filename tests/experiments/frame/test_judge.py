"""Claims are judged by the numbers: by pairs, and only beyond what chance does."""

from __future__ import annotations

import pytest

from colayer.experiments.frame.judge import below, both, less, sign_test, tendency


def test_less_needs_more_than_chance() -> None:
    assert less([1.0, 1.1, 0.9], [2.0, 2.1, 2.0]) is True
    assert less([2.0, 2.1, 2.0], [1.0, 1.1, 0.9]) is False
    assert less([1.0, 3.0], [2.0, 2.1]) is None
    assert less([1.0], [2.0]) is None  # one pair is no evidence
    assert less([], []) is None
    assert less([1.0, 1.0], [1.9, 2.2]) is None  # nor are two, 7 standard errors from 0
    # the mean is 0.1 apart: far less than the values range over, far more than the paired differences do
    assert less([1.0, 5.0, 9.0], [1.1, 5.1, 9.11]) is True
    assert less([1.0, 2.0], [1.0, 2.0]) is None  # no difference at all


def test_both_is_false_where_one_is_and_unknown_before_it_is_true() -> None:
    assert (both(True, True), both(True, None), both(None, False)) == (True, None, False)
    assert both() is True


def test_what_is_printed_alike_is_a_tie() -> None:
    assert (below(1.0, 2.0), below(2.0, 1.0), below(1.0, 1.0)) == (True, False, None)
    assert (below(0.61234, 0.61239), below(0.61234, 0.61239, "{:.5f}".format)) == (None, True)


@pytest.mark.parametrize(("count", "needed"), [(5, None), (6, 6), (8, 8), (9, 8), (20, 15), (100, 61)])
def test_a_sign_test_needs_more_than_a_coin_would_do(count: int, needed: int | None) -> None:
    """The tables of the binomial law: of five comparisons none is enough, of six all, of twenty fifteen."""
    found = [wins for wins in range(count + 1) if sign_test(wins, count - wins) is True]
    assert (min(found) if found else None) == needed
    assert [losses for losses in range(count + 1) if sign_test(count - losses, losses) is False] == found
    assert sign_test(0, 0) is None


def test_a_tendency_is_a_sign_test() -> None:
    won, lost = (1.0, 2.0), (3.0, 2.0)
    assert tendency("c", [won] * 8 + [lost], "w").holds is True
    assert tendency("c", [lost] * 8 + [won], "w").holds is False
    assert tendency("c", [won] * 3, "w").holds is None
    assert tendency("c", [won] * 5 + [lost] * 3, "w").holds is None
    assert tendency("c", [], "w").holds is None
    assert tendency("c", [won], "words").numbers == "in 1 of 1 comparisons (0 the other way): words"


def test_ties_in_what_is_printed_do_not_count_for_a_tendency() -> None:
    close = (0.61234, 0.61239)
    told = tendency("c", [close] * 20 + [(1.0, 2.0)], "words")
    assert (told.holds, told.numbers) == (None, "in 1 of 21 comparisons (0 the other way, 20 alike): words")
    assert tendency("c", [close] * 20, "words", "{:.5f}".format).holds is True
