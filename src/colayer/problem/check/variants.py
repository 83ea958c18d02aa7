"""The options of a problem: the check of what it declares, and the problem under every value that it lists."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from colayer._runtime.snapshot import Snapshot, difference, snapshot
from colayer.errors import ColayerError, InputError
from colayer.io.files import encode, parse_json
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.check.trial import Trial
from colayer.problem.protocol import SomeProblem
from colayer.problems import REGISTRY, find_problem

Bound = BoundProblem[Any, Any, Any]


def declarations(trial: Trial) -> None:
    """Check the attributes, and that a problem made anew from `options`, as for a model file, is the same."""
    problem = trial.problem
    if trial.mistakes:
        raise InputError("; ".join(map(str, trial.mistakes)))
    name, given = problem.name, problem.options
    if not name.isprintable() or set(name) & set(" /\\:"):
        raise InputError(f"name is {name!r}: give one word without blanks, slashes and colons; files carry it")
    if name in REGISTRY and type(problem.problem) is not type(find_problem(name)):
        raise InputError(f"name is {name!r}, that of a built-in problem: choose another, files and models carry it")
    if parse_json(encode(given), Path("options")) != given:
        raise InputError("options change when written as JSON: use words, numbers, lists and booleans only")
    place = difference(_public(_remade(problem)), _public(trial.untouched), "")
    if place is not None:
        raise InputError(
            f"the problem made anew from its options {given} has another `{place[1:]}`: return every argument of the "
            "constructor in options, and set nothing after it"
        )
    if problem.decoders and "decoder" not in given:
        raise InputError("options has no 'decoder', but there are decoders: take it in the constructor, return it")
    for key, values in values_of(problem).items():
        for value in values:
            problem.variant(**{key: value})


def variants(problem: SomeProblem, decoder: str | None = None) -> dict[str, SomeProblem]:
    """Return the problem as it is, then with one option changed at a time, by a description of the change.

    With `decoder` all of them have that decoder. One that cannot be made is left out: `declarations` names it.
    """
    bound = bind(problem, [])
    if decoder is not None:
        bound.check_decoder(decoder, "--decoder")
        bound = bound if bound.decoder == decoder else bind(bound.variant(decoder=decoder).problem, [])
    given = bound.options
    found = {", ".join(f"{key}={value}" for key, value in given.items()) or "no options": bound.problem}
    for key, values in values_of(bound).items():
        for value in values if decoder is None or key != "decoder" else ():
            if repr(value) != repr(given[key]):
                try:
                    found[f"{key}={value}"] = bound.variant(**{key: value}).problem
                except ColayerError:  # `declarations` tells it
                    continue
    return found


def values_of(problem: Bound) -> dict[str, tuple[Any, ...]]:
    """Return the values that the problem declares for each option.

    Those of the decoder are in `decoders`. Those of the others are in the annotation of the constructor's argument:
    `Literal["small", "large"]`, alone or with others (`Literal["small"] | int`), or `bool`.
    """
    given = problem.options
    listed = {key: values for key, values in _annotated(type(problem.problem).__init__) if key in given}
    return {**listed, "decoder": problem.decoders} if problem.decoders and "decoder" in given else listed


def _remade(problem: Bound) -> object:
    """Return the problem made anew from its options, even if it has none."""
    if problem.with_options is not None:
        return problem.with_options(**problem.options)
    return problem.guard.wrap("the constructor", type(problem.problem))(**problem.options)


def _annotated(make: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the constructor's arguments whose annotation lists their values, with these values."""
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
    """Return the values that a type lists."""
    if kind is bool:
        return False, True
    return get_args(kind) if get_origin(kind) is Literal else ()


def _public(problem: object) -> Snapshot:
    """Return the problem's attributes without the private ones."""
    return snapshot(SimpleNamespace(**{key: value for key, value in vars(problem).items() if not key.startswith("_")}))
