"""Networks of recipes as models: on top of a linear one, after another network, beside weights for more features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from colayer import __version__
from colayer._runtime.arrays import Floats
from colayer._runtime.threads import Threads
from colayer.errors import InputError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.network.items import Item
from colayer.learning.portfolio.choose import MEMBERS
from colayer.learning.portfolio.solve_defaults import Corrected, choose_for_network
from colayer.learning.search.fit import EVALUATIONS
from colayer.models import ContextModel, Model, read_model
from colayer.models.context import append_stage
from colayer.problem.structure import first_stage_uses_answer
from colayer_paper.network_recipes import Recipe, linear_model, make, recipe_named

#: The stream of instances that σ and portfolio are chosen on.
_CHOOSING = 10_003


def widened(network: ContextModel, linear: Model) -> ContextModel:
    """Return the same network for more features, to which it is blind; the fallback are the weights for all."""
    places = [linear.feature_names.index(name) for name in network.feature_names]
    old, new = len(network.feature_names), len(linear.feature_names)
    scale, center = linear.feature_scale.copy(), np.zeros(new)
    scale[places], center[places] = network.feature_scale, network.center

    def wider(arrays: Mapping[str, Any]) -> dict[str, Any]:
        if not arrays:  # silent
            return {}
        narrow = arrays["input.matrix"]
        matrix = np.zeros((len(narrow), new + narrow.shape[1] - old), np.float32)
        matrix[:, places], matrix[:, new:] = narrow[:, :old], narrow[:, old:]
        return {**arrays, "input.matrix": matrix}

    weights = np.zeros(new)
    weights[places] = network.weights
    return replace(
        network,
        feature_names=linear.feature_names,
        feature_scale=scale,
        problem=linear.problem,
        options=linear.options,
        weights=weights,
        center=center,
        arrays=wider(network.arrays),
        then=tuple(replace(stage, arrays=wider(stage.arrays)) for stage in network.then),
        fallback=linear.raw() * scale,
        sigma=None,
        portfolio=np.empty((0, 0)),
    )


def model_of(
    recipe: Recipe,
    made: Callable[..., ContextModel],
    anchored: bool,
    state: Any,
    center: Floats,
    by: Any,
    earlier: ContextModel | None,
) -> ContextModel:
    """Return the model of a state of the network: on top of the pretrained linear one, or after an earlier one."""
    linear = linear_model(recipe.problem)
    weights = np.zeros(len(linear.weights)) if anchored else linear.weights
    provenance = {**by, "colayer": __version__, "linear": linear.provenance.get("command")}
    if earlier is not None and earlier.stages:
        provenance["after"] = earlier.provenance
    model = made(state, **{**_described(linear, center), "weights": weights, "provenance": provenance})
    return model if earlier is None else append_stage(earlier, model)


def _described(linear: Model, center: Floats) -> dict[str, Any]:
    """Return the fields of a network beside a linear model."""
    return {
        "feature_names": linear.feature_names, "feature_scale": linear.feature_scale, "problem": linear.problem,
        "options": linear.options, "weights": linear.weights, "center": center, "fallback": linear.weights,
        "provenance": linear.provenance,
    }  # fmt: skip


def concluded(name: str, model: ContextModel, workers: int, count: int = 60) -> ContextModel:
    """Return the model with the σ of its draws and a portfolio, chosen on instances of the recipe made for that."""
    recipe = recipe_named(name)
    items = [make(name, model.center, _CHOOSING, number, own=True) for number in range(count)]
    with Threads(workers) as threads:
        data = LocalEvaluator(recipe.problem, [item.instance for item in items])
        evaluator = Corrected(data, model, threads)
        defaults = choose_for_network(evaluator, None, model, 0, EVALUATIONS, MEMBERS)
    return replace(model, sigma=defaults.sigma, portfolio=defaults.portfolio)


def earlier_model(after: Path | None, recipe: Recipe, center: Floats, example: Item[Any]) -> ContextModel | None:
    """Return what a network looks at: the network of a file, or else the linear model as a network that is silent.

    None where θ does not start from the linear model, as the first `example` of the recipe shows.
    """
    linear = linear_model(recipe.problem)
    if after is not None:
        network = network_in(after)
        if network.feature_names != linear.feature_names:
            raise InputError(f"has other features than {recipe.problem.name} here", where=str(after))
        return network
    if not first_stage_uses_answer(recipe.problem.structure_uses_answer, example.structure):
        return None
    return ContextModel(**_described(linear, center))


def network_in(path: Path) -> ContextModel:
    """Read the network of a file."""
    network = read_model(path)
    if not isinstance(network, ContextModel):
        raise InputError("is no network", where=str(path))
    return network
