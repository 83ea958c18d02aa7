"""The guard around a user's methods: what they raise is named with its line, what they return is checked."""

from __future__ import annotations

import importlib
import inspect
import json
import math
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError, Terminated
from colayer.problem import guard
from colayer.problem.bind import bind
from colayer.problem.guard import Guard, own_fault, place_of, raised, with_note
from support.pick_problem import Pick

WHAT = "cost of crews"


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
    here = caught(lambda: bind(object()))
    assert place_of(here).startswith("test_guard.py, line ")
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
    monkeypatch.setitem(guard.OWN_FOLDERS, folder, "crews_of_a_user:Crews")
    assert own_fault(error) == "crews_of_a_user:Crews: KeyError: 'crew' (crews_of_a_user.py, line 4)"
    assert own_fault(caught(module.through_a_library)) is not None
    assert own_fault(caught(json.loads, "{")) is None


def raise_within(error: BaseException, *, collecting: bool = False) -> Any:
    def cost(solution: Any, instance: Any) -> float:
        raise error

    return Guard("crews", collecting).wrap("cost", cost)(None, None)


@pytest.mark.parametrize(
    "kind", [SystemExit, GeneratorExit, StopIteration, StopAsyncIteration, EOFError, BaseException]
)
def test_what_would_mean_something_else_further_up_is_refused_at_once(kind: type[BaseException]) -> None:
    """StopIteration would end a loop of ours, EOFError seems a pipe that broke, SystemExit the end of the command."""
    with pytest.raises(InputError, match=rf"^cost of crews raised {kind.__name__} \(test_guard.py, ") as caught:
        raise_within(kind())
    assert isinstance(caught.value.__cause__, kind)


def test_other_exceptions_pass_and_carry_the_method() -> None:
    """A caller of the library sees what its own code raised; the innermost method is the one that is named."""
    with pytest.raises(ZeroDivisionError) as caught:
        Guard("crews").wrap("best", lambda: raise_within(ZeroDivisionError("no crew")))()
    assert (own_fault(caught.value) or "").startswith("cost of crews raised ZeroDivisionError: no crew (test_guard.py")


@pytest.mark.parametrize("error", [ZeroDivisionError("no crew"), InputError("no crew"), SystemExit(3)])
def test_all_become_an_input_error_where_mistakes_are_collected(error: BaseException) -> None:
    with pytest.raises(InputError, match=rf"^cost of crews raised {type(error).__name__}: .*test_guard.py") as caught:
        raise_within(error, collecting=True)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Terminated(), InputError("no crew", where="rows")])
def test_signals_and_errors_of_ours_pass_as_they_are(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        raise_within(error)
    assert caught.value is error
    assert own_fault(error) is None


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Terminated()])
def test_signals_pass_also_where_mistakes_are_collected(error: BaseException) -> None:
    with pytest.raises(type(error)):
        raise_within(error, collecting=True)


def test_a_guarded_method_takes_and_gives_what_the_method_does() -> None:
    def method(instance: str, rate: float = 1.0) -> str:
        return f"{instance} {rate}"

    guarded = Guard("crews").wrap("generate", method, lambda value, what: (value, what))
    assert guarded("x", rate=2.0) == ("x 2.0", "generate of crews")
    assert Guard("crews").wrap("generate", method)("x") == "x 1.0"
    assert list(inspect.signature(guarded).parameters) == ["instance", "rate"]


def test_a_problem_without_a_name_is_named_by_its_class() -> None:
    mistakes: list[InputError] = []
    nameless = type("Nameless", (Pick,), {"name": "", "cost": lambda self, z, x: 1 / 0})()
    with pytest.raises(InputError, match=r"^cost of Nameless raised ZeroDivisionError"):
        bind(nameless, mistakes).cost(None, None)
    assert len(mistakes) == 1


def test_the_first_that_is_said_of_an_exception_stays() -> None:
    error = with_note(with_note(ValueError("x"), "cost of pick raised it"), "best of pick raised it")
    assert own_fault(error) == "cost of pick raised it"
    assert own_fault(with_note(ValueError("x"), None)) is None


async def later() -> float:
    return 1.0


class Wordless:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1.0), (True, 1.0), (2.5, 2.5), (np.float32(0.5), 0.5), (np.int8(-3), -3.0), (np.array(4.0), 4.0),
     (-math.inf, -math.inf), (10**300, 1e300)],
)  # fmt: skip
def test_what_is_a_number(value: Any, number: float) -> None:
    found = guard.real(value, WHAT)
    assert (found, type(found)) == (number, float)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"),
        ("3", "'3'"),
        (b"3", "b'3'"),
        (np.str_("3"), r"np.str_\('3'\)"),
        (1j, "1j"),
        (np.complex128(2), r"np.complex128\(2\+0j\)"),
        ((1.0, 2.0), r"\(1.0, 2.0\)"),
        ([1.0], r"\[1.0\]"),
        (np.ones(1), r"an array of float64 of shape \(1,\)"),
        (np.ones((2, 1), np.int32), r"an array of int32 of shape \(2, 1\)"),
        (math.nan, "nan"),
        (np.array(np.nan), "nan"),
        (10**400, "10{38}…"),
        (object(), "an object"),
        (Wordless(), "a Wordless"),
        (len, "a builtin_function_or_method"),
    ],
)
def test_what_is_none(value: Any, said: str) -> None:
    """The value is told in a few words, also where it is long or cannot tell itself."""
    with pytest.raises(InputError, match=f"^cost of crews returned {said}, "):
        guard.real(value, WHAT)


def test_a_coroutine_is_closed_as_it_is_refused() -> None:
    """Else Python warns, later and elsewhere, that it was never awaited."""
    for check in (guard.real, lambda value, what: guard.given(value, what, "a number")):
        coroutine = later()
        with pytest.raises(InputError, match=r"^cost of crews returned a coroutine"):
            check(coroutine, WHAT)
        with pytest.raises(RuntimeError, match="cannot reuse"):
            coroutine.send(None)


def test_what_is_finite() -> None:
    assert guard.finite(np.float32(2.0), WHAT) == 2.0
    for value in (math.inf, -math.inf, math.nan, "x", None):
        with pytest.raises(InputError, match=r"^cost of crews returned "):
            guard.finite(value, WHAT)


def test_what_is_given_is_returned_as_it_is() -> None:
    solution = [1, 2]
    assert guard.given(solution, WHAT, "a solution") is solution
    assert guard.given(0, WHAT, "a solution") == 0
    with pytest.raises(InputError, match=r"^cost of crews returned None"):
        guard.given(None, WHAT, "a solution")


@pytest.mark.parametrize(
    ("check", "value"),
    [(guard.real, "low"), (guard.finite, math.inf), (lambda v, w, part: guard.given(v, w, "it", part), None)],
)
def test_a_part_of_an_answer_is_named(check: Callable[..., Any], value: Any) -> None:
    with pytest.raises(InputError, match=r"^exact of crews returned .* as bound"):
        check(value, "exact of crews", part="bound")


def test_arrays_keep_their_type_and_lists_become_arrays() -> None:
    for dtype in (np.float32, np.float64, np.int16, np.bool_):
        assert guard.array(np.ones(3, dtype), WHAT, "numbers").dtype == dtype
    assert guard.array([[1, 2.5], [3, 4]], WHAT, "numbers").tolist() == [[1.0, 2.5], [3.0, 4.0]]
    assert guard.array([1, 10**30], WHAT, "numbers").tolist() == [1.0, 1e30]  # no integer type holds it


@pytest.mark.parametrize(
    "value", [None, "abc", ["a", "b"], [[1.0], [1.0, 2.0]], [1j], {"a": 1}, [None], object(), [10**400], b"12"]
)
def test_what_is_no_array_of_numbers(value: Any) -> None:
    with pytest.raises(InputError, match=r"^features of crews returned "):
        guard.array(value, "features of crews", "an array of numbers")


def test_vectors_have_one_finite_number_per_row() -> None:
    found = guard.vector([1, 2], 2, "embed of crews")
    assert (found.dtype, found.tolist()) == (np.float64, [1.0, 2.0])
    for wrong in ([1.0], [[1.0, 2.0]], 1.0, None, "ab"):
        with pytest.raises(InputError, match=r"^embed of crews returned "):
            guard.vector(wrong, 2, "embed of crews")
    with pytest.raises(InputError, match=r"^embed of crews returned inf in entry 1"):
        guard.vector([1.0, np.inf], 2, "embed of crews")


def test_parts_are_those_of_a_tuple() -> None:
    assert guard.parts((1, None, "x"), 3, WHAT, "(a, b, c)") == (1, None, "x")
    for wrong in ((1, 2), [1, 2, 3], "abc", None, np.ones(3)):
        with pytest.raises(InputError, match=r"^cost of crews returned "):
            guard.parts(wrong, 3, WHAT, "(a, b, c)")


def test_documents_have_words_as_keys() -> None:
    given = MappingProxyType({"a": 1})
    found = guard.document(given, "write of crews")
    assert (type(found), found) == (dict, {"a": 1})
    with pytest.raises(InputError, match=r"^write of crews returned "):
        guard.document([1], "write of crews")
    with pytest.raises(InputError, match=r"^write of crews returned .* key 3"):
        guard.document({"a": 1, 3: 2}, "write of crews")


def test_json_text_takes_numpy_values_and_may_be_in_order() -> None:
    given = {"b": np.float32(0.5), "a": np.array([1, 2])}
    assert guard.json_text(given, "write of crews") == b'{"b":0.5,"a":[1,2]}'
    assert guard.json_text(given, "write of crews", ordered=True) == b'{"a":[1,2],"b":0.5}'


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"a": object()}, ": a"),
        ({"a": [1, {"b": 2j}]}, r": a\[1\].b"),
        ({"rows": (1, 2, [3, len])}, r": rows\[2\]\[1\]"),
        ({"a\nb": 1j}, r": 'a\\nb'"),
        (1j, ""),
    ],
)
def test_what_has_no_json_form_is_named_by_its_place(document: Any, place: str) -> None:
    with pytest.raises(InputError, match=rf"^write of crews{place} .*TypeError"):
        guard.json_text(document, "write of crews")


def test_a_document_that_holds_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["again"] = circle
    with pytest.raises(InputError, match=r"^write of crews: .*RecursionError"):
        guard.json_text(circle, "write of crews")


def test_an_error_that_a_method_raises_on_purpose_knows_its_instance() -> None:
    """So that whoever knows its number can name it."""

    def refuse(*_: Any) -> None:
        raise InputError("no such crew")

    for method, arguments in (("features", ("x",)), ("layer", ("theta", "x")), ("generate", (0,))):
        with pytest.raises(InputError) as error:
            Guard("crews").wrap(method, refuse)(*arguments)
        assert error.value.instance == (None if method == "generate" else "x")
