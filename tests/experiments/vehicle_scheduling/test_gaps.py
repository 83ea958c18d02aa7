"""`vsp-test`: the paper's table beside ours, all contenders, gaps and times by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.experiments.frame.config import paper_table
from colayer.experiments.vehicle_scheduling.data import held_out, instance_at
from colayer.experiments.vehicle_scheduling.gaps import Scores
from colayer.pipeline import Pipeline
from colayer.problems import VehicleScheduling
from support.tiny_experiments import TinyRun, column, tiny


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
    assert found.inside("all").all()


def test_all_cells_of_the_papers_table_stand_beside_ours(tiny_run: TinyRun) -> None:
    test = tiny_run.outcome("vsp-test").sheets[0]
    for name, key in (
        ("mean CPU time", "t_avg_s"),
        ("largest / mean time", "t_max_over_avg"),
        ("largest gap", "gap_max_percent"),
        ("mean gap", "gap_avg_percent"),
    ):
        assert [cell.paper for cell in column(test, name)] == [float(line[key]) for line in paper_table("vsp_test")]


def test_our_cells_are_filled_where_something_was_run(tiny_run: TinyRun) -> None:
    test, contenders = tiny_run.outcome("vsp-test").sheets
    for group, instances, gap in zip(*(column(test, c) for c in ("subset", "instances", "mean gap")), strict=True):
        assert (gap.value is None) == (instances.value == 0) == (group.value == "huge")
    means = [cell.value for cell in column(contenders, "mean gap, all")]
    assert 0 <= means[0] < 1  # type: ignore[operator]  # of the contenders, one is close to the best on each instance
    assert means == sorted(means)  # type: ignore[type-var]  # the best first


def test_the_files_of_the_experiment(tiny_run: TinyRun) -> None:
    outcome = tiny_run.outcome("vsp-test")
    files = {path.name for path in (tiny_run.folder / "vsp-test").iterdir()}
    assert files == {"outcome.json", "test.csv", "contenders.csv", "gaps.svg"}
    assert [picture.file for picture in outcome.pictures] == ["gaps.svg"]


def test_contenders_are_the_pipelines_and_the_rule(tiny_run: TinyRun) -> None:
    """Gaps to the bound, computed again: with the shipped weights, the safe ones and the plain rule."""
    contenders = tiny_run.outcome("vsp-test").sheets[1]
    names = [cell.value for cell in column(contenders, "contender")]
    verdicts = dict(zip(names, (cell.value for cell in column(contenders, "verdict")), strict=True))
    (to,) = (name for name, verdict in verdicts.items() if verdict == "reference")
    assert to in ("safe weights", "deterministic")
    assert len(column(contenders, f"difference to {to}")) == len(column(contenders, "standard error")) == len(names)
    found = dict(zip(names, (cell.value for cell in column(contenders, "mean gap to the bound")), strict=True))
    instances = [instance_at(cell) for cell in held_out(tiny("vsp-test"))]
    problem = VehicleScheduling("23")
    bounds = np.array([problem.bound(x) for x in instances])
    searched = VehicleScheduling("extended", "ls")
    solvers = {
        "safe weights": lambda x: Pipeline(problem, problem.safe_weights, safe=False).solve(x).cost,
        "shipped, 23": lambda x: Pipeline(problem, safe=False).solve(x).cost,
        "shipped, extended, ls": lambda x: Pipeline(searched, safe=False).solve(x).cost,
        "deterministic": lambda x: problem.cost(problem.baseline("deterministic", x), x),
    }
    for name, solve in solvers.items():
        gaps = np.array([solve(x) for x in instances]) / bounds - 1
        assert found[name] == pytest.approx(100 * gaps.mean()), name
