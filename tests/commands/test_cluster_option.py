"""`train --cluster`: what cannot be used is refused before any data is read; one line, status 2, nothing written."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from colayer import Pipeline
from colayer.cli import main
from colayer.errors import MissingExtraError, OptionError
from colayer.problems import SingleMachine

TRAIN = ["train", "single-machine", "data", "-o", "m.json"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: --cluster: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    "address", ["", "host", "host:", ":6379", "http://host:80", "ray://host", "a b:1", "host:123456"]
)
def test_what_is_no_address(address: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused without a look at the folder, which is not there."""
    assert "is no address, expected auto, HOST:PORT" in refused(capsys, [*TRAIN, "--cluster", address])
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("method", [["--solutions"], ["--solutions", "--method", "hinge"], ["--method", "neural"]])
def test_methods_that_learn_on_this_machine(method: list[str], place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "which learns on this machine" in refused(capsys, [*TRAIN, "--cluster", "auto", *method])


def test_a_missing_extra_is_named(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["generate", "single-machine", "data", "--count", "2", "--jobs", "5"]) == 0
    monkeypatch.setitem(sys.modules, "ray", None)
    capsys.readouterr()
    assert "pip install 'colayer[ray]'" in refused(capsys, [*TRAIN, "--cluster", "auto"])
    assert [path.name for path in place.iterdir()] == ["data"]


def test_the_same_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = SingleMachine()
    data = [problem.generate(seed=s, jobs=5) for s in range(3)]
    with pytest.raises(OptionError, match="--cluster: 'nonsense' is no address"):
        Pipeline(problem).fit(data, cluster="nonsense")
    with pytest.raises(OptionError, match="--cluster: has no meaning for fenchel-young"):
        Pipeline(problem).fit(data, solutions=[None] * 3, cluster="auto")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match="needs Ray"):
        Pipeline(problem).fit(data, cluster="auto")
    with pytest.raises(OptionError, match="--workers"):
        Pipeline(problem).fit(data, cluster="auto", workers=0)
