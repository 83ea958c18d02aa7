"""What the shipped networks learn from, how large they are, and how they learn; see `networks`.

Each recipe is named like the pretrained linear model that its network starts from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np

from colayer.compose import features_of
from colayer.learning.network.source import Item
from colayer.models import Model
from colayer.models.context import inputs_of, sequence_of
from colayer.models.thetas import thetas
from colayer.pipeline import Pipeline
from colayer.pretrained import pretrained
from colayer.problem import Floats, SomeProblem, variant
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.problems.single_machine import datasets as single_machine
from colayer.problems.single_machine.instance import PAPER_RHO
from colayer.problems.spanning_tree import datasets as spanning_tree
from colayer.problems.spanning_tree.instance import PAPER_SCENARIOS, PAPER_SECOND_MAX, PAPER_WIDTHS
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.vehicle_scheduling import datasets as vehicle_scheduling
from colayer.structure import Order, structure_of
from colayer.threads import limited

_SPAWN_KEY = 0x4E37


@dataclass(frozen=True)
class Recipe:
    """A network: its problem, what it learns from, how large it is, how it learns."""

    problem: SomeProblem
    #: Sizes of a training instance, drawn.
    sizes: Callable[[np.random.Generator], dict[str, Any]]
    #: A good solution of an instance, which stands beside the draws; None: there is none.
    known: Callable[[Any], Any] | None
    #: Instances to judge on, by how many per cell: (label, instance).
    held_out: Callable[[int], list[tuple[str, Any]]]
    #: The bound gaps are to.
    bound: Callable[[Any], float | None]
    channels: int = 32
    dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 1, 2)
    draws: dict[str, Any] = field(default_factory=dict)
    pace: dict[str, Any] = field(default_factory=dict)
    #: Items at a time, items kept, and whether processes make them.
    chunk: int = 1
    capacity: int = 512
    processes: bool = False
    #: Whether the linear part starts from the pretrained weights; else θ starts from the order alone.
    linear: bool = True
    rules: tuple[str, ...] = ()


def _jobs(features: str) -> Recipe:
    return Recipe(
        variant(SingleMachine(), features=features),
        lambda random: {"jobs": int(random.choice([50, 75, 100, 150])), "rho": float(random.choice(PAPER_RHO))},
        None,  # a good sequence is so far away that imitating it does harm
        lambda count: [(f"{x.jobs} jobs", x) for x in single_machine.paper_set("test", count, (50, 100, 500))],
        SingleMachine.bound,
        draws={"count": 31, "sigma": 0.7, "absolute": True},
        pace={"batch": 256, "rate": 3e-3},
        chunk=64,
        capacity=40_000,
        processes=True,
        linear=False,
        rules=("srpt-midpoint", "look-ahead"),
    )


def _trees() -> Recipe:
    return Recipe(
        SpanningTree("cost"),
        lambda random: {
            "width": int(random.choice([10, 15, 20, 25])),
            "scenarios": int(random.choice(PAPER_SCENARIOS)),
            "second_max": int(random.choice(PAPER_SECOND_MAX)),
        },
        lambda instance: lagrangian(instance).solution,
        lambda count: [(f"{x.nodes} nodes", x) for x in spanning_tree.paper_set("test", count, PAPER_WIDTHS)],
        lambda instance: lagrangian(instance).bound,
        dilations=(1, 1, 1),
        draws={"count": 15, "sigma": 0.03},
        pace={"batch": 24, "rate": 2e-3},
    )


def _vehicles(features: str) -> Recipe:
    problem = variant(VehicleScheduling(), features=features)
    searched = Pipeline.from_model(variant(problem, decoder="ls"), linear_model(problem), safe=False)
    return Recipe(
        problem,
        lambda random: {"tasks": int(random.choice([50, 100, 150, 200])), "scenarios": 50},
        lambda instance: searched.solve(instance).solution,
        lambda count: [
            (f"{x.tasks} tasks", x)
            for n in (200, 500, 1000)
            for x in vehicle_scheduling.paper_set("test", tasks=(n,), scenarios=(50,), per_cell=count)
        ],
        problem.bound,
        dilations=(1, 1),
        draws={"count": 15, "sigma": 0.03},
        pace={"batch": 16, "rate": 1e-3},
        capacity=256,
    )


RECIPES: dict[str, Callable[[], Recipe]] = {
    "single-machine-27-none": partial(_jobs, "27"),
    "single-machine-66-none": partial(_jobs, "66"),
    "spanning-tree-cost": _trees,
    "vehicle-scheduling-23-none": partial(_vehicles, "23"),
    "vehicle-scheduling-extended-none": partial(_vehicles, "extended"),
}


def linear_model(problem: SomeProblem) -> Model:
    """The linear model that is shipped for a problem."""
    model = pretrained(problem)
    assert model is not None
    return model


def make(name: str, center: Floats | None, stream: int, number: int) -> list[Item[Any]]:
    """The items of chunk `number`; without `center`, one whose inputs are not centred."""
    recipe = recipe_named(name)
    linear = linear_model(recipe.problem)
    items = []
    for k in range(recipe.chunk if center is not None else 1):
        sequence = np.random.SeedSequence(_SPAWN_KEY, spawn_key=(stream, number, k))
        random = np.random.default_rng(sequence)
        instance = recipe.problem.generate(sequence.spawn(1)[0], **recipe.sizes(random))  # type: ignore[attr-defined]
        with limited(1):
            items.append(_item(recipe, linear, instance, center))
    return items


@cache
def recipe_named(name: str) -> Recipe:
    """The recipe, made once in each process."""
    return RECIPES[name]()


def _item(recipe: Recipe, linear: Model, instance: Any, center: Floats | None) -> Item[Any]:
    problem: Any = recipe.problem
    features = features_of(problem, instance)
    structure = structure_of(problem, instance, len(features))
    scale = linear.feature_scale
    start = thetas(features, linear.raw()[None, :])[0] if recipe.linear else np.zeros(len(features))
    for relation in structure:
        if isinstance(relation, Order) and relation.moments.shape[1]:
            start = start + relation.moments[:, 0]
    target, cost = None, problem.bound(instance)
    known = None if center is None else recipe.known
    if known is not None:
        solution = known(instance)
        target, cost = problem.target(solution, instance), problem.cost(solution, instance)
    sequence = sequence_of(structure)
    if sequence is not None:
        start, target = start[sequence], None if target is None else target[sequence]
    inputs = inputs_of(features, structure, scale, np.zeros(len(scale)) if center is None else center)
    return Item(instance, inputs, structure, start, target, cost)


def centre(name: str) -> tuple[Floats, float]:
    """The mean of the features in model units, and the spread of θ within an instance, over 60 instances."""
    recipe = recipe_named(name)
    d = len(recipe.problem.feature_names)
    items = [item for number in range(60) for item in make(name, None, 2, number)]
    mean = np.mean([item.inputs[:d].mean(axis=1) for item in items], axis=0).astype(np.float64)
    spread = float(np.median([item.start.std() for item in items]))
    return mean, spread if recipe.linear else 1.0
