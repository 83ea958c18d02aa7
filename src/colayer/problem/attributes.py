"""The attributes of a problem, read with care: one of the wrong kind, or a property that raises, is named.

radius of Crews is 'wide', expected a number > 0
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.text import short
from colayer.errors import ColayerError, InputError
from colayer.problem import answers
from colayer.problem.faults import ends, raised
from colayer.problem.sizes import Size

#: The methods that a problem may have beside those that it needs.
OPTIONAL = (
    "with_options", "generate", "read", "write", "read_solution", "write_solution", "content", "bound",
    "approximation", "exact", "baseline", "embed", "target", "augmented", "likelihood", "best", "evaluator", "compact",
    "constraint_program", "violation", "group", "plot",
)  # fmt: skip
_METHODS = ("features", "layer", "decode", "cost", "scale")
_NEEDED = ("name", "feature_names", *_METHODS)


def has(problem: object, member: str) -> bool:
    """Whether a problem has a member. No code of the problem runs: a property that would raise is there."""
    try:
        return inspect.getattr_static(problem, member) is not None
    except AttributeError:
        # what `__getattr__` gives, where the class has one
        return hasattr(type(problem), "__getattr__") and getattr(problem, member, None) is not None


def attribute(problem: object, member: str, default: Any) -> Any:
    """The value of an attribute, or the default where there is none; a property that raises is named."""
    try:
        return getattr(problem, member) if has(problem, member) else default
    except ColayerError:
        raise
    except BaseException as error:
        if ends(error):
            raise
        raise InputError(f"{member} of {type(problem).__name__} raised {raised(error)}") from error


def check_members(problem: object) -> None:
    """Refuse what does not have the members that every problem needs, or has something else than a method for one."""
    if isinstance(problem, type):
        raise InputError(f"{problem.__name__} is a class, expected an object: {problem.__name__}()")
    if isinstance(problem, str):
        expected = "an object: SingleMachine() of colayer.problems, or one of your own"
        raise InputError(f"{short(problem)} is a word, expected {expected}")
    missing = [name for name in _NEEDED if not has(problem, name)]
    if missing:
        raise InputError(f"{type(problem).__name__} is not a problem: it has no {', '.join(missing)}")
    for name in (*_NEEDED, *OPTIONAL):
        value = attribute(problem, name, None)
        if name not in ("name", "feature_names") and value is not None and not callable(value):
            raise _wrong(problem, name, value, "a method")


def name_of(problem: object) -> str:
    """A word, which files and models are known by."""
    name = attribute(problem, "name", None)
    if not _is_text(name) or not name:
        raise _wrong(problem, "name", name, "a word")
    return str(name)


def words_of(problem: object, member: str) -> tuple[str, ...]:
    """An attribute that holds words (`fields`, `decoders`, …); nothing else of the problem is looked at."""
    words = attribute(problem, member, ())
    if isinstance(words, str) or not isinstance(words, Sequence) or not all(map(_is_text, words)):
        raise _wrong(problem, member, words, "a tuple of words")
    return tuple(words)


def options_of(problem: object) -> dict[str, Any]:
    """The constructor's arguments, by name; nothing else of the problem is looked at."""
    options = attribute(problem, "options", {})
    if not isinstance(options, Mapping) or not all(map(_is_text, options)):
        raise _wrong(problem, "options", options, "a dict of the constructor's arguments")
    return dict(options)


def sizes_of(problem: object) -> tuple[Size, ...]:
    """What `generate` takes beside the seed; nothing else of the problem is looked at."""
    sizes = attribute(problem, "sizes", ())
    if not isinstance(sizes, Sequence) or not all(isinstance(size, Size) for size in sizes):
        raise _wrong(problem, "sizes", sizes, 'a tuple like (Size("items", int, 10, "number of items"),)')
    for i, size in enumerate(sizes):
        wrong = size.mistake()
        if wrong is not None:
            raise InputError(f"sizes of {type(problem).__name__}: {wrong}")
        if any(size.name == other.name for other in sizes[:i]):
            raise InputError(f"sizes of {type(problem).__name__}: {size.name!r} is there twice, expected once")
    return tuple(sizes)


def positive_of(problem: object, member: str, default: float | None) -> float | None:
    """An attribute that is a number > 0; None where it is, or may be, None."""
    given = attribute(problem, member, default)
    if given is None:
        return None
    expected = "a number > 0"
    try:
        plain = isinstance(given, int | float | np.number) and not isinstance(given, bool)
        number = answers.finite(given, member) if plain else 0.0
    except InputError:
        number = 0.0
    if number <= 0.0:
        raise _wrong(problem, member, given, expected)
    return number


def flag_of(problem: object, member: str) -> bool:
    """An attribute that is True or False; False where there is none."""
    given = attribute(problem, member, False)
    if not isinstance(given, bool | np.bool_):
        raise _wrong(problem, member, given, "True or False")
    return bool(given)


def looks_back_of(problem: object) -> bool:
    """Whether `features` takes a solution: an argument of this name says so, unless an attribute `looks_back` does."""
    for member in ("features_use_solution", "looks_back"):
        if has(problem, member):
            return flag_of(problem, member)
    try:
        return "solution" in inspect.signature(attribute(problem, "features", None)).parameters
    except (TypeError, ValueError):  # compiled, without a signature
        return False


def holds_of(problem: object, feature_names: Sequence[str]) -> tuple[str, ...]:
    """Features that hold on to a solution: some of the names."""
    names = words_of(problem, "memory_features") or words_of(problem, "holds")
    if not set(names) <= set(feature_names):
        raise _wrong(problem, "holds", names, "names of features")
    return names


def words_by_word(problem: object, member: str) -> dict[str, str]:
    """An attribute that is a dict from words to words; empty where there is none."""
    given = attribute(problem, member, None)
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(_is_text(part) for item in given.items() for part in item):
        raise _wrong(problem, member, given, "a dict of words")
    return dict(given)


def groups_of(problem: object, member: str) -> dict[str, tuple[str, ...]] | None:
    """An attribute that is a dict from words to several words each; None where there is none."""
    given = attribute(problem, member, None)
    if given is None:
        return None
    lists = isinstance(given, Mapping) and all(
        _is_text(key) and isinstance(words, Sequence) and not isinstance(words, str) and all(map(_is_text, words))
        for key, words in given.items()
    )
    if not lists:
        raise _wrong(problem, member, given, "a dict from words to tuples of words")
    return {key: tuple(words) for key, words in given.items()}


def weights_of(problem: object, member: str, name: str, count: int) -> NDArray[np.float64] | None:
    """An attribute that is one finite number per feature; None where there is none."""
    given = attribute(problem, member, None)
    if given is None:
        return None
    expected = f"{member} of {name}: expected {count} finite numbers"
    try:
        weights = answers.array(given, member, expected).astype(np.float64)
    except InputError:
        raise InputError(f"{expected}, found {answers.described(given)}") from None
    if weights.shape != (count,) or not np.isfinite(weights).all():
        raise InputError(f"{expected}, found {answers.described(given)}")
    return weights


def _wrong(problem: object, member: str, value: object, expected: str) -> InputError:
    return InputError(f"{member} of {type(problem).__name__} is {answers.described(value)}, expected {expected}")


def _is_text(value: object) -> bool:
    """Whether a value is text that a file can hold: half of a surrogate pair is not."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
