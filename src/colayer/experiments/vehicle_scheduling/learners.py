"""Stochastic vehicle scheduling, section 5.2 of the paper: the data sets and the learners that its tables compare."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer.errors import MissingExtraError
from colayer.experiments.frame.config import Config
from colayer.experiments.frame.learned import Data, Learned, learn
from colayer.experiments.frame.store import Run
from colayer.learning.demonstration.crf import Crf
from colayer.learning.demonstration.fenchel_young import FenchelYoung
from colayer.learning.experience.auto import Auto
from colayer.learning.experience.bayes import Bayes, need_botorch
from colayer.learning.experience.direct import Direct
from colayer.learning.experience.optimizer import Evaluate, Optimizer, Task
from colayer.problem import variant
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.datasets import paper_set
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.layer import Successors

#: The paper's names of the sets → ours.
SETS = {"small": "train-small", "moderate": "train-moderate", "all": "train-all", "validation": "validation",
        "test": "test"}  # fmt: skip
TRAINING = ("small", "moderate", "all")

#: Largest number of tasks of the paper's subsets, the last of which has no limit.
SUBSETS = {"moderate": 100, "large": 750, "huge": 10**9}

NO_BAYES = "extra bayes not installed (pip install 'colayer[bayes]'): its rows are empty"


def instances_of(config: Config, name: str) -> Data[Instance]:
    """The instances of one of the `SETS`, as many as the scale has."""
    sizes: Mapping[str, Any] = config["sets"][name]
    return Data({"set": SETS[name], **sizes}, lambda: list(paper_set(SETS[name], **sizes)))


def subset(tasks: int) -> str:
    """Which of the paper's subsets an instance belongs to."""
    return next(name for name, most in SUBSETS.items() if tasks <= most)


@dataclass(frozen=True)
class Learner:
    """How weights are learned: the loss, the training set and the method, with its budget."""

    loss: str
    train: str
    method: str
    features: str
    #: Evaluations of the loss, or passes over the instances by demonstration.
    evaluations: int
    #: Draws of the perturbation: of w by experience, of θ by demonstration; 0 without.
    samples: int = 0

    @property
    def label(self) -> str:
        """Its name in tables and figures."""
        method = () if self.loss in DEMONSTRATIONS else (self.method,)
        return ", ".join([self.loss.replace("_", "-"), self.train, *method, *(["extended"] * (self.features != "23"))])

    @property
    def in_paper(self) -> bool:
        """Whether the paper's table of the test set has it: DIRECT and the demonstrations."""
        return self.features == "23" and self.method in ("direct", *DEMONSTRATIONS.values())


#: Losses by demonstration, by the paper's name → the method's.
DEMONSTRATIONS = {"crf": "crf", "fenchel_young": "fenchel-young"}


@dataclass(frozen=True)
class Blind:
    """A method kept from the safe weights: it searches the whole ball, as the paper's methods do."""

    method: Optimizer

    @property
    def name(self) -> str:
        """That of the method."""
        return self.method.name

    def options(self) -> dict[str, Any]:
        """The method's, and that it is blind."""
        return {**self.method.options(), "safe": False}

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search without the safe weights."""
        self.method.minimize(evaluate, dataclasses.replace(task, safe=None))


def demonstrations(config: Config) -> list[Learner]:
    """The paper's benchmarks, which imitate solutions of the small set."""
    samples = {"crf": 0, "fenchel_young": config["demonstration_samples"]}
    return [
        Learner(loss, "small", method, "23", config["passes"], samples[loss]) for loss, method in DEMONSTRATIONS.items()
    ]


def experiences(config: Config) -> list[Learner]:
    """The rows of the paper's table of the learning problem, by DIRECT, then by Bayesian optimisation; then ours."""
    found = []
    for method in ("direct", "bayes"):
        found += [Learner("plain", train, method, "23", config["evaluations"]) for train in TRAINING]
        for train in TRAINING:
            budget = config["perturbed"][train]
            found.append(Learner("perturbed", train, method, "23", budget[method], budget["samples"]))
    return found + [
        Learner("plain", ours["train"], "auto", ours["features"], config["evaluations"]) for ours in config["ours"]
    ]


def bayes_installed() -> bool:
    """Whether the extra `bayes` is there."""
    try:
        need_botorch()
    except MissingExtraError:
        return False
    return True


def absent() -> list[str]:
    """What is missing for want of the extra `bayes`, in words; nothing where it is installed."""
    return [] if bayes_installed() else [NO_BAYES]


def trained(run: Run, config: Config, learners: list[Learner]) -> dict[Learner, Learned]:
    """The stage "train" of these learners; without those that need an extra that is not installed."""
    data = {train: instances_of(config, train) for train in TRAINING}
    shared = {"seed": config["seed"]}
    found = {}
    for learner in learners:
        if learner.method == "bayes" and not bayes_installed():
            continue
        problem = variant(VehicleScheduling(), features=learner.features)
        if learner.loss in DEMONSTRATIONS:
            imitation = FenchelYoung(samples=learner.samples) if learner.loss == "fenchel_young" else Crf()
            options: dict[str, Any] = {"solutions": labels(run, config, data[learner.train]), "validation": 0.2}
            method: Any = imitation
        else:
            method = {"direct": Direct(), "bayes": Blind(Bayes()), "auto": Auto()}[learner.method]
            options = {"radius": config["radius"]}
            if learner.loss == "perturbed":
                options |= {"sigma": config["sigma"], "samples": learner.samples}
        found[learner] = learn(
            run,
            problem,
            data[learner.train],
            what=f"train: {learner.label}",
            method=method,
            evaluations=learner.evaluations,
            **shared,
            **options,
        )
    return found


def labels(run: Run, config: Config, data: Data[Instance]) -> Data[Successors]:
    """The stage "label": solutions of the instances by column generation."""
    problem, limit = VehicleScheduling("23"), config["label_seconds"]
    identity = {"data": data.identity, "seconds": limit}

    def solve(instance: Instance) -> list[int]:
        solution: list[int] = problem.exact(instance, time_limit=limit)[0].tolist()
        return solution

    # made here and not when they are first needed, so that their time is not that of the learning
    found = run.items("label", identity, data.values, solve, what="train: labels")
    return Data(identity, lambda: [np.array(solution, dtype=np.int64) for solution in found])


def reductions(config: Config, learners: list[Learner]) -> list[str]:
    """What the learners and the sets have less of than the paper's, in words."""
    evaluations, samples = config["paper_evaluations"], config["paper_samples"]
    less: dict[str, list[str]] = {}
    for learner in learners:
        if learner.method not in ("direct", "bayes"):
            continue
        if learner.evaluations < evaluations:
            less.setdefault(f"{learner.evaluations} evaluations, not {evaluations}", []).append(learner.label)
        if learner.loss == "perturbed" and learner.samples < samples:
            less.setdefault(f"{learner.samples} samples, not {samples}", []).append(learner.label)
    words = [f"{what}: {'; '.join(labels)}." for what, labels in less.items()]
    for name, chosen in config["sets"].items():
        parts = [f"{key} {', '.join(map(str, chosen[key]))}" for key in ("tasks", "scenarios") if key in chosen]
        if "per_cell" in chosen:
            parts.append(f"of each {chosen['per_cell']}")
        if parts:
            words.append(f"The set {name} is not whole: {'; '.join(parts)}.")
    return words
