"""The learners of the paper's tables: which there are, what they are called, and what is less than in the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import MissingExtraError
from colayer.experiments.frame.config import read_config
from colayer.experiments.vehicle_scheduling import learners
from colayer.experiments.vehicle_scheduling.data import held_out
from colayer.experiments.vehicle_scheduling.learners import (
    NO_BAYES,
    TRAINING,
    Blind,
    Learner,
    absent,
    demonstrations,
    experiences,
    instances_of,
    labels,
    reductions,
    subset,
    trained,
)
from colayer.learning.experience.cma_es import CmaEs
from colayer.learning.experience.optimizer import Task
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.datasets import paper_set
from support.tiny_experiments import TinyRun, small_world, tiny


def test_paper_scale_has_what_the_paper_has_or_says_what_is_less() -> None:
    config = read_config("vsp-learning", "paper")
    found = experiences(config)
    plain = [k for k in found if k.loss == "plain" and k.method in ("direct", "bayes")]
    assert {(k.train, k.method) for k in plain} == {(t, m) for t in TRAINING for m in ("direct", "bayes")}
    assert {k.evaluations for k in plain} == {1000}
    small = next(k for k in found if (k.loss, k.train, k.method) == ("perturbed", "small", "direct"))
    assert (small.samples, small.evaluations) == (100, 1000)
    said = " ".join(reductions(config, found))
    for learner in found:
        if learner.method != "auto":
            less = learner.evaluations < 1000 or 0 < learner.samples < 100
            assert (learner.label in said) == less
    assert not any(f"The set {train} is not whole" in said for train in TRAINING)
    assert (len(held_out(config)) < 296) == ("The set test is not whole" in said)


def test_labels_of_learners_differ() -> None:
    """Labels are keys of tables."""
    config = read_config("vsp-test", "paper")
    names = [learner.label for learner in demonstrations(config) + experiences(config)]
    assert len(set(names)) == len(names)


def test_a_label_says_what_tells_learners_apart() -> None:
    assert Learner("plain", "small", "direct", "23", 1).label == "plain, small, direct"
    assert Learner("fenchel_young", "small", "fenchel-young", "23", 1).label == "fenchel-young, small"
    assert Learner("plain", "all", "auto", "extended", 1).label == "plain, all, auto, extended"


def test_a_demonstration_is_in_the_papers_table_and_bayes_is_not() -> None:
    assert Learner("crf", "small", "crf", "23", 1).in_paper
    assert Learner("plain", "small", "direct", "23", 1).in_paper
    assert not Learner("plain", "small", "bayes", "23", 1).in_paper
    assert not Learner("plain", "small", "direct", "extended", 1).in_paper


def test_blind_methods_never_see_the_safe_weights() -> None:
    asked: list[Any] = []

    def evaluate(W: Any) -> Any:
        asked.extend(W.tolist())
        return (W**2).sum(axis=1)

    method = Blind(CmaEs())
    method.minimize(evaluate, Task(dimension=2, evaluations=5, safe=np.array([3.0, 4.0])))
    assert asked[0] == [0.0, 0.0]
    assert method.options()["safe"] is False
    assert method.name == "cma-es"


def test_subsets_are_the_papers() -> None:
    assert [subset(n) for n in (50, 100, 200, 750, 1000, 5000)] == ["moderate"] * 2 + ["large"] * 2 + ["huge"] * 2


def test_sets_are_the_papers_as_large_as_the_scale_has_them() -> None:
    data = instances_of(tiny("vsp-learning"), "moderate")
    assert data.identity == {"set": "train-moderate", "tasks": [50, 75], "scenarios": [50], "per_cell": 1}
    expected = list(paper_set("train-moderate", tasks=[50, 75], scenarios=[50], per_cell=1))
    assert [x.begin.tolist() for x in data.values] == [x.begin.tolist() for x in expected]


def test_labels_are_solutions_of_the_exact_solver(tiny_run: TinyRun) -> None:
    config = tiny("vsp-test")
    tiny_run.outcome("vsp-test")
    data = instances_of(config, "small")
    before = tiny_run.run.made
    found = labels(tiny_run.run, config, data)
    assert tiny_run.run.made == before
    problem = VehicleScheduling("23")
    for solution, x in zip(found.values, data.values, strict=True):
        assert solution.dtype == np.int64
        optimum, bound, proved = problem.exact(x, time_limit=60.0)
        assert problem.cost(solution, x) == problem.cost(optimum, x)
        assert not proved or problem.cost(solution, x) == pytest.approx(bound, rel=1e-6)


def test_a_learner_that_needs_a_missing_extra_is_left_out(tiny_run: TinyRun) -> None:
    config = tiny("vsp-learning")
    tiny_run.outcome("vsp-learning")
    with small_world():
        found = trained(tiny_run.run, config, experiences(config))
        assert absent() == [NO_BAYES]
    assert [k for k in experiences(config) if k not in found] == [k for k in experiences(config) if k.method == "bayes"]
    perturbed = next(model for k, model in found.items() if k.loss == "perturbed")
    assert (perturbed.model["provenance"]["sigma"], perturbed.model["provenance"]["samples"]) == (1.0, 2)
    assert perturbed.model["provenance"]["radius"] == 10.0


def test_with_the_extra_nothing_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "need_botorch", lambda: None)
    assert absent() == []

    def missing() -> None:
        raise MissingExtraError("bayes needs BoTorch")

    monkeypatch.setattr(learners, "need_botorch", missing)
    assert absent() == [NO_BAYES]
