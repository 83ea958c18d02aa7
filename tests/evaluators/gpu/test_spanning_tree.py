"""Spanning tree losses on a GPU, on devices of this side: bit for bit those of the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.problems import SpanningTree
from support.gpu.devices import DEVICES, same_bits
from support.gpu.emulated import HostArrays


@pytest.fixture(name="device", scope="module", params=list(DEVICES))
def device_of(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HostArrays:
    return DEVICES[request.param](tmp_path_factory.mktemp("kernels"))


def instances(problem: SpanningTree) -> list[Any]:
    """Every kind of graph, parallel edges, a tree, and costs that are not whole."""
    rng = np.random.default_rng(4)
    cells = [(2, 1, "grid"), (3, 2, "complete"), (7, 5, "grid"), (6, 3, "geometric")]
    data = [problem.generate(seed=s, width=w, scenarios=k, graph=g) for s, (w, k, g) in enumerate(cells)]
    x = data[2]
    data.append(type(x)(x.nodes, x.edges, x.first + rng.random(x.first.shape), x.second + rng.random(x.second.shape)))
    twice = np.array([[0, 1], [0, 1], [1, 2], [2, 0]])
    data.append(type(x)(3, twice, np.array([-1.0, -1.0, 2.0, 0.0]), np.array([[-1.0, -2.0, 1.0, 0.0]])))
    data.append(type(x)(3, twice[1:3], np.array([-1.0, 5.0]), np.array([[-1.5, 0.25], [3.0, -4.0]])))
    return data


def test_losses_have_the_bits_of_the_processor(device: HostArrays) -> None:
    problem = SpanningTree()
    data = instances(problem)
    weights = np.random.default_rng(0).normal(size=(6, len(problem.feature_names)))
    weights[0] = 0.0
    weights[1, 1:] = 0.0
    weights[2] = problem.safe_weights
    weights[3, :24] = 0.0  # nothing is cheap in the first stage
    weights[3, 24:] = -np.abs(weights[3, 24:])
    same_bits(problem, data, weights, device, alone=2)
