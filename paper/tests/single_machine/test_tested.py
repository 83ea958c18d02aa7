"""Every learner through every pipeline: gaps to the best known cost, on the instances that each pipeline has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from colayer.display.outcome import Cell
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine
from colayer_paper.frame.store import Run
from colayer_paper.single_machine import tested as outcome  # a name that pytest does not take for a test
from colayer_paper.single_machine.learners import Learner, Row, held_out
from tiny_experiments import TinyRun, tiny


@pytest.fixture(scope="module")
def results(tiny_run: TinyRun) -> list[outcome.Tested]:
    tiny_run.outcome("scheduling-test")
    return outcome.tested(tiny_run.run, tiny("scheduling-test"))


def test_every_learner_is_there(results: list[outcome.Tested]) -> None:
    """By demonstration first, the rows by experience, what is shipped, and the rules."""
    assert [r.paper for r in results] == [
        ("fenchel_young", "0", "none"), ("plain", "1000", "none"), ("plain", "2500", "none"),
        ("perturbed", "1000", "none"), ("plain", "1000", "ls"), ("plain", "2500", "ls"), ("perturbed", "1000", "ls"),
        None, None, *[None] * 4,
    ]  # fmt: skip
    assert [r.row is None for r in results] == [True, *[False] * 7, True, *[True] * 4]
    assert [r.name for r in results[-5:]] == [outcome.SHIPPED, *outcome.RULES]
    assert [r.plain for r in results] == [False] * 9 + [True] * 4
    assert len({r.name for r in results}) == len(results)


def test_the_best_known_is_the_best_of_all_pipelines(results: list[outcome.Tested]) -> None:
    """On each instance some learner through some pipeline has gap 0, and none is below."""
    each = np.array([found for r in results for found in r.gaps.values()])
    assert len(each) == 9 * 4 + 4 * 3
    assert (each >= 0).all()
    assert each.min(axis=0).tolist() == [0.0] * 30


@pytest.mark.parametrize(
    ("name", "rule"),
    [("rule: look-ahead", "look-ahead"), ("rule: aprtf", "aprtf"), ("rule: shortest available", "shortest-available")],
)
def test_a_rule_is_the_order_by_its_feature(results: list[outcome.Tested], name: str, rule: str) -> None:
    """The costs of the rules as everybody knows them, through each decoder."""
    problem = SingleMachine()
    (found,) = (r for r in results if r.name == name)
    assert list(found.gaps) == ["none", "ls", "rdi"]
    for decoder, costs in found.costs.items():
        whole = rule if decoder == "none" else f"{rule}+{decoder}"
        expected = [problem.cost(problem.baseline(whole, x), x) for x in held_out(tiny("scheduling-test")).values]
        np.testing.assert_allclose(costs, expected)


def test_the_safe_weights_are_those_of_the_pipeline(results: list[outcome.Tested]) -> None:
    (found,) = (r for r in results if r.name.startswith("safe weights"))
    for decoder, costs in found.costs.items():
        problem = SingleMachine(decoder=decoder)
        alone = Pipeline(problem, problem.safe_weights, safe=False)
        assert costs.tolist() == [alone.solve(x).cost for x in held_out(tiny("scheduling-test")).values]


def test_every_seed_of_a_row_has_its_mean_gap(results: list[outcome.Tested]) -> None:
    """The seed whose model the row takes has the row's own; a learner of one seed has none to tell apart."""
    for result in results:
        if result.row is None or len(result.row.learned) == 1:
            assert result.seeds == {}
            continue
        assert set(result.seeds) == set(outcome.SEEDED)
        chosen = [model.weights.tolist() for model in result.row.models].index(result.row.model.weights.tolist())
        for pipeline, means in result.seeds.items():
            assert len(means) == 2
            assert means[chosen] == pytest.approx(result.gaps[pipeline].mean())


def test_gaps_are_those_of_the_shipped_pipeline(results: list[outcome.Tested], tiny_run: TinyRun) -> None:
    """Solved again: its cost over the best known is one plus its gap, the same best known for every pipeline."""
    data = held_out(tiny("scheduling-test")).values
    (shipped,) = (r for r in results if r.name == outcome.SHIPPED)
    found = {}
    for decoder in outcome.PIPELINES[:-1]:
        costs = [Pipeline(SingleMachine(decoder=decoder), safe=False).solve(x).cost for x in data]
        found[decoder] = np.array(costs) / (1 + shipped.gaps[decoder] / 100)
    np.testing.assert_allclose(found["none"], found["ls"])
    np.testing.assert_allclose(found["none"], found["rdi"])


def test_the_perturbed_pipeline_may_have_fewer_instances(tmp_path: Path) -> None:
    """The first of every cell: their jobs, and the best known of those very instances."""
    config = tiny("scheduling-test")
    small = {"jobs": [8, 10], "test_per_cell": 2, "perturbed_per_cell": 1, "learners": config["learners"][:1]}
    config = replace(config, parameters={**config.parameters, **small})
    run = Run(tmp_path / "run", "smoke", workers=2)
    run.open()
    results = outcome.tested(run, config)
    for result in results:
        assert [len(found) for found in result.gaps.values()] == [40, 40, 40, 20][: 3 if result.plain else 4]
        assert result.jobs["perturbed rdi"].tolist() == [8] * 10 + [10] * 10
        assert result.jobs["none"].tolist() == [8] * 20 + [10] * 20
        if result.plain:
            continue
        assert (result.gaps["perturbed rdi"] >= 0).all()
        # perturbed, rdi is no worse than without, and what it is measured against is the same
        assert (result.gaps["perturbed rdi"] <= result.gaps["rdi"][::2] + 1e-9).all()


def test_the_head_of_a_row() -> None:
    learner = Learner("plain", "none", "27", "direct", [400], 1)
    by_experience = outcome.Tested("x", "27", None, Row(learner, None, 400, None), {}, {}, {}, {}, {})  # type: ignore[arg-type]
    assert by_experience.head({"iterations": "1000"}) == [Cell("x"), Cell(400, 1000)]
    assert by_experience.head(None) == [Cell("x"), Cell(400)]
    by_demonstration = outcome.Tested("y", "27", None, None, {}, {}, {}, {}, {})
    assert by_demonstration.head({"iterations": "0"}) == [Cell("y"), Cell()]
