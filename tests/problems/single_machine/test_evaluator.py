"""The fused evaluator: losses by hand, and bit for bit those of the generic one on weights of every kind."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.statistics import moments
from colayer.problems.single_machine import Instance, SingleMachine
from colayer.problems.single_machine.evaluator import FusedEvaluator
from colayer.problems.single_machine.features import FEATURES_27, features
from colayer.problems.single_machine.instance import generate
from support.errors import rejects

PROCESSING = [feature.name for feature in FEATURES_27].index("rank_processing")


def data() -> list[Instance]:
    """Sizes that differ, one job, whole and fractional times, equal jobs."""
    rng = np.random.default_rng(0)
    drawn = [generate(seed, jobs=n, rho=rho) for seed, (n, rho) in enumerate([(1, 1.0), (40, 0.2), (300, 1.0)])]
    return [*drawn, Instance(rng.random(30) * 9, rng.random(30) + 0.1), Instance([2.0] * 7, [3.0] * 7)]


def test_losses_by_hand() -> None:
    """Jobs of 1 and 3 at time 0 in both orders: 1 + 4 and 3 + 4, over n(n + 1) = 6; LS mends the bad one."""
    instances = [Instance([0, 0], [3, 1])]
    weights = np.zeros((2, 27))
    weights[:, PROCESSING] = 1.0, -1.0
    plain = FusedEvaluator(SingleMachine(features="27", decoder="none"), instances, 1)
    assert plain.losses(weights).tolist() == [[5 / 6], [7 / 6]]
    mended = FusedEvaluator(SingleMachine(features="27", decoder="ls"), instances, 1)
    assert mended.losses(weights).tolist() == [[5 / 6], [5 / 6]]


@pytest.mark.parametrize("decoder", SingleMachine.decoders)
def test_bits_of_the_generic_evaluator_for_weights_of_every_kind(decoder: str) -> None:
    """Dense, sparse, zero and huge weights; more rows than one tile; one worker and several."""
    problem = SingleMachine(features="27", decoder=decoder)
    instances = data()
    weights = problem.safe_weights + 0.05 * np.random.default_rng(1).normal(
        size=(20, 27)
    )  # near: else RDI evens all out
    weights[1] = problem.safe_weights
    weights[2] = 0.0
    weights[3, ::2] = 0.0
    weights[4] *= 1e200
    local = LocalEvaluator(problem, instances)
    expected = local.losses(weights)
    assert len(np.unique(expected, axis=0)) > 2
    for workers in (1, 3):
        fused = FusedEvaluator(SingleMachine(features="27", decoder=decoder), instances, workers)
        assert np.array_equal(fused.losses(weights), expected)
        assert np.array_equal(fused.losses(weights[7]), expected[7:8])
        scales = [moments(problem, instances, evaluator).scale for evaluator in (fused, local)]
        assert np.array_equal(*scales)
        fused.close()


def test_shows_the_features_of_each_instance() -> None:
    instances = data()
    fused = FusedEvaluator(SingleMachine(features="66", decoder="none"), instances, 2)
    for shown, instance in zip(fused.map_features(np.copy), instances, strict=True):
        assert np.array_equal(shown, features(instance, "66").T)
    fused.close()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_refuses_weights_under_which_theta_is_not_finite(bad: float) -> None:
    fused = FusedEvaluator(SingleMachine(features="27", decoder="none"), data()[:2], 1)
    with rejects(InputError, where="theta"):
        fused.losses(np.full((1, 27), bad))
