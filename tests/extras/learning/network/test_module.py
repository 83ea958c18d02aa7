"""The torch module: the θ of its numpy model, gradients against finite differences, and a start that is linear."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from colayer.learning.network.module import Network
from colayer.models import NeuralModel
from support.torch_networks import described, network


@pytest.mark.parametrize("context", [False, True])
def test_numpy_and_torch_compute_the_same_theta(context: bool) -> None:
    features = 5.0 * np.random.default_rng(3).normal(size=(40, 5))  # some are clipped
    scale = np.array([1.0, 2.0, 0.5, 3.0, 1.0])
    made = network(context)
    model = made.model(**described(scale=scale))
    assert isinstance(model, NeuralModel)
    assert model.architecture == ("context-mlp" if context else "mlp")
    theta = features @ model.raw() + model.correction(features)
    assert np.allclose(theta, made(torch.tensor(features / scale)).detach().numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("context", [False, True])
def test_permuted_rows_give_permuted_theta(context: bool) -> None:
    features = np.random.default_rng(4).normal(size=(30, 5))
    order = np.random.default_rng(5).permutation(30)
    made = network(context)
    straight, permuted = (made(torch.tensor(rows)).detach().numpy() for rows in (features, features[order]))
    assert np.allclose(permuted, straight[order], rtol=1e-12, atol=1e-12)
    assert not np.allclose(straight, straight[order])


def test_context_is_what_tells_instances_apart() -> None:
    """The same row in another instance: another θ with context, the same one without."""
    one, other = np.random.default_rng(6).normal(size=(2, 10, 5))
    other[0] = one[0]
    for context in (False, True):
        made = network(context)
        same = math.isclose(made(torch.tensor(one))[0].item(), made(torch.tensor(other))[0].item(), rel_tol=1e-12)
        assert same is not context


@pytest.mark.parametrize("context", [False, True])
def test_gradients_through_the_network_against_finite_differences(context: bool) -> None:
    made = network(context)
    x = torch.tensor(np.random.default_rng(7).normal(size=(12, 5)))
    direction = torch.tensor(np.random.default_rng(8).normal(size=12))
    made(x).backward(direction)
    for parameter in made.parameters():
        index = tuple(0 for _ in parameter.shape)
        step = 1e-6
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                parameter[index] += sign * step
                values.append((made(x) @ direction).item())
                parameter[index] -= sign * step
        assert math.isclose(
            (values[0] - values[1]) / (2 * step), float(parameter.grad[index]), rel_tol=1e-5, abs_tol=1e-7
        )


@pytest.mark.parametrize("weights", [[100.0, -300.0], [0.0, 0.0]])
def test_it_starts_as_the_linear_model(weights: list[float]) -> None:
    """Whatever the size of the weights, whatever the seed of the hidden layers, which differ by it."""
    x = np.random.default_rng(0).normal(size=(6, 2))
    made = [Network(np.array(weights), np.zeros(2), (8,), True, seed) for seed in (0, 1)]
    for each in made:
        assert np.allclose(each(torch.tensor(x)).detach().numpy(), x @ np.array(weights), rtol=1e-12)
        model = each.model(**described(2))
        assert np.allclose(model.weights, weights, rtol=1e-15)
        assert np.array_equal(model.correction(x), np.zeros(6))
    assert not torch.equal(made[0].matrices[0], made[1].matrices[0])


def test_a_model_is_a_copy_of_the_state() -> None:
    """Training goes on, the model that was kept does not change."""
    made, x = network(), np.random.default_rng(9).normal(size=(4, 5))
    model = made.model(**described())
    before = model.theta(x)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 1.0
    assert np.array_equal(model.theta(x), before)
