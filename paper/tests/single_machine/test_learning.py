"""`scheduling-learning`: the paper's losses beside ours, losses of the right kind, conclusions by the numbers."""

from __future__ import annotations

import math

import pytest

from colayer_paper.frame.config import paper_table
from colayer_paper.frame.learned import Learned
from colayer_paper.single_machine.learners import Learner, Row
from colayer_paper.single_machine.learning import conclusions
from tiny_experiments import TinyRun, beside, column

#: Of the paper's rows, (loss, iterations) of those that the tiny run has too.
RAN = {("plain", "1000"), ("plain", "2500"), ("perturbed", "1000")}


def test_every_number_of_the_paper_stands_beside_one_of_ours(tiny_run: TinyRun) -> None:
    sheets = tiny_run.outcome("scheduling-learning").sheets
    texts = {"decoder", "loss", "total_time_10_seeds"}
    for line in paper_table("single_machine_learning"):
        if (line["loss"], line["iterations"]) in RAN:
            expected = {float(value) for key, value in line.items() if key not in texts} - {0.0}
            assert expected <= beside(sheets), line
    (sheet,) = sheets
    times = {cell.paper for cell in column(sheet, "CPU time, all seeds")} - {None}
    assert 314082.0 in times  # 87:14:42
    # what the paper's rows have in common, and nothing beside the row that is ours alone
    for name, paper in (("features", "66"), ("seeds", 10), ("instances", 2400)):
        assert [cell.paper for cell in column(sheet, name)] == [paper] * 6 + [None]


def test_losses_are_those_of_the_paper_in_kind(tiny_run: TinyRun) -> None:
    """cost / (n(n + 1)) is near the paper's 35 to 37, the best seed is no worse than the mean, more is no worse."""
    (sheet,) = tiny_run.outcome("scheduling-learning").sheets
    mean, best = column(sheet, "mean loss over seeds"), column(sheet, "best loss")
    for average, least in zip(mean, best, strict=True):
        assert 30 < least.value <= average.value < 80  # type: ignore[operator]
    assert mean[1].value <= mean[0].value  # type: ignore[operator]


def test_the_spread_is_that_of_the_seeds(tiny_run: TinyRun) -> None:
    """Of two seeds, twice the mean's distance to the better one over √2; of one seed there is none."""
    (sheet,) = tiny_run.outcome("scheduling-learning").sheets
    names = ("mean loss over seeds", "best loss", "spread over seeds", "seeds")
    for mean, best, spread, seeds in zip(*(column(sheet, name) for name in names), strict=True):
        if seeds.value == 2:
            expected = math.sqrt(2.0) * (mean.value - best.value)  # type: ignore[operator]
            assert spread.value == pytest.approx(expected, abs=1e-9)
        else:
            assert (seeds.value, spread.value) == (1, None)


def test_the_strength_stands_in_the_rows_that_are_perturbed(tiny_run: TinyRun) -> None:
    (sheet,) = tiny_run.outcome("scheduling-learning").sheets
    for loss, sigma in zip(column(sheet, "loss"), column(sheet, "σ"), strict=True):
        assert sigma.value == (0.1 if loss.value == "perturbed" else None)


def test_times_are_the_share_of_the_iterations(tiny_run: TinyRun) -> None:
    """5 of 12 iterations took 5/12 of the time of the search that both rows come from."""
    (sheet,) = tiny_run.outcome("scheduling-learning").sheets
    for name in ("CPU time, all seeds", "wall time, all seeds"):
        few, many = (cell.value for cell in column(sheet, name)[:2])
        assert few == 5 / 12 * many  # type: ignore[operator]


def rows() -> list[Row]:
    learned = Learned({}, 0.0, None, [], [], 0.0, 0.0)
    keys = [("plain", "1000", "none", 5), ("plain", "2500", "none", 12), ("plain", "1000", "ls", 5)]
    return [
        Row(Learner(loss, decoder, "27", "direct", [count], 1), (learned,), count, (loss, beside, decoder))
        for loss, beside, decoder, count in keys
    ]


def test_conclusions_follow_the_losses() -> None:
    """Seeds that differ more than iterations help, and a local search that helps; then the opposite."""
    as_in_paper = [[36.0, 38.0, 38.0, 38.0, 40.0], [37.0, 37.5, 37.5, 37.5, 38.0], [35.0, 36.0, 36.0, 36.0, 36.5]]
    assert [c.holds for c in conclusions(rows(), as_in_paper)] == [True, True, True]
    assert "38.000 on average and 36.000 at best after 5 iterations, 37.500 on average after 12" in (
        conclusions(rows(), as_in_paper)[0].numbers
    )
    turned = [[38.0, 38.1, 38.2], [35.0, 35.1, 35.2], [39.0, 39.1, 39.2]]
    assert [c.holds for c in conclusions(rows(), turned)] == [False, False, False]


def test_what_two_seeds_say_is_no_conclusion() -> None:
    """Nor is a mean that differs by less than the seeds do; that one seed is worse than another is seen at once."""
    close = [[38.0, 38.2], [38.0001, 38.0002], [37.0, 39.9]]
    assert [c.holds for c in conclusions(rows(), close)] == [None, True, None]
