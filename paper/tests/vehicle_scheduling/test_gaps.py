"""`vsp-test`: the paper's table beside ours, all contenders, gaps and times by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.pipeline import Pipeline
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.solvers import BASELINES
from colayer_paper.frame.config import paper_table
from colayer_paper.vehicle_scheduling.data import held_out, instance_at
from colayer_paper.vehicle_scheduling.gaps import Scores
from tiny_experiments import TinyRun, column, tiny


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
    test, _, contenders = tiny_run.outcome("vsp-test").sheets
    for group, instances, gap in zip(*(column(test, c) for c in ("subset", "instances", "mean gap")), strict=True):
        assert (gap.value is None) == (instances.value == 0) == (group.value == "huge")
    means = [cell.value for cell in column(contenders, "mean gap, all")]
    assert 0 <= means[0] < 1  # type: ignore[operator]  # of the contenders, one is close to the best on each instance
    assert means == sorted(means)  # type: ignore[type-var]  # the best first


def test_rows_in_raw_units_stand_beside_the_same_of_the_paper(tiny_run: TinyRun) -> None:
    """The plain loss alone, on the three training sets; gaps to the best of these and of the other learners."""
    raw = tiny_run.outcome("vsp-test").sheets[1]
    lines = [line for line in paper_table("vsp_test") if line["learner"] == "plain"]
    assert [cell.paper for cell in column(raw, "mean gap")] == [float(line["gap_avg_percent"]) for line in lines]
    assert {cell.value for cell in column(raw, "learner")} == {"plain"}
    assert {cell.value for cell in column(raw, "seeds")} == {1}


def test_seeds_of_a_learner_are_one_row_with_their_spread(tiny_run: TinyRun) -> None:
    """Two seeds of plain DIRECT here, one of all others, which have no spread."""
    test, _, contenders = tiny_run.outcome("vsp-test").sheets
    for sheet, name in ((test, "learner"), (contenders, "contender")):
        names = (name, "seeds", "spread over seeds")
        for label, seeds, spread in zip(*([c.value for c in column(sheet, n)] for n in names), strict=True):
            several = label == "plain" or (str(label).startswith("plain, ") and str(label).endswith(", direct"))
            assert seeds == (2 if several else 1), label
            assert spread is None or several, label
    labels = [cell.value for cell in column(contenders, "contender")]
    assert len(set(labels)) == len(labels)
    assert not any("seed" in str(label) for label in labels)
    spreads = {cell.value for cell in column(contenders, "spread over seeds")} - {None}
    assert len(spreads) == 3
    assert all(spread > 0 for spread in spreads)  # type: ignore[operator]


def test_the_files_of_the_experiment(tiny_run: TinyRun) -> None:
    outcome = tiny_run.outcome("vsp-test")
    files = {path.name for path in (tiny_run.folder / "vsp-test").iterdir()}
    assert files == {"outcome.json", "test.csv", "test_raw.csv", "contenders.csv", "gaps.svg"}
    assert [picture.file for picture in outcome.pictures] == ["gaps.svg"]


def test_contenders_are_the_pipelines_and_the_rules(tiny_run: TinyRun) -> None:
    """Gaps to the bound, computed again: with the shipped weights, the safe ones and the rules."""
    contenders = tiny_run.outcome("vsp-test").sheets[2]
    names = [cell.value for cell in column(contenders, "contender")]
    verdicts = dict(zip(names, (cell.value for cell in column(contenders, "verdict")), strict=True))
    (to,) = (name for name, verdict in verdicts.items() if verdict == "reference")
    assert to in ("safe weights", *BASELINES)
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
    }
    solvers |= {rule: lambda x, rule=rule: problem.cost(problem.baseline(rule, x), x) for rule in BASELINES}
    for name, solve in solvers.items():
        gaps = np.array([solve(x) for x in instances]) / bounds - 1
        assert found[name] == pytest.approx(100 * gaps.mean()), name
