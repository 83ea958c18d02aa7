"""Rules: feasible, and what they send."""

from __future__ import annotations

import pytest

from colayer.problems.dynamic_routing.solvers import BASELINES
from colayer.problems.dynamic_routing.state import violation
from support.routing_days import PROBLEM, small, states


@pytest.mark.parametrize("rule", list(BASELINES))
def test_rules_decide_feasibly(rule: str) -> None:
    for seed in range(2):
        for state in states(small(seed), rule):
            decision = PROBLEM.baseline(rule, state)
            assert violation(decision, state) is None
            served = {request for route in decision for request in route}
            if rule == "greedy":
                assert served == set(state.open.tolist())
            if rule == "lazy":
                assert served == set(state.open[state.must].tolist())
