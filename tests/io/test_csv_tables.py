"""CSV files: read as people write them, refused by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from colayer.errors import InputError
from colayer.io.csv_tables import companions, csv_bytes, read_csv, without_companions
from support.errors import rejects


def written(folder: Path, text: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}),
        ("\ufeffa , b\r\n 1 ,2.5\r\n\r\n2,\r\n", {"a": [1, 2], "b": [2.5, None]}),
        ("a;b\n1,5;x\n2;y\n", {"a": [1.5, 2.0], "b": ["x", "y"]}),
        ("a\tb\n1e3\t-.5\n", {"a": [1000.0], "b": [-0.5]}),
        ('a,b\n"1, one",007\n', {"a": ["1, one"], "b": ["007"]}),
        ("a,b\nx,\n", {"a": ["x"], "b": [None]}),
        ("a\n99999999999999999999\n", {"a": [1e20]}),
    ],
)
def test_cells_are_numbers_where_their_column_is(text: str, expected: dict, tmp_path: Path) -> None:
    table = read_csv(written(tmp_path, text))
    assert dict(table) == expected
    for name, values in expected.items():
        assert list(map(type, table[name])) == list(map(type, values))


def test_cells_are_named_by_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, 'a\n\n"two\nlines"\nx\n')
    assert read_csv(path).where("a", 1) == f"{path}: column a, line 5"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "x.csv"),
        ("a,b\n", "x.csv"),
        ("a,b\n1\n", "x.csv: line 2"),
        ("a,a\n1,2\n", "x.csv: line 1"),
        ("a,\n1,2\n", "x.csv: line 1"),
        ('a\n"x\n', "x.csv: line 2"),
        (b"a\n\xff\n", "x.csv"),
    ],
)
def test_what_is_no_table_is_refused_by_line(text: str | bytes, where: str, tmp_path: Path) -> None:
    with rejects(InputError, where=where):
        read_csv(written(tmp_path, text))
    with rejects(InputError, where="none.csv"):
        read_csv(tmp_path / "none.csv")


def test_columns_come_back(tmp_path: Path) -> None:
    columns = {"task": ["a, b", "ü"], "vehicle": [1, None], "delay": [0.1, 2.0]}
    assert dict(read_csv(written(tmp_path, csv_bytes(columns)))) == columns


def test_further_tables_lie_beside(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n1\n", "day.csv")
    written(tmp_path, "t\n2\n", "day.travel.csv")
    written(tmp_path, "t\n3\n", "other.travel.csv")
    assert {name: dict(table) for name, table in companions(path, ["travel", "scenarios"]).items()} == {
        "travel": {"t": [2]}
    }


def test_those_given_with_their_instance_are_no_instances() -> None:
    names = ["b/day.csv", "day.travel.csv", "day.json", "night.csv", "night.travel.csv", "b/day.travel.csv"]
    kept = without_companions([Path(name) for name in names])
    assert [str(path) for path in kept] == ["b/day.csv", "day.travel.csv", "day.json", "night.csv"]
