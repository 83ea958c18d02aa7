"""Tables people read and tables programs read."""

import csv
import io

import pytest

from colayer.comparison.table import Comparison, Result
from colayer.display.tables import duration, percent, significant, summary_table, table


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0.00112, "0.112 %"), (0.576, "57.6 %"), (0.0, "0 %"), (None, "-"), (-0.01, "-1.00 %"), (0.09996, "10.0 %")],
)
def test_percent(fraction, text):
    """Three significant digits, also where rounding adds a digit before the point."""
    assert percent(fraction) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00456, "4.56 ms"), (1.23e-5, "0.0123 ms"), (0.5, "500 ms"), (1.0, "1.00 s"), (90, "90.0 s"), (600, "10.0 min"),
     (36000, "10.0 h"), (None, "-"), (0.0, "0 ms")],
)  # fmt: skip
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_significant_keeps_the_whole_part():
    assert significant(123456.7) == "123457"
    assert significant(float("inf")) == "inf"
    assert significant(-0.0012345) == "-0.00123"


TABLE = table(["name", "value", "note"], [["a", 1.5, "x|y"], ["longer name", None, ""], ["c", 123456, "3"]])


def test_text_is_aligned():
    """Numbers flush right, words flush left, no trailing blanks."""
    assert TABLE.text().splitlines() == [
        "name          value  note",
        "-----------  ------  ----",
        "a             1.500  x|y",
        "longer name       -",
        "c            123456  3",
    ]


def test_markdown_is_valid():
    """Every line has the same number of cells; a pipe inside a cell is escaped."""
    lines = TABLE.markdown().splitlines()
    assert lines[1] == "| --- | ---: | --- |"
    assert r"x\|y" in lines[2]
    assert {line.replace(r"\|", "").count("|") for line in lines} == {4}
    assert len(lines) == 5


def test_csv_keeps_raw_values():
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows == [["name", "value", "note"], ["a", "1.5", "x|y"], ["longer name", "", ""], ["c", "123456", "3"]]


def comparison(bound, *kinds):
    """A rule, a learned pipeline and one more, on three instances."""
    kinds = kinds or ("rule",)
    costs = ((110.0, 99.0, 121.0), (110.0, 100.0, 98.0), (110.0, 98.0, 111.0))
    names = ("rule", "learned", "other")[: len(kinds)]
    results = [
        Result(name, i, cost, bound, 10.0, 0.002, {"jobs": 50})
        for i, row in enumerate(costs)
        for name, cost in zip(names, row, strict=False)
    ]
    return Comparison("toy", names, tuple(results), kinds)


def test_summary_table():
    """Percent and milliseconds for people, fractions and seconds for programs; of equal costs one mean."""
    rows = summary_table(comparison(88.0, "solver").summary())
    assert rows.headers == ("contender", "mean gap", "worst gap", "mean time")
    assert rows.cells == (("rule", "25.0 %", "25.0 %", "2.00 ms"),)
    assert rows.csv() == "contender,mean_gap,worst_gap,mean_loss,mean_seconds\nrule,0.25,0.25,11.0,0.002\n"


def test_summary_table_by_group_and_without_bounds():
    rows = summary_table(comparison(None, "solver").by("jobs"))
    assert rows.headers == ("jobs", "contender", "mean cost", "mean time")
    assert rows.cells == (("50", "rule", "110.00", "2.00 ms"),)


def test_summary_table_has_differences_to_the_reference_and_verdicts():
    """By hand: −10, −9.09 and −10.9 % of the rule's cost."""
    found = comparison(50.0, "rule", "learned", "solver")
    rows = summary_table(found.summary())
    assert rows.headers[-2:] == ("difference", "verdict")
    assert [row[0] for row in rows.cells] == ["learned", "rule", "other"]  # the best comes first
    assert rows.best == {0}
    assert [row[-2:] for row in rows.cells[:2]] == [("-10.0 ± 0.525 %", "better"), ("reference", "")]
    assert rows.cells[2][-1] == "no measurable difference"
    head, *lines = csv.reader(io.StringIO(rows.csv()))
    assert head[-3:] == ["difference", "standard_error", "verdict"]
    assert lines[1][-3:] == ["", "", ""]
    assert [float(cell) for cell in lines[0][-3:-1]] == pytest.approx([-0.1, 0.00524864])
    assert lines[0][-1] == "better"
    assert len({len(line) for line in (head, *lines)}) == 1
    by_group = summary_table(found.by("jobs"))
    assert by_group.headers[:2] == ("jobs", "contender")
    assert [row[-2:] for row in by_group.cells] == [row[-2:] for row in rows.cells]


def test_empty_table_has_a_header():
    assert table(["a", "b"], []).text() == "a  b\n-  -\n"
