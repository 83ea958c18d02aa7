"""The fused evaluator gives the bits of the generic one, for any batch and any number of workers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import moments
from colayer.problems.vehicle_scheduling import VehicleScheduling
from colayer.problems.vehicle_scheduling.generator import generate
from support.errors import rejects
from support.plain_vehicles import by_hand

SIZES = ((1, 1), (40, 7), (12, 50), (90, 3), (2, 2))


@pytest.mark.parametrize("which", ["23", "extended"])
def test_bits_of_the_generic_evaluator(which: str) -> None:
    problem = VehicleScheduling(features=which)
    instances = [generate(k, tasks=n, scenarios=s) for k, (n, s) in enumerate(SIZES)]
    weights = np.random.default_rng(0).normal(size=(7, len(problem.feature_names)))
    weights[0] = problem.safe_weights
    local = LocalEvaluator(problem, instances)
    expected = local.losses(weights)
    for workers in (1, 2, 3):
        fused = problem.evaluator(instances, workers=workers)
        assert np.array_equal(fused.losses(weights), expected)
        assert np.array_equal(fused.losses(weights[3:4]), expected[3:4])
        scales = [moments(problem, instances, evaluator).scale for evaluator in (fused, local)]
        assert np.array_equal(*scales)
        for shown, x in zip(fused.map_features(np.copy), instances, strict=True):
            assert np.array_equal(shown, problem.features(x).T)
        fused.close()


def test_weights_that_overflow_are_refused() -> None:
    problem = VehicleScheduling(features="23")
    fused = problem.evaluator([generate(0, tasks=5, scenarios=2)], workers=1)
    with rejects(InputError, where="theta"):
        fused.losses(np.full((1, 23), 1e308))


def test_losses_by_hand() -> None:
    """θ of (0, 1) is 24 and a vehicle costs 1000: the route 0 → 1 → 2 at 1047, over 3 tasks.

    With weight on travel alone every arc costs 5 and vehicles nothing: three of them, 3000 over 3 tasks.
    """
    x = by_hand()
    problem = VehicleScheduling(features="23")
    fused = problem.evaluator([x], workers=1)
    assert fused.losses(problem.safe_weights[None]).tolist() == [[1047 / 3]]
    travel = np.array([name == "travel" for name in problem.feature_names], dtype=float)
    assert fused.losses(travel[None]).tolist() == [[1000.0]]


def test_local_search_is_part_of_the_loss() -> None:
    problem = VehicleScheduling(features="23", decoder="ls")
    instances = [generate(k, tasks=30, scenarios=3) for k in range(2)]
    weights = np.random.default_rng(0).normal(size=(3, 23))
    expected = LocalEvaluator(problem, instances).losses(weights)
    assert np.array_equal(problem.evaluator(instances, workers=2).losses(weights), expected)
    assert np.all(expected <= LocalEvaluator(VehicleScheduling(features="23"), instances).losses(weights))
