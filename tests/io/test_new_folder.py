"""The folder of a new data set: what may be there, and what a command that was killed left there."""

from __future__ import annotations

from pathlib import Path

import pytest

from colayer.errors import InputError
from colayer.io.new_folder import INCOMPLETE, check_new_folder, instances_in, is_instance, put
from support.errors import rejects


@pytest.mark.parametrize("name", ["0000.json", "a.npz", "monday.csv"])
def test_instances_by_name(name: str) -> None:
    assert is_instance(name)


@pytest.mark.parametrize("name", ["0000.solution.json", ".0000.json", "monday.scenarios.csv", ".x.csv", "a.txt"])
def test_other_files_are_none(name: str) -> None:
    assert not is_instance(name)


def test_instances_that_are_there_are_refused_unless_they_may_be(tmp_path: Path) -> None:
    (tmp_path / "0001.json").write_text("1")
    (tmp_path / "0000.json").write_text("0")
    assert [path.name for path in instances_in(tmp_path)] == ["0000.json", "0001.json"]
    with rejects(InputError, where=str(tmp_path)):
        check_new_folder(tmp_path)
    check_new_folder(tmp_path, again=True)


def test_what_is_incomplete_is_written_anew(tmp_path: Path) -> None:
    """Beside other files, which stay."""
    folder, temporary = tmp_path / "data", tmp_path / "new"
    folder.mkdir()
    temporary.mkdir()
    for name in (INCOMPLETE, "0000.json", "0007.json", "mine.txt"):
        (folder / name).write_text("old")
    (temporary / "0000.json").write_text("new")
    check_new_folder(folder)
    put(temporary, folder, ["0000.json"])
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"0000.json": "new", "mine.txt": "old"}


def test_a_folder_that_is_not_there_has_no_instances(tmp_path: Path) -> None:
    assert instances_in(tmp_path / "none") == []
