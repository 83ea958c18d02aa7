"""Networks of recipes as models: what they look at, on top of what they stand, and files that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models import ContextModel
from colayer.models.inputs import scaled_features
from colayer.models.stage import kinds_of
from colayer.pretrained import pretrained_network
from colayer.problem.bind import bind
from colayer.problem.theta import theta_of
from colayer.problems import SingleMachine
from colayer_paper.network_models import earlier_model, model_of, network_in, widened
from colayer_paper.network_recipes import linear_model, make, recipe_named
from support.stages import drawn_arrays


def test_networks_of_trees_look_at_what_the_linear_model_makes() -> None:
    name = "spanning-tree-cost"
    recipe, center = recipe_named(name), np.zeros(69)
    earlier = earlier_model(None, recipe, center, make(name, center, 1, 0))
    assert earlier is not None
    assert earlier.silent
    item = make(name, center, 1, 0, earlier)
    linear, problem = linear_model(recipe.problem), recipe.problem
    features = problem.features(item.instance)
    assert theta_of(problem, earlier, item.instance, features).tolist() == linear.theta(features).tolist()
    assert item.start.tolist() == linear.theta(features).tolist()
    bought = problem.layer(linear.theta(features), item.instance) == 1
    graph = item.structure[0]
    assert (graph.theta_offsets[: len(bought), 1] > 0).tolist() == bought.tolist()  # type: ignore[union-attr]


def test_networks_of_jobs_start_from_where_jobs_stand() -> None:
    name, center = "single-machine-27-none", np.zeros(27)
    assert earlier_model(None, recipe_named(name), center, make(name, center, 1, 0)) is None


def test_a_network_follows_what_it_looked_at() -> None:
    name, center = "spanning-tree-cost", np.zeros(69)
    recipe = recipe_named(name)
    earlier = earlier_model(None, recipe, center, make(name, center, 1, 0))
    item = make(name, center, 1, 0, earlier)
    relations = kinds_of(item.structure)
    arrays = drawn_arrays(relations, len(item.inputs), heads=3)

    def made(state: object, **described: object) -> ContextModel:
        return ContextModel(relations=relations, dilations=(1, 1), arrays=arrays, **described)  # type: ignore[arg-type]

    model = model_of(recipe, made, False, None, center, {"command": "this"}, earlier)
    assert model.silent
    assert [len(stage.arrays["head.bias"]) for stage in model.then] == [3]
    assert model.provenance["command"] == "this"
    assert "after" not in model.provenance  # of the linear model, `linear` tells
    again = model_of(recipe, made, False, None, center, {"command": "that"}, model)
    assert again.stages == 2
    assert again.provenance["after"] == model.provenance
    problem, features = recipe.problem, recipe.problem.features(item.instance)
    said = model.then[0].added(scaled_features(features, model.feature_scale, center), item.structure)
    assert np.allclose(theta_of(problem, model, item.instance, features), item.start + said)
    alone = model_of(recipe, made, False, None, center, {"command": "this"}, None)
    assert not alone.silent
    assert alone.then == ()


def test_a_network_of_fewer_features_is_blind_to_the_others() -> None:
    """θ is the same, bit for bit; the weights beside it are those for all features."""
    narrow, wide = bind(SingleMachine("27")), bind(SingleMachine("66"))
    network, linear = pretrained_network(narrow), linear_model(wide)
    model = widened(network, linear)
    for jobs in (1, 40):
        instance = wide.need("generate")(jobs, jobs=jobs)
        ours, theirs = (
            theta_of(problem, one, instance, problem.features(instance))
            for one, problem in ((network, narrow), (model, wide))
        )
        assert ours.tobytes() == theirs.tobytes()
    fallback = model.linear_fallback
    assert fallback is not None
    np.testing.assert_allclose(fallback, linear.raw(), rtol=1e-12)


@pytest.mark.parametrize("name", ["spanning-tree-cost", "vehicle-scheduling-23-none"])
def test_a_network_of_the_same_features_stays_as_it_is(name: str) -> None:
    """Also one whose first stage is silent."""
    problem: Any = recipe_named(name).problem
    network = pretrained_network(problem)
    sizes = {"width": 5, "scenarios": 3} if name.startswith("spanning") else {"tasks": 20, "scenarios": 4}
    instance = problem.need("generate")(0, **sizes)
    features = problem.features(instance)
    ours, theirs = (
        theta_of(problem, one, instance, features) for one in (network, widened(network, linear_model(problem)))
    )
    assert ours.tobytes() == theirs.tobytes()


def test_files_that_are_no_network_of_the_recipe_are_refused(tmp_path: Path) -> None:
    linear_model(bind(SingleMachine("27"))).save(tmp_path / "linear.json")
    with pytest.raises(InputError, match=r"linear\.json: is no network"):
        network_in(tmp_path / "linear.json")
    pretrained_network(SingleMachine("27")).save(tmp_path / "jobs.json")
    name, center = "spanning-tree-cost", np.zeros(69)
    with pytest.raises(InputError, match=r"jobs\.json: has other features than spanning-tree here"):
        earlier_model(tmp_path / "jobs.json", recipe_named(name), center, make(name, center, 1, 0))
