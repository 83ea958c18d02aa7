"""What every registered problem must keep, over the registry: a new problem is tested by being registered."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from colayer.evaluators.base import evaluator_for
from colayer.evaluators.local import LocalEvaluator
from colayer.io.hashing import content_hash, content_of
from colayer.learning.learner import learner_names
from colayer.models import thetas
from colayer.pipeline import Pipeline
from colayer.problem.bind import bind
from colayer.problem.protocol import Problem
from colayer.problems import find_problem
from support.registry import static_names

#: Of one decision; days are tried by `tests/dynamic` and the tests of their problems.
NAMES = static_names()
#: Learners by experience that need no extra.
METHODS = [name for name in learner_names("costs") if name not in ("bayes", "neural")]


def variants(name: str) -> list:
    """The problem with each of its decoders."""
    problem = find_problem(name)
    return [problem.with_options(decoder=d) for d in problem.decoders] or [problem]


def small(problem, count: int = 6) -> list:  # type: ignore[no-untyped-def]
    return [problem.generate(np.random.SeedSequence([11, k])) for k in range(count)]


@pytest.mark.parametrize("name", NAMES)
def test_has_the_protocol(name: str) -> None:
    problem = find_problem(name)
    assert isinstance(problem, Problem)
    assert problem.name == name
    assert len(set(problem.feature_names)) == len(problem.feature_names)
    assert find_problem(name, **problem.options).options == problem.options


@pytest.mark.parametrize("name", NAMES)
def test_generator_is_a_function_of_the_seed(name: str) -> None:
    problem = find_problem(name)
    assert content_hash(bind(problem), small(problem)) == content_hash(bind(problem), small(problem))
    assert len({content_hash(bind(problem), [x]) for x in small(problem)}) == 6


@pytest.mark.parametrize("name", NAMES)
def test_documents_bring_the_instance_back(name: str) -> None:
    problem = find_problem(name)
    for instance in small(problem):
        again = problem.read(problem.write(instance))
        assert content_of(bind(problem), again) == content_of(bind(problem), instance)


@pytest.mark.parametrize("name", NAMES)
def test_solutions_round_trip_and_cost_at_least_the_bound(name: str) -> None:
    for problem in variants(name):
        pipeline = Pipeline(problem, weights=problem.safe_weights)
        for instance in small(problem, 3):
            solved = pipeline.solve(instance)
            document = problem.write_solution(solved.solution, instance)
            again = problem.read_solution(document, instance)
            assert problem.cost(again, instance) == solved.cost
            assert solved.bound is None or solved.bound <= solved.cost
            assert problem.scale(instance) > 0


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_mutated_and_calls_repeat(name: str) -> None:
    """features, layer, decode and cost are functions of their arguments alone."""
    for problem in variants(name):
        for instance in small(problem, 2):
            before = content_of(bind(problem), instance)
            features = problem.features(instance)
            theta = thetas(features, np.random.default_rng(0).normal(size=(1, features.shape[1])))[0]
            theta_before = theta.copy()
            y = problem.layer(theta, instance)
            once = problem.write_solution(problem.decode(y, instance), instance)
            again = problem.write_solution(problem.decode(problem.layer(theta, instance), instance), instance)
            assert once == again
            assert np.array_equal(theta, theta_before)
            assert np.array_equal(problem.features(instance), features)
            assert content_of(bind(problem), instance) == before


@pytest.mark.parametrize("name", NAMES)
def test_fused_evaluator_equals_the_generic_one(name: str) -> None:
    for problem in variants(name):
        data = small(problem)
        weights = np.random.default_rng(1).normal(size=(5, len(problem.feature_names)))
        expected = LocalEvaluator(bind(problem), data).losses(weights)
        for workers in (1, 2):
            assert np.array_equal(evaluator_for(bind(problem), data, workers).losses(weights), expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_improves_on_its_start(name: str, method: str) -> None:
    """At a small budget: the best loss is below the first one (direct: the middle of the ball; others: safe).

    A pass of srl takes 21 evaluations, and a handful of passes are no descent.
    """
    problem = find_problem(name)
    data = small(problem, 12) if method == "auto" else small(problem)  # auto must measure that it is better
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(data, method=method, evaluations=600 if method == "srl" else 150, validation=0.0)
    assert pipeline.loss_ < pipeline.history_[0].loss


@pytest.mark.parametrize("name", NAMES)
def test_baselines_are_feasible(name: str) -> None:
    problem = find_problem(name)
    for instance in small(problem, 2):
        bound = problem.bound(instance)
        for rule in problem.baselines:
            solution = problem.baseline(rule, instance)
            problem.read_solution(problem.write_solution(solution, instance), instance)
            assert bound is None or problem.cost(solution, instance) >= bound


@pytest.mark.parametrize("name", NAMES)
def test_travels_to_worker_processes(name: str) -> None:
    problem = find_problem(name)
    instance = small(problem, 1)[0]
    problem_again, instance_again = pickle.loads(pickle.dumps((problem, instance)))  # in memory, between processes
    assert problem_again.options == problem.options
    assert content_of(bind(problem), instance_again) == content_of(bind(problem), instance)


@pytest.mark.parametrize("problem", [p for name in NAMES for p in variants(name) if hasattr(p, "solved")], ids=str)
def test_many_thetas_at_once_give_the_bits_of_the_methods(problem) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(5)
    for instance in small(problem, 2):
        many = thetas(problem.features(instance), rng.normal(size=(4, len(problem.feature_names))))
        ys, costs = problem.solved(many.copy(), instance)
        expected = [problem.layer(theta.copy(), instance) for theta in many]
        assert costs.tolist() == [problem.cost(problem.decode(y, instance), instance) for y in expected]
        factors, total = rng.normal(size=4), np.zeros(many.shape[1])
        for factor, y in zip(factors, expected, strict=True):
            total += factor * problem.embed(y, instance)
        assert np.array_equal(problem.mixed(ys, factors.copy(), instance), total)
