"""What the spanning tree experiments share: data by seed, Lagrangian bounds, and learning as in the paper."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

from colayer.learning.imitation.fenchel_young import FenchelYoung
from colayer.learning.search.auto import Auto
from colayer.learning.search.direct import Direct
from colayer.problems import SpanningTree
from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.solution import Solution
from colayer_paper.frame.config import Config
from colayer_paper.frame.learned import Data, Learning
from colayer_paper.frame.store import Run
from colayer_paper.spanning_tree.datasets import paper_set

Tree = Learning[Instance, Any, Solution]


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

    def solutions() -> list[Solution]:
        return [complete(row["first_stage"], x)[0] for row, x in zip(bounded(run, data), data.values, strict=True)]

    return Data({"labels": "lagrangian", "data": data.identity}, solutions, lambda: bounded(run, data))


def by_experience(config: Config, epsilon: float, seed: int = 0) -> Tree:
    """By experience as in the paper: DIRECT on the loss perturbed by ε, in the box [−1, 1]; a seed draws Z."""
    samples = config["samples"] if epsilon > 0 else 0
    options = {"radius": config["radius"], "sigma": epsilon, "samples": samples, "seed": seed}
    method, problem = Direct(), SpanningTree(config["features"])
    what = f"tree, by experience, ε = {epsilon:g}" + (f", seed {seed}" if seed else "")
    return Learning(what, problem, training(config), method, config["evaluations"], options=options)


def by_demonstration(run: Run, config: Config) -> Tree:
    """By demonstration as in the paper: the Fenchel-Young loss on solutions of the Lagrangian heuristic."""
    data = training(config, "demonstration_per_cell")
    method = FenchelYoung(epsilon=config["demonstration_epsilon"], samples=config["demonstration_samples"])
    problem, solutions = SpanningTree(config["features"]), labels(run, data)
    return Learning("tree, by demonstration", problem, data, method, config["passes"], solutions)


def by_default(config: Config) -> Tree:
    """By experience as colayer does it unless told otherwise."""
    data, options = training(config, "auto_per_cell"), {"validation": 0.2}
    return Learning("tree, auto", SpanningTree(), data, Auto(), config["auto_evaluations"], options=options)
