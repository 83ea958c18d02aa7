"""What the spanning tree experiments share: data by seed, Lagrangian bounds, and learning as in the paper."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from colayer.experiments.frame.config import Config
from colayer.experiments.frame.learned import Data, Learned, learn
from colayer.experiments.frame.store import Run
from colayer.learning.experience.direct import Direct
from colayer.problems import SpanningTree
from colayer.problems.spanning_tree.datasets import paper_set
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.solution import Solution


@cache
def trees(name: str, per_cell: int, widths: tuple[int, ...]) -> Data[Instance]:
    """The paper's training, validation or test set, the first `per_cell` instances of each cell."""
    identity = {"set": name, "per_cell": per_cell, "widths": widths}
    return Data(identity, lambda: paper_set(name, per_cell, widths))


def training(config: Config, key: str = "per_cell") -> Data[Instance]:
    """The training set; `key` is the parameter with the instances per cell, `per_cell` where it is not given."""
    return trees("training", config.parameters.get(key, config["per_cell"]), tuple(config["widths"]))


def held(config: Config, name: str) -> Data[Instance]:
    """The set "validation" or "test"."""
    return trees(name, config["held_per_cell"], tuple(config["widths"]))


def bounded(run: Run, data: Data[Instance]) -> list[dict[str, Any]]:
    """For each instance the Lagrangian bound, and cost, first stage and CPU seconds of the Lagrangian heuristic."""

    def bound(instance: Instance) -> dict[str, Any]:
        begin = time.thread_time()
        found = lagrangian(instance, tolerance=0.0, workers=1)
        cpu = time.thread_time() - begin
        return {
            "bound": found.bound,
            "cost": found.cost,
            "cpu": cpu,
            "first_stage": found.solution.first_stage.tolist(),
        }

    what = f"data: Lagrangian bounds of the {data.identity['set']} set"
    identity = {"problem": "spanning-tree", "bound": "lagrangian", "data": data.identity}
    return run.items("data", identity, data.values, bound, what=what)


def labels(run: Run, data: Data[Instance]) -> Data[Solution]:
    """The solutions of the Lagrangian heuristic, to learn from."""

    found = bounded(run, data)

    def solutions() -> list[Solution]:
        return [complete(row["first_stage"], x)[0] for row, x in zip(found, data.values, strict=True)]

    return Data({"labels": "lagrangian", "data": data.identity}, solutions)


def experienced(run: Run, config: Config, epsilon: float) -> Learned:
    """By experience as in the paper: DIRECT on the loss perturbed by ε, in the box [−1, 1]."""
    return learn(
        run,
        SpanningTree(config["features"]),
        training(config),
        what=f"train: by experience, ε = {epsilon:g}",
        method=Direct(),
        evaluations=config["evaluations"],
        radius=config["radius"],
        sigma=epsilon,
        samples=config["samples"] if epsilon > 0 else 0,
    )
