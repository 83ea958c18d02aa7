"""Tables that people read."""

import pytest

from colayer.display.tables import duration, percent, significant, table


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


def test_columns_beyond_the_width_go_below():
    """They begin with the first column again; nothing is cut off, and one column beside it always stands there."""
    rows = [["a", 1.5, "x|y"], ["longer name", None, ""]]
    assert table(["name", "value", "note"], rows, width=20).text().splitlines() == [
        "name         value",
        "-----------  -----",
        "a            1.500",
        "longer name      -",
        "",
        "name         note",
        "-----------  ----",
        "a            x|y",
        "longer name",
    ]
    assert table(["name", "value", "note"], rows, width=24).text() == table(["name", "value", "note"], rows).text()
    assert len(table(["name", "value", "note"], rows, width=1).text().splitlines()) == 9


def test_markdown_is_valid():
    """Every line has the same number of cells; a pipe inside a cell is escaped."""
    lines = TABLE.markdown().splitlines()
    assert lines[1] == "| --- | ---: | --- |"
    assert r"x\|y" in lines[2]
    assert {line.replace(r"\|", "").count("|") for line in lines} == {4}
    assert len(lines) == 5


def test_empty_table_has_a_header():
    assert table(["a", "b"], []).text() == "a  b\n-  -\n"
