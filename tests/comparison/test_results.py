"""Results of a race, by hand: standings, tables, the document and the outcome for `colayer report`."""

from __future__ import annotations

from pathlib import Path

import pytest

from colayer.comparison.contender import CP_SAT, CP_SAT_HINT, SAFE
from colayer.comparison.race import Race
from colayer.comparison.results import FIGURE, Results
from colayer.comparison.trajectory import Trajectory
from colayer.report.outcome import read_outcomes, write_outcome


def by_hand() -> Race:
    """Two instances. A is early and good; HiGHS late, better on the second; C solves the first one alone."""
    rows = (
        (Trajectory(((0.05, 110.0), (5.0, 100.0))), Trajectory(((2.0, 120.0),)), Trajectory(((1.0, 100.0),), True)),
        (Trajectory(((0.1, -50.0),)), Trajectory(((0.5, -90.0), (9.0, -100.0))), Trajectory((), note="too large")),
    )
    groups = {"n": 1.0}, {"n": 2.0}
    return Race("pick", 10.0, 3, ("A", "HiGHS", "C"), groups, rows, (None, None), (1.0, 1.0))


def one_each(contenders: tuple[str, ...], *costs: tuple[float, ...], left_out: tuple[str, ...] = ()) -> Race:
    """Every contender has one solution of each instance, after a second."""
    rows = tuple(tuple(Trajectory(((1.0, cost),)) for cost in row) for row in costs)
    count = len(rows)
    return Race("pick", 10.0, 0, contenders, ({},) * count, rows, (None,) * count, (1.0,) * count, left_out)


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
    assert [row["payback"] for row in document["payback"]] == ["never", "≤ 4"]
    assert [row["solves"] for row in document["payback"]] == [None, 4.0]
    assert [row["reached"] for row in document["payback"]] == [1, 1]
    assert document["instances"][0]["trajectories"]["C"]["points"] == ((1.0, 100.0),)
    assert [instance["best"] for instance in document["instances"]] == [100.0, -100.0]
    assert "too large" in results.notes()[0]
    folder = tmp_path / "run"
    write_outcome(folder, results.outcome({"command": "colayer compare", "seed": 3}))
    ((_, outcome),) = read_outcomes(folder)
    assert [sheet.name for sheet in outcome.sheets] == ["compare", "payback"]
    assert outcome.sheets[1].columns[2].name in results.payback_table().text()  # one name for one thing
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
        "format", "problem", "time_limit", "seed", "contenders", "left_out", "shares", "standings", "payback", "hint",
        "instances",
    ]  # fmt: skip
    assert list(document["standings"][0]) == ["contender", "solved", "wins", "proved", "first", "gaps", "note"]
    assert list(document["payback"][0]) == [
        "pipeline", "rival", "reached", "instances", "seconds", "rival_seconds", "bounded", "learning", "saved",
        "solves", "payback",
    ]  # fmt: skip
    assert list(document["instances"][0]) == ["group", "best", "trajectories"]


def test_the_text_holds_both_tables_and_what_is_to_be_known() -> None:
    text = Results(by_hand(), {"A": None}).text()
    assert text.startswith("2 instances of pick, 10 s each on one core; gaps to the best cost found\n\n")
    lines = text.splitlines()
    assert lines[2].split("  ")[0] == "contender"
    assert [line.split()[0] for line in lines[4:7]] == ["A", "HiGHS", "C"]
    assert lines[8] == "learning has paid for itself after so many solves:"
    assert text.endswith("\nC: too large\nnot known what learning took, as train prints it: --learning-seconds (A)\n")
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
    results = Results(one_each(names, (3.0, 2.0, 4.0, 3.0, 1.0)), {"A": 1.0})
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
