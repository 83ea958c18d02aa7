"""Files: JSON in and out, bytes written whole or not at all, and one line for whatever is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.io.files import (
    append,
    check_writable,
    encode,
    exact_keys,
    made_folder,
    plain,
    read_bytes,
    read_json,
    unreadable,
    whole_folder,
    write_all,
    write_atomic,
)
from support.errors import rejects
from support.hostile import file_size


def refusal(function: Any, *arguments: Any) -> str | None:
    """The place that is named."""
    with rejects(InputError) as caught:
        function(*arguments)
    return caught.value.where


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n\t",
        b"\xef\xbb\xbf{}",
        b'{"a": "\xff"}',
        b'{"a": 1',
        b"{'a': 1}",
        b"[" * 5000,
    ],
)
def test_what_is_not_json_is_said_in_one_line(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    assert refusal(read_json, path) == str(path)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": [1, {"b": [0, NaN]}], "c": Infinity}', "a[1].b[1]"),
        ('{"a": 1, "c": -Infinity}', "c"),
        ("[1, [2, NaN]]", "[1][1]"),
        ("NaN", "document"),
        ('{"a": {"b,]": [1, [2, NaN]]}}', "a.b,][1][1]"),
        ('{"a": [0, 1e999]}', "a[1]"),
        ('{"a": [[], {"k": "NaN"}, -Infinity]}', "a[2]"),
    ],
)
def test_numbers_that_are_not_finite_are_found(text: str, place: str, tmp_path: Path) -> None:
    """Other writers leave NaN and Infinity in files that are JSON but for that; the first one is named."""
    path = tmp_path / "x.json"
    path.write_text(text)
    assert refusal(read_json, path) == f"{path}: {place}"


def test_only_keys_of_the_outermost_object_count_as_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": {"b": 1, "b": 2}, "c": "a", "d": ["a"]}')
    assert read_json(path)["a"] == {"b": 2}
    path.write_text('{"a": {"b": 1}, "c": "b", "a": 3}')
    assert refusal(read_json, path) == f"{path}: a"


def test_tables_by_other_names_are_told_where_to_go(tmp_path: Path) -> None:
    for name in ("jobs.xlsx", "jobs.txt"):
        (tmp_path / name).write_text("job,release,processing\na,0,1\n")
        with rejects(InputError, "CSV" if name == "jobs.xlsx" else ".csv", where=name):
            read_json(tmp_path / name)


def test_paths_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    assert refusal(read_bytes, tmp_path / "no") == str(tmp_path / "no")
    assert refusal(read_bytes, tmp_path) == str(tmp_path)
    (tmp_path / "file").touch()
    assert refusal(read_bytes, tmp_path / "file/x") == str(tmp_path / "file/x")
    denied = unreadable(tmp_path, PermissionError(13, "Permission denied"))
    assert denied.where == str(tmp_path)


def test_numpy_values_are_written_as_plain_ones() -> None:
    document = {"a": np.arange(3), "b": np.float64(0.1), "c": np.bool_(True), "d": np.str_("x"), "e": [np.int32(2)]}
    text = encode(document)
    assert text.endswith(b"\n")
    assert text.count(b"\n") == 1
    assert json.loads(text) == {"a": [0, 1, 2], "b": 0.1, "c": True, "d": "x", "e": [2]}
    with pytest.raises(TypeError, match="object has no JSON form"):
        plain(object())


def test_every_float_comes_back_bit_for_bit(tmp_path: Path) -> None:
    bits = np.random.default_rng(0).integers(0, 2**64, 2000, dtype=np.uint64).view(np.float64)
    values = bits[np.isfinite(bits)]
    write_atomic(tmp_path / "x.json", encode(values))
    assert np.array(read_json(tmp_path / "x.json")).tobytes() == values.tobytes()


def test_bytes_are_on_the_disk_before_they_have_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power cut could leave an empty file under the name of a good one."""
    target = tmp_path / "model.json"
    seen: list[tuple[bool, list[int]]] = []
    sync = os.fsync

    def watched(file: int) -> None:
        sync(file)
        seen.append((target.exists(), [path.stat().st_size for path in tmp_path.iterdir()]))

    monkeypatch.setattr(os, "fsync", watched)
    write_atomic(target, b"weights")
    assert seen == [(False, [7])]
    assert target.read_bytes() == b"weights"


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.json"
    target.write_bytes(b"old")

    def fail(file: int) -> None:
        raise fault

    monkeypatch.setattr(os, "fsync", fail)
    expected: Any = KeyboardInterrupt if isinstance(fault, KeyboardInterrupt) else InputError
    with pytest.raises(expected):
        write_atomic(target, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x.json", b"old")]


@pytest.mark.parametrize("write", [check_writable, lambda path: write_atomic(path, b"x")])
def test_paths_that_cannot_be_written_are_said(write: Any, tmp_path: Path) -> None:
    """The same words before the work and after it."""
    assert refusal(write, tmp_path) == str(tmp_path)
    assert refusal(write, tmp_path / "no/x") == str(tmp_path / "no/x")
    assert refusal(write, "/dev/null") == "/dev/null"
    (tmp_path / "file").touch()
    assert refusal(write, tmp_path / "file/x") == str(tmp_path / "file/x")
    with rejects(InputError) as caught:
        write(tmp_path / ("x" * 300))
    assert len(str(caught.value)) < 300


def test_checking_an_output_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("kept")
    assert check_writable(tmp_path / "old.json") == tmp_path / "old.json"
    assert check_writable(tmp_path / "new.json") == tmp_path / "new.json"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old.json", "kept")]


def test_a_folder_that_takes_no_file_is_said_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only file system shows only when something is written."""

    def fail(self: Path, mode: str) -> Any:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "open", fail)
    assert refusal(check_writable, tmp_path / "x") == str(tmp_path / "x")


def test_exact_keys() -> None:
    exact_keys({"b": 1, "a": 2}, ("a", "b"))
    assert refusal(exact_keys, {"a": 1, "c": 2}, ("a", "b")) == "c"
    assert refusal(exact_keys, {"a": 1}, ("a", "b")) == "b"
    assert refusal(exact_keys, {"a\n": 1}, ("a", "b")) == "'a\\n'"


def test_of_several_files_all_are_written_or_none(tmp_path: Path) -> None:
    """Also where the last one cannot be."""
    (tmp_path / "a").write_text("old")
    with rejects(InputError, where="b"):
        write_all({tmp_path / "a": b"new", tmp_path / "nowhere/b": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"
    write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_line_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    with (tmp_path / "lines").open("ab", buffering=0) as file:
        append(file, b"whole\n")
        with file_size(10), pytest.raises(OSError, match="File too large"):
            append(file, b"another line\n")
        append(file, b"more\n")
    assert (tmp_path / "lines").read_text() == "whole\nmore\n"


def _fail(path: Path) -> None:
    path.write_text("2")
    raise ZeroDivisionError


def test_folders_that_were_made_in_vain_go_again(tmp_path: Path) -> None:
    """Those that were there, or hold something, stay."""
    (tmp_path / "there").mkdir()
    with pytest.raises(ZeroDivisionError), made_folder(tmp_path / "there/new/er"):
        raise ZeroDivisionError
    assert list((tmp_path / "there").iterdir()) == []
    with pytest.raises(ZeroDivisionError), made_folder(tmp_path / "there/new/er"):
        _fail(tmp_path / "there/new/kept")
    assert [path.name for path in (tmp_path / "there/new").iterdir()] == ["kept"]


def test_a_whole_folder_replaces_what_was_in_it_and_stays_itself(tmp_path: Path) -> None:
    """It may be the folder that one works in."""
    folder = tmp_path / "folder"
    with whole_folder(folder) as place:
        (place / "a").write_text("1")
        (place / "b").write_text("1")
    number = folder.stat().st_ino
    with pytest.raises(ZeroDivisionError), whole_folder(folder) as place:
        _fail(place / "a")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a": "1", "b": "1"}
    with whole_folder(folder) as place:
        (place / "a").write_text("3")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a": "3"}
    assert folder.stat().st_ino == number
    with rejects(InputError, where="x"), whole_folder(folder) as place:
        write_all({place / "nowhere/x": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
