"""srl: it learns, it repeats itself on every backend, its passes are journalled and counted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.errors import JournalError, OptionError
from colayer.learning.search.optimizer import Task
from colayer.learning.search.srl import Srl, SrlDescent
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick
from support.searching import stairs
from support.stepwise import PROBLEMS, stopped_and_resumed, the_start_is_kept, workers_do_not_matter

QUICK = Srl(draws=5)


def learned(problem: Any, data: Any, **options: Any) -> Pipeline[Any, Any, Any]:
    return Pipeline(problem).fit(data, **{"method": QUICK, "evaluations": 60, **options})


@pytest.mark.parametrize(("problem", "sizes"), PROBLEMS, ids=lambda value: getattr(value, "name", ""))
def test_the_same_weights_for_any_number_of_workers(problem: Any, sizes: dict[str, int]) -> None:
    workers_do_not_matter(learned, problem, sizes)


def test_it_gains_on_instances_that_nobody_learned_from() -> None:
    """Jobs with 27 features: below the safe weights by more than 2 standard errors, with a third of the budget."""
    problem = SingleMachine("27")
    data = [problem.generate(seed, jobs=30) for seed in range(60)]
    pipeline = Pipeline(problem, safe=False).fit(data[:20], method="srl", evaluations=300)
    evaluator = problem.evaluator(data[20:])
    safe, ours = evaluator.losses(np.vstack([problem.safe_weights, pipeline.model.raw()]))
    difference = (ours - safe) / safe
    assert difference.mean() < -2 * difference.std(ddof=1) / np.sqrt(len(difference))
    evaluator.close()


def test_a_pass_takes_one_evaluation_more_than_its_draws() -> None:
    problem, sizes = PROBLEMS[0]
    data = [problem.generate(seed, **sizes) for seed in range(6)]
    pipeline = learned(problem, data, evaluations=20)  # 1 of the start, 3 passes of 6
    assert [evaluation.cost for evaluation in pipeline.history_] == [1, 6, 6, 6]
    assert pipeline.provenance["evaluated"] == 19


@pytest.mark.parametrize(("instances", "batch"), [(12, 4), (60, 10), (600, 64)])
def test_a_step_is_a_sixth_of_the_instances_from_4_to_64(instances: int, batch: int) -> None:
    sizes = []

    def gradients(work: Any, chosen: list[int]) -> list[Any]:
        sizes.append(len(chosen))
        return [np.zeros(2)]

    SrlDescent(QUICK, Task(2, instances=instances), np.ones(2), 1)._epoch(gradients)
    assert sizes[0] == batch
    assert sum(sizes) == instances


@pytest.mark.parametrize("after", [1, 2, 5])
def test_a_run_that_was_stopped_goes_on_to_the_same_weights(after: int, tmp_path: Path) -> None:
    problem, sizes = PROBLEMS[0]
    data = [problem.generate(seed, **sizes) for seed in range(8)]
    resumed = stopped_and_resumed(partial(learned, problem, data), tmp_path / "j", after)
    assert resumed.recalled_ == after


def test_the_norm_is_kept_where_the_layer_is_homogeneous() -> None:
    problem, sizes = PROBLEMS[0]
    data = [problem.generate(seed, **sizes) for seed in range(6)]
    pipeline = learned(problem, data, evaluations=8, validation=0.0)
    safe = problem.safe_weights * pipeline.model.feature_scale
    norm = np.linalg.norm(safe * (problem.radius / 2 / np.abs(safe).max()))
    assert np.linalg.norm(pipeline.weights_) == pytest.approx(norm, rel=0.01)  # an average lies inside


def test_where_nothing_is_gained_the_start_is_kept() -> None:
    the_start_is_kept(learned)


def test_a_problem_without_embed_and_a_loss_without_instances_are_refused() -> None:
    with rejects(OptionError, where="--method"):
        learned(Pick(), [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(6)])
    with rejects(OptionError, where="--method"):
        QUICK.minimize(stairs, Task(3, evaluations=50))


def test_a_journal_of_other_passes_is_refused(tmp_path: Path) -> None:
    """One that says the draws were others than its identity does."""
    problem, sizes = PROBLEMS[0]
    data = [problem.generate(seed, **sizes) for seed in range(6)]
    learned(problem, data, journal=tmp_path / "j")
    path = tmp_path / "j"
    path.write_text(path.read_text().replace('"cost":6', '"cost":5'))
    with rejects(JournalError, where="j:3"):
        learned(problem, data, journal=path)


@pytest.mark.parametrize("options", [{"sigma": 0.0}, {"temperature": -1.0}, {"rate": 0.0}, {"draws": 0}, {"batch": 0}])
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with rejects(OptionError, where="--method"):
        Srl(**options)  # type: ignore[arg-type]


def test_no_time_is_the_start() -> None:
    problem, sizes = PROBLEMS[0]
    data = [problem.generate(seed, **sizes) for seed in range(6)]
    assert len(learned(problem, data, time_limit=0.0).history_) == 1
