"""What the single machine experiments share: data by seed, and the learners of the config, each learned once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import numpy as np

from colayer.learning.imitation.fenchel_young import FenchelYoung
from colayer.learning.perturbation import draws
from colayer.learning.search.auto import Auto
from colayer.learning.search.direct import Direct
from colayer.learning.search.objective import mean_loss
from colayer.models import LinearModel, Model
from colayer.pretrained import pretrained
from colayer.problems import SingleMachine
from colayer.problems.single_machine.instance import Instance
from colayer_paper.frame.config import Config
from colayer_paper.frame.learned import Data, Learned, Learning
from colayer_paper.frame.predict import evaluator_on
from colayer_paper.frame.searches import Without
from colayer_paper.frame.store import Run
from colayer_paper.single_machine.datasets import of_cells, paper_set

Machine = Learning[Instance, Any, Any]

#: Entropy of the seeds of the instances with labels and of those to validate on; 1 and 2 are the paper sets to learn
#: and to test on.
_LABELLED, _VALIDATION = 3, 4


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
    #: Of the perturbed loss, in units of the standard deviations of the features.
    sigma: float = 0.0
    #: Features whose weights stay 0.
    without: list[str] = []

    @property
    def words(self) -> str:
        """For people."""
        through = "" if self.decoder == "none" else f", {self.decoder} in the loss"
        perturbed = f" (σ = {self.sigma:g}, {self.samples} samples)" if self.samples else ""
        return f"{self.loss} loss{perturbed}{through}, {self.features} features{self._lacking}, {self.method}"

    @property
    def named(self) -> str:
        """Its features, for people."""
        return self.features + self._lacking

    @property
    def _lacking(self) -> str:
        return " without look-ahead" if self.without else ""


@dataclass(frozen=True)
class Row:
    """A learner after some of its iterations: a row of the paper's tables, or one of ours."""

    learner: Learner
    #: What each seed learned.
    learned: tuple[Learned, ...]
    iterations: int
    #: Key of the row in the paper's tables (loss, iterations, learn decoder), or None.
    paper: tuple[str, str, str] | None
    #: Position of its best weights in `best` of each; None where the learner's own answer is taken.
    best: int | None = None

    @property
    def models(self) -> list[LinearModel]:
        """The learned model of each seed."""
        return [learned.linear(self.best) for learned in self.learned]

    @property
    def model(self) -> LinearModel:
        """That of the seed with the least training loss, the first of equals."""
        losses = [found.loss if self.best is None else found.best[self.best].loss for found in self.learned]
        return self.models[int(np.argmin(losses))]

    @property
    def share(self) -> float:
        """The part of the evaluations of `learned` that belongs to this row."""
        return self.iterations / max(self.learner.iterations)

    @property
    def seconds(self) -> float:
        """Wall seconds, of all seeds one after the other."""
        return self.share * sum(learned.seconds for learned in self.learned)


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
def drawn(name: str, entropy: int, per_cell: int, sizes: tuple[int, ...]) -> Data[Instance]:
    """Instances of the paper's kind that are in none of its sets."""
    return Data({"set": name, "per_cell": per_cell, "jobs": sizes}, lambda: of_cells(entropy, per_cell, sizes))


def labelled(config: Config) -> Data[Instance]:
    """The instances to learn from by demonstration."""
    return drawn("labelled", _LABELLED, config["demonstration_per_cell"], tuple(config["demonstration_jobs"]))


def validation(config: Config) -> Data[Instance]:
    """The instances on which the strength of the perturbation is chosen."""
    return drawn("validation", _VALIDATION, config["validation_per_cell"], tuple(config["jobs"]))


def by_demonstration(run: Run, config: Config, features: str = "27", seed: int = 0) -> Machine:
    """By demonstration: the Fenchel-Young loss on optimal sequences; a seed draws the perturbations."""
    problem = SingleMachine().with_options(features=features, decoder="none")
    data = labelled(config)
    method = FenchelYoung(epsilon=config["demonstration_epsilon"], samples=config["demonstration_samples"])
    identity = {"problem": problem.name, "labels": "exact", "data": data.identity}

    def found() -> list[list[int]]:
        what = "data: optimal sequences to learn from"
        return run.items("data", identity, data.values, lambda x: problem.exact(x)[0].tolist(), what=what)

    known = Data({"labels": "exact", "data": data.identity}, lambda: [np.array(order) for order in found()], found)
    more = "" if (features, seed) == ("27", 0) else f", {features} features, seed {seed}"
    what = f"jobs, by demonstration{more}"
    return Learning(what, problem, data, method, config["passes"], known, options={"seed": seed})


def learnings(run: Run, config: Config) -> list[Machine]:
    """All that is learned: by every learner with every seed, and by demonstration."""
    by_seed = [learning for learner in learners_of(config) for learning in by_experience(config, learner)]
    return [*by_seed, by_demonstration(run, config)]


def rows(run: Run, config: Config) -> list[Row]:
    """Every learner by experience, learned, after each of its iterations."""
    found = []
    for learner in learners_of(config):
        learned = tuple(learning.learn(run) for learning in by_experience(config, learner))
        for k, count in enumerate(learner.iterations):
            paper = (learner.loss, str(learner.beside[k]), learner.decoder) if learner.beside else None
            found.append(Row(learner, learned, count, paper, k if learner.method == "direct" else None))
    return found


def learner(entry: Mapping[str, Any]) -> Learner:
    """A learner, of its entry in the config."""
    return msgspec.convert(entry, Learner)


def learners_of(config: Config) -> list[Learner]:
    """Return the learners by experience of the config."""
    return [learner(entry) for entry in config["learners"]]


def by_experience(config: Config, learner: Learner) -> list[Machine]:
    """What a learner learns, with each of its seeds."""
    longest, direct = max(learner.iterations), learner.method == "direct"
    problem = SingleMachine().with_options(features=learner.features, decoder=learner.decoder)
    # nlopt draws the same random numbers whatever its budget: the first iterations of a longer search are those of a
    # shorter one, so that one search of each seed gives all its rows
    method: Any = Direct(randomised=True) if direct else Auto()
    if learner.without:
        method = Without(method, tuple(problem.feature_names.index(name) for name in learner.without))
    options = {
        "radius": config["radius"],
        "sigma": learner.sigma,
        "samples": learner.samples,
        "learn_decoder": learner.decoder,
        "validation": 0.0 if direct else 0.2,
    }
    portions = [(0, count) for count in learner.iterations] if direct else []
    return [
        Learning(
            f"jobs, {learner.words}, {longest} iterations, seed {seed}",
            problem,
            training(config, learner.per_cell),
            method,
            longest,
            portions=portions,
            options={**options, "seed": seed},
        )
        for seed in range(learner.seeds)
    ]


def losses(run: Run, config: Config, row: Row) -> list[float]:
    """The loss that the row's learner minimises, with the draws of its seed, on the whole training set."""
    data, learner = training(config), row.learner
    problem = SingleMachine().with_options(features=learner.features, decoder=learner.decoder)
    models = row.models
    sigma = learner.sigma

    def evaluate() -> list[float]:
        run.report(f"evaluate: training set, {learner.words}", 0, 1)
        scale = models[0].feature_scale
        Z = [draws(seed, learner.samples, len(scale)) for seed in range(len(models))]
        with evaluator_on(run, problem, data.values) as evaluator:
            objectives = [mean_loss(lambda W: evaluator.losses(W / scale), sigma, drawn) for drawn in Z]
            found = zip(objectives, models, strict=True)
            return [float(objective(model.weights[None, :])[0]) for objective, model in found]

    identity = {
        "problem": problem.name,
        "options": problem.options,
        "weights": [model.weights for model in models],
        "feature_scale": models[0].feature_scale,
        "sigma": sigma,
        "samples": learner.samples,
        "draws": "of each seed",
        "data": data.identity,
    }
    found: list[float] = run.cached("evaluate", identity, evaluate)
    return found


def one_feature(name: str) -> LinearModel:
    """The order by one of the 66 features alone."""
    names = SingleMachine("66").feature_names
    weights = np.array([1.0 * (name == other) for other in names])
    return LinearModel(names, weights, np.ones(len(names)), "single-machine")


def shipped(decoders: Sequence[str]) -> dict[str, Model]:
    """The weights that colayer ships, for each decoder those learned through it."""
    found = {decoder: pretrained(SingleMachine().with_options(decoder=decoder)) for decoder in decoders}
    return {decoder: model for decoder, model in found.items() if model is not None}
