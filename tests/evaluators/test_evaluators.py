"""One number for each (weights, instance): whatever the batch, the workers and the backend."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import ColayerError, InputError, OptionError
from colayer.evaluators import feature_scale
from colayer.evaluators.base import evaluator_for
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.pool import PoolEvaluator
from colayer.problems import SingleMachine

DECODERS = SingleMachine.decoders


def instances(problem: SingleMachine) -> list:
    """Sizes and loads of every kind, whole numbers and others, one job."""
    cells = [(30, 0.2), (75, 1.0), (130, 3.0), (1, 1.0)]
    drawn = [problem.generate(seed=s, jobs=n, rho=rho) for s, (n, rho) in enumerate(cells)]
    rng = np.random.default_rng(5)
    drawn.append(problem.read({"release": rng.random(40) * 20, "processing": rng.random(40) + 0.1}))
    return drawn


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("features", ["27", "66"])
def test_fused_equals_generic_bit_for_bit(decoder: str, features: str) -> None:
    problem = SingleMachine(features=features, decoder=decoder)
    data = instances(problem)
    weights = np.random.default_rng(0).normal(size=(20, len(problem.feature_names)))
    expected = LocalEvaluator(problem, data)
    losses = expected.losses(weights)
    for workers in (1, 2, 4):
        fused = evaluator_for(problem, data, workers)
        assert np.array_equal(fused.losses(weights), losses)
        assert np.array_equal(fused.losses(weights[3:4]), losses[3:4])
        assert np.array_equal(feature_scale(fused), feature_scale(expected))
        fused.close()


def test_losses_of_an_instance_do_not_depend_on_the_others() -> None:
    problem = SingleMachine(decoder="ls")
    data = instances(problem)
    weights = np.random.default_rng(1).normal(size=(3, 66))
    together = problem.evaluator(data, workers=2).losses(weights)
    for x, instance in enumerate(data):
        assert np.array_equal(problem.evaluator([instance], workers=1).losses(weights)[:, 0], together[:, x])


def test_pool_equals_local() -> None:
    """Processes, shards of unequal size, and the moments behind the feature scale."""
    problem = SingleMachine(decoder="ls")
    data = instances(problem)
    weights = np.random.default_rng(2).normal(size=(4, 66))
    local = LocalEvaluator(problem, data)
    pool = PoolEvaluator(problem, data, 2)
    try:
        assert np.array_equal(pool.losses(weights), local.losses(weights))
        assert np.array_equal(feature_scale(pool), feature_scale(local))
    finally:
        pool.close()


def test_feature_scale_is_the_standard_deviation_and_1_for_constants() -> None:
    problem = SingleMachine()
    data = [problem.generate(seed=s, jobs=80, rho=1.0) for s in range(5)]
    rows = np.vstack([problem.features(x) for x in data]).astype(np.float64)
    spread = rows.std(axis=0)
    assert feature_scale(problem.evaluator(data)) == pytest.approx(np.where(spread > 0, spread, 1.0), rel=1e-9)
    alone = problem.evaluator([problem.generate(seed=0, jobs=1)])
    assert feature_scale(alone).tolist() == [1.0] * 66


class Broken(SingleMachine):
    """A user's mistake: a feature that is not finite, or a worker that dies."""

    def features(self, instance):  # type: ignore[no-untyped-def]
        values = np.array(super().features(instance), dtype=np.float64)
        values[2, 5] = np.nan
        return values

    def evaluator(self, instances, workers=None):  # type: ignore[no-untyped-def]
        return None


def test_bad_features_are_named_also_from_a_worker() -> None:
    data = [SingleMachine().generate(seed=s, jobs=10) for s in range(4)]
    message = "feature 'release_over_total_release' of single-machine is not finite in row 2"
    with pytest.raises(InputError, match=message):
        evaluator_for(Broken(), data)
    pool = evaluator_for(Broken(), data, workers=2)
    try:
        with pytest.raises(InputError, match=message):
            pool.losses(np.zeros((1, 66)))
    finally:
        pool.close()


def test_a_dead_worker_is_an_error_not_a_hang() -> None:
    data = [SingleMachine().generate(seed=s, jobs=10) for s in range(4)]
    pool = PoolEvaluator(SingleMachine(), data, 2)
    try:
        pool.feature_sums()
        pool._processes[1].terminate()
        pool._processes[1].join()
        with pytest.raises(ColayerError, match="worker process ended"):
            pool.losses(np.zeros((1, 66)))
    finally:
        pool.close()


def test_workers_must_be_positive() -> None:
    with pytest.raises(OptionError, match="--workers"):
        evaluator_for(SingleMachine(), [SingleMachine().generate(seed=0)], workers=0)
