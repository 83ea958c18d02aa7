"""Files on their way: what a process that was killed left is swept, what one at work writes is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from colayer._runtime.temporary import sweep, temporary_beside


def left_behind(folder: Path) -> Path:
    """The name that a process, which has ended, took."""
    code = "import sys; from pathlib import Path; from colayer._runtime.temporary import temporary_beside as name"
    ended = subprocess.run(
        [sys.executable, "-c", f"{code}; print(name(Path(sys.argv[1])))", str(folder / "x")],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Path(ended.stdout.strip())


def test_names_differ_and_are_hidden(tmp_path: Path) -> None:
    one, other = (temporary_beside(tmp_path / "model.json") for _ in range(2))
    assert one != other
    assert one.parent == tmp_path
    assert re.fullmatch(r"\.[0-9a-f]{16}\.tmp", one.name)


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, folder = left_behind(tmp_path), left_behind(tmp_path)
    file.write_text("half")
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/0000.json").write_text("half")
    own, others = temporary_beside(tmp_path / "x"), [".0123.tmp", ".0123456789abcdefg.tmp", "model.json", ".hidden"]
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("platform.node", lambda: "another machine")
        far = left_behind(tmp_path).with_name(f"{temporary_beside(tmp_path / 'x').name[:9]}{file.name[9:]}")
    for path in (own, far, *(tmp_path / name for name in others)):
        path.write_text("whole")
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {own.name, far.name, *others}


def test_a_process_of_another_user_is_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = left_behind(tmp_path)
    path.write_text("")

    def refuse(process: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    sweep(tmp_path)
    assert path.exists()


def test_a_folder_that_is_not_there_is_swept() -> None:
    sweep(Path("/nowhere/at/all"))
