"""Layers as torch modules: gradients against what is known exactly, and training that lowers the loss."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
import torch

import colayer.neural
from colayer.errors import InputError, MissingExtraError, OptionError
from colayer.layers import (
    Assignment,
    Knapsack,
    LinearProgram,
    MinimumSpanningTree,
    PathCover,
    ShortestPath,
    Sorting,
    TopK,
)
from colayer.learning.imitation.spo import spo_plus
from colayer.neural import FenchelYoungLoss, PerturbedLayer, SpoPlusLoss
from colayer.neural.functions import layer_of
from colayer.problems import SingleMachine
from support.errors import rejects
from support.torch_networks import data

GRID = [(0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (3, 5), (4, 5), (2, 5)]
INTERVALS = [[1.0, 1.0, 1.0, 0, 0, 0], [0, 1.0, 1.0, 1.0, 1.0, 0], [0, 0, 0, 0, 1.0, 1.0]]
ONE_OF_TWO = ([[1.0, 1.0]], 1.0, 1.0)

#: layer, length of θ, sign of θ that is natural for it
LAYERS = {
    "sorting": (Sorting(), 5, 1.0),
    "top-k": (TopK(2), 6, 1.0),
    "spanning tree": (MinimumSpanningTree(6, GRID), 8, 1.0),
    "path cover": (PathCover([0, 2, 3, 3], [1, 2, 2]), 9, 1.0),
    "assignment": (Assignment(3, 3), 9, 1.0),
    "knapsack": (Knapsack([1, 2, 3, 2, 4], 6), 5, -1.0),
    "acyclic path": (ShortestPath(6, GRID, 0, 5), 8, 1.0),
    "path with cycles": (ShortestPath(6, [*GRID, (3, 1), (5, 2)], 0, 5), 10, 1.0),
    "program": (LinearProgram((INTERVALS, [1.0, 2.0, 1.0], np.inf), bounds=(0, 1), integrality=1), 6, 1.0),
}

#: layers with two answers, and a θ at which no third one comes near
TWO_ANSWERS = {
    "sorting": (Sorting(), [0.3, 0.6]),
    "top-k": (TopK(1), [0.3, 0.6]),
    "spanning tree": (MinimumSpanningTree(2, [(0, 1), (0, 1)]), [0.3, 0.6]),
    "path cover": (PathCover([0, 1, 1], [1]), [0.9, 0.2, 0.4, 0.3, 0.1]),
    "assignment": (Assignment(2, 2), [0.3, 0.1, 0.5, 0.6]),
    "knapsack": (Knapsack([1, 1], 1), [-20.0, -20.2]),
    "path": (ShortestPath(4, [(0, 1), (0, 2), (1, 3), (2, 3)], 0, 3), [0.3, 0.1, 0.5, 0.6]),
    "program": (LinearProgram(ONE_OF_TWO, integrality=1), [0.3, 0.6]),
}


def natural(kind: str, rng: np.random.Generator, scale: float = 1.0) -> np.ndarray:
    _, n, sign = LAYERS[kind]
    return sign * scale * (rng.random(n) + 0.5)


def perturbations(kind: str) -> list[str]:
    """Additive perturbations make some θ negative, which a path with cycles cannot take."""
    return ["multiplicative"] if kind == "path with cycles" else ["additive", "multiplicative"]


CASES = [(kind, perturbation) for kind in LAYERS for perturbation in perturbations(kind)]


@pytest.mark.parametrize(("kind", "perturbation"), CASES)
def test_fenchel_young_gradient_is_target_minus_mean(kind: str, perturbation: str) -> None:
    """ȳ − mean_k y (times r_k where multiplicative), and the finite differences of the same sample average."""
    layer = LAYERS[kind][0]
    rng = np.random.default_rng(0)
    theta, target = natural(kind, rng), layer(natural(kind, rng))

    def loss(at: torch.Tensor) -> torch.Tensor:
        return FenchelYoungLoss(0.3, samples=10, seed=2, perturbation=perturbation)(at, target, layer)

    at = torch.tensor(theta, requires_grad=True)
    loss(at).backward()
    Z = FenchelYoungLoss(samples=10, seed=2).draws(1, len(theta))[0]
    factor = np.exp(0.3 * Z - 0.045) if perturbation == "multiplicative" else np.ones_like(Z)
    perturbed = theta * factor if perturbation == "multiplicative" else theta + 0.3 * Z
    mean = (factor * np.array([layer(row) for row in perturbed])).mean(axis=0)
    assert np.allclose(at.grad.numpy(), target - mean, atol=1e-12)
    step = 1e-7
    for i in range(len(theta)):
        ends = [loss(torch.tensor(theta + sign * step * np.eye(len(theta))[i])) for sign in (1, -1)]
        assert math.isclose(float(ends[0] - ends[1]) / (2 * step), float(at.grad[i]), abs_tol=1e-6)


@pytest.mark.parametrize("kind", TWO_ANSWERS)
def test_perturbed_layer_against_the_exact_expectation(kind: str) -> None:
    """Two answers a and b, δ = a − b: E[y] = b + Φ(−⟨θ, δ⟩/(ε|δ|))·δ, and its derivative, in closed form."""
    layer, values = TWO_ANSWERS[kind]
    theta = np.array(values)
    first = layer(theta)
    epsilon = 0.7
    rng = np.random.default_rng(1)
    answers = {tuple(layer(theta + epsilon * z)) for z in rng.standard_normal((200, len(theta)))}
    assert len(answers) == 2
    (second,) = answers - {tuple(first)}
    delta = first - np.array(second)
    spread = epsilon * np.linalg.norm(delta)
    z = -(theta @ delta) / spread
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    at = torch.tensor(theta, requires_grad=True)
    mean = PerturbedLayer(epsilon, samples=6000)(at, layer)
    expected = np.array(second) + 0.5 * (1 + math.erf(z / math.sqrt(2))) * delta
    assert np.allclose(mean.detach().numpy(), expected, atol=0.02)
    mean.backward(torch.tensor(delta / (delta @ delta)))  # that of the probability alone
    assert np.allclose(at.grad.numpy(), -density / spread * delta, atol=0.05)


@pytest.mark.parametrize(
    "layer",
    [
        TopK(1),
        MinimumSpanningTree(2, [(0, 1), (0, 1)]),
        ShortestPath(2, [(0, 1), (0, 1), (1, 0)], 0, 1),
        Assignment(1, 2),
        LinearProgram(ONE_OF_TWO, integrality=1),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_multiplicative_perturbed_layer_against_the_exact_expectation(layer) -> None:
    """One of two: P(first) = Φ(log(θ_2/θ_1)/(ε√2)), and its derivative by θ."""
    theta = np.array([0.8, 1.1, 1.0][: layer.size or 2])
    epsilon = 0.6
    at = torch.tensor(theta, requires_grad=True)
    mean = PerturbedLayer(epsilon, samples=6000, perturbation="multiplicative")(at, layer)
    spread = epsilon * math.sqrt(2)
    z = math.log(theta[1] / theta[0]) / spread
    assert math.isclose(mean[0].item(), 0.5 * (1 + math.erf(z / math.sqrt(2))), abs_tol=0.02)
    mean[0].backward()
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) / spread
    assert np.allclose(at.grad.numpy()[:2], [-density / theta[0], density / theta[1]], atol=0.06)


def trained(kind: str, module, loss_of) -> tuple[float, float]:
    """The loss before and after training θ = ±softplus(X·w) on targets that some w* gave."""
    layer, n, sign = LAYERS[kind]
    rng = np.random.default_rng(3)
    features = torch.tensor(rng.normal(size=(8, n, 3)))
    truth = torch.tensor([2.0, -1.0, 0.5], dtype=torch.float64)

    def theta(weights: torch.Tensor) -> torch.Tensor:
        return sign * (torch.nn.functional.softplus(features @ weights) + 0.05)

    targets = torch.tensor(np.array([layer(row) for row in theta(truth).numpy()]))
    weights = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([weights], lr=0.1)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = loss_of(module, theta(weights), targets, layer)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[0], losses[-1]


@pytest.mark.parametrize(("kind", "perturbation"), CASES)
def test_training_by_fenchel_young_lowers_the_loss(kind: str, perturbation: str) -> None:
    """A batch at a time: rows of θ, rows of targets, one layer."""
    module = FenchelYoungLoss(0.3, samples=6, perturbation=perturbation)
    first, last = trained(kind, module, lambda loss, theta, targets, layer: loss(theta, targets, layer).mean())
    assert last < 0.8 * first


@pytest.mark.parametrize(("kind", "perturbation"), CASES)
def test_training_through_the_perturbed_layer_lowers_the_loss(kind: str, perturbation: str) -> None:
    module = PerturbedLayer(0.5, samples=10, perturbation=perturbation)
    first, last = trained(
        kind, module, lambda mean, theta, targets, layer: ((mean(theta, layer) - targets) ** 2).sum(dim=1).mean()
    )
    assert last < 0.9 * first


def rows_of_one_theta(rows: int = 3) -> torch.Tensor:
    return torch.tensor(np.tile([0.1, 0.2, 0.3, 0.4, 0.5], (rows, 1)), requires_grad=True)


def forwards(kind: str, seed: int = 0):
    """A module of either kind as a function of θ."""
    if kind == "layer":
        module = PerturbedLayer(samples=4, seed=seed)
        return module, lambda theta: module(theta, TopK(2))
    module = FenchelYoungLoss(samples=4, seed=seed)
    return module, lambda theta: module(theta, torch.zeros_like(theta), TopK(2))


@pytest.mark.parametrize("kind", ["layer", "loss"])
def test_draws_never_changed_so_two_forwards_were_equal(kind: str) -> None:
    _, forward = forwards(kind)
    theta = rows_of_one_theta()
    assert not torch.equal(forward(theta), forward(theta))


@pytest.mark.parametrize("kind", ["layer", "loss"])
def test_draws_were_the_same_for_each_row(kind: str) -> None:
    _, forward = forwards(kind)
    values = forward(rows_of_one_theta(6))
    assert len({tuple(np.atleast_1d(row)) for row in values.detach().numpy()}) > 1


@pytest.mark.parametrize("kind", ["layer", "loss"])
def test_the_same_seed_repeats_the_draws_and_another_does_not(kind: str) -> None:
    theta = rows_of_one_theta()

    def three(seed: int) -> list[list[float]]:
        _, forward = forwards(kind, seed)
        return [forward(theta).tolist() for _ in range(3)]

    assert three(1) == three(1)
    assert three(1) != three(2)


def test_a_module_goes_on_from_its_state() -> None:
    """A training loop that is stopped and loaded sees the draws that it would have seen."""
    theta = rows_of_one_theta()
    module, forward = forwards("loss")
    forward(theta)
    other, later = forwards("loss")
    other.load_state_dict(module.state_dict())
    assert torch.equal(forward(theta), later(theta))


def test_a_matrix_of_one_row_is_the_vector() -> None:
    theta = torch.tensor(np.random.default_rng(4).normal(size=5), requires_grad=True)
    target = TopK(2)(-theta.detach().numpy())
    for make in (
        lambda: lambda t, y: PerturbedLayer(samples=4)(t, TopK(2)),
        lambda: lambda t, y: FenchelYoungLoss(samples=4)(t, y, TopK(2)),
        lambda: lambda t, y: SpoPlusLoss()(t, np.ones_like(y), TopK(2), y),
    ):
        assert torch.equal(make()(theta, target), make()(theta[None], target[None])[0])


@pytest.mark.parametrize("kind", LAYERS)
def test_spo_plus_is_that_of_the_learner(kind: str) -> None:
    """Values and gradients row by row; the target may be given or not; threads change nothing."""
    layer = LAYERS[kind][0]
    if kind == "path with cycles":  # 2θ − θ* may have a cycle of negative cost
        layer = LAYERS["acyclic path"][0]
    n = layer.size or LAYERS[kind][1]
    rng = np.random.default_rng(5)
    theta, true = rng.random((40, n)), rng.random((40, n))
    targets = np.array([layer(row) for row in true])
    wanted = [spo_plus(*parts, layer) for parts in zip(theta, true, targets, strict=True)]
    for options in ({}, {"workers": 2}):
        for target in (None, targets):
            at = torch.tensor(theta, requires_grad=True)
            values = SpoPlusLoss(**options)(at, true, layer, target)
            values.sum().backward()
            assert np.allclose(values.detach().numpy(), [value for value, _ in wanted], atol=1e-12)
            assert np.allclose(at.grad.numpy(), [gradient for _, gradient in wanted], atol=1e-12)


def test_reductions() -> None:
    theta, true = rows_of_one_theta(), torch.tensor(np.random.default_rng(6).random((3, 5)))
    each = SpoPlusLoss()(theta, true, TopK(2))
    assert SpoPlusLoss("mean")(theta, true, TopK(2)) == each.mean()
    assert SpoPlusLoss("sum")(theta, true, TopK(2)) == each.sum()
    both = [FenchelYoungLoss(samples=4, reduction=r)(theta, true, TopK(2)) for r in ("none", "mean")]
    assert both[0].mean() == both[1]


def test_threads_change_nothing() -> None:
    theta = torch.tensor(np.random.default_rng(7).random((40, 5)))
    one, two = (PerturbedLayer(samples=4, workers=workers)(theta, TopK(2)) for workers in (1, 2))
    assert torch.equal(one, two)


def test_keeps_the_type_of_theta() -> None:
    theta = torch.arange(4.0, requires_grad=True)
    mean = PerturbedLayer(samples=4)(theta, TopK(2))
    mean.sum().backward()
    assert mean.dtype == theta.grad.dtype == torch.float32


def test_names_what_is_wrong() -> None:
    with rejects(OptionError, "samples"):
        PerturbedLayer(samples=3)
    for call in (PerturbedLayer(samples=2), lambda theta, layer: FenchelYoungLoss(samples=2)(theta, theta, layer)):
        with rejects(InputError, where="theta"):
            call(torch.ones(2, 2, 2), TopK(1))
    with rejects(InputError, where="target"):
        FenchelYoungLoss(samples=2)(torch.ones(2), np.ones(3), TopK(1))
    with rejects(InputError, "target"):
        FenchelYoungLoss(samples=2)(torch.ones(2), np.array([1.0, np.nan]), TopK(1))
    with rejects(OptionError, "perturbation"):
        PerturbedLayer(perturbation="odd")
    with rejects(InputError, where="theta[1]"):
        PerturbedLayer(samples=4, perturbation="multiplicative")(torch.tensor([1.0, 0.0]), TopK(1))
    with rejects(InputError, where="theta[0, 1]"):
        PerturbedLayer(samples=4, perturbation="multiplicative")(torch.tensor([[1.0, 0.0]]), TopK(1))
    with rejects(OptionError, "epsilon"):
        FenchelYoungLoss(epsilon=0.0)
    with rejects(OptionError, "reduction"):
        SpoPlusLoss("median")
    with rejects(InputError, where="true_theta"):
        SpoPlusLoss()(torch.ones(2), np.ones(3), TopK(1))
    with rejects(InputError, "the layer returned"):
        PerturbedLayer(samples=2)(torch.ones(2), lambda theta: theta[:1])


def choose_one(theta: np.ndarray) -> np.ndarray:
    """The layer over the unit vectors: the least entry of θ."""
    return np.eye(len(theta))[int(np.argmin(theta))]


def test_perturbed_layer_of_any_function_against_closed_form() -> None:
    """Two choices: P(first) = Φ((θ_2 − θ_1)/(ε√2)), and its derivative."""
    theta = torch.tensor([0.3, 0.8], dtype=torch.float64, requires_grad=True)
    epsilon = 0.7
    mean = PerturbedLayer(epsilon, samples=40000)(theta, choose_one)
    z = 0.5 / (epsilon * math.sqrt(2))
    assert math.isclose(mean[0].item(), 0.5 * (1 + math.erf(z / math.sqrt(2))), abs_tol=0.01)
    mean[0].backward()
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) / (epsilon * math.sqrt(2))
    assert np.allclose(theta.grad.numpy(), [-density, density], atol=0.02)


def test_fenchel_young_loss_of_any_function_against_finite_differences() -> None:
    """Of the same sample average, through torch; where the target is the mean of the layer, the gradient is 0."""
    values = np.random.default_rng(1).normal(size=6)

    def loss(at, target, layer):
        return FenchelYoungLoss(0.8, samples=12, seed=3)(at, target, layer)

    theta = torch.tensor(values, requires_grad=True)
    target = np.full(6, 1 / 6)
    value = 3.0 * loss(theta, target, choose_one)
    value.backward()
    for k in range(6):
        ahead, behind = (
            float(loss(torch.tensor(values + sign * 1e-6 * np.eye(6)[k]), target, choose_one)) for sign in (1, -1)
        )
        assert math.isclose(3.0 * (ahead - behind) / 2e-6, float(theta.grad[k]), abs_tol=1e-6)
    assert value.item() >= 0
    still = torch.tensor(values, requires_grad=True)
    mean = PerturbedLayer(0.8, samples=12, seed=3)(torch.tensor(values), choose_one)
    loss(still, mean, choose_one).backward()
    assert np.allclose(still.grad.numpy(), 0.0, atol=1e-12)


def test_modules_take_the_layer_of_a_problem() -> None:
    problem = SingleMachine("27")
    instance = data(problem, 1, jobs=6)[0]
    mean = PerturbedLayer(samples=4)(torch.arange(6.0), layer_of(problem, instance))
    assert mean.dtype == torch.float32
    assert math.isclose(float(mean.sum()), 21.0, rel_tol=1e-6)


def test_without_torch_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is not there is another error."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with rejects(MissingExtraError, "PerturbedLayer", "colayer[neural]"):
        _ = colayer.neural.PerturbedLayer
    with pytest.raises(AttributeError, match="has no attribute 'Perturbation'"):
        _ = colayer.neural.Perturbation
