"""HiGHS on compact models: exact on tiny instances, in time, and silent where there is nothing to tell."""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np
import pytest

from colayer.comparison import highs
from colayer.comparison.highs import solve_compact
from colayer.comparison.trajectory import trajectory
from colayer.errors import InputError
from colayer.pipeline import Pipeline
from colayer.problem.bind import bind
from colayer.problem.programs import CompactModel, Rows
from colayer.problems import SingleMachine, VehicleScheduling
from support.errors import rejects
from support.item_problem import Item, PickItem
from support.plain_jobs import brute_force
from support.tiny_instances import IDS, TINY, odd, optimum


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("problem", "sizes"), TINY, ids=IDS)
def test_it_is_exact_on_the_compact_model(problem: Any, sizes: dict[str, int], seed: int) -> None:
    instance = problem.generate(seed, **sizes)
    best = brute_force(instance)[1] if problem.name == "single-machine" else optimum(problem, instance)[1]
    attempt = solve_compact(bind(problem), instance, 20.0)
    found = trajectory(attempt, lambda z: problem.cost(z, instance), 20.0)
    assert attempt.proved
    assert found.cost == pytest.approx(best, rel=1e-7)
    assert found.note == ""


@pytest.mark.parametrize(("problem", "instance"), odd())
def test_it_is_exact_on_odd_instances(problem: Any, instance: Any) -> None:
    found = trajectory(solve_compact(bind(problem), instance, 20.0), lambda z: problem.cost(z, instance), 20.0)
    assert found.cost == pytest.approx(optimum(problem, instance)[1], rel=1e-6, abs=1e-6)


class Modelled(PickItem):
    """Exactly one of the numbers; whole numbers, or a linear program."""

    def __init__(self, integral: bool = True) -> None:
        self.integral = integral

    def compact(self, instance: Item) -> CompactModel:
        n, rows = len(instance.values), Rows()
        rows.add(1.0, 1.0, (0, np.arange(n), 1.0))
        return CompactModel(
            cost=np.array(instance.values), rows=rows, lower=np.zeros(n), upper=np.ones(n),
            integral=np.full(n, self.integral), solution=lambda values: int(np.argmax(values)),
        )  # fmt: skip


@pytest.mark.parametrize("integral", [True, False])
def test_a_model_that_ends_without_a_call_has_its_solution(integral: bool) -> None:
    """One without whole numbers, or one that is solved before the search begins; any seed will do."""
    attempt = solve_compact(bind(Modelled(integral)), Item([5.0, -1.5, 2.0]), 10.0, seed=2**40 + 1)
    assert attempt.solutions[-1][1] == 1
    assert attempt.proved
    assert all(0 < when < 10.0 for when, _ in attempt.solutions)


@pytest.mark.parametrize(("problem", "sizes"), TINY, ids=IDS)
def test_it_takes_a_start_which_counts_as_found(problem: Any, sizes: dict[str, int]) -> None:
    """The columns of the start are those of the model: the start costs what HiGHS says it does."""
    instance = problem.generate(1, **sizes)
    model = problem.compact(instance)
    asked = []

    def start(given: Any) -> Any:
        asked.append(given)
        return Pipeline(problem, problem.safe_weights, safe=False).solve(given).solution

    attempt = solve_compact(bind(problem), instance, 20.0, start=start)
    assert asked == [instance]
    first = attempt.solutions[0][1]
    assert problem.cost(first, instance) == pytest.approx(problem.cost(start(instance), instance))
    values = model.start(first)
    assert len(values) == model.integral.sum()
    assert problem.cost(model.solution(values), instance) == pytest.approx(problem.cost(first, instance))
    assert attempt.proved
    best = problem.cost(attempt.solutions[-1][1], instance)
    assert best == pytest.approx(problem.cost(solve_compact(bind(problem), instance, 20.0).solutions[-1][1], instance))


def test_a_start_is_told_by_its_integral_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """One vehicle per task: no arc is used."""
    problem = VehicleScheduling()
    instance = problem.generate(0, tasks=8, scenarios=3)
    told = []
    monkeypatch.setattr(highspy.Highs, "setSolution", lambda self, *sparse: told.append(sparse))
    solve_compact(bind(problem), instance, 5.0, start=lambda x: np.full(8, -1))
    ((count, columns, values),) = told
    assert count == len(columns) == len(values)
    assert values[-8:].tolist() == [1.0] * 8  # every task comes first
    assert not values[:-8].any()


def test_a_model_without_a_start_is_not_asked_for_one() -> None:
    attempt = solve_compact(bind(Modelled()), Item([5.0, -1.5, 2.0]), 10.0, start=lambda item: 1 / 0)
    assert attempt.solutions[-1][1] == 1


def test_a_model_that_is_too_large_is_not_tried() -> None:
    attempt = solve_compact(bind(SingleMachine()), SingleMachine().generate(0, jobs=1000), 1.0)
    assert attempt.note.startswith("the model has")
    assert (attempt.solutions, attempt.proved) == ([], False)


def test_building_the_model_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that ticks at every look, the second tick is past the limit."""

    class Clock:
        now = 0.0

        def perf_counter(self) -> float:
            self.now += 1.0
            return self.now

    monkeypatch.setattr(highs, "time", Clock())
    attempt = solve_compact(bind(Modelled()), Item([5.0, 4.0]), 0.5)
    assert (attempt.solutions, attempt.note) == ([], "building the model took all the time")


def test_a_problem_without_a_model_is_refused() -> None:
    with rejects(InputError, "pick", "compact"):
        solve_compact(bind(PickItem()), Item([1.0]), 1.0)
