"""`scheduling-sigma`: gaps on instances of its own, the σ of the perturbed rows judged by them."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine
from colayer_paper.frame.sheets import spread
from colayer_paper.single_machine import learners as scheduling
from colayer_paper.single_machine.sigma import conclusion, learnings
from tiny_experiments import TinyRun, column, tiny

CONFIG = tiny("scheduling-sigma")


def test_every_strength_is_learned_with_every_seed(tiny_run: TinyRun) -> None:
    found = learnings(tiny_run.run, CONFIG)
    assert [(learning.settings["sigma"], learning.settings["seed"]) for learning in found] == [
        (0.1, 0), (0.1, 1), (1.0, 0), (1.0, 1),
    ]  # fmt: skip
    assert {learning.settings["samples"] for learning in found} == {2}
    assert len({learning.what for learning in found}) == 4
    tiny_run.outcome("scheduling-sigma")
    assert all(learning.done(tiny_run.run) for learning in found)


def test_gaps_are_those_of_the_learned_weights_on_the_validation_set(tiny_run: TinyRun) -> None:
    """To the bound, without decoder; computed again by the pipeline, one instance after the other."""
    (sheet,) = tiny_run.outcome("scheduling-sigma").sheets
    before = tiny_run.run.made
    problem, instances = SingleMachine("27", "none"), scheduling.validation(CONFIG).values
    assert len(instances) == 30
    by_sigma: dict[float, list[float]] = {}
    for learning in learnings(tiny_run.run, CONFIG):
        alone = Pipeline.from_model(problem, learning.learn(tiny_run.run).linear(), safe=False)
        gaps = [100 * (alone.solve(x).cost / problem.bound(x) - 1) for x in instances]
        by_sigma.setdefault(learning.settings["sigma"], []).append(float(np.mean(gaps)))
    assert tiny_run.run.made == before
    assert [cell.value for cell in column(sheet, "σ")] == list(by_sigma)
    for name, statistic in (("mean gap", np.mean), ("spread over seeds", spread), ("best seed", min)):
        expected = [statistic(found) for found in by_sigma.values()]
        assert [cell.value for cell in column(sheet, name)] == pytest.approx(expected)


def test_nobody_else_learns_or_tests_on_its_instances() -> None:
    found = scheduling.validation(CONFIG).identity
    assert found["set"] == "validation"
    assert found["set"] not in {
        scheduling.training(CONFIG).identity["set"],
        scheduling.held_out(CONFIG).identity["set"],
    }


def test_the_chosen_strength_is_judged_by_the_gaps() -> None:
    """It is a claim of ours, with the numbers."""
    gaps = {0.01: [3.4, 3.5, 3.6], 0.03: [2.2, 2.25, 2.3], 1.0: [8.9, 9.0, 9.1]}
    found = {sigma: np.array(by_seed) for sigma, by_seed in gaps.items()}
    told = conclusion(found, 0.03)
    assert (told.holds, told.of) == (True, "colayer")
    assert told.claim.startswith("σ = 0.03, ")
    assert "σ = 0.01: 3.500 %, σ = 0.03: 2.250 %, σ = 1: 9.000 %; to σ = 0.01 -1.25 ± 0.0645" in told.numbers
    assert conclusion(found, 0.01).holds is False
    assert conclusion({**found, 0.01: np.array([1.0, 2.5, 4.0])}, 0.03).holds is None


def test_the_files_of_the_experiment(tiny_run: TinyRun) -> None:
    tiny_run.outcome("scheduling-sigma")
    files = {path.name for path in (tiny_run.folder / "scheduling-sigma").iterdir()}
    assert files == {"outcome.json", "sigma.csv", "sigma.svg"}
