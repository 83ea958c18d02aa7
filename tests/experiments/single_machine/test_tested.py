"""Every learner through every pipeline: gaps to the best known cost, on the instances that each pipeline has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from colayer.experiments.frame.store import Run
from colayer.experiments.single_machine import tested as outcome  # a name that pytest does not take for a test
from colayer.experiments.single_machine.learners import Learner, Row, held_out
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine
from colayer.report.outcome import Cell
from support.tiny_experiments import TinyRun, tiny


@pytest.fixture(scope="module")
def results(tiny_run: TinyRun) -> list[outcome.Tested]:
    tiny_run.outcome("scheduling-test")
    return outcome.tested(tiny_run.run, tiny("scheduling-test"))


def test_every_learner_is_there(results: list[outcome.Tested]) -> None:
    """By demonstration first, the rows by experience, and what is shipped."""
    assert [r.paper for r in results] == [
        ("fenchel_young", "0", "none"), ("plain", "1000", "none"), ("plain", "2500", "none"),
        ("perturbed", "1000", "none"), ("plain", "1000", "ls"), ("plain", "2500", "ls"), ("perturbed", "1000", "ls"),
        None, None,
    ]  # fmt: skip
    assert [r.row is None for r in results] == [True, *[False] * 7, True]
    assert len({r.name for r in results}) == len(results)


def test_the_best_known_is_the_best_of_all_pipelines(results: list[outcome.Tested]) -> None:
    """On each instance some learner through some pipeline has gap 0, and none is below."""
    each = np.array([[r.gaps[p] for p in outcome.PIPELINES] for r in results])
    assert (each >= 0).all()
    assert each.min(axis=(0, 1)).tolist() == [0.0] * 30


def test_gaps_are_those_of_the_shipped_pipeline(results: list[outcome.Tested], tiny_run: TinyRun) -> None:
    """Solved again: its cost over the best known is one plus its gap, the same best known for every pipeline."""
    data = held_out(tiny("scheduling-test")).values
    found = {}
    for decoder in outcome.PIPELINES[:-1]:
        costs = [Pipeline(SingleMachine(decoder=decoder), safe=False).solve(x).cost for x in data]
        found[decoder] = np.array(costs) / (1 + results[-1].gaps[decoder] / 100)
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
        assert [len(result.gaps[p]) for p in outcome.PIPELINES] == [40, 40, 40, 20]
        assert result.jobs["perturbed rdi"].tolist() == [8] * 10 + [10] * 10
        assert result.jobs["none"].tolist() == [8] * 20 + [10] * 20
        assert (result.gaps["perturbed rdi"] >= 0).all()
        # perturbed, rdi is no worse than without, and what it is measured against is the same
        assert (result.gaps["perturbed rdi"] <= result.gaps["rdi"][::2] + 1e-9).all()


def test_the_head_of_a_row() -> None:
    learner = Learner("plain", "none", "27", "direct", [400], 1)
    by_experience = outcome.Tested("x", "27", None, Row(learner, None, 400, None), {}, {}, {})  # type: ignore[arg-type]
    assert by_experience.head({"iterations": "1000"}) == [Cell("x"), Cell(400, 1000)]
    assert by_experience.head(None) == [Cell("x"), Cell(400)]
    by_demonstration = outcome.Tested("y", "27", None, None, {}, {}, {})
    assert by_demonstration.head({"iterations": "0"}) == [Cell("y"), Cell()]
