"""Work on instances where they lie: the same for every evaluator, in the order asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from colayer.evaluators.local import LocalEvaluator, visitor
from colayer.evaluators.pool import PoolEvaluator
from colayer.evaluators.visit import LoadedInstance, Visits
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.pick_problem import Pick

DATA = [np.random.default_rng(seed).normal(size=(4 + seed, 2)) for seed in range(5)]


def seen(held: LoadedInstance[Any, Any, Any]) -> tuple[int, tuple[int, ...], float, float]:
    return held.number, held.matrix.shape, float(held.matrix.sum()), held.scale


@pytest.fixture
def pool() -> Iterator[PoolEvaluator]:
    evaluator = PoolEvaluator(bind(Pick()), DATA, 2)
    yield evaluator
    evaluator.close()


@pytest.mark.parametrize("chosen", [[0, 1, 2, 3, 4], [4, 0, 3], [2], []])
def test_processes_see_what_this_process_sees(chosen: list[int], pool: PoolEvaluator) -> None:
    here = LocalEvaluator(bind(Pick()), DATA).visit(seen, chosen)
    assert [number for number, *_ in here] == chosen
    assert pool.visit(seen, chosen) == here


@pytest.mark.parametrize(
    ("problem", "sizes"),
    [
        (SingleMachine("27"), {"jobs": 7}),
        (SpanningTree(), {"width": 3, "scenarios": 2}),
        (VehicleScheduling("23"), {"tasks": 8, "scenarios": 2}),
    ],
)
def test_compiled_evaluators_hold_the_features_of_the_problem(problem: Any, sizes: dict[str, int]) -> None:
    data = [problem.generate(seed, **sizes) for seed in range(3)]
    evaluator = problem.evaluator(data, 2)
    assert isinstance(evaluator, Visits)
    for x, held in zip((2, 0), evaluator.visit(lambda held: held, [2, 0]), strict=True):
        assert (held.number, held.problem.problem, held.instance) == (x, problem, data[x])
        assert np.array_equal(held.matrix, problem.features(data[x]).T)
        assert held.scale == problem.scale(data[x])
    evaluator.close()


def test_an_evaluator_that_cannot_be_visited_is_replaced_by_one_of_this_process() -> None:
    class LossesAlone:
        def losses(self, weights: Any) -> Any:
            return np.zeros((len(weights), len(DATA)))

        def close(self) -> None: ...

    evaluator = LossesAlone()
    assert isinstance(visitor(evaluator, bind(Pick()), DATA), LocalEvaluator)
    local = LocalEvaluator(bind(Pick()), DATA)
    assert visitor(local, bind(Pick()), DATA) is local


@pytest.mark.parametrize("x", range(3))
def test_keeps_the_instance_its_features_as_rows_and_its_scale(x: int) -> None:
    loaded = LocalEvaluator(bind(Pick()), DATA).loaded(x, 7)
    assert (loaded.number, loaded.instance is DATA[x], loaded.scale) == (7, True, 4.0 + x)
    assert np.array_equal(loaded.matrix, DATA[x].T)
