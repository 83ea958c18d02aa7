"""What the single machine experiments share: data by seed, and the learners of the config, each learned once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache

import msgspec
import numpy as np

from colayer.experiments.frame.config import Config
from colayer.experiments.frame.learned import Data, Learned, learn
from colayer.experiments.frame.store import Run
from colayer.learning.demonstration.fenchel_young import FenchelYoung
from colayer.learning.experience.auto import Auto
from colayer.learning.experience.direct import Direct
from colayer.learning.experience.objective import mean_loss
from colayer.learning.perturbation import draws
from colayer.models import LinearModel, Model
from colayer.pretrained import pretrained
from colayer.problem import variant
from colayer.problems import SingleMachine
from colayer.problems.single_machine.datasets import paper_set
from colayer.problems.single_machine.instance import PAPER_RHO, Instance, generate

#: Entropy of the seeds of the instances with labels; 1 and 2 are the paper sets to learn and to test on.
_LABELLED = 3


class Learner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A learner by experience, as the config has it."""

    loss: str
    decoder: str
    features: str
    method: str
    iterations: list[int]
    per_cell: int
    #: The iterations of the paper's row that each of `iterations` stands beside; none where the paper has no such row.
    beside: list[int] = []
    seeds: int = 1
    samples: int = 0

    @property
    def words(self) -> str:
        """For people."""
        through = "" if self.decoder == "none" else f", {self.decoder} in the loss"
        return f"{self.loss} loss{through}, {self.features} features, {self.method}"


@dataclass(frozen=True)
class Row:
    """A learner after some of its iterations: a row of the paper's tables, or one of ours."""

    learner: Learner
    learned: Learned
    iterations: int
    #: Key of the row in the paper's tables (loss, iterations, learn decoder), or None.
    paper: tuple[str, str, str] | None
    #: Positions of its best weights in `learned.best`, one per seed; empty where `learned` is all there is.
    best: tuple[int, ...] = ()

    @property
    def models(self) -> list[LinearModel]:
        """The learned model of each seed."""
        return [self.learned.linear(k) for k in self.best] or [self.learned.linear()]

    @property
    def model(self) -> LinearModel:
        """That of the seed with the least training loss, the first of equals."""
        return self.learned.linear(min(self.best, key=lambda k: self.learned.best[k].loss) if self.best else None)

    @property
    def share(self) -> float:
        """The part of the evaluations of `learned` that belongs to this row."""
        return self.iterations / max(self.learner.iterations)


@cache
def jobs(name: str, per_cell: int, sizes: tuple[int, ...]) -> Data[Instance]:
    """The paper's set "experience" or "test", the first `per_cell` instances of each cell."""
    return Data({"set": name, "per_cell": per_cell, "jobs": sizes}, lambda: paper_set(name, per_cell, sizes))


def training(config: Config, per_cell: int | None = None) -> Data[Instance]:
    """The training set, or the first instances of its cells."""
    return jobs("experience", per_cell or config["train_per_cell"], tuple(config["jobs"]))


def held_out(config: Config, key: str = "test_per_cell") -> Data[Instance]:
    """The test set, as many instances per cell as the parameter says."""
    return jobs("test", config[key], tuple(config["jobs"]))


@cache
def labelled(per_cell: int, sizes: tuple[int, ...]) -> Data[Instance]:
    """The instances to learn from by demonstration."""

    def make() -> list[Instance]:
        cells = [(n, rho, k) for n in sizes for rho in PAPER_RHO for k in range(per_cell)]
        return [
            generate(np.random.SeedSequence([_LABELLED, n, round(100 * rho), k]), jobs=n, rho=rho)
            for n, rho, k in cells
        ]

    return Data({"set": "labelled", "per_cell": per_cell, "jobs": sizes}, make)


def demonstrated(run: Run, config: Config) -> Learned:
    """By demonstration: the Fenchel-Young loss on optimal sequences."""
    problem = SingleMachine("27", "none")
    data = labelled(config["demonstration_per_cell"], tuple(config["demonstration_jobs"]))
    what = "data: optimal sequences to learn from"
    identity = {"problem": problem.name, "labels": "exact", "data": data.identity}
    found = run.items("data", identity, data.values, lambda x: problem.exact(x)[0].tolist(), what=what)
    method = FenchelYoung(epsilon=config["demonstration_epsilon"], samples=config["demonstration_samples"])
    known = Data({"labels": "exact", "data": data.identity}, lambda: [np.array(sequence) for sequence in found])
    what = "train: by demonstration"
    return learn(run, problem, data, what=what, method=method, evaluations=config["passes"], solutions=known)


def rows(run: Run, config: Config) -> list[Row]:
    """Every learner by experience, learned, after each of its iterations."""
    return [row for entry in config["learners"] for row in _rows(run, config, msgspec.convert(entry, Learner))]


def _rows(run: Run, config: Config, learner: Learner) -> list[Row]:
    longest = max(learner.iterations)
    portions = (
        [(seed * longest, seed * longest + count) for count in learner.iterations for seed in range(learner.seeds)]
        if learner.method == "direct"
        else []
    )
    learned = learn(
        run,
        variant(SingleMachine(), features=learner.features, decoder=learner.decoder),
        training(config, learner.per_cell),
        what=f"train: {learner.words}",
        # nlopt draws the same random numbers whatever its budget: the first iterations of a longer search are those of
        # a shorter one, so that one search of each seed gives all its rows
        method=Direct(seeds=learner.seeds) if learner.method == "direct" else Auto(),
        evaluations=longest * learner.seeds,
        portions=portions,
        radius=config["radius"],
        sigma=config["sigma"] if learner.samples else 0.0,
        samples=learner.samples,
        learn_decoder=learner.decoder,
        validation=0.0 if learner.method == "direct" else 0.2,
    )
    found = []
    for k, count in enumerate(learner.iterations):
        paper = (learner.loss, str(learner.beside[k]), learner.decoder) if learner.beside else None
        best = tuple(range(k * learner.seeds, (k + 1) * learner.seeds)) if portions else ()
        found.append(Row(learner, learned, count, paper, best))
    return found


def losses(run: Run, config: Config, row: Row) -> list[float]:
    """The loss that the row's learner minimises, on the whole training set, for the weights of each seed."""
    data, learner = training(config), row.learner
    problem = variant(SingleMachine(), features=learner.features, decoder=learner.decoder)
    models = row.models
    sigma = config["sigma"] if learner.samples else 0.0

    def evaluate() -> list[float]:
        run.report(f"evaluate: training set, {learner.words}", 0, 1)
        scale = models[0].feature_scale
        Z = draws(0, learner.samples, len(scale))
        with closing(problem.evaluator(data.values, run.workers)) as evaluator:
            objective = mean_loss(lambda W: evaluator.losses(W / scale), sigma, Z)
            return [float(objective(model.weights[None, :])[0]) for model in models]

    identity = {
        "problem": problem.name,
        "options": problem.options,
        "weights": [model.weights for model in models],
        "feature_scale": models[0].feature_scale,
        "sigma": sigma,
        "samples": learner.samples,
        "data": data.identity,
    }
    found: list[float] = run.cached("evaluate", identity, evaluate)
    return found


def shipped(decoders: Sequence[str]) -> dict[str, Model]:
    """The weights that colayer ships, for each decoder those learned through it."""
    found = {decoder: pretrained(variant(SingleMachine(), decoder=decoder)) for decoder in decoders}
    return {decoder: model for decoder, model in found.items() if model is not None}
