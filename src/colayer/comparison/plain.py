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
    number_of_rounds,
    perturbed_contender,
    rule_contenders,
    rules_together,
    safe_contender,
    safe_pipeline,
    tried_by,
)
from colayer.models import Model
from colayer.pipeline import Pipeline
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.protocol import Problem, X, Y, Z


def distinct_names(pipelines: Mapping[str, Pipeline[X, Y, Z]]) -> dict[str, Pipeline[X, Y, Z]]:
    """Return the pipelines with the options that distinguish them in their names: `a, decoder ls`."""
    suffixes = _suffixes([pipeline.bound_problem for pipeline in pipelines.values()])
    return {name + suffix: pipeline for (name, pipeline), suffix in zip(pipelines.items(), suffixes, strict=True)}


def plain_contenders(
    problem: Problem[X, Y, Z],
    instances: Sequence[X],
    pipelines: Sequence[Pipeline[X, Y, Z]] = (),
    *,
    perturbed: int | None = None,
    rounds: int | None = None,
    **draws: Any,
) -> list[Contender[X, Z]]:
    """Return safe weights, best single feature and rules, with the options, rounds and draws of the pipelines.

    Where the pipelines differ in their options, names tell those; they always tell rounds and draws. With `perturbed`,
    a seed, the safe weights also run perturbed until the time is over, beside learned ones that do; that is a search,
    and no reference.
    """
    alike: dict[str, list[Pipeline[X, Y, Z]]] = {}
    for pipeline in pipelines:
        alike.setdefault(repr(sorted(pipeline.bound_problem.options.items())), []).append(pipeline)
    bound: BoundProblem[X, Y, Z] = bind(problem)
    alone = rounds if rounds is not None and bound.features_use_solution else 1
    variants: list[tuple[BoundProblem[X, Y, Z], Model | None, list[int]]] = [
        (group[0].bound_problem, group[0].model, sorted({number_of_rounds(one, rounds) for one in group}))
        for group in alike.values()
    ] or [(bound, None, [alone])]
    problems = [own for own, _, _ in variants]
    count = tried_by(draws)
    many = draws if count > 1 else {}
    found: list[Contender[X, Z]] = []
    for (own, model, numbers), suffix in zip(variants, _suffixes(problems), strict=True):
        chosen = [one for number in numbers for one in safe_contender(own, model, rounds=number, **draws)]
        if perturbed is not None and (safe := safe_pipeline(own, model)) is not None:
            chosen.append(perturbed_contender(SAFE, safe, perturbed, "solver"))
        chosen += feature_contender(own, instances, numbers, model, **many) if instances else []
        found += [replace(contender, name=contender.name + suffix) for contender in chosen]
    rules: dict[str, Contender[X, Z]] = {}
    for rule in (rule for own in problems for rule in rule_contenders(own)):
        first = rules.setdefault(rule.name, rule)
        if rule.kind == "rule":  # to some pipeline it is no search
            rules[rule.name] = replace(first, kind="rule")
    together = rules_together(problems[0], instances, count) if instances else []
    return [*found, *rules.values(), *together]


def _suffixes(problems: Sequence[BoundProblem[X, Y, Z]]) -> list[str]:
    """Return for each problem the options in which they differ, as words; empty if there are none."""
    options = [problem.options for problem in problems]
    keys = [key for key in dict.fromkeys(k for own in options for k in own)
            if len({repr(own.get(key)) for own in options}) > 1]  # fmt: skip
    return ["".join(f", {key} {own.get(key)}" for key in keys) for own in options]
