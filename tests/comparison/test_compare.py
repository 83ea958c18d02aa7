"""`compare`: everything there is for a problem in one race, learned pipelines first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.comparison import cpsat
from colayer.comparison.compare import compare
from colayer.errors import InputError
from colayer.models import LinearModel
from colayer.problems import SingleMachine
from support.crowd_problem import Crowd
from support.errors import rejects
from support.item_problem import Item, PickItem
from support.selection_problem import Selection, instances

LIMIT = 0.02


@pytest.fixture(autouse=True)
def _without_or_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)


def test_learned_pipelines_race_against_everything_there_is() -> None:
    problem = Selection()
    results = compare(problem, instances(2), {"mine": Pipeline(problem, [1.0, 1.0, 0.0])}, time_limit=LIMIT, seed=4)
    names = (
        "mine", "mine, perturbed", "safe weights", "safe weights, perturbed", "best single feature (price_times_risk)",
        "cheapest", "safest", "exact",
    )  # fmt: skip
    assert results.race.contenders == names
    assert results.race.kinds == ("learned", "learned", "safe", "solver", "rule", "rule", "rule", "solver")
    assert (results.race.time_limit, results.race.seed) == (LIMIT, 4)
    assert results.learning == {"mine": None}
    assert results.missing == (
        "HiGHS is left out: selection has no compact model",
        "CP-SAT is left out: selection has no constraint program",
    )
    assert all(t.proved for t in results.race.of("exact"))


def test_what_learning_took_is_that_of_every_pipeline() -> None:
    problem = Selection()
    pipelines = {name: Pipeline(problem, [1.0, 1.0, 0.0]) for name in ("a", "b")}
    results = compare(problem, instances(1), pipelines, time_limit=LIMIT, learning_seconds=7.0)
    assert results.learning == {"a": 7.0, "b": 7.0}
    assert {(row.pipeline, row.learning) for row in results.paybacks()} == {("a", 7.0), ("b", 7.0)}


def test_without_pipelines_the_shipped_weights_run() -> None:
    problem = SingleMachine()
    results = compare(problem, [problem.generate(0, jobs=5)], time_limit=LIMIT)
    assert results.race.contenders[:3] == ("pretrained", "pretrained, perturbed", "safe weights")
    assert results.missing == ("CP-SAT is left out: pip install 'colayer[compare]'",)


@pytest.mark.parametrize("pipelines", [None, {}])
def test_without_weights_that_is_said_and_learning_took_nothing(pipelines: Any) -> None:
    results = compare(Selection(), instances(1), pipelines, time_limit=LIMIT)
    assert results.missing[0].startswith("no learned weights")
    assert results.paybacks() == []
    with rejects(InputError, where="learning_seconds"):
        compare(Selection(), instances(1), pipelines, time_limit=LIMIT, learning_seconds=1.0)


def test_a_problem_without_weights_and_rules_has_its_best_feature() -> None:
    results = compare(PickItem(), [Item([1.0])], time_limit=LIMIT)
    assert results.race.contenders == ("best single feature (value)",)


def test_nothing_to_compare_is_refused() -> None:
    with rejects(InputError, "contender"):
        compare(Selection(), [])


def test_what_is_plain_runs_through_the_decoder_of_the_model() -> None:
    """Of two models with decoders of their own, each has safe weights through its own beside it, by name."""
    data = instances(2)
    mine = {name: Pipeline(Selection(name), [1.0, 1.0, 0.0], safe=False) for name in ("none", "swap")}
    alone = compare(Selection(), data, {"m": mine["swap"]}, time_limit=LIMIT).race
    safe = Pipeline(Selection("swap"), Selection.safe_weights, safe=False)
    assert [t.cost for t in alone.of("safe weights")] == [safe.solve(x).cost for x in data]
    both = compare(Selection(), data, {"a": mine["none"], "b": mine["swap"]}, time_limit=LIMIT).race
    assert {"a, decoder none", "b, decoder swap", "safe weights, decoder none", "safe weights, decoder swap"} < set(
        both.contenders
    )
    assert [t.cost for t in both.of("safe weights, decoder swap")] == [t.cost for t in alone.of("safe weights")]


def test_a_model_that_was_trained_on_the_instances_is_known() -> None:
    data = instances(6)
    fitted = Pipeline(Selection()).fit(data[:4], evaluations=3)
    seen = compare(Selection(), data, {"m": fitted}, time_limit=LIMIT)
    assert seen.trained_on == {"m": 4}
    assert compare(Selection(), data[4:], {"m": fitted}, time_limit=LIMIT).trained_on == {"m": 0}


def test_two_contenders_of_one_name_are_refused() -> None:
    problem = SingleMachine()
    pipeline = Pipeline(problem, problem.safe_weights, safe=False)
    for names in (["srpt"], ["exact"], ["a", "a, perturbed"]):
        with rejects(InputError, where="contenders"):
            compare(problem, [problem.generate(0, jobs=3)], dict.fromkeys(names, pipeline), time_limit=LIMIT)


def test_progress_counts_every_run() -> None:
    seen: list[tuple[int, int]] = []
    results = compare(
        PickItem(), [Item([2.0, 1.0])] * 2, {"a": Pipeline(PickItem(), [1.0])}, time_limit=LIMIT,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen == [(k, 6) for k in range(1, 7)]
    assert [[t.cost for t in row] for row in results.race.rows] == [[1.0, 1.0, 1.0]] * 2


def test_rounds_are_in_the_names_and_learning_is_no_rival_of_itself() -> None:
    problem = Crowd()
    model = LinearModel(problem.feature_names, np.array([1.0, 0.1, -0.2]), np.ones(3), problem.name, rounds=3)
    pipelines = {"mine": Pipeline.from_model(problem, model, safe=False)}
    data = [problem.generate(seed) for seed in range(2)]
    for asked, rounds in ((None, 3), (6, 6)):
        results = compare(problem, data, pipelines, time_limit=LIMIT, rounds=asked, learning_seconds=1.0)
        plain = ["safe weights", "best single feature (work)"]
        assert [n for n in results.race.contenders if "perturbed" not in n] == [
            f"{name}, {rounds} rounds" for name in ("mine", *plain)
        ]  # fmt: skip
        assert set(results.learning) == set(results.trained_on) == {f"mine, {rounds} rounds"}
        assert "mine, perturbed" not in {row.rival for row in results.paybacks()}
        assert results.text()
