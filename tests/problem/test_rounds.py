"""Rounds: every round looks at the solution of the one before, the best of all counts, and learning knows of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, OptionError, Pipeline
from colayer.errors import JournalError
from colayer.evaluators.base import evaluator_for
from colayer.models import LinearModel, read_model
from colayer.problem.bind import bind
from colayer.problem.rounds import check_rounds, factors, features_after, play_rounds, repeated
from colayer.problems import SingleMachine
from support.crowd_problem import Crowd

PROBLEM = Crowd()
BOUND = bind(PROBLEM)
DATA = [PROBLEM.generate(seed) for seed in range(10)]
WEIGHTS = np.array([1.0, 0.1, -0.2])


def by_hand(weights: Any, instance: Any, rounds: int) -> list[float]:
    """The cost of every round, without an end where solutions come again."""
    costs, solution = [], None
    for _ in range(rounds):
        solution, cost = BOUND.solution_at(BOUND.features(instance, solution) @ weights, instance)
        costs.append(cost)
    return costs


@pytest.mark.parametrize("rounds", [1, 2, 5, 30])
def test_solve_returns_the_best_of_the_rounds(rounds: int) -> None:
    pipeline = Pipeline(PROBLEM, WEIGHTS, safe=False)
    for instance in DATA:
        solved = pipeline.solve(instance, rounds=rounds)
        assert solved.cost == min(by_hand(WEIGHTS, instance, rounds)) == PROBLEM.cost(solved.solution, instance)
        assert 1 <= solved.rounds <= rounds
        assert solved.candidates == solved.rounds


def test_rounds_gain_and_end_where_a_solution_comes_again() -> None:
    pipeline = Pipeline(PROBLEM, WEIGHTS, safe=False)
    once, often = (pipeline.solve_many(DATA, rounds=rounds) for rounds in (1, 1000))
    assert np.mean([b.cost / a.cost for a, b in zip(once, often, strict=True)]) < 0.85
    assert all(solved.rounds < 20 for solved in often)
    still = Pipeline(PROBLEM, [1.0, 0.0, 0.0], safe=False).solve(DATA[0], rounds=9)
    assert still.rounds == 2


def test_the_default_is_one_round_unless_the_model_says_otherwise() -> None:
    pipeline = Pipeline(PROBLEM, WEIGHTS, safe=False)
    assert pipeline.solve(DATA[0]).rounds == 1
    model = LinearModel(PROBLEM.feature_names, WEIGHTS, np.ones(3), PROBLEM.name, rounds=4)
    learned = Pipeline.from_model(PROBLEM, model, safe=False)
    assert learned.solve(DATA[0]).cost == pipeline.solve(DATA[0], rounds=4).cost
    assert learned.solve(DATA[0]).rounds in (3, 4)
    assert learned.solve(DATA[0], rounds=1).rounds == 1


def test_the_safe_weights_are_tried_too() -> None:
    solved = Pipeline(PROBLEM, [-1.0, 0.0, 0.0]).solve(DATA[0], rounds=3)
    assert solved.source == "safe"


def test_members_take_turns_and_draws_are_new_in_every_round() -> None:
    members = np.array([WEIGHTS, [1.0, 0.06, 0.0], [1.0, 0.15, -0.5]])
    model = LinearModel(PROBLEM.feature_names, WEIGHTS, np.ones(3), PROBLEM.name, {}, {}, 0.05, members)
    pipeline = Pipeline.from_model(PROBLEM, model, safe=False)
    alone = pipeline.solve_many(DATA, rounds=6)
    many = pipeline.solve_many(DATA, rounds=6, candidates=2, samples=2)
    again = pipeline.solve_many(DATA, rounds=6, candidates=2, samples=2, workers=3)
    assert [one.cost for one in many] == [one.cost for one in again]
    assert all((one.rounds, one.candidates) == (6, 24) for one in many)
    assert np.mean([one.cost for one in many]) < np.mean([one.cost for one in alone])
    assert {one.source.split()[0] for one in many} >= {"member", "sample"}


def test_rounds_and_candidates_are_one_anytime_loop() -> None:
    model = LinearModel(PROBLEM.feature_names, WEIGHTS, np.ones(3), PROBLEM.name, {}, {}, 0.05)
    pipeline = Pipeline.from_model(PROBLEM, model, safe=False)
    for instance in DATA[:3]:
        none = pipeline.solve(instance, time_limit=0.0)
        assert (none.rounds, none.cost) == (1, pipeline.solve(instance).cost)
        some = pipeline.solve(instance, time_limit=0.1)
        assert some.rounds > 3
        assert some.candidates > some.rounds
        assert some.cost < none.cost
        assert pipeline.solve(instance, time_limit=0.05, rounds=2).rounds <= 2


@pytest.mark.parametrize("rounds", [0, -1, 10_001, 2.5, True])
def test_what_makes_no_sense_is_refused(rounds: Any) -> None:
    with pytest.raises(OptionError) as caught:
        check_rounds(BOUND, rounds)
    assert caught.value.where == "--rounds"


def test_rounds_are_for_features_that_take_a_solution() -> None:
    blind = SingleMachine()
    check_rounds(bind(blind), 1)
    with pytest.raises(OptionError) as caught:
        Pipeline(blind).solve(blind.generate(0, jobs=5), rounds=2)
    assert caught.value.where == "--rounds"


def test_learners_that_know_no_rounds_refuse_them() -> None:
    with pytest.raises(OptionError) as caught:
        Pipeline(PROBLEM, WEIGHTS).fit(
            DATA, solutions=[PROBLEM.layer(np.ones(36), x) for x in DATA], method="hinge", rounds=2
        )
    assert "rounds" in str(caught.value)


def test_features_of_another_shape_are_refused_by_name() -> None:
    class Shrinking(Crowd):
        def features(self, instance: Any, solution: Any = None) -> Any:
            return super().features(instance, solution)[: None if solution is None else 4]

    solution = PROBLEM.layer(np.ones(36), DATA[0])
    assert features_after(BOUND, DATA[0], solution, 36).shape == (36, 3)
    with pytest.raises(InputError, match="features of crowd have 4 rows"):
        features_after(bind(Shrinking()), DATA[0], solution, 36)


def test_what_features_raise_in_a_later_round_names_the_method() -> None:
    class Failing(Crowd):
        def features(self, instance: Any, solution: Any = None) -> Any:
            return super().features(instance, solution) if solution is None else 1 / 0

    with pytest.raises(ZeroDivisionError) as raised:
        evaluator_for(bind(Failing()), DATA, rounds=2).losses(WEIGHTS[None, :])
    assert any("features of crowd raised" in note for note in raised.value.__notes__)


def test_losses_are_those_of_the_best_round_for_any_number_of_workers() -> None:
    W = np.array([WEIGHTS, [1.0, 0.0, 0.0], [1.0, 0.5, 0.0]])
    expected = np.array([[min(by_hand(w, x, 4)) / PROBLEM.scale(x) for x in DATA] for w in W])
    for workers in (1, 3):
        with closing(evaluator_for(BOUND, DATA, workers, rounds=4)) as evaluator:
            assert np.array_equal(evaluator.losses(W), expected)
    assert np.array_equal(evaluator_for(BOUND, DATA).losses(W)[1], expected[1])


def test_rounds_end_where_they_would_repeat_themselves() -> None:
    steps = list(play_rounds(BOUND, BOUND.features(DATA[0]), WEIGHTS, DATA[0], 100))
    assert repeated(steps[-1].solution, steps[-1].cost, [(s.solution, s.cost) for s in steps[:-1]])
    assert len(steps) < 100
    assert BOUND.costs(steps[0].features, WEIGHTS[None, :], DATA[0], 100)[0] == min(s.cost for s in steps)
    assert repeated((1, [2.0]), 3.0, [((1, [2.0]), 3.0)])
    assert not repeated((1, [2.0]), 3.0, [((1, [4.0]), 3.0)])


class Holding(Crowd):
    """One job in two is held where it is, another one in every round."""

    memory_features = ("stay",)


def test_what_holds_on_to_a_solution_is_drawn_in_every_round() -> None:
    known = bind(Holding())
    assert np.array_equal(factors(known, 0, 2), np.ones((2, 3)))
    assert np.array_equal(factors(BOUND, 3, 2), np.ones((2, 3)))
    drawn = np.array([factors(known, number, 2) for number in range(1, 2001)])
    assert np.array_equal(drawn[..., :2], np.ones((2000, 2, 2)))
    assert 0.45 < (drawn[..., 2] == 0.0).mean() < 0.55
    assert 0.9 < drawn[..., 2].mean() < 1.1
    assert np.array_equal(factors(known, 7, 1)[0], drawn[6, 0])
    assert not np.array_equal(drawn[:, 0], drawn[:, 1])


def test_solve_and_losses_take_the_weights_of_each_round() -> None:
    problem, weights = bind(Holding()), np.array([1.0, 0.1, -0.3])
    expected = []
    for instance in DATA:
        solution, costs = None, []
        for number in range(8):
            drawn = weights * factors(problem, number)[0]
            solution, cost = problem.solution_at(problem.features(instance, solution) @ drawn, instance)
            costs.append(cost)
        expected.append(min(costs))
    solved = Pipeline(problem, weights, safe=False).solve_many(DATA, rounds=8)
    assert [one.cost for one in solved] == expected
    assert all(one.rounds == 8 for one in solved)
    losses = evaluator_for(problem, DATA, rounds=8).losses(weights[None, :])[0]
    assert np.array_equal(losses, np.array(expected) / [problem.scale(x) for x in DATA])


@pytest.mark.parametrize("method", ["srl", "cma-es"])
def test_weights_learned_over_rounds_are_better_there_for_any_number_of_workers(method: str, tmp_path: Path) -> None:
    held_out = [PROBLEM.generate(100 + seed) for seed in range(20)]
    options: dict[str, Any] = {"method": method, "evaluations": 64, "rounds": 4, "portfolio": 1}
    learned = Pipeline(PROBLEM, safe=False).fit(DATA, workers=1, **options)
    other = Pipeline(PROBLEM, safe=False).fit(DATA, workers=2, journal=tmp_path / "j", **options)
    again = Pipeline(PROBLEM, safe=False).fit(DATA, journal=tmp_path / "j", **options)
    assert np.array_equal(learned.weights_, other.weights_)
    assert np.array_equal(learned.weights_, again.weights_)
    once = Pipeline(PROBLEM, safe=False).fit(DATA, **{**options, "rounds": 1})
    in_four = [solved.cost for solved in learned.solve_many(held_out)]
    in_one = [solved.cost for solved in once.solve_many(held_out, rounds=4)]
    assert np.mean(in_four) < 0.97 * np.mean(in_one)
    assert learned.provenance["rounds"] == 4
    learned.save(tmp_path / "m.json")
    assert read_model(tmp_path / "m.json").rounds == 4
    assert Pipeline.load(tmp_path / "m.json", PROBLEM).solve(DATA[0]).rounds > 1


def test_a_journal_of_other_rounds_is_refused(tmp_path: Path) -> None:
    Pipeline(PROBLEM).fit(DATA, evaluations=5, method="cma-es", journal=tmp_path / "j", rounds=2)
    with pytest.raises(JournalError, match="rounds"):
        Pipeline(PROBLEM).fit(DATA, evaluations=5, method="cma-es", journal=tmp_path / "j", rounds=3)
