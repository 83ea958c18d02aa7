"""The best solution so far: the mean of the relaxed trees, rounded, never loses what is known."""

from __future__ import annotations

import numpy as np

from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.decoder import complete, decode
from colayer.problems.spanning_tree.instance import Instance, generate
from colayer.problems.spanning_tree.layer import layer
from colayer.problems.spanning_tree.relaxation import candidates
from colayer.problems.spanning_tree.rounding import Incumbent, approximation
from colayer.problems.spanning_tree.solvers import exact


def incumbent_of(instance: Instance) -> Incumbent:
    return Incumbent(instance, candidates(instance)[0], None)


def test_the_approximation_is_the_safe_pipeline() -> None:
    instance = generate(1, width=5, scenarios=4)
    theta = np.concatenate([instance.first, instance.second.mean(axis=0)])
    expected = decode(layer(theta, instance), instance)
    assert approximation(instance).first_stage.tolist() == expected.first_stage.tolist()


def test_begins_with_the_better_of_approximation_and_start() -> None:
    instance = generate(1, width=5, scenarios=4)
    optimal = exact(instance)[0]
    edges = candidates(instance)[0]
    worse = complete((), instance)[0]
    assert incumbent_of(instance).cost == cost(approximation(instance), instance)
    assert Incumbent(instance, edges, optimal).cost == cost(optimal, instance) < incumbent_of(instance).cost
    assert Incumbent(instance, edges, worse).cost == incumbent_of(instance).cost < cost(worse, instance)


def test_the_mean_by_hand() -> None:
    """The first trees count whole, the second half, later ones at least a tenth; `forget` begins anew."""
    instance = generate(1, width=3, scenarios=4)
    found = incumbent_of(instance)
    n = len(found.edges)
    found.average(np.full(n, 4))
    assert found.fraction.tolist() == [1.0] * n
    found.average(np.full(n, 2))
    assert found.fraction.tolist() == [0.75] * n
    for _ in range(8):
        found.average(np.full(n, 3))
    assert found.fraction.tolist() == [0.75] * n
    for _ in range(5):
        found.average(np.full(n, 3))
    found.average(np.full(n, 4))
    np.testing.assert_allclose(found.fraction, 0.75 + 0.1 * 0.25)
    found.forget()
    found.average(np.full(n, 1))
    assert found.fraction.tolist() == [0.25] * n


def test_rounding_the_optimum_gives_it_back_and_nothing_worse_is_kept() -> None:
    for seed in range(5):
        instance = generate(seed, width=5, scenarios=4)
        optimal = exact(instance)[0]
        found = incumbent_of(instance)
        found.fraction = np.isin(found.edges, optimal.first_stage).astype(float)
        found.round()
        assert found.cost == cost(found.solution, instance) == cost(optimal, instance)
        found.fraction = np.random.default_rng(seed).random(len(found.edges))
        found.round()
        assert found.cost == cost(optimal, instance)
