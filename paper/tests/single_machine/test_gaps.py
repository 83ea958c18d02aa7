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


def result(name: str, gaps: list[float], without: tuple[str, ...] = ()) -> outcome.Tested:
    learner = Learner("plain", "none", "66", "direct", [5], 1, without=list(without))
    row = Row(learner, None, 5, None) if without else None  # type: ignore[arg-type]
    return outcome.Tested(name, "66", None, row, dict.fromkeys(outcome.PIPELINES, np.array(gaps)), {}, {}, {}, {})


@pytest.mark.parametrize(
    ("learned", "holds"), [([1.1, 2.12, 3.1], True), ([0.8, 1.82, 2.8], False), ([1.5, 1.5, 3.2], None)]
)
def test_the_rule_is_compared_with_those_that_may_not_use_it(learned: list[float], holds: bool | None) -> None:
    """Pair by pair, with every one of them; who may use it, or was not learned, does not count."""
    others = [result("learned", learned, ("rank_lookahead",)), result("free", [0.0, 0.0, 0.0])]
    (drawn,) = conclusions([result(outcome.LOOK_AHEAD, [1.0, 2.0, 3.0]), *others])
    assert (drawn.holds, drawn.of, drawn.test) == (holds, "colayer", "paired, 3 instances")
    assert "mean gap 2.000 % against" in drawn.numbers
    assert "the best of 1 learners" in drawn.numbers
