"""The time of a solve with a network against that with a linear model: `python benchmarks/speed_networks.py`.

CPU time of one core, safe weights left out of both, the least of many solves taken in turn, each of an instance of
which nothing is known yet. Networks have random weights, but for the shipped ones: their time does not depend on them.
Writes benchmarks/results/speed_networks.json, if the machine was quiet or with --force.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from measure import Bench, add_force

from colayer import Pipeline, __version__
from colayer._runtime.threads import limited
from colayer.display.tables import table
from colayer.models import ContextModel, Model
from colayer.models.inputs import inputs_of
from colayer.models.stage import RELATIONS, kinds_of
from colayer.pretrained import pretrained, pretrained_network
from colayer.problem.structure import structure_of
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling

ORDER = (1, 2, 4, 8, 16, 32)


def random_network(problem: Any, instance: Any, channels: int, dilations: tuple[int, ...]) -> ContextModel:
    """A network of this size for the problem."""
    linear = pretrained(problem)
    assert linear is not None
    random, d = np.random.default_rng(0), len(linear.weights)
    features = problem.features(instance)
    structure = structure_of(problem, instance, len(features))
    inputs, relations = len(inputs_of(features, structure, linear.feature_scale, np.zeros(d))), kinds_of(structure)
    shapes = {
        "input.matrix": (channels, inputs), "input.bias": (channels,), "head.matrix": (1, channels), "head.bias": (1,)
    }  # fmt: skip
    for k in range(len(dilations)):
        shapes[f"{k}.matrix"], shapes[f"{k}.bias"] = (2 * channels, channels), (2 * channels,)
        for name in relations:
            columns, many = RELATIONS[name]
            shapes[f"{k}.{name}"] = (channels * many, 3 if name == "order" else columns * channels)
    arrays = {name: 0.2 * random.normal(size=shape) for name, shape in shapes.items()}
    return ContextModel(
        feature_names=linear.feature_names, weights=linear.weights, feature_scale=linear.feature_scale,
        problem=linear.problem, options=linear.options, center=np.zeros(d), relations=relations, dilations=dilations,
        arrays=arrays,
    )  # fmt: skip


def fresh_solves(pipeline: Pipeline, instance: Any, count: int) -> Callable[[], object]:
    """A solve of one copy of the instance after the other."""
    copies = [replace(instance) for _ in range(count)]
    return lambda: pipeline.solve(copies.pop())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="of small instances; a twentieth of it of large ones")
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("speed_networks", arguments.force)
    jobs = SingleMachine("27")
    cells: list[tuple[Any, dict[str, int], list[tuple[int, tuple[int, ...]]]]] = [
        *((jobs, {"jobs": n}, [(16, ORDER), (24, ORDER), (32, ORDER)]) for n in (50, 1000, 3000)),
        *((SpanningTree(features), {"width": 60, "scenarios": 20}, []) for features in ("cost", "prices")),
        (VehicleScheduling("23"), {"tasks": 1000, "scenarios": 50}, []),
    ]
    rows: list[dict[str, Any]] = []
    for problem, sizes, networks in cells:
        instance = problem.generate(0, **sizes)
        linear = pretrained(problem)
        assert linear is not None
        models: dict[str, Model] = {"linear": linear}
        for channels, dilations in networks:
            name = f"{channels} channels, {len(dilations)} blocks"
            models[name] = random_network(problem, instance, channels, dilations)
        for stages in range(1, 1 + pretrained_network(problem).stages):
            models[f"shipped, {stages} of its stages"] = pretrained_network(problem, stages)
        rounds = arguments.rounds if problem is jobs else max(3, arguments.rounds // 20)
        works = {
            name: fresh_solves(Pipeline.from_model(problem, model, safe=False), instance, 2 + rounds)
            for name, model in models.items()
        }
        with limited(1):
            bench.in_turns(works, 2)  # kernels are compiled
            times = bench.in_turns(works, rounds)
        known = {"problem": problem.name, "features": problem.options["features"], **sizes}
        for name, taken in times.items():
            rows.append({**known, "model": name, "cpu_seconds": taken.cpu, "ratio": taken.cpu / times["linear"].cpu})
    cells_of = []
    for row in rows:
        size = ", ".join(f"{row[key]} {key}" for key in ("jobs", "width", "tasks") if key in row)
        problem = f"{row['problem']}, {row['features']}"
        cells_of.append([problem, size, row["model"], f"{1e3 * row['cpu_seconds']:.3g} ms", f"{row['ratio']:.2f}"])
    print(table(["problem", "size", "model", "time", "ratio"], cells_of).text())
    bench.write({"command": "python benchmarks/speed_networks.py", "colayer": __version__, "rows": rows})


if __name__ == "__main__":
    main()
