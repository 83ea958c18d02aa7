"""Results of a race, by hand: standings, tables, the document and the outcome for `colayer report`."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from colayer.comparison.contender import CP_SAT, CP_SAT_HINT, SAFE
from colayer.comparison.race import Race
from colayer.comparison.results import FIGURE, Results
from colayer.comparison.trajectory import Trajectory
from colayer.display.outcome import read_outcomes, write_outcome


def by_hand() -> Race:
    """Two instances. A is early and good; HiGHS late, better on the second; C solves the first one alone."""
    rows = (
        (Trajectory(((0.05, 110.0), (5.0, 100.0))), Trajectory(((2.0, 120.0),)), Trajectory(((1.0, 100.0),), True)),
        (Trajectory(((0.1, -50.0),)), Trajectory(((0.5, -90.0), (9.0, -100.0))), Trajectory((), note="too large")),
    )
    groups = {"n": 1.0}, {"n": 2.0}
    return Race(
        "pick", 10.0, 3, ("A", "HiGHS", "C"), groups, rows, (None, None), (1.0, 1.0), ("learned", "solver", "rule")
    )


def one_each(
    contenders: tuple[str, ...],
    *costs: tuple[float, ...],
    left_out: tuple[str, ...] = (),
    kinds: tuple[Any, ...] = (),
) -> Race:
    """Every contender has one solution of each instance, after a second."""
    rows = tuple(tuple(Trajectory(((1.0, cost),)) for cost in row) for row in costs)
    count = len(rows)
    kinds = kinds or ("solver",) * len(contenders)
    return Race("pick", 10.0, 0, contenders, ({},) * count, rows, (None,) * count, (1.0,) * count, kinds, left_out)


def test_standings_by_hand() -> None:
    a, b, c = Results(by_hand(), {}).standings()
    assert (a.solved, a.wins, a.proved, a.first) == (2, 1, 0, pytest.approx(0.075))
    assert a.gaps == (pytest.approx((0.1 + 0.5) / 2), pytest.approx((0.1 + 0.5) / 2), pytest.approx(0.25))
    assert (b.solved, b.wins, b.gaps[0], b.gaps[1]) == (2, 1, None, None)  # at 1 s the first instance has no solution
    assert b.gaps[2] == pytest.approx(0.1)
    assert (c.solved, c.wins, c.proved, c.gaps, c.note) == (1, 1, 1, (None, None, None), "too large")


def test_results_as_document_tables_and_outcome(tmp_path: Path) -> None:
    results = Results(by_hand(), {"A": 18.0}, ("D is left out",))
    document = results.document()
    # A has solved both after 5 s, with a mean gap of 25 %. B is at 15 % after 2 s, C never gets there.
    assert [row["rival_seconds"] for row in document["payback"]] == [2.0, 10.0]
    assert [row["payback"] for row in document["payback"]] == ["no measurable gain", "≤ 4"]
    assert [row["solves"] for row in document["payback"]] == [None, 4.0]
    assert [row["reached"] for row in document["payback"]] == [1, 1]
    assert document["instances"][0]["trajectories"]["C"]["points"] == ((1.0, 100.0),)
    assert [instance["best"] for instance in document["instances"]] == [100.0, -100.0]
    assert "too large" in results.notes()[0]
    folder = tmp_path / "run"
    write_outcome(folder, results.outcome({"command": "colayer compare", "seed": 3}))
    ((_, outcome),) = read_outcomes(folder)
    assert [sheet.name for sheet in outcome.sheets] == ["compare", "payback"]
    assert outcome.sheets[1].columns[5].name in results.payback_table().text()  # one name for one thing
    assert outcome.pictures[0].file == FIGURE
    assert "2 instances, n 1 to 2; 10 s per contender and instance." in outcome.summary
    assert (folder / "compare.csv").read_text().splitlines()[1].startswith("A,0.075")
    assert outcome.differences == ("D is left out", "C: too large")
    (conclusion,) = outcome.conclusions
    assert conclusion.claim == "A, solved once, is never worse than HiGHS after 10 s"
    assert (conclusion.holds, conclusion.numbers) == (False, "better on 1, equal on 0, worse on 1 instances")


def test_the_keys_of_the_document() -> None:
    document = Results(by_hand(), {"A": 18.0}).document()
    assert list(document) == [
        "format", "problem", "time_limit", "seed", "contenders", "left_out", "shares", "reference", "summary",
        "standings", "payback", "trained_on", "hint", "instances",
    ]  # fmt: skip
    assert document["summary"] == document["standings"]
    assert list(document["standings"][0]) == [
        "contender", "solved", "wins", "proved", "first", "gaps", "difference", "note",
    ]  # fmt: skip
    assert list(document["payback"][0]) == [
        "pipeline", "rival", "reached", "instances", "seconds", "rival_seconds", "bounded", "learning",
        "difference", "gains", "saved", "solves", "payback",
    ]  # fmt: skip
    assert list(document["instances"][0]) == ["group", "best", "trajectories"]


def test_the_text_holds_both_tables_and_what_is_to_be_known() -> None:
    """The contender with the least gap in the end comes first, and is set apart; one without solutions comes last."""
    text = Results(by_hand(), {"A": None}).text()
    assert text.startswith("2 instances of pick, 10 s each on one core; gaps to the best cost found\n\n")
    lines = text.splitlines()
    assert lines[2].split("  ")[0] == "contender"
    assert [line.split()[0] for line in lines[4:7]] == ["HiGHS", "A", "C"]
    assert Results(by_hand(), {"A": None}).standing_table().best == {0}
    assert "learning has paid for itself" in lines[8]
    assert lines[-2] == "C: too large"
    assert "--learning-seconds" in lines[-1]
    assert lines[-1].endswith("(A)")
    plain = Results(one_each(("a",), (1.0,)), {}).text()
    assert plain.startswith("1 instance of pick, ")
    assert "learning" not in plain
    assert plain.endswith("\n")
    assert not plain.endswith("\n\n")


def test_who_is_left_out_is_said_before_and_after_the_race() -> None:
    raced = one_each(("a",), (1.0,), left_out=("b is left out: it raised",))
    assert Results(raced, {}, ("HiGHS is left out",)).left_out == ["HiGHS is left out", "b is left out: it raised"]


def test_learned_contenders_are_no_rivals_of_learning() -> None:
    """Neither the perturbed pipeline, nor CP-SAT with the hint of one."""
    names = ("A", "A, perturbed", SAFE, CP_SAT, CP_SAT_HINT)
    kinds = ("learned", "learned", "safe", "solver", "solver")
    results = Results(one_each(names, (3.0, 2.0, 4.0, 3.0, 1.0), kinds=kinds), {"A": 1.0})
    assert [row.rival for row in results.paybacks()] == [SAFE, CP_SAT]


def test_the_hint_has_a_table_and_a_conclusion_of_its_own() -> None:
    names = ("A", SAFE, CP_SAT, CP_SAT_HINT)
    results = Results(one_each(names, (3.0, 4.0, 2.0, 1.0), (3.0, 2.0, 2.0, 2.0)), {"A": 1.0})
    assert results.hints() == [(0, 3.0, 2.0, 1.0), (1, 3.0, 2.0, 2.0)]
    outcome = results.outcome({})
    assert [sheet.name for sheet in outcome.sheets] == ["compare", "payback", "hint"]
    assert [column.name for column in outcome.sheets[2].columns] == ["instance", "A", CP_SAT, CP_SAT_HINT]
    assert [(c.claim, c.holds, c.numbers) for c in outcome.conclusions] == [
        ("A, solved once, is never worse than safe weights after 10 s", False,
         "better on 1, equal on 0, worse on 1 instances"),
        ("A, solved once, is never worse than CP-SAT after 10 s", False,
         "better on 0, equal on 0, worse on 2 instances"),
        ("CP-SAT is never worse with the hint", True, "better on 1, equal on 1, worse on 0 instances"),
    ]  # fmt: skip
    assert results.document()["hint"][0] == {"instance": 0, "pipeline": 3.0, "cp_sat": 2.0, "cp_sat_hint": 1.0}
    assert Results(by_hand(), {"A": 1.0}).hints() == []


def against_a_rule() -> Results:
    """A is 10 % better than the rule, B as good as it, on four instances; on two of them B was trained."""
    costs = ((90.0, 99.0, 100.0, 130.0), (91.0, 101.0, 100.0, 130.0)) * 2
    raced = one_each(("A", "B", "rule", "bad"), *costs, kinds=("learned", "learned", "rule", "rule"))
    return Results(raced, {"A": 18.0, "B": 18.0}, trained_on={"A": 0, "B": 2})


def test_differences_and_verdicts_are_in_table_text_and_document() -> None:
    results = against_a_rule()
    lines = results.text().splitlines()
    assert "against rule" in lines[2]
    assert "-9.50 ± 0.289 %" in lines[4]
    assert "better" in lines[4]
    assert "no measurable difference" in lines[5]
    assert "reference" in lines[6]
    said = lines.index("no measurable difference between B and rule: 0 ± 0.577 %")
    assert lines[said + 1] == "A is better than rule: -9.50 ± 0.289 %"
    assert max(map(len, lines[:said])) <= 120
    document = results.document()
    assert document["reference"] == "rule"
    assert [row["difference"] and row["difference"]["verdict"] for row in document["summary"]] == [
        "better", "no measurable difference", None, "worse",
    ]  # fmt: skip
    assert {(row["pipeline"], row["rival"]): row["payback"] for row in document["payback"]} == {
        ("A", "rule"): "≤ 2", ("A", "bad"): "≤ 2", ("B", "rule"): "no measurable gain", ("B", "bad"): "≤ 2",
    }  # fmt: skip


def test_differences_and_verdicts_are_in_the_csv_and_the_report(tmp_path: Path) -> None:
    results = against_a_rule()
    write_outcome(tmp_path, results.outcome({}))
    head, first, second, third, _ = csv.reader((tmp_path / "compare.csv").read_text().splitlines())
    place = head.index("difference to rule (%)")
    assert head[place : place + 3] == ["difference to rule (%)", "standard error (%)", "verdict"]
    assert [float(cell) for cell in first[place : place + 2]] == pytest.approx([-9.5, 100 * math.sqrt(0.01**2 / 12)])
    assert [row[place + 2] for row in (first, second, third)] == ["better", "no measurable difference", ""]
    head, *rows = csv.reader((tmp_path / "payback.csv").read_text().splitlines())
    place = head.index("verdict")
    assert [row[place] for row in rows] == ["better", "better", "no measurable difference", "better"]
    assert [row[-1] for row in rows] == ["≤ 2", "≤ 2", "no measurable gain", "≤ 2"]
    conclusions = results.outcome({}).conclusions
    assert [(c.claim, c.holds, c.numbers) for c in conclusions] == [
        ("A is better than rule", True, "-9.50 ± 0.289 %"), ("B is better than rule", None, "0 ± 0.577 %"),
    ]  # fmt: skip


def test_training_data_is_named_as_such() -> None:
    results = against_a_rule()
    (warning,) = results.warnings()
    assert warning == "warning: B was trained on 2 of these 4 instances: they say little about others"
    assert results.document()["trained_on"] == {"A": 0, "B": 2}
    assert warning in results.outcome({}).differences


def test_without_a_reference_there_is_nothing_to_be_better_than(tmp_path: Path) -> None:
    results = Results(one_each(("a", "b"), (1.0, 2.0), kinds=("learned", "solver")), {})
    assert results.verdicts() == []
    assert "verdict" not in results.text()
    write_outcome(tmp_path, results.outcome({}))
    assert "verdict" not in (tmp_path / "compare.csv").read_text()
