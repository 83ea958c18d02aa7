"""Stochastic vehicle scheduling, section 5.2 of the paper: the data sets and the learners that its tables compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from colayer._runtime.arrays import Ints
from colayer.errors import MissingExtraError
from colayer.learning.imitation.crf import Crf
from colayer.learning.imitation.fenchel_young import FenchelYoung
from colayer.learning.search.auto import Auto
from colayer.learning.search.bayes import Bayes, need_botorch
from colayer.learning.search.direct import Direct
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer_paper.frame.config import Config
from colayer_paper.frame.learned import Data, Learned, Learning
from colayer_paper.frame.searches import Blind, Raw
from colayer_paper.frame.store import Run
from colayer_paper.vehicle_scheduling.datasets import PAPER_TASKS, paper_set

Vehicles = Learning[Instance, Any, Ints]

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
    #: direct: the randomised variant, as in the paper; deterministic: DIRECT that draws no random numbers.
    method: str
    features: str
    #: Evaluations of the loss, or passes over the instances by demonstration.
    evaluations: int
    #: Draws of the perturbation: of w by experience, of θ by demonstration; 0 without.
    samples: int = 0
    #: Of the ball of weights: STANDARDISED or RAW.
    units: str = "standardised"
    seed: int = 0

    @property
    def label(self) -> str:
        """The name of the row in tables and figures, whatever the seed."""
        method = () if self.loss in DEMONSTRATIONS else (self.method,)
        more = (["extended"] * (self.features != "23")) + ["raw units"] * (self.units == RAW)
        return ", ".join([self.loss.replace("_", "-"), self.train, *method, *more])

    @property
    def name(self) -> str:
        """The label, and the seed where a row has several."""
        return self.label if self.seed == 0 else f"{self.label}, seed {self.seed}"

    @property
    def in_paper(self) -> bool:
        """Whether the paper's table of the test set has it: DIRECT and the demonstrations."""
        return self.features == "23" and self.method in ("direct", *DEMONSTRATIONS.values())


STANDARDISED, RAW = "standardised", "raw"

#: Losses by demonstration, by the paper's name → the method's.
DEMONSTRATIONS = {"crf": "crf", "fenchel_young": "fenchel-young"}


def demonstrations(config: Config) -> list[Learner]:
    """The paper's benchmarks, which imitate solutions of the small set."""
    samples = {"crf": 0, "fenchel_young": config["demonstration_samples"]}
    return [
        Learner(loss, "small", method, "23", config["passes"], samples[loss]) for loss, method in DEMONSTRATIONS.items()
    ]


def experiences(config: Config) -> list[Learner]:
    """The rows of the paper's table of the learning problem, with every seed, by DIRECT, then by Bayesian optimisation;
    then ours."""
    count, seeds = config["evaluations"], config["seeds"]
    found = []
    for method in ("direct", "bayes"):
        for train in TRAINING:
            once = Learner("plain", train, method, "23", count)
            found += [replace(once, seed=seed) for seed in range(seeds["plain"] if method == "direct" else 1)]
        for train in TRAINING:
            budget = config["perturbed"][train]
            once = Learner("perturbed", train, method, "23", budget[method], budget["samples"])
            found += [replace(once, seed=seed) for seed in range(budget.get("seeds", 1) if method == "direct" else 1)]
    found += [
        Learner("plain", train, "direct", "23", count, 0, RAW, k) for train in TRAINING for k in range(seeds[RAW])
    ]
    found += [Learner("plain", train, "deterministic", "23", count) for train in TRAINING]
    return found + [Learner("plain", ours["train"], "auto", ours["features"], count) for ours in config["ours"]]


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
    """What these learners learned; without those that need an extra that is not installed."""
    return {learner: learning.learn(run) for learner, learning in learnings_of(run, config, learners).items()}


def learnings(run: Run, config: Config) -> list[Vehicles]:
    """What is learned, the longest first."""
    found = learnings_of(run, config, demonstrations(config) + experiences(config))
    sizes = {train: k for k, train in enumerate(TRAINING)}
    order = sorted(found, key=lambda learner: (-learner.samples * (learner.loss == "perturbed"), -sizes[learner.train]))
    return [found[learner] for learner in order]


def learnings_of(run: Run, config: Config, learners: list[Learner]) -> dict[Learner, Vehicles]:
    """Return what these learners learn; without those that need an extra that is not installed."""
    data = {train: instances_of(config, train) for train in TRAINING}
    methods: dict[str, Any] = {
        "crf": Crf(),
        "direct": Direct(randomised=True),
        "deterministic": Direct(),
        "bayes": Blind(Bayes()),
        "auto": Auto(),
    }
    found: dict[Learner, Vehicles] = {}
    for learner in learners:
        if learner.method == "bayes" and not bayes_installed():
            continue
        options: dict[str, Any] = {"seed": config["seed"] + learner.seed}
        imitates = learner.method == "fenchel-young"
        method: Any = FenchelYoung(samples=learner.samples) if imitates else methods[learner.method]
        solutions = None
        if learner.loss in DEMONSTRATIONS:
            solutions = labels(run, config, data[learner.train])
            options["validation"] = 0.2
        else:
            options["radius"] = config["radius"]
        if learner.loss == "perturbed":
            options |= {"sigma": config["sigma"], "samples": learner.samples}
        found[learner] = Learning(
            f"vehicles, {learner.name}",
            VehicleScheduling().with_options(features=learner.features),
            data[learner.train],
            Raw(method) if learner.units == RAW else method,
            learner.evaluations,
            solutions,
            options=options,
        )
    return found


def labels(run: Run, config: Config, data: Data[Instance]) -> Data[Ints]:
    """The stage "label": solutions of the instances by column generation."""
    problem, limit = VehicleScheduling("23"), config["label_seconds"]
    identity = {"data": data.identity, "seconds": limit}

    def solve(instance: Instance) -> list[int]:
        solution: list[int] = problem.exact(instance, time_limit=limit)[0].tolist()
        return solution

    def found() -> list[list[int]]:
        return run.items("label", identity, data.values, solve, what="data: labels")

    return Data(identity, lambda: [np.array(solution, dtype=np.int64) for solution in found()], found)


def reductions(config: Config, learners: list[Learner]) -> list[str]:
    """What the learners and the sets have less of than the paper's, in words."""
    evaluations, samples = config["paper_evaluations"], config["paper_samples"]
    less: dict[str, dict[str, None]] = {}  # in order, once each
    for learner in learners:
        if learner.method not in ("direct", "bayes"):
            continue
        if learner.evaluations < evaluations:
            less.setdefault(f"{learner.evaluations} evaluations, not {evaluations}", {})[learner.label] = None
        if learner.loss == "perturbed" and learner.samples < samples:
            less.setdefault(f"{learner.samples} samples, not {samples}", {})[learner.label] = None
    words = [f"{what}: {'; '.join(labels)}." for what, labels in less.items()]
    for name, chosen in config["sets"].items():
        parts = [f"{key} {', '.join(map(str, chosen[key]))}" for key in ("tasks", "scenarios") if key in chosen]
        if "per_cell" in chosen:
            parts.append(f"of each {chosen['per_cell']}")
        largest = max(PAPER_TASKS)
        if (
            name == "test"
            and largest in chosen.get("tasks", PAPER_TASKS)
            and config["largest"] < chosen.get("per_cell", 8)
        ):
            parts.append(f"of {largest} tasks {config['largest']} instances are solved")
        if parts:
            words.append(f"The set {name} is not whole: {'; '.join(parts)}.")
    return words
