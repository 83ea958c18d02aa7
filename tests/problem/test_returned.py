"""What each method of a problem must return."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from colayer import InputError
from colayer.problem.approximation import Approximation
from colayer.problem.bind import bind
from colayer.problem.declarations import DAY_METHODS, DAY_OPTIONAL, METHODS, OPTIONAL
from colayer.problem.returned import CHECKS, checked_best, checked_features, nan_in
from support.errors import rejects
from support.pick_problem import Pick

#: method → (what is taken, what is refused).
ANSWERS: dict[str, tuple[list[Any], list[Any]]] = {
    "layer": ([0, [1], np.ones(2)], [None]),
    "decode": ([0, [1], np.ones(2)], [None]),
    "cost": ([1.0, 2, np.float32(2.5), np.array(3.0)], [None, "high", [1.0, 2.0], math.nan, -math.inf, 1j]),
    "context": ([], [None, "high", [math.nan], [[1.0]]]),
    "scale": ([1.0, np.int64(3)], [0.0, -1, math.inf, math.nan, None, "large"]),
    "generate": ([{}, 0], [None]),
    "instance": ([{}, 0], [None]),
    "table": ([{}, {"a": [1, 2], "b": (3, 4)}], [None, [1], {"a": 1}, {1: [2]}, {"a": [1], "b": [1, 2]}]),
    "read": ([{}, 0], [None]),
    "write": ([{}, {"a": 1}], [None, [1], {1: 2}]),
    "read_solution": ([{}, 0], [None]),
    "write_solution": ([{}, {"a": np.ones(2)}], [None, [1], {1: 2}, {"a": 2j}, {"a": [1, object()]}]),
    "content": ([b"", bytearray(b"x")], [None, "x", 3]),
    "bound": ([None, 3, -math.inf, np.float32(2.5)], ["low", [1.0, 2.0], math.nan, math.inf]),
    "log_comparisons": ([None, 3.5], ["many", math.inf]),
    "approximation": ([None, Approximation(1.0, 2.0)], [1.5, (1.0, 2.0)]),
    "quick": ([0, [1]], [None]),
    "baseline": ([0, [1]], [None]),
    "with_options": ([object()], [None]),
    "violation": ([None, "too late"], [True, 3, ["too late"]]),
    "start": ([{}, 0], [None]),
    "step": ([(1.0, None), (2, "state")], [None, 1.0, (1.0,), (math.nan, None), (None, 3)]),
    "hindsight": ([[], (1, 2)], [None, 3, np.ones(2)]),
    "future": ([{}, 0], [None]),
    "group": ([{}, {"jobs": 3}], [3, None, {"jobs": "many"}, {1: 2}, {"jobs": math.inf}]),
}


class Evaluates:
    def losses(self, weights: Any) -> Any:
        """Return nothing."""

    close = losses


ANSWERS["evaluator"] = ([None, Evaluates()], [3, object()])


def test_every_check_is_that_of_a_method() -> None:
    assert set(CHECKS) == set(ANSWERS)
    assert set(CHECKS) <= {*METHODS, *OPTIONAL, *DAY_METHODS, *DAY_OPTIONAL}


@pytest.mark.parametrize("method", ANSWERS)
def test_what_a_method_may_return(method: str) -> None:
    what = f"{method} of pick"
    taken, refused = ANSWERS[method]
    for value in taken:
        found = CHECKS[method](value, what)
        assert found is value or found == value or method == "table"
    for value in refused:
        with pytest.raises(InputError, match=f"^{what}"):
            CHECKS[method](value, what)


def test_numbers_become_plain_floats_and_columns_lists() -> None:
    assert type(CHECKS["cost"](np.float32(2.5), "cost")) is type(CHECKS["scale"](3, "scale")) is float
    assert CHECKS["table"]({"a": (1, 2)}, "table") == {"a": [1, 2]}


def test_a_context_becomes_a_vector_of_floats() -> None:
    vector = CHECKS["context"]([1, 2], "context of pick")
    assert (vector.dtype, vector.tolist()) == (np.float64, [1.0, 2.0])


@pytest.mark.parametrize("method", ["layer", "decode", "cost"])
def test_a_coroutine_is_refused_and_closed(method: str) -> None:
    async def later() -> float:
        return 1.0

    coroutine = later()
    with pytest.raises(InputError, match=f"^{method} of pick returned a coroutine"):
        CHECKS[method](coroutine, f"{method} of pick")
    with pytest.raises(RuntimeError, match="cannot reuse"):
        coroutine.send(None)


def test_a_part_without_a_json_form_is_named_by_its_place() -> None:
    with pytest.raises(InputError, match=r"^write_solution of pick: tour\[1\] "):
        CHECKS["write_solution"]({"tour": [1, 2j]}, "write_solution of pick")


X = np.array([[4.0, 0.0], [2.0, 8.0], [3.0, 1.0], [9.0, 2.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_features_are_taken_as_they_are_in_both_precisions(dtype: Any) -> None:
    given = X.astype(dtype)
    assert checked_features(given, "features of pick", ("value", "noise")) is given


def test_features_may_be_lists() -> None:
    assert checked_features(X.tolist(), "features of pick", ("value", "noise")).tolist() == X.tolist()


@pytest.mark.parametrize(
    ("features", "said"),
    [
        (np.ones((4, 1)), r"features of pick .*\(4, 1\)"),
        (np.ones(2), r"features of pick .*\(2,\)"),
        (np.ones((0, 2)), r"features of pick .*\(0, 2\)"),
        (np.ones((4, 2), dtype=int), "features of pick .*int64"),
        (X + 0j, "features of pick .*complex128"),
        (None, "features of pick .*None"),
        ("wide", "features of pick .*'wide'"),
        ([[1.0], [1.0, 2.0]], "features of pick "),
        (np.where(X == 8.0, np.nan, X), "features of pick: .*'noise' is nan in row 1"),
        (np.where(X == 9.0, np.inf, X), "features of pick: .*'value' is inf in row 3"),
    ],
)
def test_features_that_are_none_are_refused(features: Any, said: str) -> None:
    with pytest.raises(InputError, match=f"^{said}"):
        checked_features(features, "features of pick", ("value", "noise"))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (math.nan, ""),
        ([1.0, math.nan], " in entry 1"),
        (np.array([math.nan, 1.0]), " in entry 0"),
        (np.array([[1.0, 2.0], [math.nan, 1.0]]), " in entry (1, 0)"),
        (1.0, None), ([1, "nan"], None), (np.arange(3), None), (np.ones(2), None), (None, None), ("nan", None),
    ],
)  # fmt: skip
def test_where_nan_is(value: Any, place: str | None) -> None:
    assert nan_in(value) == place


class Relaxed(Pick):
    """Its layer returns shares, its decoder sorts them; one of the two divides 0 by 0."""

    def __init__(self, wrong: str) -> None:
        self.wrong = wrong

    def layer(self, theta, instance):
        return np.array([1.0, math.nan if self.wrong == "layer" else 0.5])

    def decode(self, y, instance):
        return [int(share) for share in y] if self.wrong == "layer" else [1.0, 2.0, math.nan]

    def cost(self, solution, instance):
        return float(sum(solution))


@pytest.mark.parametrize(("wrong", "entry"), [("layer", 1), ("decode", 2)])
def test_the_first_method_that_returned_nan_is_named(wrong: str, entry: int) -> None:
    """A decoder that chokes on it is not to blame, nor is the cost that is NaN in the end."""
    instance = np.ones((2, 2))
    with rejects(InputError, f"{wrong} of pick returned nan in entry {entry}") as caught:
        bind(Relaxed(wrong)).solution_at(np.zeros(2), instance)
    assert caught.value.instance is instance


@pytest.mark.parametrize("missing", ["losses", "close"])
def test_an_evaluator_needs_both_methods(missing: str) -> None:
    half = type("Half", (), {name: lambda self: None for name in ("losses", "close") if name != missing})()
    with pytest.raises(InputError, match="expected an object with losses and close, or None"):
        CHECKS["evaluator"](half, "evaluator of pick")


def test_a_sound_solution_comes_back_with_its_cost() -> None:
    solution, cost = bind(Pick()).solution_at(np.array([3.0, 1.0, 2.0, 9.0]), X)
    assert (solution.tolist(), cost) == ([1, 2], 105.0)


@pytest.mark.parametrize("method", ["layer", "decode", "cost"])
def test_what_a_method_refuses_is_known_with_its_instance(method: str) -> None:
    def refuse(self: object, given: Any, instance: Any) -> Any:
        raise InputError("not today")

    problem = bind(type("Refusing", (Pick,), {method: refuse})())
    with rejects(InputError, "not today") as caught:
        problem.solution_at(np.zeros(4), X)
    assert caught.value.instance is X


@pytest.mark.parametrize("row", [-1, 0, np.int64(2)])
def test_the_best_of_several_is_a_row_or_a_combination(row: Any) -> None:
    assert checked_best((row, "solution", 3), "best of pick", 3, lambda solution: 3.0) == (row, "solution", 3.0)


@pytest.mark.parametrize("row", [-2, 3, 1.0, True, None])
def test_a_best_row_that_is_none_is_refused(row: Any) -> None:
    with rejects(InputError, "best of pick", "-1, or a row from 0 to 2"):
        checked_best((row, "solution", 3.0), "best of pick", 3, lambda solution: 3.0)
