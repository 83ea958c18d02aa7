"""What a network does on held-out instances: gaps, and paired differences, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from colayer import Pipeline
from colayer.models import ContextModel
from colayer.pretrained import pretrained_network
from colayer.problems import SingleMachine
from colayer_paper.network_recipes import linear_model, recipe_named
from colayer_paper.network_results import BOTH, judge


def test_gaps_are_those_of_solve() -> None:
    problem = SingleMachine("27")
    network = pretrained_network(problem)
    assert isinstance(network, ContextModel)
    held_out = [(f"{jobs} jobs", problem.generate(seed, jobs=jobs)) for jobs in (10, 30) for seed in range(3)]
    recipe = replace(recipe_named("single-machine-27-none"), held_out=lambda name, count: held_out[: 2 * count])
    found = judge(recipe, network, 3, 1)
    assert list(found) == ["10 jobs", "30 jobs"]
    models = {"network": network, "linear": linear_model(recipe.problem)}
    for label, row in found.items():
        instances = [instance for own, instance in held_out if own == label]
        assert row["instances"] == 3
        gaps = {
            name: np.array(
                [
                    Pipeline.from_model(problem, model, safe=False).solve(x).cost / problem.bound(x) - 1.0
                    for x in instances
                ]
            )
            for name, model in models.items()
        }
        gaps[BOTH] = np.minimum(gaps["network"], gaps["linear"])
        for name, values in gaps.items():
            assert row[name]["mean_gap"] == pytest.approx(values.mean(), abs=1e-12)
            assert row[name]["network_minus"] == pytest.approx((gaps["network"] - values).mean(), abs=1e-12)
            assert row[name]["both_minus"] == pytest.approx((gaps[BOTH] - values).mean(), abs=1e-12)
        assert row["network"]["standard_error"] == 0.0
        spread = (gaps["network"] - gaps["linear"]).std(ddof=1) / np.sqrt(3)
        assert row["linear"]["standard_error"] == pytest.approx(spread, abs=1e-12)
        assert set(recipe.rules) < set(row)


def test_any_number_of_threads_finds_the_same() -> None:
    problem = SingleMachine("27")
    network = pretrained_network(problem)
    assert isinstance(network, ContextModel)
    held_out = [("12 jobs", problem.generate(seed, jobs=12)) for seed in range(4)]
    recipe = replace(recipe_named("single-machine-27-none"), held_out=lambda name, count: held_out)
    assert judge(recipe, network, 4, 1) == judge(recipe, network, 4, 2)
