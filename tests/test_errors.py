"""Errors that a user can act upon: one line, with the place."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from colayer.errors import ColayerError, InputError, JournalError, MissingExtraError, OptionError, need_extra
from support.errors import rejects


def test_the_place_comes_first() -> None:
    assert str(InputError("missing", where="city")) == "city: missing"
    assert str(InputError("missing")) == "missing"


@pytest.mark.parametrize("kind", [InputError, OptionError, JournalError, ColayerError])
def test_places_add_up(kind: type[ColayerError]) -> None:
    """An error of a field becomes that of the field of a file; its class stays."""
    error = kind("missing", where="city").at("a.json")
    assert type(error) is kind
    assert (str(error), error.message, error.where) == ("a.json: city: missing", "missing", "a.json: city")
    assert str(kind("missing").at("a.json")) == "a.json: missing"


def test_they_are_the_builtin_errors_that_they_are_like() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(OptionError, ValueError)
    assert issubclass(MissingExtraError, ImportError)
    assert not issubclass(JournalError, ValueError)


@pytest.mark.parametrize("kind", [InputError, OptionError, JournalError, MissingExtraError])
def test_they_travel_between_processes_with_their_place(kind: type[ColayerError]) -> None:
    again = pickle.loads(pickle.dumps(kind("missing", where="a.json")))
    assert type(again) is kind
    assert (str(again), again.where) == ("a.json: missing", "a.json")


def test_a_package_that_is_there_is_imported() -> None:
    need_extra("json", "it needs json", "extra")


def test_a_package_that_is_missing_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("torch", "torch.nn"):  # it may be loaded already
        monkeypatch.setitem(sys.modules, module, None)
    with rejects(MissingExtraError, "colayer[neural]", where="--method"):
        need_extra("torch.nn", "neural needs torch", "neural", where="--method")


def test_a_package_that_lacks_another_says_so_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that is broken is not one that is missing."""
    (tmp_path / "broken_extra.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        need_extra("broken_extra", "it needs broken", "broken")


@pytest.mark.parametrize(
    ("where", "message", "typed", "written"),
    [
        ("--samples", "-1 is out of range, expected at least 0", "--samples: -1 is out", "samples=-1 is out of range"),
        ("--time-limit", "'x y' is not a number", "--time-limit: 'x y' is not", "time_limit='x y' is not a number"),
        ("--method", "population 1 is out of range", "--method: population 1", "method: population 1 is out"),
        ("--method", "no method 'x', expected auto", "--method: no method 'x'", "method: no method 'x'"),
        ("PROBLEM", "no problem 'x'", "PROBLEM: no problem", "PROBLEM: no problem"),
    ],
)
def test_the_command_line_speaks_of_options_and_python_of_arguments(
    where: str, message: str, typed: str, written: str
) -> None:
    error = OptionError(message, where=where)
    assert error.line.startswith(typed)
    assert str(error).startswith(written)
