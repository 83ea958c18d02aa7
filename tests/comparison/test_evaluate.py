"""Contenders on the same instances, each solving once: what is run, what is timed, what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from colayer import BaseProblem, Pipeline
from colayer.comparison.contender import Contender
from colayer.comparison.evaluate import evaluate, tight_bounds
from colayer.comparison.trajectory import Attempt
from colayer.errors import InputError
from support.errors import rejects
from support.item_problem import Even, Item, PickItem
from support.pick_problem import Pick, picks
from support.selection_problem import Selection, instances

#: (bound, scale, size) of three instances.
INSTANCES = [(100.0, 10.0, 2), (200.0, 20.0, 1), (50.0, 5.0, 2)]


class Toy(BaseProblem):
    """A solution is its own cost; an instance is (bound, scale, size)."""

    name = "toy"
    feature_names = ("one",)
    bounds = 0

    def features(self, instance):
        raise NotImplementedError

    def layer(self, theta, instance):
        raise NotImplementedError

    def cost(self, solution, instance):
        return solution

    def scale(self, instance):
        return instance[1]

    def bound(self, instance):
        self.bounds += 1
        return instance[0]

    def group(self, instance):
        return {"size": instance[2]}


def above(factor: float) -> Callable[[Any], float]:
    return lambda instance: factor * (instance[0] or 1)


def test_functions_are_timed_and_costed_by_the_problem() -> None:
    rule, other = evaluate(Toy(), INSTANCES, {"rule": above(1.1), "other": above(1.5)}).summary()
    assert (rule.contender, other.contender) == ("rule", "other")
    assert (rule.mean_gap, other.mean_gap) == (pytest.approx(0.1), pytest.approx(0.5))
    assert rule.mean_loss == pytest.approx(11.0)
    assert 0 < rule.mean_seconds < 1.0


def test_a_contender_has_its_own_clock() -> None:
    """What it hands in last counts, with the time it says."""
    twice = Contender("twice", lambda x, limit: Attempt([(1.0, 3.0 * x[0]), (2.0, 1.2 * x[0])]))
    (row,) = evaluate(Toy(), INSTANCES, [twice]).summary()
    assert (row.mean_seconds, row.mean_gap) == (2.0, pytest.approx(0.2))


def test_a_pipeline_is_a_contender_and_its_cost_is_that_of_its_solution() -> None:
    problem, data = Selection(), instances(3)
    pipeline = Pipeline(problem, [1.0, 1.0, 0.0])
    found = evaluate(problem, data, {"learned": pipeline, "cheapest": lambda x: problem.baseline("cheapest", x)})
    assert [r.cost for r in found.results[::2]] == [pipeline.solve(x).cost for x in data]
    assert [r.bound for r in found.results[::2]] == [problem.bound(x) for x in data]
    assert all(r.group == {} for r in found.results)


def test_results_are_grouped_by_what_the_problem_says() -> None:
    assert [r.group for r in evaluate(Toy(), INSTANCES, {"rule": above(1.1)}).results] == [
        {"size": 2}, {"size": 1}, {"size": 2},
    ]  # fmt: skip


def test_bound_once_and_progress_for_every_run() -> None:
    """Bounds may be dear: one per instance, not one per contender."""
    problem, seen = Toy(), []
    contenders = {"a": lambda x: 300.0, "b": lambda x: 400.0}
    evaluate(problem, INSTANCES, contenders, progress=lambda done, total: seen.append((done, total)))
    assert problem.bounds == 3
    assert seen == [(k, 6) for k in range(1, 7)]


def test_no_bound_is_computed_for_a_pipeline_of_its_own() -> None:
    """Those of the table do."""
    bounds: list[Any] = []

    class Counting(Pick):
        def bound(self, instance):
            bounds.append(instance)
            return 0.0

    evaluate(Counting(), picks(3), {"a": Pipeline(Counting(), [1.0, 0.0], safe=False)})
    assert len(bounds) == 3


def test_warm_up_runs_the_last_instance_once_more() -> None:
    """Compilation must not be timed; a slow contender can do without."""
    calls: list[Any] = []
    evaluate(Toy(), INSTANCES, {"a": lambda x: calls.append(x) or 300.0})
    assert calls == [INSTANCES[-1], *INSTANCES]
    calls.clear()
    evaluate(Toy(), INSTANCES, {"a": lambda x: calls.append(x) or 300.0}, warm_up=False)
    assert calls == INSTANCES


def test_gaps_are_to_the_bounds_given() -> None:
    """Also where they are not known."""
    found = evaluate(Toy(), INSTANCES, {"a": lambda x: 300.0}, bounds=[240.0, None, 150.0])
    assert [r.gap for r in found.results] == [pytest.approx(0.25), None, pytest.approx(1.0)]
    with rejects(InputError, where="bounds"):
        evaluate(Toy(), INSTANCES, {"a": lambda x: 300.0}, bounds=[1.0])


def test_gaps_are_to_best_known_costs_and_may_be_negative() -> None:
    """Over |best|, over the scale where that is 0; below a bound nothing is known."""
    data = [(100.0, 10.0, 2), (-100.0, 20.0, 1), (-100.0, 5.0, 2)]
    found = evaluate(Toy(), data, {"a": lambda x: 300.0}, best=[240.0, 0, 400.0])
    assert [r.gap for r in found.results] == [pytest.approx(0.25), pytest.approx(15.0), pytest.approx(-0.25)]
    assert found.to_best
    assert found.conclusions() == ["a is better than best known on 1 instance."]
    for wrong, where in (([1.0], "best"), ([240.0, math.nan, 1.0], "best[1]"), ([99.0, 0.0, 1.0], "instance 0")):
        with rejects(InputError, where=where):
            evaluate(Toy(), data, {"a": lambda x: 300.0}, best=wrong)


def test_a_cost_that_is_no_number_is_refused() -> None:
    with rejects(InputError, where="instance 0"):
        evaluate(Toy(), INSTANCES, {"bad": lambda x: math.nan}, warm_up=False)
    with rejects(InputError, where="instance 0"):
        evaluate(Toy(), INSTANCES, {"bad": lambda x: "low"})


def test_an_infeasible_solution_is_refused_with_its_instance() -> None:
    """In a table of means nobody can be left out."""
    with rejects(InputError, where="instance 0"):
        evaluate(Even(), [Item([4.0, 1.0])], {"odd": lambda x: 1})
    with rejects(InputError, where="instance 2"):
        evaluate(Toy(), INSTANCES, {"low": above(0.8)})


def test_what_a_contender_raises_ends_the_comparison() -> None:
    with pytest.raises(ZeroDivisionError):
        evaluate(PickItem(), [Item([4.0, 1.0])], {"good": lambda x: 0, "bad": lambda x: 1 // 0})


@pytest.mark.parametrize(("data", "contenders"), [([], {"a": lambda x: 1.0}), (INSTANCES, {})])
def test_nothing_to_compare_is_refused(data: Any, contenders: Any) -> None:
    with rejects(InputError, "contender"):
        evaluate(Toy(), data, contenders)


class Bounded(PickItem):
    """An exact solver whose bound is one below the optimum, beside a cheap bound."""

    asked: list[float | None]

    def __init__(self) -> None:
        self.asked = []

    def bound(self, instance: Item) -> float | None:
        return instance.values[-1]

    def exact(self, instance: Item, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
        self.asked.append(time_limit)
        progress(min(instance.values) - 1.0, min(instance.values))
        return instance.values.index(min(instance.values)), min(instance.values) - 1.0, False


def test_tight_bounds_are_the_better_of_cheap_and_exact_and_known_ones_are_not_computed() -> None:
    problem, shown, done = Bounded(), [], []
    data = [Item([9.0, 1.0]), Item([9.0, 8.5]), Item([7.0, -1.0]), Item([7.0, 3.0])]
    bounds = tight_bounds(
        problem, data, time_limit=3.0, known=[None, None, 6.5, 2.0],
        progress=lambda bound, cost: shown.append((bound, cost)), done=lambda: done.append(len(problem.asked)),
    )  # fmt: skip
    assert bounds == [1.0, 8.5, 6.5, 3.0]
    assert problem.asked == [3.0, 3.0]
    assert shown == [(0.0, 1.0), (7.5, 8.5)]
    assert done == [1, 2, 2, 2]


def test_tight_bounds_need_an_exact_solver() -> None:
    with rejects(InputError, "pick", "exact"):
        tight_bounds(PickItem(), [Item([1.0])])


def test_tight_bounds_without_an_exact_solver_are_refused_before_anything_is_done() -> None:
    done: list[bool] = []
    with rejects(InputError, "pick", "exact"):
        tight_bounds(PickItem(), [Item([1.0])] * 2, known=[1.0, None], done=lambda: done.append(True))
    assert done == []
