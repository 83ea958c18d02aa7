"""Outcomes as folders: written and read back as they were, and what is not one is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from colayer import __version__
from colayer.display.outcome import (
    Cell,
    Column,
    Conclusion,
    Outcome,
    Picture,
    Sheet,
    provenance,
    read_outcomes,
    write_outcome,
)
from colayer.errors import InputError
from support.errors import rejects

SHEET = Sheet(
    "gaps",
    "Gaps",
    (Column("learner"), Column("mean gap", "%")),
    ((Cell("plain, first"), Cell(0.1 + 0.2, 0.63)), (Cell("safe"), Cell(None, note="stopped"))),
    caption="By learner.",
)
OUTCOME = Outcome(
    "tree-gap",
    "Gaps of trees",
    source="Table 2 of the paper",
    summary="What was done.",
    sheets=(SHEET,),
    pictures=(Picture("curve.svg", "A curve"),),
    conclusions=(Conclusion("It holds.", True, "1 < 2"), Conclusion("Nobody knows.", None, "not run")),
    differences=("Another machine.",),
    provenance={"seed": 3, "note": None},
)


def test_an_outcome_comes_back_as_it_was(tmp_path: Path) -> None:
    write_outcome(tmp_path / "run" / "tree-gap", OUTCOME)
    assert read_outcomes(tmp_path / "run") == [(tmp_path / "run" / "tree-gap", OUTCOME)]
    assert read_outcomes(tmp_path / "run" / "tree-gap") == [(tmp_path / "run" / "tree-gap", OUTCOME)]


def test_tables_are_csv_files_beside_it_with_the_papers_values_in_columns_of_their_own(tmp_path: Path) -> None:
    write_outcome(tmp_path, OUTCOME)
    assert (tmp_path / "gaps.csv").read_text().splitlines() == [
        'learner,mean gap (%),"mean gap (%), paper"',
        '"plain, first",0.30000000000000004,0.63',
        "safe,,",
    ]
    assert SHEET.with_paper() == (False, True)


@pytest.mark.parametrize(
    ("holds", "moot", "verdict"),
    [(True, False, "holds"), (False, False, "does not hold"), (None, False, "cannot tell"), (False, True, "moot"),
     (True, True, "moot")],
)  # fmt: skip
def test_a_verdict_in_a_word(holds: bool | None, moot: bool, verdict: str) -> None:
    assert Conclusion("c", holds, "n", moot=moot).verdict == verdict


def test_whose_claim_it_is_and_why_it_fails_come_back(tmp_path: Path) -> None:
    """What is the paper's and not moot is written as before: files of older runs are read, and stay as they are."""
    plain = Conclusion("A", True, "1 < 2")
    ours = Conclusion("B", False, "2 > 1", of="colayer", moot=True, reason="Because.")
    write_outcome(tmp_path, Outcome("x", "X", conclusions=(plain, ours)))
    ((_, found),) = read_outcomes(tmp_path)
    assert found.conclusions == (plain, ours)
    first, second = json.loads((tmp_path / "outcome.json").read_text())["conclusions"]
    assert first == {"claim": "A", "holds": True, "numbers": "1 < 2"}
    assert (second["of"], second["moot"], second["reason"]) == ("colayer", True, "Because.")


@pytest.mark.parametrize("given", [{"of": "nobody"}, {"moot": "yes"}])
def test_a_conclusion_of_nobody_is_refused(tmp_path: Path, given: dict[str, Any]) -> None:
    drawn = [{"claim": "A", "holds": True, "numbers": "1 < 2", **given}]
    (tmp_path / "outcome.json").write_text(json.dumps({"name": "x", "title": "X", "conclusions": drawn}))
    with rejects(InputError, where="outcome.json"):
        read_outcomes(tmp_path)


def test_a_run_is_read_in_the_order_of_its_folders(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        write_outcome(tmp_path / name, Outcome(name, name))
    (tmp_path / "empty").mkdir()
    assert [outcome.name for _, outcome in read_outcomes(tmp_path)] == ["a", "b", "c"]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in ("nowhere", "file", "."):
        with rejects(InputError, where=str(tmp_path / place)):
            read_outcomes(tmp_path / place)


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"name": "a"}',
        '{"name": 3, "title": "a"}',
    ],
)
def test_a_damaged_outcome_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "outcome.json").write_text(content)
    with rejects(InputError, where="outcome.json") as caught:
        read_outcomes(tmp_path)
    assert caught.value.where == str(tmp_path / "outcome.json")


def test_a_row_of_another_length_is_refused_with_its_place(tmp_path: Path) -> None:
    write_outcome(tmp_path, OUTCOME)
    document: dict[str, Any] = json.loads((tmp_path / "outcome.json").read_text())
    document["sheets"][0]["rows"][1].pop()
    (tmp_path / "outcome.json").write_text(json.dumps(document))
    with rejects(InputError, where="outcome.json: sheets[0].rows[1]"):
        read_outcomes(tmp_path)


def test_provenance_names_command_versions_and_what_else_matters() -> None:
    found = provenance("colayer compare", seed=0)
    assert (found["command"], found["seed"]) == ("colayer compare", 0)
    assert f"colayer {__version__}" in str(found["versions"])
    assert "highspy" in str(found["versions"])
    assert "Python" in str(found["machine"])


@pytest.mark.parametrize("word", ["=1+1", "@sum", "+cmd", "-cmd", "\tx"])
def test_a_word_that_a_spreadsheet_would_run_is_quoted(word: str) -> None:
    assert f"'{word}".replace("\t", r"\t") in Sheet("s", "S", (Column(word),), ((Cell(word),),)).csv()


@pytest.mark.parametrize("value", ["-", "-1.5 %", "+ 3", "a=b", -1.5])
def test_other_words_and_numbers_are_as_they_are(value: str | float) -> None:
    assert "'" not in Sheet("s", "S", (Column("c"),), ((Cell(value),),)).csv()
