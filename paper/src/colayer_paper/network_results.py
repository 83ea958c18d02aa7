"""What a network does on held-out instances, beside the linear model, rules, and the better of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer._runtime.threads import Threads
from colayer.comparison.paired import moments
from colayer.models import ContextModel
from colayer.pipeline import Pipeline
from colayer.problem.gap import gap
from colayer.problem.theta import theta_of
from colayer_paper.network_recipes import Recipe, linear_model

#: The better of the two.
BOTH = "network or linear"


def judge(
    recipe: Recipe, model: ContextModel, per_cell: int, workers: int, among: str = "validation"
) -> dict[str, Any]:
    """Return mean gaps on the instances of a set, and paired differences to all else, by size.

    They are those of the network, and of the better of the network and the linear weights: what `solve` returns.
    """
    problem = recipe.problem
    linear = linear_model(problem)
    several = Pipeline.from_model(problem, linear, safe=False)
    held_out = recipe.held_out(among, per_cell)

    def one(pair: tuple[str, Any]) -> dict[str, float]:
        instance = pair[1]
        features = problem.features(instance)
        bound = recipe.bound(instance)
        costs = {
            "network": problem.solution_at(theta_of(problem, model, instance, features), instance)[1],
            "linear": problem.solution_at(linear.theta(features), instance)[1],
            "linear, 10 candidates": several.solve(instance, candidates=10).cost,
            **{
                rule: problem.cost(problem.decode(problem.need("baseline")(rule, instance), instance), instance)
                for rule in recipe.rules
            },
        }
        costs[BOTH] = min(costs["network"], costs["linear"])
        return {name: gap(cost, bound) or 0.0 for name, cost in costs.items()}

    with Threads(workers) as threads:
        gaps = threads.map(one, held_out)
    found: dict[str, Any] = {}
    for label in dict.fromkeys(label for label, _ in held_out):
        here = [gap for (own, _), gap in zip(held_out, gaps, strict=True) if own == label]
        columns = {name: np.array([one[name] for one in here]) for name in here[0]}
        found[label] = {"instances": len(here)}
        for name, values in columns.items():
            less, error = moments((columns["network"] - values).tolist())
            both, both_error = moments((columns[BOTH] - values).tolist())
            found[label][name] = {
                "mean_gap": float(values.mean()), "network_minus": less, "standard_error": error or 0.0,
                "both_minus": both, "both_standard_error": both_error or 0.0,
            }  # fmt: skip
    return found
