"""`scheduling-test`: the paper's gaps beside ours, gaps that a better decoder lowers, conclusions by the numbers."""

from __future__ import annotations

import numpy as np

from colayer.experiments.frame.config import paper_table
from colayer.experiments.single_machine import tested as outcome  # a name that pytest does not take for a test
from colayer.experiments.single_machine.gaps import conclusions
from colayer.experiments.single_machine.learners import Learner, Row
from support.tiny_experiments import TinyRun, beside

RAN = {("plain", "1000"), ("plain", "2500"), ("perturbed", "1000"), ("fenchel_young", "0")}


def test_every_number_of_the_paper_stands_beside_one_of_ours(tiny_run: TinyRun) -> None:
    here = beside(tiny_run.outcome("scheduling-test").sheets)
    texts = {"learner", "learn_decoder", "samples"}
    for line in paper_table("single_machine_test"):
        if (line["learner"], line["iterations"]) in RAN:
            expected = {float(value) for key, value in line.items() if key not in texts} - {0.0}
            assert expected <= here, line


def test_gaps_are_to_the_best_known(tiny_run: TinyRun) -> None:
    """None is negative; through rdi no gap is above that through ls, which is not above that without a decoder."""
    (sheet,) = tiny_run.outcome("scheduling-test").sheets
    assert [c.label for c in sheet.columns[2:4]] == ["none, mean gap (%)", "none, worst gap (%)"]
    for row in sheet.rows:
        none, ls, rdi = (row[k].value for k in (2, 4, 6))
        assert 0 <= rdi <= ls <= none  # type: ignore[operator]


def results(**gaps: list[float]) -> list[outcome.Tested]:
    """By demonstration, by experience, and with the local search in the loss: gaps that are equal in all pipelines."""
    learned = {"imitation": ("fenchel_young", "0", "none"), "plain": ("plain", "1000", "none"),
               "searched": ("plain", "1000", "ls")}  # fmt: skip
    found = []
    for name, key in learned.items():
        learner = Learner("plain", key[2], "27", "direct", [5], 1)
        row = None if name == "imitation" else Row(learner, None, 5, key)  # type: ignore[arg-type]
        each = {p: np.array(gaps[name]) for p in outcome.PIPELINES}
        if name == "searched":
            each["none"] = np.array(gaps["without"])
        found.append(outcome.Tested(name, "27", key, row, each, each, {}))
    return found


def test_conclusions_follow_the_gaps() -> None:
    """By a sign test: three comparisons, or one, tell nothing."""
    as_in_paper = results(imitation=[2.0, 2.2], plain=[1.0, 2.5], searched=[0.5, 2.5], without=[1.5, 2.6])
    found = conclusions(as_in_paper)
    assert [c.holds for c in found] == [True, True, None, None]
    assert "8 of 8 comparisons" in found[0].numbers
    assert "without a decoder, by demonstration 2.100 % (worst 2.20 %), by experience 1.750 %" in found[0].numbers
    assert "in 3 of 3 comparisons" in found[2].numbers
    assert "2.05 % against 1.75 %" in found[3].numbers
    turned = results(imitation=[0.1, 9.9], plain=[4.0, 8.0], searched=[5.0, 8.5], without=[5.0, 7.0])
    assert [c.holds for c in conclusions(turned)] == [False, False, None, None]
    mixed = results(imitation=[2.0, 2.2], plain=[1.0, 2.5], searched=[0.5, 2.5], without=[9.0, 1.0])
    assert [c.holds for c in conclusions(mixed)][:2] == [None, True]
