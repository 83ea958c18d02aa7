"""Recipes of networks: items that depend on their number alone."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.models import ContextModel
from colayer.models.inputs import offsets_of, sequence_of
from colayer.pretrained import pretrained_network
from colayer.problem.theta import theta_of
from colayer_paper import network_recipes


def test_items_depend_on_their_number_alone() -> None:
    name = "single-machine-27-none"
    center = np.zeros(27)
    one, again, other = (network_recipes.make(name, center, 1, number) for number in (3, 3, 4))
    assert np.array_equal(one.inputs, again.inputs)
    assert one.inputs.shape != other.inputs.shape or not np.array_equal(one.inputs, other.inputs)


@pytest.mark.parametrize("name", ["single-machine-66-none", "spanning-tree-cost", "vehicle-scheduling-23-none"])
def test_theta_starts_from_a_good_solution(name: str) -> None:
    """The layer at the start of θ: not far above the bound, or the known solution."""
    recipe = network_recipes.recipe_named(name)
    item = network_recipes.make(name, np.zeros(len(recipe.problem.feature_names)), 1, 0)
    theta, sequence = item.start, sequence_of(item.structure)
    if sequence is not None:
        theta = np.empty(len(item.start))
        theta[sequence] = item.start
    problem = recipe.problem
    cost = problem.cost(problem.decode(problem.layer(theta, item.instance), item.instance), item.instance)
    assert item.cost <= cost + 1e-9 * abs(cost)
    assert cost <= item.cost + 0.05 * abs(item.cost)
    assert (item.target is None) == (recipe.known is None)


def test_an_item_after_a_network_stands_as_that_has_it() -> None:
    name = "single-machine-27-none"
    problem = network_recipes.recipe_named(name).problem
    earlier = pretrained_network(problem)
    assert isinstance(earlier, ContextModel)
    first, later = (network_recipes.make(name, np.zeros(27), 1, 0, after) for after in (None, earlier))
    features = problem.features(later.instance)
    expected = problem.layer(theta_of(problem, earlier, later.instance, features), later.instance)
    sequence = sequence_of(later.structure)
    assert sequence is not None
    assert sequence.tolist() == expected.tolist()
    assert [len(offsets_of(item.structure)) for item in (first, later)] == [3, 4]
    assert first.anchored
    assert later.anchored
    assert (np.diff(later.start) > 0).all()


@pytest.mark.parametrize("name", ["single-machine-27-none", "spanning-tree-cost"])
def test_choices_are_made_on_other_instances_than_the_last_judgement(name: str) -> None:
    recipe = network_recipes.recipe_named(name)
    chosen, last = (recipe.held_out(among, 1)[0] for among in ("validation", "test"))
    assert chosen[0] == last[0]
    assert not np.array_equal(recipe.problem.features(chosen[1]), recipe.problem.features(last[1]))
