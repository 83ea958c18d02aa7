"""Contenders: what each hands in, who is a rival of learning, and all of them on the built-in problems."""

from __future__ import annotations

import itertools
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.comparison import contender, cpsat
from colayer.comparison.contender import (
    EXACT,
    HIGHS,
    SAFE,
    Contender,
    contenders_named,
    feature_contender,
    function_contender,
    number_of_rounds,
    perturbed_contender,
    pipeline_contender,
    reserved,
    rule_contenders,
    safe_contender,
    safe_pipeline,
    solver_contenders,
    words_of_draws,
)
from colayer.comparison.race import race
from colayer.comparison.trajectory import Attempt
from colayer.errors import InputError
from colayer.models import LinearModel
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.solving import candidates
from support.crowd_problem import Crowd
from support.errors import rejects
from support.item_problem import Item, PickItem
from support.selection_problem import Selection, instances

SMALL: list[tuple[Any, dict[str, int]]] = [
    (SingleMachine(), {"jobs": 8}),
    (SpanningTree(), {"width": 3, "scenarios": 3}),
    (VehicleScheduling(), {"tasks": 10, "scenarios": 4}),
]


def solutions(found: Attempt[Any]) -> list[Any]:
    return [solution for _, solution in found.solutions]


@pytest.mark.parametrize(("kind", "rival"), [("learned", False), ("safe", False), ("rule", True), ("solver", True)])
def test_rules_and_solvers_are_what_learning_is_compared_with(kind: Any, rival: bool) -> None:
    assert Contender("a", lambda x, limit: Attempt(), kind).rival is rival


def test_a_pipeline_solves_once_with_the_draws_given() -> None:
    problem, instance = Selection(), instances(5)[4]
    pipeline = Pipeline(problem, [-1.0, 0.0, 0.0], safe=False)
    options: dict[str, Any] = {"samples": 40, "sigma": 2.0, "seed": 1}
    plain, sampled = pipeline_contender("a", pipeline), pipeline_contender("a", pipeline, **options)
    assert (plain.name, plain.kind, plain.anytime) == ("a", "learned", False)
    ((seconds, solution),) = plain.attempt(instance, 0.0).solutions
    assert seconds > 0
    assert np.array_equal(solution, pipeline.solve(instance).solution)
    ((_, better),) = sampled.attempt(instance, 0.0).solutions
    assert problem.cost(better, instance) == pipeline.solve(instance, **options).cost < problem.cost(solution, instance)


def test_safe_weights_are_a_contender_where_there_are_some() -> None:
    problem, instance = Selection(), instances(1)[0]
    (safe,) = safe_contender(problem)
    assert (safe.name, safe.kind) == (SAFE, "safe")
    (found,) = solutions(safe.attempt(instance, 1.0))
    assert np.array_equal(found, problem.baseline("cheapest", instance))  # the safe weights are those of the price
    assert safe_contender(PickItem()) == []


def test_perturbed_safe_weights_have_the_units_and_the_share_of_the_model_beside_them() -> None:
    """σ is as much of their norm as it is of the model's; as many draws are in the name."""
    problem = Selection()
    scale, weights = np.array([2.0, 4.0, 1.0]), np.array([3.0, 0.0, 4.0])
    model = LinearModel(problem.feature_names, weights, scale, problem.name, problem.options, {}, 0.5)
    pipeline = safe_pipeline(bind(problem), model)
    assert pipeline is not None
    assert pipeline.model.raw().tolist() == problem.safe_weights.tolist()
    assert pipeline.model.sigma == pytest.approx(0.5 * 2.0 / 5.0)
    (safe,) = safe_contender(problem, model, samples=20, seed=1)
    assert safe.name == "safe weights, 20 samples"
    x = instances(3)[2]
    assert problem.cost(solutions(safe.attempt(x, 1.0))[0], x) == pipeline.solve(x, samples=20, seed=1).cost
    assert safe_pipeline(bind(PickItem()), model) is None


def test_names_tell_rounds_candidates_and_samples() -> None:
    given: list[dict[str, int]] = [{}, {"samples": 5}, {"candidates": 20}, {"samples": 1, "candidates": 2, "seed": 3}]
    assert [words_of_draws(**options) for options in given] == [
        "", ", 5 samples", ", 20 candidates", ", 2 candidates, 1 samples",
    ]  # fmt: skip
    assert words_of_draws(rounds=5, candidates=2) == ", 5 rounds, 2 candidates"


def test_rounds_are_those_of_the_model_or_those_asked_for() -> None:
    problem = Crowd()
    model = LinearModel(problem.feature_names, np.array([1.0, 0.1, -0.2]), np.ones(3), problem.name, rounds=4)
    pipeline = Pipeline.from_model(problem, model, safe=False)
    instance = problem.generate(0)
    for asked, turns, name in ((None, 4, "a, 4 rounds"), (7, 7, "a, 7 rounds"), (1, 1, "a")):
        one = pipeline_contender("a", pipeline, rounds=asked)
        assert (number_of_rounds(pipeline, asked), one.name) == (turns, name)
        assert problem.cost(solutions(one.attempt(instance, 1.0))[0], instance) == pipeline.solve(
            instance, rounds=turns
        ).cost  # fmt: skip
    blind = Pipeline(Selection(), [1.0, 1.0, 0.0])
    assert (number_of_rounds(blind), number_of_rounds(blind, 7), pipeline_contender("a", blind, rounds=7).name) == (
        1,
        1,
        "a",
    )


def test_the_best_single_feature_is_found_with_its_sign() -> None:
    """By the costs of all six, through the first decoder; it runs through that of the problem."""
    data = instances(4)
    costs = {
        (sign, name): sum(
            Pipeline(Selection(), sign * row, safe=False).solve(x).cost / Selection().scale(x) for x in data
        )
        for sign in (1, -1)
        for name, row in zip(Selection.feature_names, np.eye(3), strict=True)
    }
    sign, name = min(costs, key=lambda key: costs[key])
    assert sign == 1
    for decoder in ("none", "swap"):
        (one,) = feature_contender(bind(Selection(decoder)), data)
        assert (one.name, one.kind) == (f"best single feature ({name})", "rule")
        weights = np.eye(3)[Selection.feature_names.index(name)]
        expected = Pipeline(Selection(decoder), weights, safe=False).solve(data[0]).cost
        assert Selection().cost(solutions(one.attempt(data[0], 1.0))[0], data[0]) == expected

    class Falling(PickItem):
        def features(self, instance: Item) -> Any:
            return -np.array(instance.values)[:, None]

    (falling,) = feature_contender(bind(Falling()), [Item([3.0, 1.0]), Item([2.0, 5.0])])
    assert falling.name == "best single feature (−value)"


def test_rules_that_search_are_solvers() -> None:
    class Searching(Selection):
        searches = ("safest",)

    assert [rule.kind for rule in rule_contenders(Searching())] == ["rule", "solver"]


def test_what_a_rule_raises_names_the_method() -> None:
    class Broken(Selection):
        def baseline(self, rule: str, instance: Any) -> Any:
            raise ZeroDivisionError("by nought")

    with pytest.raises(ZeroDivisionError) as caught:
        rule_contenders(Broken())[0].attempt(instances(1)[0], 1.0)
    assert "baseline of selection raised ZeroDivisionError: by nought" in caught.value.__notes__[0]


def test_rules_are_those_that_the_problem_names() -> None:
    problem, instance = Selection(), instances(1)[0]
    cheapest, safest = rule_contenders(problem)
    assert (cheapest.name, safest.name, safest.kind) == ("cheapest", "safest", "rule")
    for one in (cheapest, safest):
        assert np.array_equal(solutions(one.attempt(instance, 1.0))[0], problem.baseline(one.name, instance))
    assert rule_contenders(PickItem()) == []


def test_a_rule_without_a_method_is_refused() -> None:
    class Named(PickItem):
        baselines = ("first",)

    with rejects(InputError, "first"):
        rule_contenders(Named())


def test_functions_and_pipelines_of_the_user_by_name() -> None:
    problem, instance = Selection(), instances(1)[0]
    pipeline = Pipeline(problem, [1.0, 0.0, 0.0])
    learned, rule = contenders_named({"mine": pipeline, "rule": lambda x: np.arange(x.choose)})
    assert (learned.name, learned.kind, rule.name, rule.kind) == ("mine", "learned", "rule", "rule")
    assert np.array_equal(solutions(learned.attempt(instance, 1.0))[0], pipeline.solve(instance).solution)
    ((seconds, solution),) = function_contender("rule", lambda x: x.choose).attempt(instance, 1.0).solutions
    assert (seconds > 0, solution) == (True, instance.choose)


def test_names_of_other_contenders_cannot_be_those_of_a_pipeline() -> None:
    plain = {SAFE, "safe weights, perturbed", EXACT, HIGHS, "CP-SAT", "CP-SAT, hint"}
    assert reserved(Selection()) == plain | {"cheapest", "safest"}


def test_the_perturbed_pipeline_starts_from_the_plain_one() -> None:
    """With no time there is one solve; with some there are draws, each better than the one before."""
    problem = SpanningTree()
    pipeline = Pipeline(problem, problem.safe_weights, safe=False)
    instance = problem.generate(0, width=6, scenarios=4)
    perturbed = perturbed_contender("a", pipeline)
    assert (perturbed.name, perturbed.kind, perturbed.anytime) == ("a, perturbed", "learned", True)
    plain = solutions(pipeline_contender("a", pipeline).attempt(instance, 1.0))
    alone = solutions(perturbed.attempt(instance, 0.0))
    assert len(alone) == 1
    costs = [problem.cost(z, instance) for z in solutions(perturbed.attempt(instance, 0.3))]
    assert costs[0] == problem.cost(plain[0], instance) == problem.cost(alone[0], instance)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_the_draws_of_the_perturbed_pipeline_are_those_of_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted by clocks that tick: the same blocks, whatever the machine."""

    def costs(seed: int) -> list[float]:
        for module in (contender, candidates):
            monkeypatch.setattr(module, "clock", partial(next, itertools.count(1.0)))
        problem, instance = Selection(), instances(5)[4]
        perturbed = perturbed_contender("a", Pipeline(problem, [-1.0, 0.0, 0.0], safe=False), seed)
        return [problem.cost(z, instance) for z in solutions(perturbed.attempt(instance, 30.0))]

    assert costs(0) == costs(0)
    assert len({tuple(costs(seed)) for seed in range(6)}) > 1


def test_an_exact_solver_that_reports_nothing_has_its_last_solution() -> None:
    class Silent(PickItem):
        def exact(self, instance: Any, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
            return 1, 2.0, True

    (exact,), _ = solver_contenders(bind(Silent()))
    attempt = exact.attempt(Item([3.0, 2.0]), 1.0)
    assert (exact.name, exact.kind, exact.anytime) == (EXACT, "solver", True)
    assert (solutions(attempt), attempt.costs, attempt.proved) == ([1], [], True)


def test_an_exact_solver_counts_with_the_costs_that_it_reports_and_the_limit_it_is_given() -> None:
    class Reporting(PickItem):
        limit = None

        def exact(self, instance: Any, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
            Reporting.limit = time_limit
            for cost in (9.0, 9.0, 4.0, 5.0, 2.0):
                progress(0.0, cost)
            return 1, 0.0, False

    (exact,), _ = solver_contenders(bind(Reporting()))
    attempt = exact.attempt(Item([3.0, 2.0]), 1.5)
    assert Reporting.limit == 1.5
    assert [cost for _, cost in attempt.costs] == [9.0, 4.0, 2.0]
    assert all(one[0] <= two[0] for one, two in pairwise(attempt.costs))


def test_a_problem_without_models_says_who_is_left_out() -> None:
    problem = PickItem()
    solvers, missing = solver_contenders(bind(problem), Pipeline(problem, [1.0], safe=False))
    assert solvers == []
    assert missing == [
        "HiGHS is left out: pick has no compact model",
        "CP-SAT is left out: pick has no constraint program",
    ]


def test_cp_sat_takes_part_where_it_is_installed_and_with_a_hint_where_there_is_a_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = SingleMachine()
    monkeypatch.setattr(cpsat, "available", lambda: True)
    alone, missing = solver_contenders(bind(problem))
    assert ([one.name for one in alone], missing) == ([EXACT, HIGHS, "CP-SAT"], [])
    both, _ = solver_contenders(bind(problem), Pipeline(problem, problem.safe_weights))
    assert [one.name for one in both] == [EXACT, HIGHS, "CP-SAT", "CP-SAT, hint"]


@pytest.mark.parametrize(("later", "note"), [([(0.5, "better")], ""), ([], "the solution of the pipeline alone: ")])
def test_a_hint_is_the_pipelines_solution_and_its_time_counts(
    later: list[Any], note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = SingleMachine()
    instance = problem.generate(0, jobs=5)
    pipeline = Pipeline(problem, problem.safe_weights)
    given: dict[str, Any] = {}

    def solve(problem: Any, instance: Any, limit: float, seed: int, start: Any) -> Attempt[Any]:
        given.update(limit=limit, seed=seed, start=start)
        return Attempt(later, proved=bool(later))

    monkeypatch.setattr(cpsat, "available", lambda: True)
    monkeypatch.setattr(cpsat, "solve_constraints", solve)
    hinted = solver_contenders(bind(problem), pipeline, seed=7)[0][-1]
    attempt = hinted.attempt(instance, 3.0)
    (begin, first), *others = attempt.solutions
    assert np.array_equal(first, pipeline.solve(instance).solution)
    assert np.array_equal(given["start"], first)
    assert (given["limit"], given["seed"]) == (3.0 - begin, 7)
    assert others == [(begin + when, solution) for when, solution in later]
    assert attempt.proved is bool(later)
    assert attempt.note == (note and f"{note}CP-SAT had none in time")


@pytest.mark.parametrize(("problem", "sizes"), SMALL, ids=lambda value: getattr(value, "name", ""))
def test_all_contenders_of_a_problem_end_with_solutions_of_their_cost(
    problem: Any, sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feasible, as `write_solution` checks, not above the cost found first, and exact ones best of all."""
    monkeypatch.setattr(cpsat, "available", lambda: False)
    pipeline = Pipeline(problem, safe=False)
    solvers, missing = solver_contenders(bind(problem), pipeline)
    assert missing == ["CP-SAT is left out: pip install 'colayer[compare]'"]
    learned = [pipeline_contender("learned", pipeline), perturbed_contender("learned", pipeline)]
    contenders = [*learned, *safe_contender(problem), *rule_contenders(problem), *solvers]
    names = [one.name for one in contenders]
    assert names == ["learned", "learned, perturbed", SAFE, *problem.baselines, EXACT, HIGHS]
    last: dict[str, list[Any]] = {name: [] for name in names}

    def kept(one: Contender[Any, Any]) -> Contender[Any, Any]:
        def run(instance: Any, limit: float) -> Attempt[Any]:
            attempt = one.attempt(instance, limit)
            last[one.name].append(solutions(attempt)[-1:])  # while warming up there may be none in time
            return attempt

        return Contender(one.name, run, one.kind)

    data = [problem.generate(seed, **sizes) for seed in (1, 2)]
    ended = race(bind(problem), data, [kept(one) for one in contenders], time_limit=2.0)
    assert ended.left_out == ()
    for name in names:
        for found, (solution,), instance in zip(ended.of(name), last[name][1:], data, strict=True):
            problem.write_solution(solution, instance)
            assert found.cost is not None
            assert found.cost >= problem.cost(solution, instance)  # equal, where the last one came in time
            assert all(a[1] > b[1] for a, b in pairwise(found.points))
    for found, best in zip(ended.of(EXACT), ended.best, strict=True):
        assert found.proved
        assert found.cost == pytest.approx(best, rel=1e-9)
    assert ended.groups[0] == problem.group(data[0])
