"""Many weight vectors for one instance: in order, counted, the best of all, and within a time limit."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer._runtime.clock import clock
from colayer.errors import OptionError
from colayer.models import LinearModel
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from colayer.solving.candidates import Candidates, fixed_rows, rows_of_rounds
from support.errors import rejects
from support.selection_problem import Selection

PROBLEM = bind(Selection())
MEMBERS = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.0]])
MODEL = LinearModel(PROBLEM.feature_names, MEMBERS[0], np.ones(3), PROBLEM.name, PROBLEM.options, {}, 0.25, MEMBERS)
DATA = [Selection().generate(seed) for seed in range(12)]


def pipeline(safe: bool = False, model: LinearModel = MODEL) -> Pipeline[Any, Any, Any]:
    return Pipeline.from_model(PROBLEM, model, safe=safe)


def cost(weights: Any, instance: Any) -> float:
    return PROBLEM.solution_at(PROBLEM.features(instance) @ weights, instance)[1]


def test_members_come_first_and_draws_stand_in_for_those_that_are_missing() -> None:
    rows, names = fixed_rows(MODEL, 2, 0, None, 0)
    assert (rows.tolist(), names) == (MEMBERS[:2].tolist(), ["learned", "member 2"])
    rows, names = fixed_rows(MODEL, 5, 1, None, 0)
    assert names == ["learned", "member 2", "member 3", "sample 1", "sample 2", "sample 3"]
    _, sampled = fixed_rows(MODEL, 1, 3, None, 0)
    assert sampled == ["learned", "sample 1", "sample 2", "sample 3"]
    assert np.array_equal(rows[3:], fixed_rows(MODEL, 1, 3, 0.25, 0)[0][1:])


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (3, [["learned", "member 2"], ["member 3", "learned"], ["member 2", "member 3"]]),
        (4, [["learned", "member 2"], ["member 3", "member 4"], ["member 3", "member 4"]]),
    ],
)
def test_rounds_go_through_the_members_and_begin_again_with_those_of_the_second_round(
    count: int, expected: list[list[str]]
) -> None:
    """Members of the first round make a solution out of nothing: they are left out where others fill a round."""
    rows_of = rows_of_rounds(replace(MODEL, portfolio=np.vstack([MEMBERS, [2.0, 1.0, 0.0]])[:count]), 2, 0, None, 0)
    assert [rows_of(number)[1] for number in range(3)] == expected


def test_one_row_alone_comes_with_a_draw_in_every_later_round() -> None:
    tried = Candidates.of(PROBLEM, MODEL, DATA[0])
    for number, draw in ((1, "draw 3"), (2, "draw 5")):
        rows, names = tried._in_turn(MEMBERS[:1], ["learned"], None, number)
        assert (rows[0].tolist(), len(rows), names) == (MEMBERS[0].tolist(), 2, ["learned", draw])


@pytest.mark.parametrize("candidates", [1, 2, 3])
def test_the_best_of_the_first_members(candidates: int) -> None:
    for instance in DATA:
        costs = [cost(weights, instance) for weights in MEMBERS[:candidates]]
        solved = pipeline().solve(instance, candidates=candidates)
        assert (solved.cost, solved.candidates) == (min(costs), candidates)
        first = costs.index(min(costs))
        assert solved.source == ("learned" if first == 0 else f"member {first + 1}")


def test_the_safe_weights_are_one_candidate_more() -> None:
    solved = pipeline(safe=True).solve(DATA[0], candidates=3)
    assert solved.candidates == 4


def test_more_time_is_never_worse_and_something_is_always_found() -> None:
    for instance in DATA[:4]:
        none = pipeline().solve(instance, time_limit=0.0)
        some = pipeline().solve(instance, time_limit=0.05)
        assert (none.candidates, none.source) == (1, "learned")
        assert some.candidates > 20
        assert some.cost <= min(cost(weights, instance) for weights in MEMBERS) <= none.cost


def test_time_limits_are_kept() -> None:
    problem = SingleMachine("27")
    instance = problem.generate(0, jobs=50)
    solver = Pipeline(problem, problem.safe_weights)
    solver.solve(instance, time_limit=0.5)  # kernels are compiled
    begin = time.monotonic()
    solved = solver.solve(instance, time_limit=0.2)
    assert 0.1 < time.monotonic() - begin < 0.4
    assert solved.cost <= solver.solve(instance).cost


def test_members_are_tried_in_order_and_then_draws_around_the_best() -> None:
    """By a clock that stands still, so that every candidate is affordable."""
    tried = Candidates(PROBLEM, MODEL, DATA[0], PROBLEM.features(DATA[0]))
    found = tried.until(clock() + 3600.0, MEMBERS, ["learned", "member 2", "member 3"], None)
    first, second, third = (next(found) for _ in range(3))
    assert (first.tried, second.tried, third.tried) == (1, 2, 3)
    assert third.cost == min(cost(weights, DATA[0]) for weights in MEMBERS)
    best = [next(found) for _ in range(30)][-1]
    assert best.cost <= third.cost
    assert best.source in ("learned", "member 2", "member 3") or best.source.startswith("draw ")


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"candidates": 0}, "--candidates"),
        ({"time_limit": -1.0}, "--time-limit"),
        ({"time_limit": float("nan")}, "--time-limit"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], where: str) -> None:
    with rejects(OptionError, where=where):
        pipeline().solve(DATA[0], **options)
