"""What the shipped networks learn from, how large they are, and how they learn; see `networks`.

Each recipe is named like the pretrained linear model that its network starts from; `small` is a network whose solve
takes two to three times as long as that of the linear model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.threads import limited
from colayer.learning.network.items import Item, item_of
from colayer.models import ContextModel, Model
from colayer.models.inputs import sequence_of
from colayer.pipeline import Pipeline
from colayer.pretrained import pretrained
from colayer.problem.bind import BoundProblem, bind
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer.problems.single_machine.instance import PAPER_RHO
from colayer.problems.spanning_tree.instance import PAPER_SCENARIOS, PAPER_SECOND_MAX, PAPER_WIDTHS
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer_paper.single_machine import datasets as single_machine
from colayer_paper.spanning_tree import datasets as spanning_tree
from colayer_paper.vehicle_scheduling import datasets as vehicle_scheduling

if TYPE_CHECKING:
    from colayer_paper.network_jobs import Stack

_SPAWN_KEY = 0x4E37
#: The stream of instances that means and spreads are taken of, apart from those that networks learn from.
EXAMPLES = 10_002
#: Jobs of a training instance, and how often.
_JOBS, _SHARES = (50, 100, 200, 500), (0.5, 0.25, 0.1, 0.15)


@dataclass(frozen=True)
class Recipe:
    """A network: its problem, what it learns from, how large it is, how it learns."""

    problem: BoundProblem[Any, Any, Any]
    #: Sizes of a training instance, drawn.
    sizes: Callable[[np.random.Generator], dict[str, Any]]
    #: A good solution of an instance, which stands beside the draws; None: there is none.
    known: Callable[[Any], Any] | None
    #: Instances of the set "validation", to choose by, or "test", by how many per cell: (label, instance).
    held_out: Callable[[str, int], list[tuple[str, Any]]]
    #: The bound gaps are to.
    bound: Callable[[Any], float | None]
    channels: int = 32
    dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 1, 2)
    #: Those of a network that looks at what an earlier one did: it mends what is near.
    later: tuple[int, ...] = (1, 2, 4, 8)
    #: Draws of the layer, or, for jobs, how costs are smoothed.
    draws: dict[str, Any] = field(default_factory=dict)
    rate: float = 2e-3
    #: Items of a batch, or, for jobs, the rows of a stack.
    batch: int = 16
    #: Items, or stacks, to begin with, and the most that are kept.
    least: int = 64
    capacity: int = 512
    rules: tuple[str, ...] = ()


def _jobs(features: str) -> Recipe:
    return Recipe(
        bind(SingleMachine()).variant(features=features),
        lambda random: {"jobs": int(random.choice(_JOBS, p=_SHARES)), "rho": float(random.choice(PAPER_RHO))},
        None,  # a good sequence is so far away that imitating it does harm
        lambda name, count: [
            (f"{x.jobs} jobs", x) for x in single_machine.paper_set(name, count, (50, 100, 500, 1000))
        ],
        SingleMachine.bound,
        channels=64,
        draws={"first": 0.8, "last": 0.03, "pairs": 2},
        rate=2e-3,
        batch=25600,
        least=24,
        capacity=400,
        rules=("srpt-midpoint", "look-ahead"),
    )


def _trees(features: str) -> Recipe:
    return Recipe(
        bind(SpanningTree()).variant(features=features),
        lambda random: {
            "width": int(random.choice([10, 15, 20, 25])),
            "scenarios": int(random.choice(PAPER_SCENARIOS)),
            "second_max": int(random.choice(PAPER_SECOND_MAX)),
        },
        lambda instance: lagrangian(instance).solution,
        lambda name, count: [(f"{x.nodes} nodes", x) for x in spanning_tree.paper_set(name, count, PAPER_WIDTHS)],
        lambda instance: lagrangian(instance).bound,
        dilations=(1, 1),
        later=(1, 1),
        draws={"pairs": 16, "sigma": 0.05},
        rate=5e-4,
        batch=16,
        least=48,
    )


def _vehicles() -> Recipe:
    problem = bind(VehicleScheduling()).variant(features="23")
    searched = Pipeline.from_model(problem.variant(decoder="ls"), linear_model(problem), safe=False)
    return Recipe(
        problem,
        lambda random: {"tasks": int(random.choice([100, 200, 300, 500], p=[0.35, 0.4, 0.2, 0.05])), "scenarios": 50},
        lambda instance: searched.solve(instance).solution,
        lambda name, count: [
            (f"{x.tasks} tasks", x)
            for n in (200, 500, 1000)
            for x in vehicle_scheduling.paper_set(name, tasks=(n,), scenarios=(50,), per_cell=count)
        ],
        problem.lower_bound,
        dilations=(1, 1),
        later=(1, 1),
        draws={"pairs": 16, "sigma": 0.03},
        rate=1e-3,
        batch=8,
        least=24,
        capacity=400,
    )


RECIPES: dict[str, Callable[[], Recipe]] = {
    "single-machine-27-none": partial(_jobs, "27"),
    "single-machine-27-small": lambda: replace(_jobs("27"), channels=24, dilations=(1, 2, 4, 8, 16, 32), rate=4e-3),
    "single-machine-66-none": partial(_jobs, "66"),
    "spanning-tree-cost": partial(_trees, "cost"),
    "spanning-tree-prices": partial(_trees, "prices"),
    "vehicle-scheduling-23-none": _vehicles,
}


def linear_model(problem: BoundProblem[Any, Any, Any]) -> Model:
    """Return the linear model that is shipped for a problem."""
    model = pretrained(problem)
    assert model is not None
    return model


@cache
def recipe_named(name: str) -> Recipe:
    """Return the recipe, made once in each process."""
    return RECIPES[name]()


def make(
    name: str, center: Floats | None, stream: int, number: int, after: ContextModel | None = None, own: bool = False
) -> Item[Any]:
    """Make the item `number`; without `center`, its inputs are not centred. With `after`, as that model puts it.

    With `own` it comes without a good solution.
    """
    recipe = recipe_named(name)
    sequence = np.random.SeedSequence(_SPAWN_KEY, spawn_key=(stream, number))
    sizes = recipe.sizes(np.random.default_rng(sequence))
    known = None if own or center is None else recipe.known
    with limited(1):
        return _item(recipe, known, linear_model(recipe.problem), sizes, sequence.spawn(1)[0], center, after)


def make_stack(name: str, center: Floats, stream: int, number: int, after: ContextModel | None, rows: int) -> Stack:
    """Make the stack `number`: instances of one number of jobs, and of any ρ."""
    from colayer_paper.network_jobs import Stack

    recipe = recipe_named(name)
    sequence = np.random.SeedSequence(_SPAWN_KEY, spawn_key=(stream, number))
    random = np.random.default_rng(sequence)
    jobs = recipe.sizes(random)["jobs"]
    linear = linear_model(recipe.problem)  # once: reading it takes longer than making an instance
    seeds = sequence.spawn(max(1, rows // jobs))
    return Stack.of(
        [_item(recipe, None, linear, {**recipe.sizes(random), "jobs": jobs}, seed, center, after) for seed in seeds]
    )


def _item(
    recipe: Recipe,
    known: Callable[[Any], Any] | None,
    linear: Model,
    sizes: dict[str, Any],
    seed: Any,
    center: Floats | None,
    after: ContextModel | None,
) -> Item[Any]:
    problem = recipe.problem
    instance = problem.need("generate")(seed, **sizes)
    features = problem.features(instance)
    middle = np.zeros(features.shape[1]) if center is None else center
    item = item_of(problem, instance, features, linear.weights, linear.feature_scale, middle, after)
    if known is None:
        return replace(item, cost=problem.lower_bound(instance) or 0.0)
    solution, sequence = known(instance), sequence_of(item.structure)
    target = problem.vector("target", len(features), solution, instance)
    return replace(item, target=target if sequence is None else target[sequence], cost=problem.cost(solution, instance))


def centre(name: str) -> tuple[Floats, float]:
    """Return the mean of the features in model units, and the spread of θ within an instance, over 60 instances."""
    d = len(recipe_named(name).problem.feature_names)
    items = [make(name, None, EXAMPLES, number) for number in range(60)]
    mean = np.mean([item.inputs[:d].mean(axis=1) for item in items], axis=0).astype(np.float64)
    return mean, 1.0 if items[0].anchored else float(np.median([item.start.std() for item in items]))
