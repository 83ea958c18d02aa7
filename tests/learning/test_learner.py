"""Learners by name and by what there is to learn from, and what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, Crf, FenchelYoung, Hinge, InputError, Neural, OptionError, SpoPlus
from colayer.evaluators.base import Backend
from colayer.evaluators.statistics import Moments
from colayer.learning.learner import (
    LEARNERS,
    Learner,
    SolveDefaults,
    TrainingJob,
    check_uses,
    learner_for,
    learner_names,
    split,
)
from colayer.learning.search.auto import Auto
from colayer.learning.search.direct import Direct
from colayer.learning.search.fit import Searched
from colayer.learning.settings import Settings
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick
from support.searching import Given


def job(problem: Any = None, count: int = 6, **settings: Any) -> TrainingJob[Any, Any, Any]:
    data = [np.random.default_rng(k).normal(size=(4, 2)) for k in range(count)]
    return TrainingJob(bind(problem or Pick()), data, Settings(**settings), Backend())


def test_names() -> None:
    """The default first; each name is that of its learner."""
    assert learner_names() == tuple(LEARNERS)
    assert learner_names("costs") == ("auto", "srl", "cma-es", "direct", "sgd", "bayes", "neural")
    assert learner_names("solutions") == ("fenchel-young", "hinge", "crf", "neural")
    assert learner_names("thetas") == ("spo+", "neural")
    for name in LEARNERS:
        learner = learner_for(name, learner_for_needs(name))
        assert isinstance(learner, Learner)
        assert learner.name == name


def learner_for_needs(name: str) -> Any:
    return next(needs for needs in ("costs", "solutions", "thetas") if name in learner_names(needs))


def test_auto_goes_by_what_is_known() -> None:
    assert learner_for("auto") == Auto()
    assert learner_for("auto", "solutions") == FenchelYoung()
    assert learner_for("auto", "thetas") == SpoPlus()


def test_objects_are_taken_as_they_are() -> None:
    """A learner, or a search of the user's, which learns by experience."""
    learner = Direct(seeds=3)
    assert learner_for(learner) is learner
    search = Given([1])
    found = learner_for(search)
    assert isinstance(found, Searched)
    assert (found.name, found.options(), found.search) == ("given", {"populations": ([1],)}, search)
    with rejects(OptionError, where="--method"):
        learner_for(search, "solutions")


@pytest.mark.parametrize(
    ("method", "needs"),
    [
        ("sdg", "costs"), ("fenchel", "solutions"), ("magic", "costs"), ("line", "costs"), ("direct", "solutions"),
        ("hinge", "costs"), ("spo+", "costs"), (Hinge(), "thetas"), (SpoPlus(), "solutions"), (3, "costs"),
        (Direct, "costs"), (None, "costs"),
    ],
)  # fmt: skip
def test_what_cannot_learn_is_refused(method: Any, needs: Any) -> None:
    with rejects(OptionError, where="--method"):
        learner_for(method, needs)


def test_a_method_that_was_dropped_names_what_to_use_instead() -> None:
    with rejects(OptionError, "use auto", where="--method"):
        learner_for("line")


def test_settings_without_a_use_are_refused() -> None:
    """By experience all of them have one; a network is learned on this machine."""
    everything = dict.fromkeys(("radius", "sigma", "cluster", "device"), True)
    check_uses(Auto(), everything)
    check_uses(Crf(), dict.fromkeys(everything, False))
    check_uses(Neural(), {"radius": True})
    for learner, option in (
        (Hinge(), "radius"), (Hinge(), "sigma"), (Crf(), "device"), (Crf(), "cluster"), (Neural(), "sigma"),
        (Neural(), "cluster"),
    ):  # fmt: skip
        with rejects(OptionError, learner.name, where=f"--{option}"):
            check_uses(learner, {option: True})


def test_split_holds_out_a_share_and_nothing_below_five() -> None:
    for count in range(1, 5):
        assert len(split(count, 0.2, 0)[1]) == 0
    for count in (5, 17, 100):
        training, held_out = split(count, 0.2, 7)
        assert sorted([*training, *held_out]) == list(range(count))
        assert len(held_out) == max(1, round(0.2 * count))
    assert len(split(100, 0.0, 0)[1]) == 0


def test_split_depends_on_the_seed_and_leaves_something_to_learn_from() -> None:
    assert np.array_equal(split(50, 0.2, 3)[1], split(50, 0.2, 3)[1])
    assert not np.array_equal(split(50, 0.2, 3)[1], split(50, 0.2, 4)[1])
    assert [len(part) for part in split(6, 0.99, 0)] == [1, 5]
    assert all((np.diff(part) > 0).all() for part in split(50, 0.4, 1))


def test_a_lesson_is_split_once() -> None:
    given = job(seed=2)
    training, held_out = split(6, 0.2, 2)
    assert [id(x) for x in given.training] == [id(given.instances[i]) for i in training]
    assert [id(x) for x in given.held_out] == [id(given.instances[i]) for i in held_out]


def test_budget_and_radius_are_set_or_a_default() -> None:
    assert (job().budget(7), job(evaluations=3).budget(7)) == (7, 3)
    assert (job().radius, job(radius=2).radius) == (10.0, 2.0)
    narrow = type("Narrow", (Pick,), {"radius": 4})()
    assert job(narrow).radius == 4.0


def test_the_training_problem_has_the_decoder_to_learn_through() -> None:
    """That of `learn_decoders`, of the settings, or the problem itself, untouched."""
    problem = bind(SingleMachine(decoder="rdi"))
    assert job(problem).training_problem.decoder == "ls"
    assert job(problem, learn_decoder="none").training_problem.decoder == "none"
    assert job(problem, learn_decoder="rdi").training_problem is problem
    assert job(SingleMachine(decoder="none")).training_problem.decoder == "none"
    pick = Pick()
    assert job(pick).training_problem.problem is pick


@pytest.mark.parametrize("problem", [Pick(), SingleMachine()])
def test_a_decoder_that_there_is_not_is_refused(problem: Any) -> None:
    with rejects(OptionError, where="--learn-decoder"):
        _ = job(problem, learn_decoder="magic").training_problem


def test_no_instances_are_refused() -> None:
    with rejects(InputError):
        job(count=0)


class Optioned(BaseProblem):
    name = "optioned"
    feature_names = ("a",)
    options = {"kind": "x"}  # noqa: RUF012

    def features(self, instance: Any) -> Any:
        return np.ones((1, 1))

    def layer(self, theta: Any, instance: Any) -> int:
        return 0

    def cost(self, solution: int, instance: Any) -> float:
        return 1.0


def test_a_model_knows_where_it_comes_from() -> None:
    """The identity of the run without what the file says anyway, and what came out."""
    given = job(Optioned(), seed=5)
    identity = given.identity(Direct(), 9, Moments(np.zeros(1), np.ones(1)), more="said")
    assert (identity["problem"], identity["options"]) == ("optioned", {"kind": "x"})
    assert (identity["method"], identity["evaluations"], identity["seed"]) == ("direct", 9, 5)
    assert (identity["instances"], identity["more"]) == (6, "said")
    model = given.model(np.ones(1), np.full(1, 2.0), identity, SolveDefaults(0.25, np.ones((1, 1))), loss=0.5)
    assert (model.problem, model.options, model.feature_scale.tolist()) == ("optioned", {"kind": "x"}, [2.0])
    assert (model.sigma, model.portfolio.tolist()) == (0.25, [[1.0]])
    assert model.provenance["loss"] == 0.5
    assert model.provenance["data"] == identity["data"]
    assert not {"problem", "options"} & set(model.provenance)
