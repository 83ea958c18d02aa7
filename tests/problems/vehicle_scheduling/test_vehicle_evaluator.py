"""The fused evaluator gives the bits of the generic one, for any batch and any number of workers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.evaluators import feature_scale
from colayer.evaluators.local import LocalEvaluator
from colayer.problems.vehicle_scheduling import VehicleScheduling, datasets
from colayer.problems.vehicle_scheduling.datasets import PAPER_SETS, paper_set
from colayer.problems.vehicle_scheduling.generator import generate

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
        assert np.array_equal(feature_scale(fused), feature_scale(local))
        fused.close()


def test_weights_that_overflow_are_refused() -> None:
    problem = VehicleScheduling(features="23")
    fused = problem.evaluator([generate(0, tasks=5, scenarios=2)], workers=1)
    with pytest.raises(InputError, match=r"^theta: not finite"):
        fused.losses(np.full((1, 23), 1e308))


@pytest.mark.parametrize("name", PAPER_SETS)
def test_paper_sets_have_the_sizes_of_the_table(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the plan is of interest: instances are not made."""
    monkeypatch.setattr(datasets, "generate", lambda seed, tasks, scenarios: (tuple(seed.entropy), tasks, scenarios))
    planned = list(paper_set(name))
    counts = {"train-small": 50, "train-moderate": 100, "train-all": 35, "validation": 74, "test": 296}
    assert len(planned) == len({seed for seed, _, _ in planned}) == counts[name]
    assert {s for _, n, s in planned if n == 50} == {50, 100, 200, 500, 1000}
    assert {s for _, n, s in planned if n > 1000} == ({50} if name in ("validation", "test") else set())


def test_no_two_sets_share_an_instance() -> None:
    begins = {name: next(paper_set(name, tasks=(50,), scenarios=(50,))).begin[0] for name in PAPER_SETS}
    assert len(set(begins.values())) == len(PAPER_SETS)


def test_unknown_sets_are_refused() -> None:
    with pytest.raises(InputError, match="no set 'tiny', expected one of train-small"):
        next(paper_set("tiny"))
