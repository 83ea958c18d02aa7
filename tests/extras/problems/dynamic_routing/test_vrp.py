"""The layer by PyVRP: feasible, close to our own, the same routes again; refused where it is missing or another."""

from __future__ import annotations

import importlib.metadata
import sys

import numpy as np
import pytest

from colayer.errors import MissingExtraError
from colayer.problems import DynamicRouting
from colayer.problems.dynamic_routing.search import Budget, collect
from colayer.problems.dynamic_routing.state import violation
from support.errors import rejects
from support.routing_days import PROBLEM, least_value, small, states

VRP = DynamicRouting(iterations=100, futures=2, future_iterations=50, solver="pyvrp")


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_few_requests_are_routed_optimally(share: float) -> None:
    for seed in range(4):
        state = PROBLEM.start(small(seed, per_epoch=6))
        prizes, required = np.rint(share * state.trip), np.arange(len(state.open)) % 2 == 0
        found = collect(state.day.city, state.requests, prizes, required, state.leave, Budget(200, solver="pyvrp"))
        served = [i for route in found for i in route]
        left = [i for i in range(len(state.open)) if i not in served]
        decision = [[int(state.open[i]) for i in route] for route in found]
        cost, _ = PROBLEM.step(state, decision) if not left else (None, None)
        value = least_value(state.day.city, state.requests, prizes, required)
        if cost is not None:
            assert cost == value
        else:
            assert not required[left].any()


def test_a_day_is_played_feasibly_and_alike() -> None:
    day = small(1, per_epoch=5)
    decisions = []
    for _ in range(2):
        state, found = VRP.start(day), []
        while state is not None:
            decision = VRP.baseline("prize", state)
            assert violation(decision, state) is None
            found.append(decision)
            _, state = VRP.step(state, decision)
        decisions.append(found)
    assert decisions[0] == decisions[1]


def test_another_version_is_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    state = next(iter(states(small(0))))
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.9.1")
    with rejects(MissingExtraError, "PyVRP 0.9.1", "pip install 'colayer[routing]'"):
        VRP.baseline("greedy", state)


def test_without_pyvrp_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    state = next(iter(states(small(0))))
    monkeypatch.setitem(sys.modules, "pyvrp", None)
    with rejects(MissingExtraError, "pip install 'colayer[routing]'"):
        VRP.baseline("greedy", state)
