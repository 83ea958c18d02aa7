"""Single machine losses on a GPU, on devices of this side: bit for bit those of the processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.evaluators.gpu import on_device
from colayer.problems import SingleMachine
from support.gpu.devices import DEVICES, same_bits
from support.gpu.emulated import HostArrays


@pytest.fixture(name="device", scope="module", params=list(DEVICES))
def device_of(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HostArrays:
    folder: Path = tmp_path_factory.mktemp("kernels")
    return DEVICES[request.param](folder)


def instances(problem: SingleMachine) -> list[Any]:
    """One job, ties, waiting machines, fractions, and times beyond 32 bits."""
    rng = np.random.default_rng(5)
    cells = [(1, 1.0), (2, 1.0), (30, 0.2), (33, 0.0), (75, 1.0), (70, 3.0), (64, 1.25)]
    drawn = [problem.generate(seed=s, jobs=n, rho=rho) for s, (n, rho) in enumerate(cells)]
    drawn.append(problem.read({"release": rng.random(40) * 20, "processing": rng.random(40) + 0.1}))
    whole = rng.integers(0, 9, 50).astype(float), rng.integers(1, 4, 50).astype(float)
    drawn.append(problem.read({"release": whole[0], "processing": whole[1]}))
    drawn.append(problem.read({"release": whole[0] * 1e9, "processing": whole[1] * 1e9}))
    return drawn


def vectors(problem: SingleMachine) -> np.ndarray:
    """All jobs alike, by one feature (whole numbers, ties), safe, random, and one job far from all others."""
    weights = np.random.default_rng(0).normal(size=(6, len(problem.feature_names)))
    weights[0] = 0.0
    weights[1, 1:] = 0.0
    weights[2] = problem.safe_weights
    weights[3] *= 1e200
    return weights


@pytest.mark.parametrize("decoder", SingleMachine.decoders)
def test_losses_have_the_bits_of_the_processor(decoder: str, device: HostArrays) -> None:
    problem = SingleMachine(features="27", decoder=decoder)
    data, weights = instances(problem), vectors(problem)
    same_bits(problem, data, weights, device, alone=4)


def test_a_crowd_of_keys_is_sorted_as_well(device: HostArrays) -> None:
    """One job so late that all others fall into one bucket of its release date."""
    problem = SingleMachine(features="27")
    rng = np.random.default_rng(1)
    release = rng.integers(0, 50, 150).astype(float)
    release[70] = 1e9
    data = [problem.read({"release": release, "processing": rng.integers(1, 99, 150).astype(float)})]
    weights = np.random.default_rng(2).normal(size=(3, 27))
    expected = problem.evaluator(data, workers=1).losses(weights)
    assert np.array_equal(on_device(problem, data, device).losses(weights), expected)


def test_long_moves_of_ls_have_the_bits_of_the_processor(device: HostArrays) -> None:
    """Moves over more places than a warp sees at once, with and without idle time that takes up the delay."""
    problem = SingleMachine(features="27", decoder="ls")
    rng = np.random.default_rng(3)
    data = [problem.generate(seed=7, jobs=180, rho=rho) for rho in (0.1, 1.5)]
    size = np.arange(300.0)  # ones that come when all longer ones wait, and one that goes before a long pause
    data.append(
        problem.read({"release": np.where(size < 290, 0.0, size * 20), "processing": 1.0 + rng.permutation(300)})
    )
    release = np.sort(rng.integers(0, 9000, 300)).astype(float)
    data.append(problem.read({"release": release, "processing": rng.integers(1, 30, 300).astype(float)}))
    weights = rng.normal(size=(2, 27))
    expected = problem.evaluator(data, workers=1).losses(weights)
    assert np.array_equal(on_device(problem, data, device).losses(weights), expected)
