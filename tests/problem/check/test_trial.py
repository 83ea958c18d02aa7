"""The problem on trial: the instance looked at, θ as learning meets them, and what a solution is held against."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, InputError
from colayer.problem.bind import bind
from colayer.problem.check.report import Skip
from colayer.problem.check.trial import MOST_INSTANCES, SAMPLES, Trial, copied, losses
from colayer.problem.feasibility import refusal
from support.selection_problem import Selection, instances


def trial(problem: Any = None, count: int = 3, seed: int = 0) -> Trial:
    return Trial(problem or Selection(), instances(count), seed)


class Refused(Selection):
    """Its files refuse what `violation` would let pass."""

    violation = None


class Judged(Selection):
    def violation(self, solution, instance):
        return len(solution) == instance.choose


class Broken(Selection):
    """`violation` says nothing, and its files cannot tell."""

    violation = None

    def read_solution(self, document, instance):
        return document["no such key"]


def test_the_instance_looked_at_is_the_current_one() -> None:
    on_trial = trial()
    assert [(index, on_trial.current) for index in on_trial.each()] == [(0, 0), (1, 1), (2, 2)]
    assert on_trial.current is None
    assert [on_trial.current for _ in on_trial.each_sample()] == [index for index in range(3) for _ in range(SAMPLES)]
    assert [on_trial.current for _ in on_trial.each([2, 0])] == [2, 0]


def test_theta_depends_on_the_seed_the_instance_and_the_key_alone() -> None:
    first = trial().thetas(1)
    assert first.shape == (SAMPLES, 7)
    assert np.array_equal(first, trial().thetas(1))
    assert not np.array_equal(first, trial(seed=1).thetas(1))
    assert not np.array_equal(first, trial().thetas(1, SAMPLES, 2))


def test_theta_has_zeros_ties_and_one_sign() -> None:
    many = trial().thetas(0, 40)
    assert not many[1].any()
    assert np.array_equal(many[5::4], np.rint(many[5::4]))  # whole numbers: ties
    assert set(np.unique(many[5::4])) <= set(range(-2, 3))
    assert (many[3] > 0).all()
    assert (many[7] < 0).all()


def test_samples_are_the_pipeline_of_the_instances_looked_at() -> None:
    problem, data = Selection(), instances(MOST_INSTANCES + 2)
    on_trial = Trial(problem, data, 0)
    assert list(on_trial.chosen) == list(range(MOST_INSTANCES))
    assert on_trial.rows == [len(x.price) for x in data[:MOST_INSTANCES]]
    assert len(on_trial.samples) == MOST_INSTANCES * SAMPLES
    for sample in on_trial.samples[::7]:
        solution = problem.layer(sample.theta, data[sample.index])
        assert np.array_equal(sample.solution, solution)
        assert sample.cost == problem.cost(solution, data[sample.index])


def test_the_best_sample_is_the_cheapest() -> None:
    on_trial = trial()
    best = on_trial.best_sample(1)
    assert (best.index, best.cost) == (1, min(sample.cost for sample in on_trial.samples if sample.index == 1))


def test_an_ability_that_is_none_is_not_there_and_skips_the_check() -> None:
    assert trial().has("violation", "bound")
    assert not trial(Refused()).has("violation")
    with pytest.raises(Skip, match="violation"):
        trial(Refused()).need("bound", "violation")


def said_against(made: Trial, solution: Any) -> str | None:
    """What the problem on trial says against a solution of its first instance."""
    return refusal(made.problem, solution, made.instances[0])


@pytest.mark.parametrize("problem", [Selection(), Refused()], ids=lambda problem: type(problem).__name__)
def test_what_is_said_against_a_solution(problem: Any) -> None:
    assert "1 projects, expected 3" in (said_against(trial(problem), np.array([4])) or "")
    assert said_against(trial(problem), np.array([0, 1, 2])) is None


def test_files_that_cannot_be_read_speak_against_a_solution() -> None:
    assert said_against(trial(Broken()), np.array([4])) == "read_solution raised KeyError: 'no such key'"


def test_a_violation_is_a_sentence() -> None:
    with pytest.raises(InputError, match="violation of selection returned True"):
        said_against(trial(Judged()), np.array([0, 1, 2]))


class RaisesOurs(Selection):
    """An error of colayer's own, raised by code of the user's."""

    radius = "wide"

    def cost(self, solution, instance):
        raise InputError("no price", where="price")


def test_all_that_methods_raise_names_the_method_and_the_line() -> None:
    on_trial = trial(RaisesOurs())
    with pytest.raises(InputError, match=r"^cost of selection raised InputError: .*\(test_trial.py, line \d+\)$"):
        on_trial.samples  # noqa: B018
    assert [str(mistake).partition(" is ")[0] for mistake in on_trial.mistakes] == ["radius of RaisesOurs"]
    assert on_trial.problem.radius == BaseProblem.radius


def test_losses_are_those_of_the_five_methods() -> None:
    problem, data, weights = Selection(), instances(2), np.eye(3)
    expected = [[problem.cost(problem.layer(w @ problem.features(x).T, x), x) / problem.scale(x) for x in data]
                for w in weights]  # fmt: skip
    assert losses(bind(problem), data, weights).tolist() == expected


def test_what_cannot_be_copied_is_used_as_it_is() -> None:
    class Lock:
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("held")

    lock, values = Lock(), [1, [2]]
    assert copied(lock) is lock
    assert copied(values) == values
    assert copied(values)[1] is not values[1]
