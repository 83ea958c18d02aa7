"""line: it learns, it repeats itself on every backend, its lines are journalled and counted, exact ones and grids."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Line, Pipeline
from colayer.errors import OptionError
from colayer.learning.search.line import rows_followed
from colayer.learning.search.optimizer import Task
from colayer.problems import SingleMachine
from support.pick_problem import Pick
from support.searching import stairs
from support.stepwise import PROBLEMS, stopped_and_resumed, the_start_is_kept, workers_do_not_matter

JOBS = SingleMachine("27")


def jobs(count: int = 8) -> list[Any]:
    return [JOBS.generate(seed, jobs=15) for seed in range(count)]


def learned(problem: Any, data: Any, **options: Any) -> Pipeline[Any, Any, Any]:
    return Pipeline(problem).fit(data, **{"method": "line", "evaluations": 130, **options})


@pytest.mark.parametrize(("problem", "sizes"), PROBLEMS, ids=lambda value: getattr(value, "name", ""))
def test_the_same_weights_for_any_number_of_workers(problem: Any, sizes: dict[str, int]) -> None:
    workers_do_not_matter(learned, problem, sizes)


@pytest.mark.parametrize("decoder", ["none", "ls"])
def test_it_gains_on_instances_that_nobody_learned_from(decoder: str) -> None:
    """Jobs with 27 features, by exact lines and by grids: below safe weights by more than 2 standard errors."""
    problem = SingleMachine("27", decoder=decoder)
    data = [problem.generate(seed, jobs=30) for seed in range(70)]
    pipeline = Pipeline(problem, safe=False).fit(data[:30], method="line", evaluations=500, validation=0.0)
    evaluator = problem.evaluator(data[30:])
    safe, ours = evaluator.losses(np.vstack([problem.safe_weights, pipeline.model.raw()]))
    difference = (ours - safe) / safe
    assert difference.mean() < -2 * difference.std(ddof=1) / np.sqrt(len(difference))
    evaluator.close()


def costs(pipeline: Pipeline[Any, Any, Any]) -> list[int]:
    return [evaluation.cost for evaluation in pipeline.history_]


def test_an_exact_line_takes_one_evaluation_and_one_for_every_three_rows() -> None:
    """15 jobs: 6. The safe weights and 54 single features come first, then 5 grids of 4, on half of what is left."""
    pipeline = learned(JOBS, jobs(), evaluations=55 + 45 + 1)
    assert costs(pipeline) == [1] * 55 + [1] * 20 + [6] * 4
    assert pipeline.provenance["evaluated"] == 99


def test_with_less_there_are_no_single_features() -> None:
    """One start, 11 grids of 4 and 8 exact lines: 93 of 95, of which the last one is never taken."""
    assert costs(learned(JOBS, jobs(), evaluations=55 + 40)) == [1] + [1] * 44 + [6] * 8


def test_four_grids_for_every_feature_are_enough() -> None:
    data = [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(6)]
    assert set(costs(learned(Pick(), data, evaluations=300))) == {1}
    pipeline = learned(JOBS, jobs(), evaluations=2000)
    assert costs(pipeline)[: 55 + 4 * 108] == [1] * (55 + 4 * 108)
    assert set(costs(pipeline)[55 + 4 * 108 :]) == {6}


def test_an_exact_line_that_costs_too_much_is_a_grid() -> None:
    assert set(costs(learned(JOBS, jobs(), method=Line(most=5)))) == {1}
    assert set(costs(learned(JOBS, jobs(), method=Line(most=6)))) == {1, 6}


@pytest.mark.parametrize("after", [1, 60, 93])
@pytest.mark.parametrize("most", [5, 6])
def test_a_run_that_was_stopped_goes_on_to_the_same_weights(after: int, most: int, tmp_path: Path) -> None:
    resumed = stopped_and_resumed(partial(learned, JOBS, jobs(), method=Line(most=most)), tmp_path / "j", after)
    assert resumed.recalled_ >= after


def test_the_norm_is_kept_where_the_layer_is_homogeneous() -> None:
    data = jobs(20)
    pipeline = learned(JOBS, data, evaluations=70, validation=0.0)
    safe = JOBS.safe_weights * pipeline.model.feature_scale
    norm = np.linalg.norm(safe * (JOBS.radius / 2 / np.abs(safe).max()))
    assert np.linalg.norm(pipeline.weights_) == pytest.approx(norm)


def test_where_nothing_is_gained_the_start_is_kept() -> None:
    the_start_is_kept(learned)


def test_a_problem_of_the_seven_members_is_learned_on_grids() -> None:
    """No safe weights: the start is the best single feature, and the value is the cost."""
    data = [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(6)]
    pipeline = learned(Pick(), data)
    assert {evaluation.cost for evaluation in pipeline.history_} == {1}
    assert pipeline.weights_[0] > abs(pipeline.weights_[1])


def test_rows_are_those_of_layers_that_can_be_followed() -> None:
    instance = JOBS.generate(0, jobs=7)
    for problem, rows in ((JOBS, 7), (SingleMachine("27", decoder="ls"), None)):
        evaluator = problem.evaluator([instance])
        assert evaluator.visit(rows_followed, [0]) == [rows]
        evaluator.close()


def test_a_loss_without_instances_is_refused() -> None:
    with pytest.raises(OptionError, match="method: line needs the instances, not only their losses"):
        Line().minimize(stairs, Task(3, evaluations=50))


@pytest.mark.parametrize("options", [{"reach": 0.0}, {"width": 0.3}, {"points": 0}, {"most": 0}])
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=f"method: {next(iter(options))} .* is out of range"):
        Line(**options)


def test_a_grid_has_as_many_points_on_either_side() -> None:
    with pytest.raises(OptionError, match="method: points 5 is odd, expected as many on either side"):
        Line(points=5)


def test_no_time_is_the_start() -> None:
    assert len(learned(JOBS, jobs(), time_limit=0.0).history_) == 1
    assert len(learned(JOBS, jobs(), evaluations=1).history_) == 1


def test_perturbation_has_no_meaning() -> None:
    with pytest.raises(OptionError, match="sigma: has no meaning for line"):
        learned(JOBS, jobs(), sigma=0.5)
