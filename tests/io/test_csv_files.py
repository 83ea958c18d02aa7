"""CSV files: read as people write them, refused by line; the problem by its columns, and the instance it makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from colayer import InputError, read_instance, read_instances
from colayer.io.csv_files import companions, csv_bytes, csv_instance, read_csv, without_companions
from colayer.problem.bind import bind
from colayer.problems import COLUMNS, find_problem
from support.errors import rejects
from support.pick_problem import Pick
from support.registry import static_names

DATA = Path(__file__).parents[2] / "examples" / "data"


class Picks(Pick):
    """A problem of the user's that makes instances of tables."""

    tables = ("prices",)

    def instance(self, table: Any, **more: Any) -> Any:
        return dict(table), {name: dict(other) for name, other in more.items()}


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
    ("text", "where", "names"),
    [
        ("", "x.csv", ()),
        ("a,b\n", "x.csv", ()),
        ("a,b\n1\n", "x.csv: line 2", ("1", "2")),
        ("a,a\n1,2\n", "x.csv: line 1", ("a",)),
        ("a,\n1,2\n", "x.csv: line 1", ("column 2",)),
        ('a\n"x\n', "x.csv: line 2", ("CSV",)),
        (b"a\n\xff\n", "x.csv", ("UTF-8", "byte 2")),
    ],
)
def test_what_is_no_table_is_refused_by_line(
    text: str | bytes, where: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    with rejects(InputError, *names, where=where):
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


@pytest.mark.parametrize(
    ("name", "problem"), [("jobs", "single-machine"), ("edges", "spanning-tree"), ("tasks", "vehicle-scheduling")]
)
def test_the_columns_say_which_problem(name: str, problem: str) -> None:
    found, instance = csv_instance(DATA / f"{name}.csv")
    assert found.name == problem
    assert isinstance(instance, found.instance_type)
    assert set(COLUMNS) == set(static_names())
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
    _, instance = csv_instance(tmp_path / "x.csv", bind(Picks()))
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
        csv_instance(tmp_path / "x.csv", None if problem is None else bind(problem))
    assert "\n" not in str(caught.value)
    assert str(caught.value).count("x.csv") == 1


def test_a_mistake_in_a_table_beside_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("begin,end,from,to\n1,2,A,B\n5,6,B,A\n")
    (tmp_path / "x.travel.csv").write_text("from,to,minutes\nA,B,fast\n")
    with rejects(InputError, where="x.travel.csv: column minutes, line 2") as caught:
        csv_instance(tmp_path / "x.csv")
    assert str(caught.value).count("csv") == 1


def test_names_with_decimals_were_changed(tmp_path: Path) -> None:
    """`1,5` beside a word became `1.5`, and the name `1.10` became `1.1`."""
    assert dict(read_csv(written(tmp_path, "a;b\n1,5;2,5\nx;3\n"))) == {"a": ["1,5", "x"], "b": [2.5, 3.0]}
    path = written(tmp_path, "job,release,processing\n1.1,0,1\n1.10,0,2\n")
    assert csv_instance(path)[1].names == ("1.1", "1.10")
    path = written(tmp_path, "job;release;processing\n1,10;0;1\n2;0;2\n")
    assert csv_instance(path)[1].names == ("1,10", "2")


@pytest.mark.parametrize("text", ["a;b\n1.234;x\n1,5;y\n", "a;b\n1,5;1.234\n2;2\n"])
def test_a_point_beside_a_decimal_comma_was_taken_for_one(text: str, tmp_path: Path) -> None:
    """1.234 may be 1234 there: nothing is guessed."""
    with rejects(InputError, "1.234", "1,5"):
        read_csv(written(tmp_path, text))


def test_a_thousand_was_taken_for_a_fraction(tmp_path: Path) -> None:
    """1.200 beside 900 with semicolons; 1.200 beside 0.500, or with commas, is a fraction."""
    with rejects(InputError, "1.200 beside 900", where="x.csv: column a, line 3"):
        read_csv(written(tmp_path, "a;b\n900;x\n1.200;y\n"))
    for text in ("a;b\n1.200;x\n2.900;y\n", "a;b\n1.200;30\n2.900;20\n"):
        with rejects(InputError, "1.200 may be", where="x.csv: column a, line 2"):
            read_csv(written(tmp_path, text))
    assert read_csv(written(tmp_path, "a;b\n0.500;x\n1.200;y\n"))["a"] == [0.5, 1.2]
    assert read_csv(written(tmp_path, "a;b\n1.250;0.5\n1.200;1.5\n"))["a"] == [1.25, 1.2]
    assert read_csv(written(tmp_path, "a,b\n900,x\n1.200,y\n"))["a"] == [900.0, 1.2]


def test_dates_of_a_file_are_dates(tmp_path: Path) -> None:
    path = written(tmp_path, "release,processing\n2026-01-05 22:00,30\n2026-01-06T01:00,20\n")
    assert csv_instance(path)[1].release.tolist() == [1320.0, 1500.0]


def test_a_table_with_the_columns_of_two_problems_was_read_as_the_first(tmp_path: Path) -> None:
    path = written(tmp_path, "release,processing,begin,end\n1,2,3,4\n")
    with rejects(InputError, "single-machine", "vehicle-scheduling", "--problem", where="x.csv"):
        csv_instance(path)
    assert csv_instance(path, bind(find_problem("single-machine")))[1].jobs == 1


def test_capitalised_headers_got_no_hint(tmp_path: Path) -> None:
    with rejects(InputError, "did you mean release, processing?", where="x.csv"):
        csv_instance(written(tmp_path, "Release,Processing\n1,2\n"))
