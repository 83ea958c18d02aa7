"""When worker processes pay."""

from __future__ import annotations

import time
from typing import Any

import pytest

from colayer.evaluators import worth
from colayer.evaluators.worth import workers_worth_starting
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.pick_problem import Pick, picks


class Slow(Pick):
    """A cost of about 2 ms."""

    def cost(self, solution, instance):
        time.sleep(0.002)
        return super().cost(solution, instance)


class Closed(Slow):
    """It holds what no other process can have."""

    def __init__(self) -> None:
        self.hold = lambda: None


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worth, "allowed", lambda: 4)


def workers(problem: Any, count: int = 10, evaluations: int = 10_000, **options: int) -> int | None:
    return workers_worth_starting(bind(problem), picks(count), evaluations, **options)


def test_only_a_long_run_pays_for_them() -> None:
    assert workers(Slow()) == 4
    assert workers(Slow(), evaluations=10) is None
    assert workers(Slow(), evaluations=10, rounds=1000) == 4
    assert workers(Slow(), count=1) is None


def test_what_cannot_travel_stays_here() -> None:
    assert workers(Closed()) is None


def test_one_core_a_worker_and_compiled_problems_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    data = [SingleMachine().generate(seed=s, jobs=10) for s in range(3)]
    assert workers_worth_starting(bind(SingleMachine()), data, 10**12) is None
    with monkeypatch.context() as inside:
        inside.setattr(worth.multiprocessing, "parent_process", lambda: object())
        assert workers(Slow()) is None
    monkeypatch.setattr(worth, "allowed", lambda: 1)
    assert workers(Slow()) is None
