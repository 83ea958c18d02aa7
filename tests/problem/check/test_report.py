"""What a check of a problem says, as text, as a JSON object and as an error."""

from __future__ import annotations

import pytest

from colayer import InputError
from colayer.problem.check.report import FAILED, NOT_APPLICABLE, PASSED, CheckReport, Finding

MENDED = (Finding("name", PASSED), Finding("sign", NOT_APPLICABLE, "the problem has no embed"))
WRONG = (*MENDED, Finding("cost", FAILED, "instance 0: " + "the cost is nan. " * 12))


def test_a_report_without_failures_raises_nothing() -> None:
    report = CheckReport("crews", 1, MENDED)
    report.raise_for_failures()
    assert (report.ok, report.failures) == (True, ())
    assert str(report).splitlines() == [
        "crews on 1 instance: 1 passed, 0 failed, 1 not applicable",
        "",
        "name  passed",
        "sign  not applicable: the problem has no embed",
    ]


def test_failures_are_told_below_the_table_in_short_lines() -> None:
    lines = str(CheckReport("crews", 3, WRONG)).splitlines()
    assert lines[0] == "crews on 3 instances: 1 passed, 1 failed, 1 not applicable"
    assert lines[4:7] == ["cost  FAILED", "", "1. cost"]
    assert len(lines) > 8
    assert all(line.startswith("   ") and len(line) <= 100 for line in lines[7:])


def test_the_error_names_the_first_failure_and_how_many_there_are() -> None:
    with pytest.raises(InputError, match=r"^crews: a check failed: cost: instance 0: the cost is nan"):
        CheckReport("crews", 3, WRONG).raise_for_failures()
    with pytest.raises(InputError, match=r"^crews: 2 checks failed, the first: cost: "):
        CheckReport("crews", 3, (*WRONG, Finding("bound", FAILED, "too high"))).raise_for_failures()


def test_the_document_holds_every_finding() -> None:
    document = CheckReport("crews", 3, WRONG).document()
    assert (document["problem"], document["instances"], document["ok"]) == ("crews", 3, False)
    assert document["checks"][:2] == [
        {"check": "name", "result": "passed", "detail": ""},
        {"check": "sign", "result": "not applicable", "detail": "the problem has no embed"},
    ]
