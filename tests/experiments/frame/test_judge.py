"""Claims are judged by the numbers: by pairs, and only beyond what chance does."""

from __future__ import annotations

from colayer.experiments.frame.judge import both, less, tendency


def test_less_needs_more_than_chance() -> None:
    assert less([1.0, 1.1, 0.9], [2.0, 2.1, 2.0]) is True
    assert less([2.0, 2.1, 2.0], [1.0, 1.1, 0.9]) is False
    assert less([1.0, 3.0], [2.0, 2.1]) is None
    assert less([1.0], [2.0]) is None  # one pair is no evidence
    # the mean is 0.1 apart: far less than the values range over, far more than the paired differences do
    assert less([1.0, 5.0, 9.0], [1.1, 5.1, 9.11]) is True
    assert less([1.0, 2.0], [1.0, 2.0]) is None  # no difference at all


def test_both_is_false_where_one_is_and_unknown_before_it_is_true() -> None:
    assert (both(True, True), both(True, None), both(None, False)) == (True, None, False)
    assert both() is True


def test_a_tendency_is_more_than_half() -> None:
    assert tendency("c", [(1, 2), (1, 2), (3, 2)], "w").holds is True
    assert tendency("c", [(3, 2), (3, 2), (1, 2)], "w").holds is False
    assert tendency("c", [(3, 2), (1, 2), (1, 1)], "w").holds is None
    assert tendency("c", [], "w").holds is None
    assert tendency("c", [(1, 2)], "words").numbers == "in 1 of 1 comparisons (0 the other way): words"
