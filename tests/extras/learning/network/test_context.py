"""The torch module: the θ of its numpy model, for one instance and for many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from colayer.learning.network.context import ContextNetwork, pack
from colayer.models.inputs import inputs_of, scaled_features
from colayer.models.stage import Stage, kinds_of
from colayer.pretrained import pretrained_network
from colayer.problem.bind import bind
from colayer.problem.structure import Order
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.packed import item

PROBLEMS: dict[str, tuple[Any, list[dict[str, int]]]] = {
    "order": (SingleMachine("27"), [{"jobs": 20}, {"jobs": 1}, {"jobs": 7}]),
    "graph": (SpanningTree(), [{"width": 3, "scenarios": 2}, {"width": 5, "scenarios": 3}]),
    "arcs": (VehicleScheduling("23"), [{"tasks": 6, "scenarios": 3}, {"tasks": 12, "scenarios": 3}]),
}


def network(one: Any, channels: int = 8, seed: int = 0, units: tuple[float, ...] = ()) -> ContextNetwork:
    """With a head that says something."""
    made = ContextNetwork(len(one.inputs), kinds_of(one.structure), channels, (1, 4), 0.5, seed, units)
    with torch.no_grad():
        made.arrays["head_matrix"].normal_(generator=torch.Generator().manual_seed(1))
    return made


@pytest.mark.parametrize(
    ("kind", "answered", "units"),
    [
        *((kind, False, ()) for kind in PROBLEMS),
        ("order", False, (1.0, 1.0, 1.0)),
        ("order", True, (1.0, 1.0, 1.0, 1.0)),
        ("graph", True, (2.0, 20.0)),
        ("arcs", True, (1.0, 2.0, 4.0, 8.0, 2.0)),
    ],
)
def test_numpy_and_torch_compute_the_same_theta(kind: str, answered: bool, units: tuple[float, ...]) -> None:
    """Of several instances, packed at once or one by one and joined; positions and theta_offsets have heads."""
    problem, sizes = PROBLEMS[kind]
    instances = [problem.generate(k, **size) for k, size in enumerate(sizes)]
    items = [item(problem, instance, answered=answered) for instance in instances]
    made, d = network(items[0], units=units), len(problem.feature_names)
    rows = pack([one.inputs for one in items], [one.structure for one in items])
    packed = made(rows).detach().numpy()
    model = made.model(
        made.state(), feature_names=problem.feature_names, weights=np.zeros(d), feature_scale=np.ones(d),
        problem=problem.name, center=np.zeros(d),
    )  # fmt: skip
    first = 0
    for one in items:
        theta = model.theta(problem.features(one.instance), one.structure)
        for relation in one.structure:
            if isinstance(relation, Order):
                theta = (theta - relation.positions[:, 0])[relation.permutation]
        torchs = packed[first : first + len(theta)]
        assert np.allclose(theta, torchs, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(theta).max()))
        first += len(theta)
    assert first == len(packed)


def test_numpy_and_torch_compute_the_same_theta_of_the_shipped_network() -> None:
    """Stage by stage."""
    problem = SingleMachine("27")
    whole = pretrained_network(problem)
    for jobs in (1, 50, 3000):
        instance = problem.generate(0, jobs=jobs)
        features, answer = problem.features(instance), None
        for stage in (Stage(whole.relations, whole.dilations, whole.arrays), *whole.then):
            structure = bind(problem).structure_of(instance, jobs, answer)
            inputs = inputs_of(features, structure, whole.feature_scale, whole.center)
            channels, heads = len(stage.arrays["input.bias"]), len(stage.arrays["head.bias"])
            made = ContextNetwork(len(inputs), stage.relations, channels, stage.dilations, 1.0, 0, (1.0,) * (heads - 1))
            with torch.no_grad():
                for name, array in stage.arrays.items():
                    made.arrays[name.replace(".", "_")].copy_(torch.from_numpy(np.array(array)))
            order = structure[0]
            assert isinstance(order, Order)
            theta = stage.added(scaled_features(features, whole.feature_scale, whole.center), structure)
            added = (theta - order.positions[:, 0])[order.permutation]
            torchs = made(pack([inputs], [structure])).detach().numpy()
            assert np.allclose(added, torchs, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(added).max()))
            answer = problem.layer(theta, instance)


@pytest.mark.parametrize("heads", [1, 4])
def test_it_starts_at_zero(heads: int) -> None:
    problem, sizes = PROBLEMS["order"]
    one = item(problem, problem.generate(0, **sizes[0]))
    made = ContextNetwork(len(one.inputs), kinds_of(one.structure), 4, (1,), 1.0, 0, (1.0,) * (heads - 1))
    assert (made(pack([one.inputs], [one.structure])) == 0).all()


def test_heads_send_rows_to_positions() -> None:
    """One head says 1 and the others nothing: each row goes to its moment, times the gain."""
    problem, sizes = PROBLEMS["order"]
    one = item(problem, problem.generate(0, **sizes[0]))
    (order,) = one.structure
    positions = order.positions[order.permutation]
    made = ContextNetwork(len(one.inputs), kinds_of(one.structure), 4, (1,), 0.5, 0, (1.0, 1.0, 1.0))
    for k in (1, 2, 3):
        with torch.no_grad():
            made.arrays["head_bias"].zero_()[k] = 1.0
        added = made(pack([one.inputs], [one.structure])).detach().numpy()
        assert np.allclose(added, 0.5 * (positions[:, k] - positions[:, 0]), rtol=1e-5, atol=1e-5)


def test_heads_add_theta_offsets_over_their_units() -> None:
    problem, sizes = PROBLEMS["graph"]
    one = item(problem, problem.generate(0, **sizes[0]), answered=True)
    theta_offsets = one.structure[0].theta_offsets
    made = ContextNetwork(len(one.inputs), kinds_of(one.structure), 4, (1,), 0.5, 0, (2.0, 20.0))
    for k, unit in enumerate((2.0, 20.0)):
        with torch.no_grad():
            made.arrays["head_bias"].zero_()[1 + k] = 1.0
        added = made(pack([one.inputs], [one.structure])).detach().numpy()
        assert np.allclose(added, 0.5 / unit * theta_offsets[:, k], rtol=1e-5, atol=1e-5)


def test_rows_without_positions_have_no_offsets() -> None:
    problem, sizes = PROBLEMS["graph"]
    one = item(problem, problem.generate(0, **sizes[0]))
    assert pack([one.inputs], [one.structure]).offsets.shape == (one.inputs.shape[1], 0)
