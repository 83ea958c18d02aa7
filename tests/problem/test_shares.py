"""Shares of the loss, and who rules it."""

from __future__ import annotations

import pytest

from colayer.problem.shares import loss_shares, range_of, ruled, rulers


def test_shares_are_of_sizes_and_add_up() -> None:
    assert loss_shares([1.0, -2.0, 5.0]) == [0.125, 0.25, 0.625]
    assert loss_shares([0.125, -0.375]) == [0.25, 0.75]
    assert loss_shares([0.0, 0.0]) == [0.5, 0.5]
    assert loss_shares([]) == []


@pytest.mark.parametrize(
    ("shares", "few"),
    [
        ([0.4, 0.6], []),  # too few instances to tell
        ([0.2, 0.2, 0.2, 0.4], []),
        ([0.25, 0.125, 0.125, 0.5], []),  # half of it is not most of it
        ([0.1, 0.125, 0.125, 0.65], [3]),
        ([0.05] * 9 + [0.55], [9]),
        ([0.04] * 18 + [0.13, 0.15], []),  # two of twenty
        ([0.02] * 18 + [0.31, 0.33], [19, 18]),
        ([0.02] * 17 + [0.1, 0.2, 0.36], [19, 18]),
    ],
)
def test_a_tenth_of_the_instances_with_more_than_half_of_the_loss_rules_it(shares: list[float], few: list[int]) -> None:
    assert rulers(shares) == few


def test_rulers_are_named() -> None:
    names = [f"{k}.json" for k in range(20)]
    said = ruled([0.02] * 18 + [0.31, 0.33], names)
    assert said is not None
    assert said.startswith("19.json and 1 more, of 20 instances, makes up 64.0 % of the loss, and learning sees ")
    assert ruled([0.05] * 20, names) is None
    assert range_of([0.25, 0.125, 0.625], names) == "12.5 % to 62.5 % by instance, the most 2.json"
    assert range_of([], []) == ""
