"""Checks that instances, solutions and the problem come back as they were: from files, the generator, a pickle."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from colayer._runtime.snapshot import difference, snapshot
from colayer._runtime.text import typed_line
from colayer.errors import InputError
from colayer.io.dataset import FORMAT, LABEL_KEYS, parse_instance
from colayer.io.files import encode, parse_json
from colayer.io.hashing import content_of
from colayer.io.npz import npz_bytes, parse_npz
from colayer.problem.bind import bind
from colayer.problem.check.report import Skip
from colayer.problem.check.trial import Sample, Trial, losses

#: Rows of weights whose losses are compared.
_WEIGHTS = 4
_JSON, _NPZ = Path("0000.json"), Path("0000.npz")


def files(trial: Trial) -> None:
    """Check that `read` inverts `write` (JSON and npz) and `read_solution` inverts `write_solution` (JSON)."""
    instances, solutions = trial.has("read", "write"), trial.has("read_solution", "write_solution")
    if not instances and not solutions:
        raise Skip("the problem has neither read and write, nor read_solution and write_solution")
    for index in trial.each() if instances else ():
        _same_instance(trial, index)
    for sample in trial.each_sample() if solutions else ():
        _same_solution(trial, sample)


def generate(trial: Trial) -> None:
    """Check that `generate` depends on the seed alone, and takes the declared sizes from their least values on."""
    trial.need("generate")
    problem, sizes, make = trial.problem, trial.problem.sizes, trial.problem.need("generate")
    usual = {size.name: size.default for size in sizes}
    first, again = (make(np.random.SeedSequence(7), **usual) for _ in range(2))
    place = difference(snapshot(first), snapshot(again), "instance")
    if place is not None:
        raise InputError(
            f"generate made two different instances from one seed (look at {place}): draw everything from "
            "np.random.default_rng(seed)"
        )
    other = make(8, **usual)
    if difference(snapshot(first), snapshot(other), "instance") is None:
        raise InputError("generate made the same instance from two seeds: draw from np.random.default_rng(seed)")
    for size in sizes:
        for value in [*([] if size.minimum is None else [size.minimum]), *size.choices]:
            chosen = {**usual, size.name: size.kind(value)}
            try:
                problem.features(make(7, **chosen))
            except InputError as error:
                what = ", ".join(f"{name}={given}" for name, given in chosen.items())
                said = f"generate(7, {what}) makes no instance with features ({error})"
                raise InputError(f"{said}: fix that, or change the limits of {size.name} in sizes") from error


def pickling(trial: Trial) -> None:
    """Check that problem and instances can be pickled and then give the same losses."""
    advice = "Define classes and functions at the top level of a module, no lambda"
    instances = [trial.instances[index] for index in trial.chosen]
    for what, value in (("the problem", trial.problem.problem), ("an instance", instances)):
        try:
            pickle.loads(pickle.dumps(value))
        except Exception as error:
            said = f"{what} cannot be pickled for worker processes ({typed_line(error)}): fix that. {advice}"
            raise InputError(said) from error
    problem, again = pickle.loads(pickle.dumps((trial.problem.problem, instances)))
    weights = trial.rng(6).normal(size=(_WEIGHTS, trial.problem.dimension))
    here, there = losses(trial.problem, instances, weights), losses(bind(problem, []), again, weights)
    if not np.array_equal(here, there):
        trial.current = int(np.argwhere(here != there)[0, 1])
        raise InputError(f"losses are not the same after pickling: keep all state in __getstate__. {advice}")


def _same_instance(trial: Trial, index: int) -> None:
    problem, instance = trial.problem, trial.instances[index]
    file = {"format": FORMAT, "problem": problem.name, **problem.need("write")(instance)}
    sample = next(sample for sample in trial.samples if sample.index == index)
    for kind, decoded in (("JSON", _json(file)), ("npz", parse_npz(npz_bytes(file, _NPZ), _NPZ))):
        again = parse_instance(decoded, problem, _JSON if kind == "JSON" else _NPZ)
        through = f"after write, {kind} and read"
        if content_of(problem, again) != content_of(problem, instance):
            raise InputError(f"the instance is not the same {through}: write every field, in full")
        found = np.array(problem.features(again))
        place = difference(snapshot(trial.features(index)), snapshot(found), "features")
        if place is not None:
            raise InputError(
                f"{place} is not the same {through}: write every field, and let read make arrays of the type that "
                "generate makes"
            )
        cost = problem.cost(sample.solution, again)
        if cost != sample.cost:
            raise InputError(
                f"a solution costs {cost!r} {through}, {sample.cost!r} before: write every field that cost uses"
            )


def _same_solution(trial: Trial, sample: Sample) -> None:
    problem, instance = trial.problem, trial.instances[sample.index]
    document = problem.need("write_solution")(sample.solution, instance)
    taken = sorted({"format", "problem", *LABEL_KEYS} & set(document))
    if taken:
        raise InputError(f"write_solution uses the key {taken[0]!r}, which label files have already: choose another")
    cost = problem.cost(problem.need("read_solution")(_json(document), instance), instance)
    if cost != sample.cost:
        said = f"a solution costs {cost!r} after write_solution and read_solution, {sample.cost!r} before"
        raise InputError(f"{said}: write all of it")


def _json(document: Mapping[str, Any]) -> Any:
    return parse_json(encode(document), _JSON)
