"""Learn the weights that colayer ships: `python -m colayer_paper.pretrain [NAME…]`, or `make pretrained`.

Each recipe is named like the file it writes. The data are the training sets of the paper (section 5), by seed; for
rounds, which take longer, smaller ones. Journals are kept in `runs/`, so that a run that was stopped goes on where it
was. Portfolios for weights that were learned before come from `portfolios.py`.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.resources
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from colayer.dynamic.protocol import Dynamic
from colayer.learning.learner import Learner
from colayer.learning.search.auto import Auto
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.srl import Srl
from colayer.models import Model
from colayer.pipeline import Pipeline
from colayer.problem.bind import bind
from colayer.problem.protocol import SomeProblem
from colayer.problems import DynamicVehicleScheduling, SingleMachine, SpanningTree, VehicleScheduling
from colayer_paper.single_machine import datasets as single_machine
from colayer_paper.spanning_tree import datasets as spanning_tree
from colayer_paper.vehicle_scheduling import datasets as vehicle_scheduling


@dataclass(frozen=True)
class Recipe:
    """How the weights of one problem, with its options, are learned."""

    problem: SomeProblem | Dynamic
    #: The instances to learn on, by number of instances per cell (sizes) of the paper's set.
    data: Callable[[int], list[Any]]
    per_cell: int
    evaluations: int
    method: Learner
    learn_decoder: str | None = None
    rounds: int = 1


def _recipes() -> dict[str, Recipe]:
    def jobs(features: str, decoder: str, per_cell: int = 20, evaluations: int = 5000) -> Recipe:
        problem = SingleMachine().with_options(features=features, decoder=decoder)
        data = lambda count: single_machine.paper_set("experience", count)  # noqa: E731
        return Recipe(problem, data, per_cell, evaluations, Auto(), learn_decoder=decoder)

    def trees(features: str, method: Learner) -> Recipe:
        data = lambda count: spanning_tree.paper_set("training", count)  # noqa: E731
        return Recipe(SpanningTree().with_options(features=features), data, per_cell=5, evaluations=3000, method=method)

    def vehicles(features: str) -> Recipe:
        data = lambda count: list(vehicle_scheduling.paper_set("train-all", per_cell=count))  # noqa: E731
        return Recipe(
            VehicleScheduling().with_options(features=features),
            data,
            per_cell=1,
            evaluations=1000,
            method=CmaEs(step=0.05),
        )

    def rounds(count: int) -> Recipe:
        problem = VehicleScheduling().with_options(features="rounds")
        return Recipe(problem, _vehicles_for_rounds, per_cell=count, evaluations=480, method=Auto(), rounds=10)

    days = Recipe(DynamicVehicleScheduling(), _days, per_cell=180, evaluations=600, method=Auto())

    recipes = (
        jobs("66", "none"),
        jobs("66", "ls"),
        jobs("66", "rdi", per_cell=5, evaluations=600),  # rdi is slow
        jobs("27", "none"),
        trees("cost", CmaEs(step=0.05)),
        trees("indicator", CmaEs(step=0.05)),
        trees("prices", Srl()),
        vehicles("23"),
        vehicles("extended"),
        rounds(4),
        days,
    )
    return {_stem(recipe.problem): recipe for recipe in recipes}


def _vehicles_for_rounds(count: int) -> list[Any]:
    """Mostly of 200 tasks; weights go from there to larger and to smaller instances."""
    cells = {100: count, 200: 6 * count, 500: count + 2}
    seeds = np.random.SeedSequence(0, spawn_key=(0x70,)).spawn(sum(cells.values()))
    sizes = [tasks for tasks, many in cells.items() for _ in range(many)]
    return [VehicleScheduling.generate(seed, tasks=tasks) for seed, tasks in zip(seeds, sizes, strict=True)]


def _days(count: int) -> list[Any]:
    """So many days of the generator's city."""
    seeds = np.random.SeedSequence(0, spawn_key=(0xDA,)).spawn(count)
    return [DynamicVehicleScheduling().generate(seed) for seed in seeds]


def _stem(problem: SomeProblem | Dynamic) -> str:
    known = bind(problem)
    return "-".join([known.name, *known.options.values()])


RECIPES = _recipes()
#: Where the shipped files are.
FOLDER = Path(str(importlib.resources.files("colayer.pretrained")))


def pretrain(
    name: str, output: Path, *, per_cell: int | None = None, evaluations: int | None = None, workers: int | None = None
) -> Model:
    """Learn and write the weights of one recipe."""
    recipe = RECIPES[name]
    runs = Path("runs")
    runs.mkdir(exist_ok=True)
    pipeline = Pipeline(recipe.problem, weights=bind(recipe.problem).safe_weights).fit(
        recipe.data(per_cell or recipe.per_cell),
        method=recipe.method,
        evaluations=evaluations or recipe.evaluations,
        seed=0,
        learn_decoder=recipe.learn_decoder,
        journal=runs / f"pretrain-{name}.journal",
        progress=True,
        rounds=recipe.rounds,
        workers=workers,
    )
    command = f"python -m colayer_paper.pretrain {name}"
    model = dataclasses.replace(pipeline.model, provenance={"command": command, **pipeline.model.provenance})
    output.mkdir(parents=True, exist_ok=True)
    model.save(output / f"{name}.json")
    return model


def chosen(parser: argparse.ArgumentParser, names: Sequence[str], noun: str) -> argparse.Namespace:
    """The arguments: which of the `names`, all by default, and what overrides their recipes."""
    parser.add_argument("names", nargs="*", default=list(names), metavar="NAME", help=", ".join(names))
    for option in ("--per-cell", "--evaluations", "--workers"):
        parser.add_argument(option, type=int)
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in names:
            parser.error(f"no {noun} {name!r}, expected {', '.join(names)}")
    return arguments


def main() -> None:
    """Learn the named recipes, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=FOLDER)
    arguments = chosen(parser, list(RECIPES), "recipe")
    for name in arguments.names:
        given = {"per_cell": arguments.per_cell, "evaluations": arguments.evaluations, "workers": arguments.workers}
        model = pretrain(name, arguments.output, **given)
        heaviest = np.argsort(-np.abs(model.weights), kind="stable")[:6]
        words = ", ".join(f"{model.feature_names[k]} {model.weights[k]:.3g}" for k in heaviest)
        known = model.provenance
        validated = "" if known["validation_loss"] is None else f", validation {known['validation_loss']:.5f}"
        sys.stdout.write(f"{name}: loss {known['loss']:.5f}{validated}; {words}\n")


if __name__ == "__main__":
    main()
