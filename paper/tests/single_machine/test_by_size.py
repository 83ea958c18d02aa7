"""`scheduling-size`: the paper's subsets, its numbers beside ours, conclusions by the numbers."""

from __future__ import annotations

import numpy as np

from colayer_paper.frame.config import paper_table
from colayer_paper.single_machine import tested as outcome  # a name that pytest does not take for a test
from colayer_paper.single_machine.by_size import SUBSETS, subset
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
