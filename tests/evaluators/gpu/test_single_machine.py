"""Single machine losses on a GPU, on devices of this side: bit for bit those of the processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.evaluators.gpu import on_device
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from colayer.problems.single_machine.kernels.descent import descend_plain
from support.gpu.devices import DEVICES, same_bits
from support.gpu.emulated import COMPILER, Emulated, HostArrays
from support.gpu.reference import cost as plain_cost


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
    assert np.array_equal(on_device(bind(problem), data, device).losses(weights), expected)


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
    assert np.array_equal(on_device(bind(problem), data, device).losses(weights), expected)


@pytest.fixture(name="kernels", scope="module")
def kernels_of(tmp_path_factory: pytest.TempPathFactory) -> Emulated:
    if COMPILER is None:
        pytest.skip("no g++")
    return Emulated(tmp_path_factory.mktemp("kernels"))


def after_ls(device: Emulated, r: Any, p: Any, orders: Any, narrow: bool) -> tuple[Any, Any]:
    """Costs and sequences, as numbers of jobs that are all different, of the kernel `descend_whole`."""
    rows, n = orders.shape
    levels, out, room = np.zeros((rows, n), np.uint16), np.zeros((rows, 1)), n + n % 2
    values = [
        orders.astype(np.uint16), np.array([0, n]), np.arange(n, dtype=np.uint16), r, p, np.ones(1), np.int32(0),
        np.int32(rows), np.int64(n), np.int32(room), np.int32(narrow), levels, np.int32(1), out, np.int32(1),
    ]  # fmt: skip
    bytes_each = 6 if narrow else 12
    device.launch("single_machine", "descend_whole", (-(-rows // 2), 1), 64, 2 * bytes_each * room, values)
    return out[:, 0], levels


@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("span", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("n", [1, 2, 30, 31, 33, 61, 97, 300])
def test_ls_by_a_warp_makes_the_moves_of_the_rule(n: int, span: float, narrow: bool, kernels: Emulated) -> None:
    """Sequences, not only costs: jobs of few lengths and release dates, with chains, idle time and long moves."""
    rng = np.random.default_rng([n, round(10 * span)])
    pairs = np.unique(np.stack([rng.integers(1, 99, n), rng.integers(0, 1 + round(50 * n * span), n)], axis=1), axis=0)
    p, r = np.ascontiguousarray(pairs.T.astype(float))  # by (p, r)
    by_date, by_length = np.argsort(r, kind="stable"), np.arange(len(r))
    mixed = np.argsort(r + rng.normal(size=len(r)) * 200, kind="stable")
    orders = np.stack([by_date, by_length[::-1], mixed, rng.permutation(len(r))])
    costs, sequences = after_ls(kernels, r, p, orders, narrow)
    for order, cost, sequence in zip(orders, costs, sequences, strict=True):
        expected = order.astype(np.int64)
        descend_plain.py_func(expected, r, p)
        assert sequence.tolist() == expected.tolist()
        assert cost == plain_cost(expected.tolist(), r, p)


@pytest.mark.parametrize(("length", "late"), [(255.0, 2.0**20 - 1), (256.0, 2.0**20 - 1), (255.0, 2.0**20)])
def test_ls_at_the_limits_of_the_narrow_format(length: float, late: float, device: HostArrays) -> None:
    """Times up to 2^20 − 1 and lengths up to 2^8 − 1 fit; one more does not, and the losses are the same."""
    problem = SingleMachine(features="27", decoder="ls")
    rng = np.random.default_rng(4)
    p = rng.integers(1, 40, 90).astype(float)
    p[17] = length
    r = rng.integers(0, 1000, 90).astype(float)
    r[40] = late - p.sum()  # the bound on all times is `late`
    data = [problem.read({"release": r, "processing": p})]
    fits = length < 2**8 and late < 2**20
    gpu: Any = on_device(bind(problem), data, device)
    assert [span.kind for span in gpu.spans] == [2 if fits else 1]
    gpu.close()
    same_bits(problem, data, np.random.default_rng(6).normal(size=(4, 27)), device, alone=1)


def test_narrow_and_wide_instances_side_by_side(device: HostArrays) -> None:
    problem = SingleMachine(features="27", decoder="ls")
    near = [problem.generate(seed=s, jobs=40 + s, rho=0.5) for s in range(2)]
    far = [type(x)(x.release * 100, x.processing * 100) for x in near]
    same_bits(problem, [near[0], far[0], near[1], far[1]], vectors(problem), device, alone=3)
