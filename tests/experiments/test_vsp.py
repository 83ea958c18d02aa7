"""The vehicle scheduling experiments: complete at tiny settings, honest about what is missing, right by hand."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import MissingExtraError
from colayer.experiments import vsp, vsp_learners
from colayer.experiments.frame.config import Config, paper_table, read_config
from colayer.experiments.frame.store import Run
from colayer.experiments.vehicle_scheduling.conclusions import conclusions
from colayer.experiments.vehicle_scheduling.data import held_out, instance_at
from colayer.experiments.vehicle_scheduling.gaps import Scores
from colayer.experiments.vehicle_scheduling.learners import (
    Blind,
    Learner,
    demonstrations,
    experiences,
    reductions,
    subset,
)
from colayer.learning.experience.cma_es import CmaEs
from colayer.learning.experience.optimizer import Task
from colayer.problems.vehicle_scheduling.datasets import paper_set
from colayer.report.outcome import Outcome, Sheet, write_outcome

EXPERIMENTS = {"vsp-data": vsp.data, "vsp-learning": vsp.learning, "vsp-curve": vsp.curve, "vsp-test": vsp.test}
TINY = {
    "sets": {
        "small": {"scenarios": [50], "per_cell": 5},
        "moderate": {"tasks": [50, 75], "scenarios": [50], "per_cell": 1},
        "all": {"tasks": [50, 100], "scenarios": [50], "per_cell": 1},
        "validation": {"tasks": [50], "scenarios": [50], "per_cell": 1},
        "test": {"tasks": [50, 200], "scenarios": [50], "per_cell": 2},
    },
    "evaluations": 6,
    "perturbed": {train: {"samples": 2, "direct": 5, "bayes": 4} for train in ("small", "moderate", "all")},
    "passes": 2,
    "demonstration_samples": 2,
    "ours": [{"train": "small", "features": "23"}],
}


def tiny(name: str) -> Config:
    config = read_config(name, "smoke")
    return dataclasses.replace(config, parameters={**config.parameters, **TINY})


def without_botorch() -> None:
    raise MissingExtraError("bayes needs BoTorch", where="--method")


def conducted(run: Run) -> dict[str, Outcome]:
    found = {}
    for name, experiment in EXPERIMENTS.items():
        run.reset()
        (run.folder / name).mkdir(exist_ok=True)
        found[name] = experiment(run, tiny(name))
        write_outcome(run.folder / name, found[name])
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "run"


@pytest.fixture(scope="module")
def found(folder: Path) -> Iterator[dict[str, Outcome]]:
    """All four experiments, on a machine without the extra bayes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vsp_learners, "need_botorch", without_botorch)
        run = Run(folder, "smoke")
        run.open()
        yield conducted(run)


def column(sheet: Sheet, name: str) -> list[Any]:
    return [row[[c.name for c in sheet.columns].index(name)] for row in sheet.rows]


def test_every_sheet_and_picture_is_there(found: dict[str, Outcome], folder: Path) -> None:
    files = {name: {path.name for path in (folder / name).iterdir()} for name in EXPERIMENTS}
    assert files["vsp-data"] == {"outcome.json", "counts.csv", "measured.csv"}
    assert files["vsp-learning"] == {"outcome.json", "learning.csv"}
    assert files["vsp-curve"] == {"outcome.json", "curve.csv", "perturbed.svg", "plain.svg"}
    assert files["vsp-test"] == {"outcome.json", "test.csv", "contenders.csv", "gaps.svg"}
    for outcome in found.values():
        assert outcome.conclusions
        assert all(picture.file in files[outcome.name] for picture in outcome.pictures)
        assert all(len(row) == len(sheet.columns) for sheet in outcome.sheets for row in sheet.rows)


def test_all_cells_of_the_papers_tables_stand_beside_ours(found: dict[str, Outcome]) -> None:
    test = found["vsp-test"].sheets[0]
    for name, key in (
        ("mean CPU time", "t_avg_s"),
        ("largest gap", "gap_max_percent"),
        ("mean gap", "gap_avg_percent"),
    ):
        assert [cell.paper for cell in column(test, name)] == [float(line[key]) for line in paper_table("vsp_test")]
    learning = found["vsp-learning"].sheets[0]
    objectives = {cell.paper for cell in column(learning, "objective")} - {None}
    lines = paper_table("vsp_learning")
    assert objectives == {float(line[f"{m}_objective"]) for line in lines for m in ("direct", "bayes")}
    counts = found["vsp-data"].sheets[0]
    assert sum(cell.paper for cell in column(counts, "test")) == 296


def test_our_cells_are_filled_where_something_was_run(found: dict[str, Outcome]) -> None:
    test = found["vsp-test"].sheets[0]
    for group, instances, gap in zip(*(column(test, c) for c in ("subset", "instances", "mean gap")), strict=True):
        assert (gap.value is None) == (instances.value == 0) == (group.value == "huge")
    best = min(cell.value for cell in column(found["vsp-test"].sheets[1], "mean gap, all"))
    assert 0 <= best < 1  # of the contenders, one is close to the best on each instance


def test_without_bayes_its_rows_say_so_in_words(found: dict[str, Outcome]) -> None:
    learning = found["vsp-learning"].sheets[0]
    for method, cell in zip(column(learning, "method"), column(learning, "objective"), strict=True):
        assert (cell.value is None) == (method.value == "bayes") == (cell.note == "extra bayes not installed")
    assert "extra bayes not installed" in learning.caption
    assert not any("bayes" in cell.value for cell in column(found["vsp-test"].sheets[1], "contender"))
    for name in ("vsp-learning", "vsp-curve", "vsp-test"):
        assert any("extra bayes not installed" in words for words in found[name].differences)
    told = [c for c in found["vsp-learning"].conclusions if c.claim.startswith(("Where the loss", "Bayesian"))]
    assert [c.holds for c in told] == [None, None, None]


def test_with_bayes_its_rows_are_filled(
    found: dict[str, Outcome], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another optimiser stands in for it: BoTorch is not needed to see that the rows are made."""
    monkeypatch.setattr(vsp_learners, "need_botorch", lambda: None)
    monkeypatch.setattr(vsp_learners, "Bayes", CmaEs)
    outcome = vsp.learning(Run(folder, "smoke"), tiny("vsp-learning"))
    assert all(cell.value is not None and cell.note == "" for cell in column(outcome.sheets[0], "objective"))
    assert not any("not installed" in words for words in outcome.differences)


def test_a_second_run_takes_everything_from_the_cache(
    found: dict[str, Outcome], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vsp_learners, "need_botorch", without_botorch)
    run = Run(folder, "smoke")
    run.open()
    again = conducted(run)
    assert run.made == 0
    for name, outcome in found.items():
        assert again[name] == outcome


def test_the_curve_ends_where_the_table_does(found: dict[str, Outcome]) -> None:
    ends = {}
    curve = found["vsp-curve"].sheets[0]
    for row in curve.rows:
        ends[tuple(cell.value for cell in row[:3])] = row[-1].value
    learning = found["vsp-learning"].sheets[0]
    reached = {tuple(c.value for c in row[:3]): row[6].value for row in learning.rows if row[6].value is not None}
    assert ends == reached


def test_csv_has_a_column_of_the_papers_values(found: dict[str, Outcome], folder: Path) -> None:
    with (folder / "vsp-learning" / "learning.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["objective, paper"] == "290.39"
    assert rows[0]["time (s), paper"] == "80.0"


def test_paper_scale_has_what_the_paper_has_or_says_what_is_less() -> None:
    config = read_config("vsp-learning", "paper")
    learners = experiences(config)
    plain = [k for k in learners if k.loss == "plain" and k.method in ("direct", "bayes")]
    assert {(k.train, k.method) for k in plain} == {(t, m) for t in vsp_learners.TRAINING for m in ("direct", "bayes")}
    assert {k.evaluations for k in plain} == {1000}
    small = next(k for k in learners if (k.loss, k.train, k.method) == ("perturbed", "small", "direct"))
    assert (small.samples, small.evaluations) == (100, 1000)
    said = " ".join(reductions(config, learners))
    for learner in learners:
        if learner.method != "auto":
            less = learner.evaluations < 1000 or 0 < learner.samples < 100
            assert (learner.label in said) == less
    assert not any(f"The set {train} is not whole" in said for train in vsp_learners.TRAINING)
    assert (len(held_out(config)) < 296) == ("The set test is not whole" in said)


def test_held_out_instances_are_those_of_the_test_set() -> None:
    """Cells are named to be resumed one by one: they must be the instances of the set, in its order."""
    config = tiny("vsp-test")
    whole = list(paper_set("test", **config["sets"]["test"]))
    cells = held_out(config)
    assert len(cells) == len(whole)
    for cell, instance in zip(cells, whole, strict=True):
        np.testing.assert_array_equal(instance_at(cell).begin, instance.begin)


def test_labels_of_learners_differ() -> None:
    """Labels are keys of tables."""
    config = read_config("vsp-test", "paper")
    labels = [learner.label for learner in demonstrations(config) + experiences(config)]
    assert len(set(labels)) == len(labels)


def test_blind_methods_never_see_the_safe_weights() -> None:
    asked: list[Any] = []

    def evaluate(W: Any) -> Any:
        asked.extend(W.tolist())
        return (W**2).sum(axis=1)

    method = Blind(CmaEs())
    method.minimize(evaluate, Task(dimension=2, evaluations=5, safe=np.array([3.0, 4.0])))
    assert asked[0] == [0.0, 0.0]
    assert method.options()["safe"] is False


def test_subsets_are_the_papers() -> None:
    assert [subset(n) for n in (50, 100, 200, 750, 1000, 5000)] == ["moderate"] * 2 + ["large"] * 2 + ["huge"] * 2


def scores(costs: dict[str, list[float]], tasks: list[int]) -> Scores:
    matrix = np.array(list(costs.values())).T
    return Scores(tuple(costs), np.array(tasks), matrix, np.full(len(tasks), 50.0), matrix / 10, matrix / 10)


def test_gaps_and_times_by_hand() -> None:
    """(c − best)/best among the contenders asked for; times over the mean at the same number of tasks."""
    found = scores({"a": [110, 300, 100], "b": [100, 330, 200], "c": [50, 100, 50]}, [50, 1000, 50])
    np.testing.assert_allclose(found.gaps("a", ("a", "b")), [0.1, 0.0, 0.0])
    np.testing.assert_allclose(found.gaps("b"), [1.0, 2.3, 3.0])
    np.testing.assert_allclose(found.relative_time("a"), [110 / 105, 1.0, 100 / 105])
    assert found.inside("moderate").tolist() == [True, False, True]
    assert found.inside("large").tolist() == [False, False, False]


@pytest.mark.parametrize("sign", [1, -1])
def test_conclusions_follow_the_numbers(sign: int) -> None:
    """Turned round, the numbers turn the conclusions round: nothing is written down beforehand."""
    order = ["plain, all", "plain, moderate", "fenchel-young", "plain, small", "crf"][::sign]
    excess = {name: k / 10 for k, name in enumerate(order)}
    noise = np.random.default_rng(0).uniform(0, 0.01, (12, 8))
    keys = [("crf", "small"), ("fenchel_young", "small")]
    keys += [(loss, train) for loss in ("plain", "perturbed") for train in vsp_learners.TRAINING]
    costs = {}
    for k, (loss, train) in enumerate(keys):
        base = {"crf": "crf", "fenchel_young": "fenchel-young"}.get(loss, f"plain, {train}")
        extra = excess[base] + 0.05 * sign * (loss == "perturbed")
        costs[f"{loss}, {train}"] = (100 * (1 + extra + noise[:, k])).tolist()
    found = scores({**costs, "ours": [99.0] * 12}, [50] * 6 + [1000] * 6)
    drawn = conclusions(found, {key: f"{key[0]}, {key[1]}" for key in keys})
    holds = {c.claim.split(",")[0] + c.claim[-25:]: c.holds for c in drawn}
    told = [c.holds for c in drawn if "On the small training set" not in c.claim and "our own" not in c.claim]
    assert told == [sign > 0] * len(told), holds
    assert drawn[-1].holds is True
    assert "(paper 5.13 %)" in drawn[0].numbers


def test_a_demonstration_is_in_the_papers_table_and_bayes_is_not() -> None:
    assert Learner("crf", "small", "crf", "23", 1).in_paper
    assert not Learner("plain", "small", "bayes", "23", 1).in_paper
