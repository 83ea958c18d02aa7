"""The scale: about what a good day drives."""

from __future__ import annotations

from colayer.problems.dynamic_routing.cost import scale
from support.routing_days import PROBLEM, line_day, play, small


def test_a_scale_by_hand_and_of_the_order_of_costs() -> None:
    assert scale(line_day([(0, 1, 60, 90, 1), (0, 2, 60, 170, 1)])) == 0.2 * 60 * (40 + 20)
    day = small(0)
    assert 0.1 < play(day, lambda state: PROBLEM.baseline("prize", state)) / scale(day) < 10
