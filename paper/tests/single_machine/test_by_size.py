"""`scheduling-size`: the paper's subsets, its numbers beside ours, conclusions by the numbers."""

from __future__ import annotations

import numpy as np

from colayer_paper.frame.config import paper_table
from colayer_paper.single_machine import tested as outcome  # a name that pytest does not take for a test
from colayer_paper.single_machine.by_size import SUBSETS, conclusions, subset
from colayer_paper.single_machine.learners import Learner, Row
from tiny_experiments import TinyRun, beside, column, tiny

RAN = {("plain", "1000"), ("plain", "2500"), ("perturbed", "1000"), ("fenchel_young", "0")}


def test_subsets_are_those_of_the_paper() -> None:
    assert SUBSETS == {"moderate": 150, "large": 750, "huge": 3000}
    jobs = np.array([50, 150, 151, 750, 751, 3000, 3001])
    assert [subset(jobs, size).nonzero()[0].tolist() for size in SUBSETS] == [[0, 1], [2, 3], [4, 5]]


def test_every_number_of_the_paper_stands_beside_one_of_ours(tiny_run: TinyRun) -> None:
    here = beside(tiny_run.outcome("scheduling-size").sheets)
    texts = {"decoder", "learner", "learn_decoder", "samples"}
    for line in paper_table("single_machine_by_size"):
        if (line["learner"], line["iterations"]) in RAN:
            expected = {float(value) for key, value in line.items() if key not in texts} - {0.0}
            assert expected <= here, line


def test_a_column_holds_the_instances_of_its_subset(tiny_run: TinyRun) -> None:
    """The tiny subsets are one size each."""
    none, perturbed = tiny_run.outcome("scheduling-size").sheets
    found = outcome.tested(tiny_run.run, tiny("scheduling-size"))
    for sheet, pipeline in ((none, "none"), (perturbed, "perturbed rdi")):
        for size, jobs in (("moderate", 12), ("large", 25), ("huge", 40)):
            gaps = [r.gaps[pipeline][r.jobs[pipeline] == jobs] for r in found if pipeline in r.gaps]
            assert len(gaps) == len(found) - (pipeline != "none") * len(outcome.RULES)  # rules are not perturbed
            assert [cell.value for cell in column(sheet, f"{size}, mean gap")] == [float(g.mean()) for g in gaps]
            assert [cell.value for cell in column(sheet, f"{size}, worst gap")] == [float(g.max()) for g in gaps]


def results(imitation: list[float], experience: list[float], jobs: list[int]) -> list[outcome.Tested]:
    row = Row(Learner("plain", "none", "27", "direct", [5], 1), None, 5, None)  # type: ignore[arg-type]
    return [
        outcome.Tested(name, "27", key, by, dict.fromkeys(outcome.PIPELINES, np.array(gaps)), {},
               dict.fromkeys(outcome.PIPELINES, np.array(jobs)), {}, {})
        for name, key, by, gaps in (
            ("imitation", ("fenchel_young", "0", "none"), None, imitation),
            ("experience", ("plain", "1000", "none"), row, experience),
            ("more experience", ("plain", "2500", "none"), row, experience),
        )
    ]  # fmt: skip


def test_conclusions_follow_the_large_and_the_huge() -> None:
    """What happens on moderate instances does not count; subsets without instances are left out."""
    (won,) = conclusions(results([1.0, 4.0, 5.0], [9.0, 2.0, 3.0], [100, 500, 1000]))
    assert won.holds is True
    assert "in 8 of 8 comparisons" in won.numbers
    assert "none, large: 2.0000 to 2.0000 % against 4.0000 %" in won.numbers
    (lost,) = conclusions(results([9.0, 4.0, 5.0], [1.0, 6.0, 7.0], [100, 500, 1000]))
    assert lost.holds is False
    (few,) = conclusions(results([9.0, 4.0], [1.0, 3.0], [100, 500]))
    assert "in 4 of 4 comparisons" in few.numbers
    assert few.holds is None
    assert "huge" not in few.numbers.partition("; ")[2]


def test_without_a_decoder_learners_that_expect_one_are_no_match() -> None:
    """Learned with the local search, a pipeline counts only where it has one, as in the paper."""
    found = results([4.0], [2.0], [500])
    searched = outcome.Tested("searched", "27", ("plain", "1000", "ls"), found[1].row,
                      dict.fromkeys(outcome.PIPELINES, np.array([99.0])), {}, found[0].jobs, {}, {})  # fmt: skip
    (drawn,) = conclusions([*found, searched])
    assert "in 4 of 5 comparisons (1 the other way)" in drawn.numbers
