"""Best known costs of instances, from CSV and JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from colayer.errors import InputError
from colayer.io.best_known import read_best_known
from support.errors import rejects

FILES = [Path("data/0000.json"), Path("data/0001.json"), Path("data/7.npz")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.csv", "instance,best\n0001,2.5\n0000,-1\n7,0\n"),
        ("b.csv", "cost;instance\n0;7.npz\n2,5;0001.json\n-1;0000.json\n"),
        ("b.json", '{"0001": 2.5, "0000.json": -1, "7": 0}'),
    ],
)
def test_values_come_in_the_order_of_the_instances(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert read_best_known(tmp_path / name, FILES) == [-1.0, 2.5, 0.0]


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("b.csv", "instance,best\n0000,1\n0001,2\n", "b.csv"),  # 7 is missing
        ("b.csv", "instance,best\n0000,1\n0001,2\n8,3\n", "b.csv: column best, line 4"),
        ("b.csv", "instance,best\n0000,1\n0001,nan\n7,3\n", "b.csv: column best, line 3"),
        ("b.csv", "instance,best\n0000,1\n0001,\n7,3\n", "b.csv: column best, line 3"),
        ("b.csv", "instance,best\n0000,1\n0001,low\n7,3\n", "b.csv: column best, line 3"),
        ("b.csv", "instance,best\n0000,1\n0000.json,2\n7,3\n", "b.csv: column best, line 3"),
        ("b.csv", "name,best\n0000,1\n", "b.csv"),
        ("b.csv", "instance,value\n0000,1\n", "b.csv"),
        ("b.json", "[1, 2, 3]", "b.json"),
        ("b.json", '{"0000": 1, "0001": "2", "7": 3}', "b.json: 0001"),
        ("b.json", '{"0000": 1, "0001": 2, "7": 3, "x": 1}', "b.json: x"),
    ],
)
def test_unknown_repeated_missing_and_bad_values_are_refused(name: str, text: str, where: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with rejects(InputError, where=where):
        read_best_known(tmp_path / name, FILES)


def test_a_stem_of_two_files_names_neither(tmp_path: Path) -> None:
    twins = [Path("a.json"), Path("a.npz")]
    (tmp_path / "b.json").write_text('{"a.json": 1, "a.npz": 2}')
    assert read_best_known(tmp_path / "b.json", twins) == [1.0, 2.0]
    (tmp_path / "b.json").write_text('{"a": 1, "a.npz": 2}')
    with rejects(InputError, where="b.json: a"):
        read_best_known(tmp_path / "b.json", twins)
