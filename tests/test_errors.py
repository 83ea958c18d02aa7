"""Errors that a user can act upon: one line, with the place."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from colayer.errors import ColayerError, InputError, JournalError, MissingExtraError, OptionError, need_extra


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
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError) as caught:
        need_extra("torch.nn", "neural needs torch", "neural", where="--method")
    assert str(caught.value) == "--method: neural needs torch: pip install 'colayer[neural]'"


def test_a_package_that_lacks_another_says_so_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that is broken is not one that is missing."""
    (tmp_path / "broken_extra.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        need_extra("broken_extra", "it needs broken", "broken")
