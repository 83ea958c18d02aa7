"""Small data sets and models for hostile tests, and the command line."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main
from support.hostile import Ended, caller
from support.small_demo import make_demos_small


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`data`, four labelled instances of one size, `bare` without labels, and `model.json`. No test changes them."""
    folder = tmp_path_factory.mktemp("store")
    data = str(folder / "data")
    assert main(["generate", "single-machine", data, "--count", "4", "--jobs", "6"]) == 0
    shutil.copytree(data, folder / "bare")
    assert main(["label", "single-machine", data, "--workers", "1"]) == 0
    train = ["train", "single-machine", data, "-o", str(folder / "model.json"), "--no-journal", "--workers", "1"]
    assert main([*train, "--evaluations", "20", "--features", "27"]) == 0
    return folder


@pytest.fixture
def place(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with copies of what is in the store."""
    shutil.copytree(store, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.fixture
def call(place: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command line, in that folder."""
    return caller(capsys)


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A demo that takes a moment."""
    make_demos_small(monkeypatch, 5, 3, 8)


@pytest.fixture
def no_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """OR-Tools is not needed here."""
    monkeypatch.setattr("colayer.comparison.cpsat.available", lambda: False)
