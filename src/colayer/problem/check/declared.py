"""Checks of what the problem declares: its name, its feature names, its options, its safe weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from colayer._runtime.snapshot import difference, snapshot
from colayer.errors import InputError
from colayer.io.files import encode, parse_json
from colayer.models import thetas
from colayer.problem import answers
from colayer.problem.attributes import check_members, options_of
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.check.trial import Trial, declared_by, guarded, named
from colayer.problem.check.variants import remade, values_of
from colayer.problem.protocol import SomeProblem
from colayer.problems import REGISTRY, find_problem

_NOWHERE = Path("options")


def name(trial: Trial) -> None:
    """A word of its own, which files and models are known by."""
    given = trial.problem.name
    if not isinstance(given, str) or not given or not given.isprintable() or set(given) & set(" /\\:"):
        raise Mistake(f"name is {given!r}: give one word without blanks, slashes and colons; files carry it")
    if given in REGISTRY and type(trial.problem) is not type(find_problem(given)):
        raise Mistake(
            f"name is {given!r}, a built-in problem: choose another, or its files and weights will be mixed up"
        )


def feature_names(trial: Trial) -> None:
    """Distinct words, one per column of the features."""
    names = trial.problem.feature_names
    several = isinstance(names, Sequence) and not isinstance(names, str)
    if not several or not all(isinstance(name, str) and name for name in names):
        raise Mistake(f"feature_names is {names!r}: give a tuple of words, one per column of features")
    if not names:
        raise Mistake("feature_names is empty: θ needs at least one feature, even if it is the constant 1")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise Mistake(f"feature_names has {twice[0]!r} twice: give every column a name of its own")


def options(trial: Trial) -> None:
    """`options` holds the constructor's arguments: a problem made anew from a model file is the same."""
    problem = trial.untouched
    given = declared_by(options_of, problem)
    kept = parse_json(guarded("options written as JSON", encode, given), _NOWHERE)
    if kept != given:
        raise Mistake("options are not the same after JSON: use words, numbers, lists and true or false only")
    again = guarded(f"making the problem anew from its options {given}", remade, problem, given)
    place = difference(_public(again), _public(problem), "")
    if place is not None:
        raise Mistake(
            f"the problem made anew from its options {given} has another `{place[1:]}`: let options return "
            "every argument of the constructor, and set nothing after it"
        )
    if trial.words("decoders") and "decoder" not in given:
        raise Mistake("there are decoders, but options has no 'decoder': take it in the constructor, return it there")
    for key, values in values_of(problem).items():
        for value in values:
            what = f"with_options({key}={value!r})"
            other = guarded(what, remade, problem, {key: value})
            declared_by(check_members, other)
            kept = declared_by(options_of, other)
            if repr(kept.get(key)) != repr(value):
                raise Mistake(f"{what} gives the options {kept}: keep the {key} given")


def safe_weights(trial: Trial) -> None:
    """One finite number per feature, and the pipeline runs with them."""
    given, count = trial.attribute("safe_weights"), len(trial.problem.feature_names)
    if given is None:
        raise Skip("the problem has no safe_weights")
    try:
        weights = answers.array(given, "safe_weights", "numbers").astype(np.float64)
    except InputError:
        raise Mistake(f"safe_weights is {named(given)}: give one number for each of the {count} features") from None
    if weights.shape != (count,):
        raise Mistake(f"safe_weights has shape {weights.shape}: give one number for each of the {count} features")
    if not np.isfinite(weights).all():
        at = trial.problem.feature_names[int(np.argmin(np.isfinite(weights)))]
        raise Mistake(f"the safe weight of {at!r} is not finite: give a number, 0 where the feature plays no part")
    for index in trial.chosen:
        trial.sample(index, thetas(trial.features(index), weights[None, :])[0])


def _public(problem: SomeProblem) -> Any:
    """What the problem holds without what it keeps to itself."""
    held = vars(problem)
    return snapshot(SimpleNamespace(**{key: value for key, value in held.items() if not key.startswith("_")}))
