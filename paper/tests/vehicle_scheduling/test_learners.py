"""The learners of the paper's tables: which there are, what they are called, and what is less than in the paper."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import MissingExtraError
from colayer.learning.search.direct import Direct
from colayer.problems import VehicleScheduling
from colayer_paper.frame.config import read_config
from colayer_paper.frame.searches import Raw
from colayer_paper.vehicle_scheduling import learners
from colayer_paper.vehicle_scheduling.data import held_out
from colayer_paper.vehicle_scheduling.datasets import paper_set
from colayer_paper.vehicle_scheduling.learners import (
    NO_BAYES,
    RAW,
    STANDARDISED,
    TRAINING,
    Learner,
    absent,
    demonstrations,
    experiences,
    instances_of,
    labels,
    learnings,
    reductions,
    subset,
    trained,
)
from tiny_experiments import TinyRun, small_world, tiny


def test_paper_scale_has_what_the_paper_has_or_says_what_is_less() -> None:
    config = read_config("vsp-learning", "paper")
    found = experiences(config)
    plain = [k for k in found if k.loss == "plain" and k.method in ("direct", "bayes")]
    assert {(k.train, k.method) for k in plain} == {(t, m) for t in TRAINING for m in ("direct", "bayes")}
    assert {k.evaluations for k in plain} == {1000}
    for units, count in ((STANDARDISED, 5), (RAW, 3)):
        seeds = [k.seed for k in plain if (k.train, k.method, k.units) == ("all", "direct", units)]
        assert seeds == list(range(count))
    small = next(k for k in found if (k.loss, k.train, k.method) == ("perturbed", "small", "direct"))
    assert (small.samples, small.evaluations) == (100, 1000)
    said = " ".join(reductions(config, found))
    for learner in found:
        if learner.method != "auto":
            less = learner.evaluations < 1000 or 0 < learner.samples < 100
            assert (learner.label in said) == less
    assert not any(f"The set {train} is not whole" in said for train in TRAINING)
    assert (len(held_out(config)) < 296) == ("The set test is not whole" in said)


def test_names_of_learners_differ_and_labels_but_for_the_seed() -> None:
    """Names are keys of costs, labels are rows of tables."""
    config = read_config("vsp-test", "paper")
    found = demonstrations(config) + experiences(config)
    names = [learner.name for learner in found]
    assert len(set(names)) == len(names)
    labels = [learner.label for learner in found if learner.seed == 0]
    assert len(set(labels)) == len(labels)
    assert {learner.label for learner in found} == set(labels)


def test_a_label_says_what_tells_learners_apart() -> None:
    assert Learner("plain", "small", "direct", "23", 1).label == "plain, small, direct"
    assert Learner("fenchel_young", "small", "fenchel-young", "23", 1).label == "fenchel-young, small"
    assert Learner("plain", "all", "auto", "extended", 1).label == "plain, all, auto, extended"
    raw = Learner("plain", "all", "direct", "23", 1, units=RAW, seed=2)
    assert (raw.label, raw.name) == ("plain, all, direct, raw units", "plain, all, direct, raw units, seed 2")
    assert Learner("plain", "all", "direct", "23", 1).name == "plain, all, direct"  # seed 0


def test_a_demonstration_is_in_the_papers_table_and_bayes_is_not() -> None:
    assert Learner("crf", "small", "crf", "23", 1).in_paper
    assert Learner("plain", "small", "direct", "23", 1).in_paper
    assert not Learner("plain", "small", "bayes", "23", 1).in_paper
    assert not Learner("plain", "small", "direct", "extended", 1).in_paper
    assert not Learner("plain", "small", "deterministic", "23", 1).in_paper  # the paper's draws random numbers


def test_what_is_learned_with_which_method(tiny_run: TinyRun) -> None:
    """direct draws random numbers, with a seed of each; raw units are those of the search; labels for two alone."""
    config = tiny("vsp-learning")
    with small_world():
        found = {learning.what: learning for learning in learnings(tiny_run.run, config)}
    assert len(found) == 2 + 3 * 2 + 3 + 3 + 3 + 1
    first, second = (found[f"vehicles, plain, all, direct{more}"] for more in ("", ", seed 1"))
    assert (first.settings["seed"], second.settings["seed"]) == (0, 1)
    assert first.identity["method_options"] == second.identity["method_options"] == Direct(randomised=True).options()
    assert found["vehicles, plain, all, deterministic"].identity["method_options"] == Direct().options()
    raw = found["vehicles, plain, all, direct, raw units"]
    assert raw.identity["method_options"] == Raw(Direct(randomised=True)).options()
    assert {what for what, learning in found.items() if learning.solutions is not None} == {
        "vehicles, crf, small",
        "vehicles, fenchel-young, small",
    }


def test_what_takes_longest_is_learned_first(tiny_run: TinyRun) -> None:
    """Perturbed by samples, then by the size of the instances: who comes late to a run finds short ones left."""
    with small_world():
        found = [learning.what for learning in learnings(tiny_run.run, read_config("vsp-learning", "paper"))]
    assert found[0].startswith("vehicles, perturbed, moderate")
    kinds = [what.startswith("vehicles, perturbed") for what in found]
    assert kinds == sorted(kinds, reverse=True)
    plain = [what.split(", ")[2] for what in found if what.startswith("vehicles, plain")]
    assert plain == sorted(plain, key=("all", "moderate", "small").index)


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
