"""A tiny data set, a model of it, and a command line to run on them."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main


@pytest.fixture(autouse=True)
def without_word_of_compiling() -> Iterator[None]:
    """What is on stderr does not depend on which kernels are in the cache."""

    def drop(record: logging.LogRecord) -> bool:
        return False

    log = logging.getLogger("colayer.compiling")
    log.addFilter(drop)
    yield
    log.removeFilter(drop)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six instances of two sizes. No test may change anything in here."""
    folder = tmp_path_factory.mktemp("commands") / "data"
    assert main(["generate", "single-machine", str(folder), "--count", "3", "--jobs", "6,9", "--rho", "0.5"]) == 0
    return folder


@pytest.fixture(scope="session")
def model(data: Path) -> Path:
    """A model that was learned from them, for the 27 features."""
    path = data.parent / "model.json"
    assert main(["train", "single-machine", str(data), "-o", str(path), "--evaluations", "30", "--features", "27"]) == 0
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, in which the command line runs; what MODULE:NAME adds to the path goes with the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], place: Path) -> Any:
    """A command that succeeds; its stdout, which is one JSON document with `--json`."""

    def call(*arguments: Any) -> Any:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert status == 0, err
        return json.loads(out) if "--json" in arguments else out

    return call


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], place: Path) -> Any:
    """A command that is refused: status 2, nothing on stdout, one line on stderr, which it returns."""

    def call(*arguments: Any) -> str:
        capsys.readouterr()
        assert main([str(argument) for argument in arguments]) == 2, arguments
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("error: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1
        return err

    return call
