"""Instances of CSV files: the problem by its columns, and every mistake in one line with file, column and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from colayer import InputError, read_instance, read_instances
from colayer.io.csv_instances import csv_instance
from colayer.problems import COLUMNS, find_problem, problem_names
from support.errors import rejects
from support.pick_problem import Pick

DATA = Path(__file__).parent.parent / "examples" / "data"


class Picks(Pick):
    """A problem of the user's that makes instances of tables."""

    tables = ("prices",)

    def instance(self, table: Any, **more: Any) -> Any:
        return dict(table), {name: dict(other) for name, other in more.items()}


@pytest.mark.parametrize(
    ("name", "problem"), [("jobs", "single-machine"), ("edges", "spanning-tree"), ("tasks", "vehicle-scheduling")]
)
def test_the_columns_say_which_problem(name: str, problem: str) -> None:
    found, instance = csv_instance(DATA / f"{name}.csv")
    assert found.name == problem
    assert isinstance(instance, found.instance_type)
    assert set(COLUMNS) == set(problem_names())
    assert read_instance(DATA / f"{name}.csv", find_problem(problem)).names == instance.names


def test_tables_beside_are_part_of_the_instance() -> None:
    _, tasks = csv_instance(DATA / "tasks.csv")
    assert tasks.scenarios == 4
    assert tasks.scenario_travel[1, 0, 2] == pytest.approx(1.3 * tasks.travel[0, 2])


def test_a_folder_of_tables_is_a_data_set(tmp_path: Path) -> None:
    for name in ("monday", "tuesday"):
        (tmp_path / f"{name}.csv").write_bytes((DATA / "tasks.csv").read_bytes())
        (tmp_path / f"{name}.travel.csv").write_bytes((DATA / "tasks.travel.csv").read_bytes())
    assert [instance.tasks for instance in read_instances(tmp_path)] == [7, 7]


def test_a_problem_of_the_users_is_given_columns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,u\n2,v\n")
    (tmp_path / "x.prices.csv").write_text("p\n3\n")
    (tmp_path / "x.other.csv").write_text("nothing\n")
    _, instance = csv_instance(tmp_path / "x.csv", Picks())
    assert instance == ({"a": [1, 2], "b": ["u", "v"]}, {"prices": {"p": [3]}})


def raising(error: BaseException) -> Picks:
    class Raises(Picks):
        def instance(self, table: Any, **more: Any) -> Any:
            raise error

    return Raises()


@pytest.mark.parametrize(
    ("text", "problem", "where"),
    [
        (
            "a,b\n1,2\n",
            None,
            "x.csv",
        ),
        (
            "release,processing\n1,0\n",
            None,
            "x.csv: column processing, line 2",
        ),
        ("release,processing\n1,\n", None, "x.csv: column processing, line 2"),
        ("release,processing\n1,x\n", None, "x.csv: column processing, line 2"),
        ("from,to,first\na,b,1\n", None, "x.csv: columns second"),
        ("begin,end\n1,2\n", None, "x.csv: travel"),
        ("a\n1\n", Pick(), "x.csv"),
        ("a\n1\n", raising(KeyError("b")), "x.csv"),
        ("a\n1\n", raising(InputError("bad", where="a")), "x.csv: a"),
    ],
)
def test_a_mistake_is_one_line(text: str, problem: Any, where: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    with rejects(InputError, where=where) as caught:
        csv_instance(tmp_path / "x.csv", problem)
    assert "\n" not in str(caught.value)
    assert str(caught.value).count("x.csv") == 1


def test_a_mistake_in_a_table_beside_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("begin,end,from,to\n1,2,A,B\n5,6,B,A\n")
    (tmp_path / "x.travel.csv").write_text("from,to,minutes\nA,B,fast\n")
    with rejects(InputError, where="x.travel.csv: column minutes, line 2") as caught:
        csv_instance(tmp_path / "x.csv")
    assert str(caught.value).count("csv") == 1
