"""Tables people read and tables programs read."""

import csv
import io

import pytest

from colayer.comparison.table import Comparison, Result
from colayer.report.tables import duration, percent, significant, summary_table, table


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


def comparison(bound):
    results = (Result("rule", 0, 110.0, bound, 10.0, 0.002, {"jobs": 50}),)
    return Comparison("toy", ("rule",), results)


def test_summary_table():
    """Percent and milliseconds for people, fractions and seconds for programs."""
    rows = summary_table(comparison(100.0).summary())
    assert rows.headers == ("contender", "mean gap", "worst gap", "mean loss", "mean time")
    assert rows.cells == (("rule", "10.0 %", "10.0 %", "11.000", "2.00 ms"),)
    assert rows.csv() == "contender,mean_gap,worst_gap,mean_loss,mean_seconds\nrule,0.1,0.1,11.0,0.002\n"


def test_summary_table_by_group_and_without_bounds():
    rows = summary_table(comparison(None).by("jobs"))
    assert rows.headers == ("jobs", "contender", "mean cost", "mean loss", "mean time")
    assert rows.cells == (("50", "rule", "110.00", "11.000", "2.00 ms"),)


def test_empty_table_has_a_header():
    assert table(["a", "b"], []).text() == "a  b\n-  -\n"
