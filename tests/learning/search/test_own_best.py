"""The gradient towards the best of one's own perturbed solutions: by the formula, and the same on every path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.search.own_best import Imitation, chained
from colayer.problem.abilities import SolvesMany
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.crowd_problem import Crowd
from support.errors import rejects
from support.pick_problem import Pick
from support.selection_problem import Selection

COMPILED = [
    (SingleMachine("27"), {"jobs": 9}),
    (SingleMachine("27", decoder="ls"), {"jobs": 9}),
    (SpanningTree(), {"width": 4, "scenarios": 3}),
    (VehicleScheduling("23"), {"tasks": 12, "scenarios": 3}),
    (VehicleScheduling("23", decoder="ls"), {"tasks": 30, "scenarios": 3}),
]


class Plain:
    """A problem seen through its five methods and `embed`."""

    def __init__(self, problem: Any) -> None:
        for name in ("name", "feature_names", "features", "layer", "decode", "cost", "scale", "embed"):
            setattr(self, name, getattr(problem, name))


def work(weights: Any, **more: Any) -> Imitation:
    return Imitation(
        **{"weights": weights, "draws": 12, "sigma": 0.5, "temperature": 0.4, "seed": 3, "number": 5, **more}
    )


def by_formula(problem: Any, instance: Any, given: Imitation, place: int) -> Any:
    """The definition, with matrices."""
    features = problem.features(instance).astype(np.float64)
    theta = features @ given.weights
    sequence = np.random.SeedSequence(given.seed, spawn_key=(0x51A1, given.number, place))
    Z = np.random.default_rng(sequence).standard_normal((given.draws, len(theta)))
    ys = [problem.layer(theta + given.sigma * theta.std() * z, instance) for z in Z]
    costs = np.array([problem.cost(problem.decode(y, instance), instance) for y in ys])
    q = np.exp(-costs / (given.temperature * costs.std()) + (costs / (given.temperature * costs.std())).min())
    gradient = (q / q.sum() - 1 / len(ys)) @ np.array([problem.embed(y, instance) for y in ys])
    return features.T @ (gradient / np.abs(gradient).mean())


@pytest.mark.parametrize(("problem", "sizes"), COMPILED, ids=lambda value: repr(value))
def test_the_compiled_path_is_the_plain_one_is_the_formula(problem: Any, sizes: dict[str, int]) -> None:
    assert isinstance(problem, SolvesMany)
    data = [problem.generate(seed, **sizes) for seed in range(3)]
    weights = problem.safe_weights * (1.0 + 0.3 * np.random.default_rng(0).normal(size=len(problem.feature_names)))
    given = work(weights)
    found = LocalEvaluator(bind(problem), data).visit(given, [2, 0])
    plain = LocalEvaluator(bind(Plain(problem)), data).visit(given, [2, 0])
    for x, ours, theirs in zip((2, 0), found, plain, strict=True):
        assert np.abs(ours).sum() > 0
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-9)
        assert ours == pytest.approx(by_formula(problem, data[x], given, x), rel=1e-9, abs=1e-7)


def test_it_points_away_from_what_costs_more() -> None:
    """From weights that take the dearest projects, a step along −g gains."""
    problem = Selection()
    data = [problem.generate(seed) for seed in range(20)]
    start = np.array([-1.0, 0.3, 0.0])
    total = np.sum(LocalEvaluator(bind(problem), data).visit(work(start, draws=40), list(range(20))), axis=0)
    evaluator = LocalEvaluator(bind(problem), data)
    before, after = evaluator.losses(np.array([start, start - 0.3 * total / np.abs(total).max()])).mean(axis=1)
    assert after < before


def test_draws_depend_on_the_pass_and_on_the_instance_alone() -> None:
    problem = SingleMachine("27")
    data = [problem.generate(0, jobs=9)] * 3
    evaluator = LocalEvaluator(bind(problem), data)
    first = evaluator.visit(work(problem.safe_weights), [0, 1])
    again = evaluator.visit(work(problem.safe_weights), [1, 0])
    other = evaluator.visit(work(problem.safe_weights, number=6), [0])
    assert np.array_equal(first[0], again[1])
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first[0], other[0])


def test_where_all_draws_cost_the_same_there_is_no_gradient() -> None:
    class Even(Selection):
        def cost(self, solution: Any, instance: Any) -> float:
            return 1.0

    data = [Even().generate(0)]
    assert LocalEvaluator(bind(Even()), data).visit(work(np.ones(3)), [0])[0].tolist() == [0.0, 0.0, 0.0]


def test_nor_is_there_one_on_the_compiled_path() -> None:
    """One job can be sequenced in one way only."""
    problem = SingleMachine("27")
    data = [problem.generate(0, jobs=1)]
    gradient = LocalEvaluator(bind(problem), data).visit(work(problem.safe_weights), [0])[0]
    assert gradient.tolist() == [0.0] * 27


def test_over_several_rounds_features_of_the_solution_before_have_a_gradient() -> None:
    """In the first there is none to look at."""
    problem = Crowd()
    data, weights = [problem.generate(0)], np.array([1.0, 0.1, -0.2])
    once, twice = (LocalEvaluator(bind(problem), data, rounds).visit(work(weights), [0])[0] for rounds in (1, 2))
    assert once[1:].tolist() == [0.0, 0.0]
    assert np.count_nonzero(twice) == 3


def test_without_embed_it_is_refused_by_name() -> None:
    data = [np.random.default_rng(0).normal(size=(6, 2))]
    with rejects(InputError, "pick", "embed"):
        LocalEvaluator(bind(Pick()), data).visit(work(np.ones(2)), [0])


@pytest.mark.parametrize("rows", [1, 7, 129, 1000, 40_000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_chain_has_the_bits_of_one_row_after_the_other(rows: int, order: Any) -> None:
    """However many rows are taken at a time, and however the features lie."""
    random = np.random.default_rng(rows)
    matrix = np.array(random.normal(size=(23, rows)), dtype=np.float32, order=order)
    gradient = random.normal(size=rows)
    assert chained(matrix, gradient).tolist() == [float((row * gradient).sum()) for row in matrix]
