"""The problem under every value of its options that it declares: decoders, words and switches of its constructor."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from colayer._runtime.text import one_of, short
from colayer.errors import ColayerError, InputError, OptionError
from colayer.problem.attributes import attribute, check_members, has, options_of, words_of
from colayer.problem.check.report import Mistake
from colayer.problem.check.trial import guarded
from colayer.problem.protocol import SomeProblem


def variants(problem: SomeProblem, decoder: str | None = None) -> dict[str, SomeProblem]:
    """The problem as it is, then with one option changed at a time, by what is changed in words.

    With `decoder` all of them have that decoder. One that cannot be made is left out: the check of options names it.
    """
    found: dict[str, SomeProblem] = {}
    if decoder is not None:
        problem = _decoded(problem, decoder)
    given = _options(problem)
    found[", ".join(f"{key}={value}" for key, value in given.items()) or "no options"] = problem
    for key, values in values_of(problem).items():
        for value in values if decoder is None or key != "decoder" else ():
            made = _changed(problem, {key: value}) if repr(value) != repr(given[key]) else None
            if made is not None:
                found[f"{key}={value}"] = made
    return found


def values_of(problem: SomeProblem) -> dict[str, tuple[Any, ...]]:
    """option → the values that the problem declares for it.

    Those of the decoder are in `decoders`. Those of the others are in the annotation of the constructor's argument:
    `Literal["small", "large"]`, alone or with others (`Literal["small"] | int`), or `bool`.
    """
    given = _options(problem)
    declared: dict[str, tuple[Any, ...]] = {key: values for key, values in _annotated(problem) if key in given}
    try:
        decoders = words_of(problem, "decoders")
    except InputError:
        decoders = ()
    return {**declared, "decoder": decoders} if decoders and "decoder" in given else declared


def remade(problem: SomeProblem, options: Mapping[str, Any]) -> SomeProblem:
    """The problem with these options, made anew also where nothing changes."""
    if has(problem, "with_options"):
        made: SomeProblem = getattr(problem, "with_options")(**options)  # noqa: B009  an ability
        return made
    return type(problem)(**{**attribute(problem, "options", {}), **options})


def _options(problem: SomeProblem) -> dict[str, Any]:
    try:
        return options_of(problem)
    except InputError:
        return {}


def _annotated(problem: SomeProblem) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The arguments of the constructor whose annotation lists their values."""
    make = type(problem).__init__
    for name, annotation in getattr(make, "__annotations__", {}).items():
        one = SimpleNamespace(__annotations__={name: annotation})
        try:
            kind = get_type_hints(one, inspect.unwrap(make).__globals__)[name]
        except Exception:  # a name that is there for type checkers alone
            continue
        kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        listed = [value for part in kinds for value in _values(part)]
        if listed:
            yield name, tuple(listed)


def _values(kind: Any) -> tuple[Any, ...]:
    """The values that a type lists."""
    if kind is bool:
        return False, True
    return get_args(kind) if get_origin(kind) is Literal else ()


def _decoded(problem: SomeProblem, decoder: str) -> SomeProblem:
    """The problem with the decoder that was asked for."""
    known: Sequence[str] = words_of(problem, "decoders")
    if not known:
        raise OptionError(f"{problem.name} has no decoders to choose from", where="--decoder")
    if decoder not in known:
        raise OptionError(f"no decoder {short(decoder)}, expected {one_of(str(decoder), known)}", where="--decoder")
    if _options(problem).get("decoder") == decoder:
        return problem
    try:
        made: SomeProblem = guarded(f"with_options(decoder={decoder!r})", remade, problem, {"decoder": decoder})
    except Mistake as mistake:
        raise InputError(str(mistake), where=str(problem.name)) from None
    check_members(made)
    return made


def _changed(problem: SomeProblem, options: Mapping[str, Any]) -> SomeProblem | None:
    """The problem with these options; None where it cannot be made, or has other ones."""
    try:
        made: SomeProblem = guarded("with_options", remade, problem, options)
        check_members(made)
        kept = options_of(made)
    except (Mistake, ColayerError):
        return None
    return made if all(repr(kept.get(key)) == repr(value) for key, value in options.items()) else None
