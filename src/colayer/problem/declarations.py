"""The attributes of a problem, read with care: one of the wrong kind, or a property that raises, is named.

radius of Crews is 'wide', expected a number > 0
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from colayer._runtime.text import short
from colayer.dynamic.protocol import DynamicProblem
from colayer.errors import ColayerError, InputError
from colayer.problem import guard
from colayer.problem.protocol import BaseProblem
from colayer.problem.sizes import Size

METHODS = ("features", "layer", "decode", "cost", "scale")
#: Those of a dynamic problem, and what it may have besides.
DAY_METHODS = ("start", "features", "layer", "decode", "step", "scale")
DAY_OPTIONAL = ("hindsight", "future", "day_costs")
#: The methods that a problem may have beside those that it needs.
OPTIONAL = (
    "with_options", "generate", "instance", "table", "read", "write", "read_solution", "write_solution",
    "content", "bound", "approximation", "log_comparisons", "exact", "quick", "baseline", "embed", "target",
    "augmented", "likelihood", "best", "solved", "mixed", "smoothed", "structure", "evaluator", "compact",
    "constraint_program", "violation", "group", "plot", "by_weights", "context",
)  # fmt: skip
#: Those of them that may as well be data of the user's: something else than a method is left alone.
_WORDS_OF_USERS = ("instance", "table", "solved", "mixed", "smoothed", "structure", "context")


def has(problem: object, member: str) -> bool:
    """Tell whether a problem has a member, without running its code (a property that would raise counts)."""
    try:
        return inspect.getattr_static(problem, member) is not None
    except AttributeError:
        # what `__getattr__` gives, where the class has one
        return hasattr(type(problem), "__getattr__") and getattr(problem, member, None) is not None


def attribute(problem: object, member: str, default: Any) -> Any:
    """Return the value of an attribute, or the default if there is none; name a property that raises."""
    try:
        value = getattr(problem, member)
    except ColayerError:
        raise
    except BaseException as error:
        if isinstance(error, AttributeError) and not has(problem, member):
            return default
        if guard.ends(error):
            raise
        raise InputError(f"{member} of {type(problem).__name__} raised {guard.raised(error)}") from error
    return default if value is None else value


def is_dynamic(problem: object) -> bool:
    """Tell whether a problem is dynamic: it has `start` and `step` in the place of `cost`, or says so by its class."""
    if has(problem, "cost"):
        return False
    return isinstance(problem, DynamicProblem) or (has(problem, "start") and has(problem, "step"))


def read_methods(problem: object) -> dict[str, Callable[..., Any] | None]:
    """Return the methods of a problem by name, None for an optional one that is missing.

    What lacks a member that every problem needs, or has something else than a method for one, is refused.
    """
    if isinstance(problem, type):
        raise InputError(f"{problem.__name__} is a class, expected an object: {problem.__name__}()")
    if isinstance(problem, str):
        expected = "an object: SingleMachine() of colayer.problems, or one of your own"
        raise InputError(f"{short(problem)} is a word, expected {expected}")
    methods, optional = (DAY_METHODS, (*OPTIONAL, *DAY_OPTIONAL)) if is_dynamic(problem) else (METHODS, OPTIONAL)
    found = {name: attribute(problem, name, None) for name in (*methods, *optional)}
    needed = ("name", "feature_names", *methods)
    missing = [name for name in needed if found.get(name) is None and not has(problem, name)]
    if missing:
        raise InputError(f"{type(problem).__name__} is not a problem: it has no {', '.join(missing)}")
    for name, value in found.items():
        if value is not None and not callable(value):
            if name not in _WORDS_OF_USERS:
                raise wrong(problem, name, value, "a method")
            found[name] = None
    return found


def wrong(problem: object, member: str, value: object, expected: str) -> InputError:
    """Return the error of an attribute of the wrong kind."""
    return InputError(f"{member} of {type(problem).__name__} is {guard.described(value)}, expected {expected}")


def read_attributes(problem: object, refuse: Callable[[InputError], None]) -> dict[str, Any]:
    """Return all attributes of a problem by name, checked, with the defaults of `BaseProblem`.

    What is wrong goes to `refuse`, which raises or collects; where it returns, the default stands in.
    """
    found: dict[str, Any] = {}
    for member, (default, convert, expected) in _ATTRIBUTES.items():
        try:
            value = attribute(problem, member, default)
            try:
                found[member] = None if value is None and default is None else convert(value)
            except (TypeError, ValueError, ArithmeticError):
                raise wrong(problem, member, value, expected) from None
            except _BadSizeError as error:
                raise InputError(f"sizes of {type(problem).__name__}: {error}") from None
        except InputError as error:
            refuse(error)
            found[member] = default
    for member in ("safe_weights", "memory_features"):
        try:
            _CROSS_CHECKS[member](problem, found)
        except InputError as error:
            refuse(error)
            found[member] = _ATTRIBUTES[member][0]
    return found


def features_use_solution(problem: object) -> bool:
    """Tell whether `features` takes the previous round's solution: it has an argument `solution`.

    An attribute `features_use_solution` overrules the signature.
    """
    given = attribute(problem, "features_use_solution", None)
    if isinstance(given, bool | np.bool_):
        return bool(given)
    if given is not None:
        raise wrong(problem, "features_use_solution", given, _A_FLAG)
    try:
        return "solution" in inspect.signature(attribute(problem, "features", None)).parameters
    except (TypeError, ValueError):  # compiled, without a signature
        return False


def structure_uses_answer(problem: object) -> bool:
    """Tell whether `structure` also takes an answer of the layer: `y`, as second argument."""
    try:
        parameters = list(inspect.signature(attribute(problem, "structure", None)).parameters.values())
    except (TypeError, ValueError):  # no method
        return False
    places = [one for one in parameters if one.kind not in (one.KEYWORD_ONLY, one.VAR_KEYWORD)]
    if any(one.kind == one.VAR_POSITIONAL for one in places[:2]):
        return True
    return len(places) > 1 and places[1].name == "y"


class _BadSizeError(Exception):
    """One of the sizes is wrong."""


def _word(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError
    value.encode()  # half of a surrogate pair cannot be written to a file
    return value


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(word, str) for word in value):
        raise TypeError
    return tuple(word for word in value if word.encode() is not None)


def _distinct_words(value: Any) -> tuple[str, ...]:
    words = _words(value)
    if len(set(words)) < len(words):
        raise ValueError
    return words


def _options(value: Any) -> dict[str, Any]:
    return {_word(key): item for key, item in _mapping(value).items()}


def _words_by_word(value: Any) -> dict[str, str]:
    return {_word(key): _word(item) for key, item in _mapping(value).items()}


def _groups(value: Any) -> dict[str, tuple[str, ...]]:
    return {_word(key): _words(item) for key, item in _mapping(value).items()}


def _mapping(value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise TypeError
    return value


def _positive(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError
    if not 0.0 < guard.finite(value, "") < np.inf:
        raise ValueError
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError
    return bool(value)


def _kind(value: Any) -> type | None:
    isinstance(None, value)  # raises where it is no class
    return value  # type: ignore[no-any-return]


def _sizes(value: Any) -> tuple[Size, ...]:
    if not isinstance(value, Sequence) or not all(isinstance(size, Size) for size in value):
        raise TypeError
    for i, size in enumerate(value):
        mistake = size.mistake()
        if mistake is not None:
            raise _BadSizeError(mistake)
        if any(size.name == other.name for other in value[:i]):
            raise _BadSizeError(f"{size.name!r} is there twice, expected once")
    return tuple(value)


def _anything(value: Any) -> Any:
    return value


def _check_safe_weights(problem: object, found: dict[str, Any]) -> None:
    given, count = found["safe_weights"], len(found["feature_names"])
    if given is None:
        return
    expected = f"safe_weights of {found['name']}: expected {count} finite numbers, found {guard.described(given)}"
    try:
        weights = guard.array(given, "", "").astype(np.float64)
    except InputError:
        raise InputError(expected) from None
    if weights.shape != (count,) or not np.isfinite(weights).all():
        raise InputError(expected)
    found["safe_weights"] = weights


def _check_memory_features(problem: object, found: dict[str, Any]) -> None:
    if not set(names := found["memory_features"]) <= set(found["feature_names"]):
        raise wrong(problem, "memory_features", names, "names of features")


_CROSS_CHECKS = {"safe_weights": _check_safe_weights, "memory_features": _check_memory_features}
_A_TUPLE, _A_NUMBER, _A_FLAG = "a tuple of words", "a number > 0", "True or False"
#: attribute → (default, conversion, what is expected of it).
_ATTRIBUTES: dict[str, tuple[Any, Callable[[Any], Any], str]] = {
    "name": ("", _word, "a word"),
    "feature_names": ((), _distinct_words, f"{_A_TUPLE}, each once"),
    "options": ({}, _options, "a dict of the constructor's arguments"),
    "radius": (BaseProblem.radius, _positive, _A_NUMBER),
    "homogeneous": (False, _flag, _A_FLAG),
    "safe_weights": (None, _anything, "numbers"),
    "fields": ((), _words, _A_TUPLE),
    "optional_fields": ((), _words, _A_TUPLE),
    "tables": ((), _words, _A_TUPLE),
    "instance_type": (None, _kind, "a class"),
    "sizes": ((), _sizes, 'a tuple like (Size("items", int, 10, "number of items"),)'),
    "decoders": ((), _words, _A_TUPLE),
    "learn_decoders": ({}, _words_by_word, "a dict of words"),
    "feature_groups": (None, _groups, "a dict from words to tuples of words"),
    "memory_features": ((), _words, _A_TUPLE),
    "baselines": ((), _words, _A_TUPLE),
    "searches": ((), _words, _A_TUPLE),
    "budget_options": ((), _words, _A_TUPLE),
    "layer_is_exact": (True, _flag, _A_FLAG),
    "hindsight_is_exact": (False, _flag, _A_FLAG),
    "tight_seconds": (None, _positive, _A_NUMBER),
}
