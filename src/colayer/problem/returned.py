"""What each method of a problem must return: `CHECKS[method](value, what)` refuses it, or returns it converted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import CoroutineType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.text import printable
from colayer.errors import InputError
from colayer.problem import guard
from colayer.problem.approximation import Approximation
from colayer.problem.gap import ROUNDING
from colayer.problem.guard import Check


def checked_features(given: Any, what: str, feature_names: Sequence[str], fewest: int = 1) -> NDArray[Any]:
    """Return features: one column per name, at least `fewest` rows, float32 or float64, finite."""
    d = len(feature_names)
    features = guard.array(given, what, f"an array of shape (rows, {d})")
    if features.ndim != 2 or features.shape[1] != d or len(features) < fewest:
        raise InputError(f"{what} have shape {features.shape}, expected (rows, {d})")
    if features.dtype not in (np.float32, np.float64):
        raise InputError(f"{what} are {features.dtype}, expected float64 or float32")
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        found = f"feature {feature_names[column]!r} is {features[row, column]} in row {row}"
        raise InputError(f"{what}: {found}, expected a finite number")
    return features


def checked_best(given: Any, what: str, rows: int, cost_of: Callable[[Any], float]) -> tuple[int, Any, float]:
    """Return the (row, solution, cost) that a user's `best` returned, the cost compared with that of the solution."""
    row, solution, cost = guard.parts(given, 3, what, "(row, solution, cost)")
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not -1 <= row < rows:
        raise guard.refused(what, row, f"-1, or a row from 0 to {rows - 1}", "row")
    solution = guard.given(solution, what, "a solution", "solution")
    said, true = guard.finite(cost, what, part="cost"), cost_of(solution)
    if abs(said - true) > ROUNDING * max(abs(said), abs(true)):
        raise InputError(f"{what} returned the cost {said:.10g}, expected that of its solution, {true:.10g}")
    return int(row), solution, said


def _given(expected: str) -> Check:
    def check(value: Any, what: str) -> Any:
        if value is None or type(value) is CoroutineType:
            raise guard.refused(what, value, expected)
        return value

    return check


def _instance_of(kind: type | tuple[type, ...], expected: str) -> Check:
    def check(value: Any, what: str) -> Any:
        if not isinstance(value, kind):
            raise guard.refused(what, value, expected)
        return value

    return check


def _positive(value: Any, what: str) -> float:
    number = guard.finite(value, what, "a number > 0")
    if number <= 0.0:
        raise guard.refused(what, value, "a number > 0")
    return number


def _bound(value: Any, what: str) -> float | None:
    number = None if value is None else guard.real(value, what, "a number or None")
    if number == math.inf:
        raise guard.refused(what, value, "a number or None")
    return number


def _json_document(value: Any, what: str) -> dict[str, Any]:
    document = guard.document(value, what)
    guard.json_text(document, what)
    return document


def _group(value: Any, what: str) -> dict[str, float]:
    found = guard.document(value, what, "a dict of numbers")
    for key, number in found.items():
        guard.finite(number, what, part=printable(key))
    return found


def _context(value: Any, what: str) -> Any:
    vector = guard.array(value, what, "a vector").astype(np.float64)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise guard.refused(what, value, "a vector of finite numbers")
    return vector


def _step(value: Any, what: str) -> tuple[float, Any]:
    cost, after = guard.parts(value, 2, what, "(cost, next state or None)")
    return guard.finite(cost, what, part="cost"), after


def _columns(value: Any, what: str) -> dict[str, list[Any]]:
    expected = "a dict of columns of one length"
    try:
        columns = {name: list(values) for name, values in value.items()}
    except (AttributeError, TypeError):
        raise guard.refused(what, value, expected) from None
    if not all(isinstance(name, str) for name in columns) or len({len(values) for values in columns.values()}) > 1:
        raise guard.refused(what, value, expected)
    return columns


def _evaluator(value: Any, what: str) -> Any:
    if value is not None and not all(callable(getattr(value, name, None)) for name in ("losses", "close")):
        raise guard.refused(what, value, "an object with losses and close, or None")
    return value


CHECKS: dict[str, Check] = {
    "layer": _given("a solution of the layer"),
    "decode": _given("a solution"),
    "cost": guard.finite,
    "scale": _positive,
    "generate": _given("an instance"),
    "instance": _given("an instance"),
    "table": _columns,
    "read": _given("an instance"),
    "write": guard.document,
    "read_solution": _given("a solution"),
    "write_solution": _json_document,
    "content": _instance_of((bytes, bytearray), "bytes"),
    "bound": _bound,
    "approximation": _instance_of((Approximation, type(None)), "an Approximation or None"),
    "log_comparisons": _bound,
    "quick": _given("a solution"),
    "baseline": _given("a solution"),
    "with_options": _given("a problem"),
    "evaluator": _evaluator,
    "violation": _instance_of((str, type(None)), "None, or a sentence that says what is wrong"),
    "group": _group,
    "context": _context,
    "start": _given("a state"),
    "step": _step,
    "hindsight": _instance_of((list, tuple), "a list of decisions"),
    "future": _given("a day"),
}


def guarded_solution_at(own: guard.Guard, problem: Any) -> Callable[[Any, Any], tuple[Any, float]]:
    """Return (θ, instance) → (solution, cost) by a user's layer, decode and cost, under guard.

    This is the hot path of learning: one call instead of three, and checks only of what looks wrong.
    """
    layer, decode, cost = problem.layer, problem.decode, problem.cost

    def solution_at(theta: Any, instance: Any) -> tuple[Any, float]:
        method, y, solution = "layer", None, None
        try:
            y = layer(theta, instance)
            if y is not None and type(y) is not CoroutineType:
                method = "decode"
                solution = decode(y, instance)
                if solution is not None and type(solution) is not CoroutineType:
                    method = "cost"
                    value = cost(solution, instance)
                    if type(value) is float and math.isfinite(value):
                        return solution, value
        except BaseException as error:
            if isinstance(error, Exception):
                refuse_nan(instance, layer=y, decode=solution)
            if isinstance(error, InputError):
                error.instance = instance
            own.name_method(method, error)
            raise
        wrong = y if method == "layer" else solution if method == "decode" else value
        try:  # refused, but for a cost of another type
            return solution, CHECKS[method](wrong, f"{method} of {own.name}")
        except InputError as error:
            refuse_nan(instance, layer=y, decode=solution)
            error.instance = instance
            raise

    def refuse_nan(instance: Any, **returned: Any) -> None:
        """Name the first method that returned NaN: what comes after it is not to blame."""
        for method, value in returned.items():
            place = nan_in(value)
            if place is not None:
                error = InputError(f"{method} of {own.name} returned nan{place}, expected numbers")
                error.instance = instance
                raise error from None

    return solution_at


def nan_in(value: Any) -> str | None:
    """Return where NaN first is, in words, in a number, an array or a flat list; None if there is none."""
    if isinstance(value, float):
        return "" if math.isnan(value) else None
    if isinstance(value, list | tuple):
        return next((f" in entry {i}" for i, one in enumerate(value) if isinstance(one, float) and one != one), None)
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not np.isnan(value).any():
        return None
    at = np.argwhere(np.isnan(value))[0].tolist()
    return f" in entry {at[0] if len(at) == 1 else tuple(at)}" if at else ""
