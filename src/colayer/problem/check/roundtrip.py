"""Checks that problem, instances and solutions come back as they were: from files, other processes, the generator."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.snapshot import difference, snapshot
from colayer.evaluators.local import LocalEvaluator
from colayer.io.dataset import FORMAT, LABEL_KEYS, parse_instance
from colayer.io.files import encode, parse_json
from colayer.io.hashing import content_of
from colayer.io.npz import npz_bytes, parse_npz
from colayer.problem.attributes import sizes_of
from colayer.problem.check.report import Mistake
from colayer.problem.check.trial import Trial, declared_by, guarded, named
from colayer.problem.protocol import SomeProblem

#: Rows of weights whose losses are compared.
_WEIGHTS = 4
_FILES = {"JSON": Path("0000.json"), "npz": Path("0000.npz")}


def instance_files(trial: Trial) -> None:
    """`read` inverts `write`, through JSON and through npz."""
    trial.need("read", "write")
    problem = trial.problem
    for index in trial.chosen:
        instance = trial.instances[index]
        where = trial.at(index)
        document = _document(trial.call("write", instance, on=index), f"{where}write")
        file = {"format": FORMAT, "problem": problem.name, **document}
        for kind, through in (("JSON", _json), ("npz", _npz)):
            decoded = guarded(f"{where}what write returned, as {kind},", through, file)
            again = guarded(
                f"{where}read of what write returned, through {kind},", parse_instance, decoded, problem, _FILES[kind]
            )
            if guarded(f"{where}content", content_of, problem, again) != content_of(problem, instance):
                raise Mistake(
                    f"{where}content is not the same after write, {kind} and read: write every field, in full"
                )
            before = snapshot(trial.features(index))
            place = difference(before, snapshot(np.array(trial.call("features", again, on=index))), "features")
            if place is not None:
                raise Mistake(
                    f"{where}{place} is not the same after write, {kind} and read: write every field that is used, and "
                    "let read make arrays of the type that generate makes (`np.array(..., dtype=float)`)"
                )
            sample = next(sample for sample in trial.samples if sample.index == index)
            cost = float(trial.call("cost", sample.solution, again, on=index))
            if cost != sample.cost:
                raise Mistake(
                    f"{where}a solution costs {cost!r} after write, {kind} and read, {sample.cost!r} before: "
                    "write every field that cost uses"
                )


def solution_files(trial: Trial) -> None:
    """`read_solution` inverts `write_solution`, through JSON."""
    trial.need("read_solution", "write_solution")
    for sample in trial.samples:
        index, instance, where = sample.index, trial.instances[sample.index], trial.at(sample.index)
        document = _document(
            trial.call("write_solution", sample.solution, instance, on=index), f"{where}write_solution"
        )
        taken = sorted({"format", "problem", *LABEL_KEYS} & set(document))
        if taken:
            raise Mistake(f"{where}write_solution uses the key {taken[0]!r}, which labels have already: choose another")
        decoded = guarded(f"{where}what write_solution returned, as JSON,", _json, document)
        again = trial.call("read_solution", decoded, instance, on=index)
        cost = trial.cost(index, again, "a solution that was written and read")
        if cost != sample.cost:
            raise Mistake(
                f"{where}a solution costs {cost!r} after write_solution and read_solution, {sample.cost!r} before: "
                "write all of it"
            )


def generate(trial: Trial) -> None:
    """A function of the seed, for the sizes that are declared, from their least values on."""
    problem = trial.problem
    sizes = declared_by(sizes_of, problem)
    trial.need("generate")
    make = getattr(problem, "generate")  # noqa: B009  an ability
    usual = {size.name: size.default for size in sizes}
    for seed in (7, np.random.SeedSequence(7)):
        first, again = (
            guarded(f"generate({_title(seed)}, {_words(usual)})", make, _fresh(seed), **usual) for _ in range(2)
        )
        place = difference(snapshot(first), snapshot(again), "instance")
        if place is not None:
            raise Mistake(
                f"generate gave two different instances for the same seed (look at {place}): "
                "draw everything from np.random.default_rng(seed)"
            )
    other = guarded("generate(8)", make, 8, **usual)
    if difference(snapshot(first), snapshot(other), "instance") is None:
        raise Mistake("generate gave the same instance for the seeds 7 and 8: draw from np.random.default_rng(seed)")
    for size in sizes:
        values = [size.minimum] if size.minimum is not None else []
        for value in [*values, *size.choices]:
            chosen = {**usual, size.name: size.kind(value)}
            what = f"generate(7, {_words(chosen)})"
            made = guarded(what, make, 7, **chosen)
            features = guarded(f"features of {what}", problem.features, made)
            if not np.isfinite(features).all():
                raise Mistake(f"features of {what} are not finite: mend them, or raise the minimum of {size.name}")


def pickling(trial: Trial) -> None:
    """Problem and instances go to worker processes, and give the same losses there."""
    advice = (
        "so that worker processes can have it. Define classes and functions at the top level of a module, no lambda"
    )
    instances = [trial.instances[index] for index in trial.chosen]
    try:
        data = pickle.dumps((trial.problem, instances))
        problem, again = pickle.loads(data)
    except (Exception, SystemExit) as error:
        what = "the problem" if not _pickles(trial.problem) else "an instance"
        raise Mistake(f"{what} cannot be pickled ({type(error).__name__}: {error}): mend that, {advice}") from error
    weights = trial.rng(6).normal(size=(_WEIGHTS, len(trial.problem.feature_names)))
    here = guarded("the pipeline", _losses, trial.problem, instances, weights)
    there = guarded("after pickling, the pipeline", _losses, problem, again, weights)
    if not np.array_equal(here, there):
        index = int(np.argwhere(here != there)[0, 1])
        raise Mistake(
            f"instance {index}: losses are not the same after pickling: keep all state in __getstate__, {advice}"
        )


def _losses(problem: SomeProblem, instances: Sequence[Any], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return LocalEvaluator(problem, instances).losses(weights)


def _document(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise Mistake(f"{what} returned {named(value)}: return a dict with words as keys")
    return dict(value)


def _json(document: dict[str, Any]) -> Any:
    return parse_json(encode(document), _FILES["JSON"])


def _npz(document: dict[str, Any]) -> Any:
    return parse_npz(npz_bytes(document, _FILES["npz"]), _FILES["npz"])


def _pickles(value: Any) -> bool:
    try:
        pickle.loads(pickle.dumps(value))
    except (Exception, SystemExit):
        return False
    return True


def _fresh(seed: Any) -> Any:
    """A seed nothing was spawned from."""
    return np.random.SeedSequence(seed.entropy) if isinstance(seed, np.random.SeedSequence) else seed


def _title(seed: Any) -> str:
    return "a numpy SeedSequence" if isinstance(seed, np.random.SeedSequence) else str(seed)


def _words(sizes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sizes.items())
