"""The gap between a cost and a bound, and what a bound proves."""

from __future__ import annotations

import pytest

from colayer.problem.gap import gap, proves


@pytest.mark.parametrize(
    ("cost", "bound", "expected"),
    [
        (110.0, 100.0, 0.1),
        (-90.0, -100.0, 0.1),  # a maximisation: the gap is still positive
        (0.0, 0.0, 0.0),
        (1.0, 0.0, None),
        (-100.0, -100.0, 0.0),
        (1.0, None, None),
        (90.0, 100.0, -0.1),  # a wrong bound shows, it is not clipped
    ],
)
def test_gap(cost: float, bound: float | None, expected: float | None) -> None:
    assert gap(cost, bound) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("cost", "bound", "expected"),
    [(100.0, 100.0, True), (100.0, 100.0 - 1e-8, True), (100.0, 99.9, False), (-1.0, -1.0, True), (1.0, None, False)],
)
def test_a_bound_proves_a_cost_up_to_rounding(cost: float, bound: float | None, expected: bool) -> None:
    assert proves(cost, bound) is expected
