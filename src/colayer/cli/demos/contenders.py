"""Whom learning is compared with: the strongest simple rules, tuned, and as many candidates of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from colayer.cli.demos.catalogue import FACTORS, PRIZE_FEATURE, Demo
from colayer.comparison.contender import (
    Contender,
    function_contender,
    pipeline_contender,
    safe_contender,
)
from colayer.comparison.plain import plain_contenders
from colayer.comparison.tune import tune
from colayer.evaluators.base import Backend
from colayer.pipeline import Pipeline

if TYPE_CHECKING:
    from colayer.cli.lookup import SomeProblem
    from colayer.models import Model

LEARNED = "learned"

Progress = Callable[[int, int], None] | None
#: By rule: its constants, the best on the training instances first.
Constants = dict[str, list[dict[str, float]]]


def candidates_of(problem: SomeProblem, demo: Demo) -> int:
    """Return how many weight vectors a solve tries; on a day, which is played once, one."""
    return 1 if problem.dynamic else demo.candidates


def tuned_rules(problem: SomeProblem, demo: Demo, train: Sequence[Any], progress: Progress) -> Constants:
    """Return the constants of each rule that the demo tunes on the training instances."""
    found: Constants = {}
    for rule, grid in demo.tuned.items():
        tuned = tune(problem.problem, rule, train, grid, progress=progress)
        order = tuned.losses.mean(axis=1).argsort(kind="stable")
        found[rule] = [tuned.combinations[k] for k in order]
    for (
        rule,
        decoder,
    ) in demo.prizes.items():  # by the compiled evaluator: a rule that is one feature, through a decoder
        unit = np.array([float(name == PRIZE_FEATURE) for name in problem.feature_names])
        with Backend().evaluators(problem.variant(decoder=decoder)) as evaluator_of:
            losses = evaluator_of(train).losses(np.outer(FACTORS, unit))
        found[rule] = [{"factor": FACTORS[k]} for k in losses.mean(axis=1).argsort(kind="stable")]
    return found


def contenders(
    problem: SomeProblem,
    model: Model,
    instances: Sequence[Any],
    demo: Demo,
    tuned: Constants,
) -> list[Contender[Any, Any]]:
    """Return the plain methods, the learned weights, and the best of many members of their portfolio.

    A tuned rule stands in the place of the rule and, with as many constants as there are candidates, beside the
    portfolio. On days, rules that search are left out, and so are safe weights that are such a rule.
    """
    pipeline = Pipeline.from_model(problem, model, safe=False)
    count = candidates_of(problem, demo)
    plain = plain_contenders(problem, instances, [pipeline])
    if problem.dynamic:
        plain = [one for one in plain if one.name not in problem.searches and not (tuned and one.kind == "safe")]
    kept = [one for one in plain if one.name not in tuned]
    for rule, order in tuned.items():
        baseline = partial(problem.need("baseline"), rule)
        constants = ", ".join(f"{name} {value:g}" for name, value in order[0].items())
        kept.append(function_contender(f"{rule}, {constants}, tuned", partial(baseline, **order[0])))
        if count > 1:
            several = function_contender(
                f"{rule}, best of {len(order[:count])} constants", best_of(problem, rule, order[:count])
            )
            kept.append(replace(several, kind="solver"))
    if count > 1:  # a search, and no reference
        kept += [replace(one, kind="solver") for one in safe_contender(problem, model, candidates=count)]
    return [*kept, *(pipeline_contender(LEARNED, pipeline, candidates=number) for number in sorted({1, count}))]


def best_of(problem: SomeProblem, rule: str, several: Sequence[Mapping[str, float]]) -> Callable[[Any], Any]:
    """Return the rule with several constants, of which the best answer counts."""
    baseline = problem.need("baseline")

    def best(instance: Any) -> Any:
        found = [baseline(rule, instance, **constants) for constants in several]
        costs = [problem.cost(solution, instance) for solution in found]
        return found[costs.index(min(costs))]

    return best
