"""Races: contenders that do not disturb each other, costs of the problem's own, and what ends a race."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest

from colayer._runtime.threads import allowed
from colayer.comparison.race import Race, race
from colayer.comparison.trajectory import Attempt, Trajectory
from colayer.errors import InputError
from colayer.problem.bind import bind
from support.errors import rejects
from support.item_problem import Even, Item, PickItem, Written, attempting, calling


def by_hand() -> Race:
    """Two instances. A is early and good; B late, better on the second; C solves the first one alone."""
    rows = (
        (Trajectory(((0.05, 110.0), (5.0, 100.0))), Trajectory(((2.0, 120.0),)), Trajectory(((1.0, 100.0),), True)),
        (Trajectory(((0.1, -50.0),)), Trajectory(((0.5, -90.0), (9.0, -100.0))), Trajectory((), note="too large")),
    )
    groups = {"n": 1.0}, {"n": 2.0}
    return Race("pick", 10.0, 3, ("A", "B", "C"), groups, rows, (90.0, None), (1.0, 2.0), ("learned", "rule", "solver"))


def test_best_costs_and_mean_gaps_by_hand() -> None:
    found = by_hand()
    assert found.best == [100.0, -100.0]
    assert [t.cost for t in found.of("B")] == [120.0, -100.0]
    assert found.mean_gap("A", 0.1) == pytest.approx((0.1 + 0.5) / 2)
    assert found.mean_gap("A", 0.07) is None  # the second instance has no solution by then
    assert found.mean_gap("A", 10.0) == pytest.approx(0.25)
    assert found.mean_gap("C", 10.0) is None


def test_a_race_on_some_of_the_instances_keeps_what_belongs_to_them() -> None:
    found = by_hand().only([1])
    assert (found.groups, found.bounds, found.scales) == (({"n": 2.0},), (None,), (2.0,))
    assert (found.best, found.time_limit) == ([-100.0], 10.0)
    assert found.kinds == ("learned", "rule", "solver")


class Leaving(PickItem):
    """Bound, scale and group leave something in the instance they are asked about."""

    def bound(self, instance: Item) -> float:
        instance.cache["bound"] = 1
        return 0.0

    def scale(self, instance: Item) -> float:
        instance.cache["scale"] = 1
        return 2.0

    def group(self, instance: Item) -> dict[str, float]:
        instance.cache["group"] = 1
        return {"n": float(len(instance.values))}


def test_every_contender_gets_an_instance_that_nobody_has_looked_at() -> None:
    seen = []

    def spoil(instance: Item, limit: float) -> Attempt[int]:
        seen.append(dict(instance.cache))
        instance.cache["mine"] = 1
        instance.values.clear()
        return Attempt([(0.0, 1)])

    instances = [Item([3.0, 2.0]), Item([5.0, 7.0])]
    found = race(bind(Leaving()), instances, [calling("a", spoil), calling("b", spoil)], time_limit=1.0)
    assert seen == [{}] * 6  # two to warm up, then two on each instance
    assert [[t.cost for t in row] for row in found.rows] == [[2.0, 2.0], [7.0, 7.0]]
    assert [(x.values, x.cache) for x in instances] == [([3.0, 2.0], {}), ([5.0, 7.0], {})]
    assert (found.bounds, found.scales, found.groups) == ((0.0, 0.0), (2.0, 2.0), ({"n": 2.0},) * 2)


def test_nothing_to_compare_is_refused() -> None:
    with rejects(InputError, "contender"):
        race(bind(PickItem()), [], [attempting("a")], time_limit=1.0)
    with rejects(InputError, "contender"):
        race(bind(PickItem()), [Item([1.0])], [], time_limit=1.0)


def test_two_contenders_of_one_name_are_refused() -> None:
    with rejects(InputError, where="contenders"):
        race(bind(PickItem()), [Item([1.0])], [attempting("a"), attempting("b"), attempting("a")])


def test_contenders_get_the_time_limit_and_progress_every_run() -> None:
    limits, seen = [], []

    def told(instance: Item, limit: float) -> Attempt[int]:
        limits.append(limit)
        return Attempt([(0.0, 0)])

    race(
        bind(PickItem()), [Item([1.0])] * 2, [calling("a", told)], time_limit=5.0,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert limits == [0.2, 5.0, 5.0]  # a moment to warm up
    assert seen == [(1, 2), (2, 2)]
    limits.clear()
    race(bind(PickItem()), [Item([1.0])], [calling("a", told)], time_limit=0.1, warm_up=False)
    assert limits == [0.1]


def test_what_comes_too_late_does_not_count() -> None:
    found = race(bind(PickItem()), [Item([3.0, 2.0])], [attempting("a", (0.5, 0), (9.0, 1))], time_limit=1.0)
    assert found.rows[0][0].points == ((0.5, 3.0),)


def cores_now(seen: list[tuple[int, int]]) -> Any:
    def attempt(instance: Item, limit: float) -> Attempt[int]:
        seen.append((len(os.sched_getaffinity(0)), allowed()))
        return Attempt([(0.0, 0)])

    return attempt


def test_a_race_is_on_one_core_unless_it_need_not_be() -> None:
    """Also in threads that are there already, which compiled code shares its work with."""
    begin, go_on, others = threading.Barrier(2), threading.Barrier(2), []

    def other() -> None:
        begin.wait()
        others.append(len(os.sched_getaffinity(0)))
        go_on.wait()

    def attempt(instance: Item, limit: float) -> Attempt[int]:
        begin.wait()
        go_on.wait()
        return Attempt([(0.0, 0)])

    thread = threading.Thread(target=other)
    thread.start()
    race(bind(PickItem()), [Item([1.0])], [calling("a", attempt)], time_limit=1.0, warm_up=False)
    thread.join()
    assert others == [1]
    seen: list[tuple[int, int]] = []
    race(bind(PickItem()), [Item([1.0])], [calling("a", cores_now(seen))], warm_up=False)
    race(bind(PickItem()), [Item([1.0])], [calling("a", cores_now(seen))], warm_up=False, one_core=False)
    assert seen == [(1, 1), (len(os.sched_getaffinity(0)), allowed())]


def test_one_core_is_given_back() -> None:
    """Also where a contender fails."""

    def fail(instance: Item, limit: float) -> Attempt[int]:
        raise RuntimeError(len(os.sched_getaffinity(0)))

    before = os.sched_getaffinity(0)
    with pytest.raises(RuntimeError, match="1"):
        race(bind(PickItem()), [Item([1.0])], [calling("a", fail, "learned")], time_limit=1.0)
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize(("problem", "said"), [(Even(), "violation says: odd"), (Written(), "odd")])
def test_a_solution_that_the_problem_calls_infeasible_does_not_count(problem: Any, said: str) -> None:
    """Also where its cost is the least of all. Of what the comparison is about, it ends the race."""
    data, solutions = [Item([4.0, 1.0, 2.0])], ((0.0, 2), (0.1, 1))
    found = race(bind(problem), data, [attempting("a", *solutions)], time_limit=1.0)
    assert found.rows[0][0].points == ((0.0, 2.0),)
    assert found.rows[0][0].note == f"a solution was not feasible ({said})"
    with rejects(InputError, said, where="instance 0"):
        race(bind(problem), data, [attempting("a", *solutions, kind="learned")], time_limit=1.0)


class Bounded(PickItem):
    def bound(self, instance: Item) -> float:
        return -3.0


def test_a_solution_below_the_lower_bound_is_none() -> None:
    """But for rounding."""
    low, equal = Item([-2.0, -4.0]), Item([-2.0, -3.0 - 1e-12])
    solutions = (0.0, 0), (0.1, 1)
    found = race(bind(Bounded()), [low, equal], [attempting("a", *solutions)], time_limit=1.0)
    assert [t.cost for t in found.of("a")] == [-2.0, -3.0 - 1e-12]
    assert found.rows[0][0].note == "a solution was not feasible (it costs -4, less than the lower bound -3)"
    with rejects(InputError, where="instance 0"):
        race(bind(Bounded()), [low, equal], [attempting("a", *solutions, kind="safe")], time_limit=1.0)


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0]], ids=["warming up", "on the way"])
def test_a_rival_that_fails_loses_its_row_and_no_other(values: list[float]) -> None:
    """On the last instance, where all warm up, or on the first, in the race; the words say what and where."""

    def fail(instance: Item, limit: float) -> Attempt[int]:
        return Attempt([(0.0, 1)]) if len(instance.values) > 2 else Attempt([(0.0, 1 // 0)])

    instances = [Item([3.0, 1.0]), Item([4.0, 5.0, 6.0] if len(values) > 1 else values)]
    well = attempting("b", (0.0, 0))
    found = race(bind(PickItem()), instances, [calling("a", fail), well], time_limit=1.0)
    assert found.contenders == ("b",)
    assert [[t.cost for t in row] for row in found.rows] == [[3.0], [instances[1].values[0]]]
    (said,) = found.left_out
    assert said.startswith("a is left out: it raised ZeroDivisionError: ")
    assert "test_race.py, line " in said
    for kind in ("learned", "safe"):
        with pytest.raises(ZeroDivisionError):
            race(bind(PickItem()), instances, [calling("a", fail, kind), well], time_limit=1.0)
    with rejects(InputError, "a"):
        race(bind(PickItem()), instances, [calling("a", fail, "solver")], time_limit=1.0)
