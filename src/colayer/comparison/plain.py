"""What learning is compared with: safe weights, the best single feature and plain rules, like for like.

A model brings its options: its features and its decoder. All that is plain runs with those of the models beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from colayer.comparison.contender import (
    SAFE,
    Contender,
    feature_contender,
    perturbed_contender,
    rounds_of,
    rule_contenders,
    safe_contender,
    safe_pipeline,
)
from colayer.models import Model
from colayer.pipeline import Pipeline
from colayer.problem.protocol import Problem, X, Y, Z, declared


def named_apart(pipelines: Mapping[str, Pipeline[X, Y, Z]]) -> dict[str, Pipeline[X, Y, Z]]:
    """The pipelines with the options in which they differ in their names: `a, decoder ls`."""
    suffixes = _suffixes([pipeline.problem for pipeline in pipelines.values()])
    return {name + suffix: pipeline for (name, pipeline), suffix in zip(pipelines.items(), suffixes, strict=True)}


def plain_contenders(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    pipelines: Sequence[Pipeline[X, Y, Z]] = (),
    *,
    perturbed: int | None = None,
    **draws: Any,
) -> list[Contender[X, Z]]:
    """Safe weights, the best single feature and the rules, with options, decoders, rounds and draws of the pipelines.

    Where the pipelines differ in their options, names tell those; they always tell rounds and draws. With `perturbed`,
    a seed, the safe weights also run perturbed until the time is over, beside learned ones that do; that is a search,
    and no reference.
    """
    alike: dict[str, list[Pipeline[X, Y, Z]]] = {}
    for pipeline in pipelines:
        alike.setdefault(_options(pipeline.problem), []).append(pipeline)
    likes: list[Model | None] = [first.model for first, *_ in alike.values()] or [None]
    problems = [first.problem for first, *_ in alike.values()] or [problem]
    rounds = draws.pop("rounds", None)
    turns = [sorted({rounds_of(one, rounds) for one in group}) for group in alike.values()]
    turns = turns or [[rounds if rounds is not None and declared(problem).looks_back else 1]]
    found: list[Contender[X, Z]] = []
    for own, model, suffix, numbers in zip(problems, likes, _suffixes(problems), turns, strict=True):
        chosen = [one for number in numbers for one in safe_contender(own, model, rounds=number, **draws)]
        if perturbed is not None and (safe := safe_pipeline(own, model)) is not None:
            chosen.append(perturbed_contender(SAFE, safe, perturbed, "solver"))
        chosen += feature_contender(own, instances, numbers) if instances else []
        found += [replace(contender, name=contender.name + suffix) for contender in chosen]
    rules = [rule for own in problems for rule in rule_contenders(own)]
    plain = {rule.name for rule in rules if rule.kind == "rule"}  # to some pipeline it is no search
    for name in dict.fromkeys(rule.name for rule in rules):
        rule = next(rule for rule in rules if rule.name == name)
        found.append(replace(rule, kind="rule" if name in plain else "solver"))
    return found


def _options(problem: Problem[X, Y, Z]) -> str:
    return repr(sorted(declared(problem).options.items()))


def _suffixes(problems: Sequence[Problem[X, Y, Z]]) -> list[str]:
    """For each problem the options in which they are not all equal, as words; nothing where they are."""
    options = [declared(problem).options for problem in problems]
    keys = [key for key in dict.fromkeys(k for own in options for k in own)
            if len({repr(own.get(key)) for own in options}) > 1]  # fmt: skip
    return ["".join(f", {key} {own.get(key)}" for key in keys) for own in options]
