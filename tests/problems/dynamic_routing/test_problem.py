"""The problem as a whole: rules, decoder, hindsight, learning, files, pictures, options."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from colayer import Pipeline
from colayer.errors import InputError, OptionError
from colayer.problems import DynamicRouting
from colayer.problems.dynamic_routing.state import RoutingState, violation
from support.errors import rejects
from support.routing_days import PROBLEM, line_day, small
from support.routing_files import EXPLICIT


def test_days_are_learned_from_and_give_the_same_bits_again() -> None:
    days = [small(seed) for seed in range(6)]
    found = [
        Pipeline(PROBLEM, weights=PROBLEM.safe_weights).fit(days, method="cma-es", evaluations=20, seed=1)
        for _ in range(2)
    ]
    assert np.array_equal(found[0].weights_, found[1].weights_)
    assert found[0].solve(days[0]).cost > 0


def test_a_live_system_has_seconds_and_threads() -> None:
    pipeline = Pipeline(PROBLEM, weights=PROBLEM.safe_weights)
    state = PROBLEM.start(small(0))
    assert violation(pipeline.decide(state, seconds=0.05, threads=2), state) is None
    with rejects(OptionError, where="seconds"):
        pipeline.decide(state, seconds=0.0)


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("budget", [{"iterations": 0, "future_iterations": 0}, {"seconds": 1e-6}], ids=str)
def test_little_to_do_and_no_time_for_it(count: int, budget: dict[str, float]) -> None:
    """In the last epoch all must go: what there is goes, though nothing was searched."""
    day = small(0)
    pipeline = Pipeline(DynamicRouting(futures=1, **budget), weights=PROBLEM.safe_weights)
    for epoch in range(day.first, day.city.epochs):
        state = RoutingState(day, epoch, np.flatnonzero(day.epoch == epoch)[:count])
        decision = pipeline.decide(state)
        assert violation(decision, state) is None
        assert sum(map(len, decision)) == len(state.open) or epoch < day.city.epochs - 1


def test_a_day_without_time_to_search_is_served() -> None:
    problem = DynamicRouting(iterations=0, futures=1, future_iterations=0)
    day = problem.generate(1, customers=30, per_epoch=15)
    solved = Pipeline(problem, weights=problem.safe_weights).solve(day, bound=False)
    assert sorted(r for decision in solved.decisions for route in decision for r in route) == list(range(day.requests))


def test_options_make_the_problem_again() -> None:
    problem = DynamicRouting(iterations=7, seconds=0.5, solver="pyvrp", decoder="none")
    assert problem.with_options(iterations=8).options == problem.options | {"iterations": 8}
    for options in ({"decoder": "ls"}, {"solver": "lkh"}, {"seconds": 0.0}):
        with rejects(OptionError):
            DynamicRouting(**options)
    for options in ({"iterations": -1}, {"futures": 0}, {"threads": 0}):
        with rejects(InputError):
            DynamicRouting(**options)


def test_a_day_of_a_file_is_a_function_of_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text(EXPLICIT)
    first, again, other = (PROBLEM.day(path, **seed) for seed in ({}, {"seed": 473}, {"seed": 1}))
    assert np.array_equal(first.closing, again.closing)
    assert not np.array_equal(first.location, other.location)
    assert first.per_epoch == 100


def test_budgets_do_not_change_what_is_shipped() -> None:
    shipped = Pipeline(DynamicRouting(iterations=9)).model
    assert np.array_equal(shipped.raw(), Pipeline(DynamicRouting(seconds=1.0)).model.raw())
    assert not np.array_equal(shipped.raw(), PROBLEM.safe_weights)


def test_a_day_is_drawn() -> None:
    day = line_day([(0, 1, 60, 90, 1), (0, 2, 60, 170, 1)])
    ax = PROBLEM.plot([((0, 1),), (), (), ()], day)
    assert "2 requests on 1 route" in ax.get_title(loc="left")


def test_days_are_grouped_by_size() -> None:
    assert PROBLEM.group(small(0)) == {"customers": 12, "per_epoch": 3}
