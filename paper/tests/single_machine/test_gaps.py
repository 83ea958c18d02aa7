"""`scheduling-test`: the paper's gaps beside ours, gaps that a better decoder lowers, conclusions by the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer_paper.frame.config import paper_table
from colayer_paper.single_machine import tested as outcome  # a name that pytest does not take for a test
from colayer_paper.single_machine.gaps import conclusions
from colayer_paper.single_machine.learners import Learner, Row
from tiny_experiments import TinyRun, beside, column, tiny

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
    sheet, _ = tiny_run.outcome("scheduling-test").sheets
    names = ("none, mean gap", "ls, mean gap", "rdi, mean gap")
    assert [c.label for c in sheet.columns[2:5]] == [
        "none, mean gap (%)", "none, worst gap (%)", "none, spread over seeds (%)",
    ]  # fmt: skip
    for none, ls, rdi in zip(*(column(sheet, name) for name in names), strict=True):
        assert 0 <= rdi.value <= ls.value <= none.value  # type: ignore[operator]


def test_the_spread_stands_where_a_learner_has_several_seeds(tiny_run: TinyRun) -> None:
    """Of six rows of DIRECT here, with no decoder and with the local search."""
    sheet, _ = tiny_run.outcome("scheduling-test").sheets
    for pipeline in ("none", "ls"):
        several = [cell.value is not None for cell in column(sheet, f"{pipeline}, spread over seeds")]
        assert several == [False, *[True] * 6, *[False] * (2 + len(outcome.RULES))]


def test_rules_stand_below_without_a_perturbed_pipeline(tiny_run: TinyRun) -> None:
    sheet, differences = tiny_run.outcome("scheduling-test").sheets
    for found in (sheet, differences):
        assert [cell.value for cell in column(found, "learner")][-len(outcome.RULES) :] == list(outcome.RULES)
    missing = [cell.value is None for cell in column(sheet, "perturbed rdi, mean gap")]
    assert missing == [False] * 9 + [True] * len(outcome.RULES)


def test_differences_are_paired_and_to_the_best_rule(tiny_run: TinyRun) -> None:
    """Through the same pipeline; computed again from the costs of all learners."""
    _, sheet = tiny_run.outcome("scheduling-test").sheets
    found = outcome.tested(tiny_run.run, tiny("scheduling-test"))
    for pipeline in ("none", "ls", "rdi"):
        to = min((r for r in found if r.plain), key=lambda r: float(r.gaps[pipeline].mean()))
        ours = [100 * float(np.mean(r.costs[pipeline] / to.costs[pipeline] - 1)) for r in found]
        told = [cell.value for cell in column(sheet, f"{pipeline}, difference to {to.name}")]
        verdicts = [cell.value for cell in column(sheet, f"{pipeline}, verdict")]
        assert [r.name for r, verdict in zip(found, verdicts, strict=True) if verdict == "reference"] == [to.name]
        for expected, value, verdict in zip(ours, told, verdicts, strict=True):
            if verdict == "reference":
                assert (expected, value) == (0.0, None)
            else:
                assert value == pytest.approx(expected, abs=1e-9)


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
        found.append(outcome.Tested(name, "27", key, row, each, each, {}, {}, {}))
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
