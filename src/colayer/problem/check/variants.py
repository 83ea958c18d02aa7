"""The options of a problem: the check of what it declares, and the problem under every value that it lists."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from colayer._runtime.snapshot import Snapshot, difference, snapshot
from colayer._runtime.text import one_of, short
from colayer.errors import InputError, OptionError
from colayer.io.files import encode, parse_json
from colayer.problem.attributes import attribute, check_members, has, name_of, options_of, words_of
from colayer.problem.check.trial import Trial
from colayer.problem.faults import calling
from colayer.problem.protocol import SomeProblem
from colayer.problems import REGISTRY, find_problem


def declarations(trial: Trial) -> None:
    """The name is a word of its own, and a problem made anew from `options`, as a model file does, is the same."""
    problem, name = trial.untouched, name_of(trial.untouched)
    if not name.isprintable() or set(name) & set(" /\\:"):
        raise InputError(f"name is {name!r}: give one word without blanks, slashes and colons; files carry it")
    if name in REGISTRY and type(problem) is not type(find_problem(name)):
        raise InputError(f"name is {name!r}, that of a built-in problem: choose another, files and models carry it")
    given, decoders = options_of(problem), words_of(problem, "decoders")
    if parse_json(encode(given), Path("options")) != given:
        raise InputError("options are not the same after JSON: use words, numbers, lists and true or false only")
    place = difference(_public(remade(problem, given)), _public(problem), "")
    if place is not None:
        raise InputError(
            f"the problem made anew from its options {given} has another `{place[1:]}`: return every argument of the "
            "constructor in options, and set nothing after it"
        )
    if decoders and "decoder" not in given:
        raise InputError("options has no 'decoder', but there are decoders: take it in the constructor, return it")
    for key, values in values_of(problem).items():
        for value in values:
            other = remade(problem, {key: value})
            check_members(other)
            if repr(options_of(other).get(key)) != repr(value):
                kept = options_of(other)
                raise InputError(f"with_options({key}={value!r}) gives the options {kept}: keep the {key} given")


def variants(problem: SomeProblem, decoder: str | None = None) -> dict[str, SomeProblem]:
    """Return the problem as it is, then with one option changed at a time, by what is changed in words.

    With `decoder` all of them have that decoder. One that cannot be made is left out: `declarations` names it.
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
    """Return the problem with these options, made anew also where nothing changes."""
    what = f"with_options({', '.join(f'{key}={value!r}' for key, value in options.items())})"
    with calling(problem, what):
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
    """Return the problem with the decoder that was asked for."""
    known = words_of(problem, "decoders")
    if not known:
        raise OptionError(f"{problem.name} has no decoders to choose from", where="--decoder")
    if decoder not in known:
        raise OptionError(f"no decoder {short(decoder)}, expected {one_of(str(decoder), known)}", where="--decoder")
    if _options(problem).get("decoder") == decoder:
        return problem
    made = remade(problem, {"decoder": decoder})
    check_members(made)
    return made


def _changed(problem: SomeProblem, options: Mapping[str, Any]) -> SomeProblem | None:
    """Return the problem with these options; None where it cannot be made, or has other ones."""
    try:
        made = remade(problem, options)
        check_members(made)
        kept = options_of(made)
    except Exception:  # `declarations` tells it
        return None
    return made if all(repr(kept.get(key)) == repr(value) for key, value in options.items()) else None


def _public(problem: SomeProblem) -> Snapshot:
    """Return what the problem holds without what it keeps to itself."""
    return snapshot(SimpleNamespace(**{key: value for key, value in vars(problem).items() if not key.startswith("_")}))
