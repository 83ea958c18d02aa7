"""Exceptions of a user's code in one line, with the line of their file."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from colayer.errors import InputError, Terminated
from colayer.problem import faults
from colayer.problem.faults import calling, carry, own_fault, place_of, raised, title
from colayer.problem.protocol import declared
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick


@pytest.fixture(name="module")
def module_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of a user's."""
    (tmp_path / "crews_of_a_user.py").write_text(
        "import json\n\ndef plain():\n    raise KeyError('crew')\n\ndef through_a_library():\n    json.loads('{')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module("crews_of_a_user")


def caught(function: Any, *arguments: Any) -> BaseException:
    with pytest.raises(Exception) as info:  # noqa: PT011 any of them
        function(*arguments)
    return info.value


def test_the_line_that_raised(module: Any) -> None:
    assert raised(caught(module.plain)) == "KeyError: 'crew' (crews_of_a_user.py, line 4)"


def test_the_last_line_outside_of_libraries(module: Any) -> None:
    error = caught(module.through_a_library)
    assert place_of(error) == "crews_of_a_user.py, line 7"
    assert raised(error).startswith("JSONDecodeError: Expecting property name")


def test_lines_of_ours_are_passed_over() -> None:
    """What our code raised for a user's is told by the line of theirs."""
    here = caught(lambda: declared(object()))
    assert place_of(here).startswith("test_faults.py, line ")
    assert place_of(InputError("never raised")) == ""
    assert raised(InputError("never raised")) == "InputError: never raised"


def test_a_line_that_is_no_python(tmp_path: Path) -> None:
    error = caught(compile, "x = 1\ny = = 2\n", str(tmp_path / "crews.py"), "exec")
    assert place_of(error) == "crews.py, line 2"


def test_an_exception_of_a_library_alone_has_its_line() -> None:
    """Where no file of the user's is in it, the innermost line there is."""
    error = caught(json.loads, "{")
    own = error.__traceback__
    error.__traceback__ = own.tb_next if own is not None else None
    assert place_of(error).startswith("decoder.py, line ")


def test_faults_of_files_that_a_problem_came_from(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name that the user gave, MODULE:NAME, comes first; a fault of anyone else's is not theirs."""
    error = caught(module.plain)
    assert own_fault(error) is None
    folder = str(Path(module.__file__).parent)
    monkeypatch.setitem(faults.OWN_FOLDERS, folder, "crews_of_a_user:Crews")
    assert own_fault(error) == "crews_of_a_user:Crews: KeyError: 'crew' (crews_of_a_user.py, line 4)"
    assert own_fault(caught(module.through_a_library)) is not None
    assert own_fault(caught(json.loads, "{")) is None


def raise_within(error: BaseException, problem: object) -> None:
    with calling(problem, "cost"):
        raise error


@pytest.mark.parametrize(
    "kind", [SystemExit, GeneratorExit, StopIteration, StopAsyncIteration, EOFError, BaseException]
)
def test_what_would_mean_something_else_further_up_is_refused_at_once(kind: type[BaseException]) -> None:
    """StopIteration would end a loop of ours, EOFError seems a pipe that broke, SystemExit the end of the command."""
    with rejects(InputError, "cost", "pick") as caught:
        raise_within(kind(), Pick())
    assert isinstance(caught.value.__cause__, kind)


def test_other_exceptions_pass_and_carry_the_method() -> None:
    """A caller of the library sees what its own code raised; the innermost method is the one that is named."""
    with pytest.raises(ZeroDivisionError) as caught, calling(Pick(), "best"):
        raise_within(ZeroDivisionError("no crew"), Pick())
    said = own_fault(caught.value)
    assert said is not None
    assert said.startswith("cost of pick raised ZeroDivisionError: no crew (test_faults.py, line ")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Terminated(), InputError("no crew", where="rows")])
def test_signals_and_errors_of_ours_pass_as_they_are(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        raise_within(error, Pick())
    assert caught.value is error
    assert own_fault(error) is None


def test_what_a_built_in_problem_raises_is_a_fault_of_ours() -> None:
    for error in (ZeroDivisionError(), SystemExit(0)):
        with pytest.raises(type(error)) as caught:
            raise_within(error, SingleMachine())
        assert own_fault(caught.value) is None


def test_the_first_that_is_said_of_an_exception_stays() -> None:
    error = carry(carry(ValueError("x"), "cost of pick raised it"), "best of pick raised it")
    assert own_fault(error) == "cost of pick raised it"
    assert own_fault(carry(ValueError("x"), None)) is None


def test_titles_are_names_or_else_classes() -> None:
    class Broken(Pick):
        @property
        def name(self) -> str:  # type: ignore[override]
            raise SystemExit(1)

    assert title(Pick()) == "pick"
    assert title(Broken()) == "Broken"
    assert title(type("Named", (), {"name": 3})()) == "Named"
