"""What a learner is given and what it must offer; all learners by name.

A new learner is one file with a class that has `name`, `options`, `needs`, `uses` and `fit`, and one line in
`LEARNERS`.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

import colayer
from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer._runtime.text import one_of, short
from colayer.errors import InputError, OptionError
from colayer.evaluators.base import Backend
from colayer.evaluators.statistics import Moments
from colayer.io.hashing import SEEN, hashed
from colayer.learning.run import Evaluation
from colayer.learning.settings import Settings
from colayer.models import LinearModel, Model
from colayer.models.selector import Selector
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z

_FEWEST_TO_SPLIT = 5

#: What a learner learns from: the costs of its own solutions, known solutions, or true θ.
Needs = Literal["costs", "solutions", "thetas"]


class SolveDefaults(NamedTuple):
    """The defaults of solves with learned weights: the σ of draws, the portfolio, and what orders it.

    `rule_sigma` is the best σ for draws around the unlearned rule, as a share of its norm: what a portfolio is compared
    with.
    """

    sigma: float | None
    portfolio: Floats
    selector: Selector | None = None
    rule_sigma: float | None = None


@dataclass(frozen=True, eq=False)
class TrainingJob(Generic[X, Y, Z]):
    """The input of a learner: problem, instances, known solutions or θ, settings and backend."""

    problem: BoundProblem[X, Y, Z]
    instances: Sequence[X]
    settings: Settings
    backend: Backend
    solutions: Sequence[Z] | str | None = None
    thetas: Sequence[Floats] | None = None
    #: A torch module to train on contexts; None: W·context + b.
    module: Any = None

    def __post_init__(self) -> None:
        if len(self.instances) == 0:
            raise InputError("no instances to learn from, expected at least one")
        if self.module is not None and self.problem.context is None:
            raise OptionError(f"{self.problem.name} has no context for a module to see", where="module")

    @cached_property
    def training_problem(self) -> BoundProblem[X, Y, Z]:
        """The problem with the decoder that it is learned through: the one set, or the problem's own choice."""
        problem, chosen = self.problem, self.settings.learn_decoder
        if chosen is not None:
            problem.check_decoder(chosen, "--learn-decoder")
        elif problem.decoder is not None:
            chosen = problem.learn_decoders.get(problem.decoder, problem.decoder)
        return problem.variant(decoder=None if chosen == problem.decoder else chosen)

    @cached_property
    def split(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Indices of the instances to learn on and to validate on."""
        return split(len(self.instances), self.settings.validation, self.settings.seed)

    @cached_property
    def training(self) -> list[X]:
        """The instances to learn on."""
        return [self.instances[i] for i in self.split[0]]

    @cached_property
    def held_out(self) -> list[X]:
        """The instances to validate on."""
        return [self.instances[i] for i in self.split[1]]

    @property
    def radius(self) -> float:
        """The radius of the search ball."""
        return self.problem.radius if self.settings.radius is None else float(self.settings.radius)

    @property
    def seed(self) -> int:
        """The seed of every random draw."""
        return int(self.settings.seed)

    def budget(self, default: int) -> int:
        """Return the evaluations set, or the learner's default."""
        return default if self.settings.evaluations is None else int(self.settings.evaluations)

    def identity(self, learner: Learner, budget: int, moments: Moments, **more: Any) -> dict[str, Any]:
        """Return all that determines the result: problem, data, features, learner and settings, and `more`."""
        names = repr(tuple(self.problem.feature_names)).encode()
        return {
            "problem": self.problem.name,
            "options": self.problem.options,
            "data": self._hashes[0],
            "instances": len(self.instances),
            "method": learner.name,
            "method_options": learner.options(),
            **self.settings.identity(evaluations=budget, perturbation="sigma" in learner.uses),
            "learn_decoder": self.training_problem.decoder,
            # the same data under other features is another run
            "features": hashlib.sha256(names + moments.scale.tobytes()).hexdigest(),
            **more,
        }

    @cached_property
    def _hashes(self) -> tuple[str, str]:
        return hashed(self.problem, self.instances)

    def provenance(self, identity: dict[str, Any], **outcome: Any) -> dict[str, Any]:
        """Return what a model was learned from, and what came out."""
        settings = {key: value for key, value in identity.items() if key not in ("problem", "options")}
        return {"colayer": colayer.__version__, **settings, **outcome, SEEN: self._hashes[1]}

    def model(
        self, weights: Floats, scale: Floats, identity: dict[str, Any], defaults: SolveDefaults, **outcome: Any
    ) -> LinearModel:
        """Return the linear model of a run."""
        problem, rounds = self.problem, int(self.settings.rounds)
        if defaults.rule_sigma is not None:
            outcome = {**outcome, "rule_sigma": defaults.rule_sigma}
        provenance = self.provenance(identity, **outcome)
        names, options, (sigma, portfolio, selector, _) = problem.feature_names, problem.options, defaults
        return LinearModel(names, weights, scale, problem.name, options, provenance, sigma, portfolio, rounds, selector)


@dataclass(frozen=True)
class Fitted:
    """A learned model, its losses and how the search went."""

    model: Model
    loss: float
    validation_loss: float | None
    history: tuple[Evaluation, ...]
    #: How many of them the journal knew.
    recalled: int = 0


@runtime_checkable
class Learner(Protocol):
    """A method to learn weights; frozen, so that one object serves any number of runs."""

    @property
    def name(self) -> str:
        """The name on the command line."""

    @property
    def needs(self) -> tuple[Needs, ...]:
        """What it can learn from."""

    @property
    def uses(self) -> frozenset[str]:
        """The settings that not every learner has a use for: of "radius", "sigma", "cluster", "device",
        "rounds"."""

    def options(self) -> dict[str, Any]:
        """Return the options that, with data and settings, determine the run, as JSON for the journal."""

    def fit(self, job: TrainingJob[X, Y, Z]) -> Fitted:
        """Learn a model."""


#: name → where its class lives. A new learner adds one line here.
LEARNERS = {
    "auto": "search.auto:Auto",
    "srl": "search.srl:Srl",
    "cma-es": "search.cma_es:CmaEs",
    "direct": "search.direct:Direct",
    "sgd": "search.sgd:Sgd",
    "bayes": "search.bayes:Bayes",
    "fenchel-young": "imitation.fenchel_young:FenchelYoung",
    "hinge": "imitation.hinge:Hinge",
    "crf": "imitation.crf:Crf",
    "spo+": "imitation.spo:SpoPlus",
    "neural": "network.method:Neural",
}
#: These names, for type checkers.
MethodName = Literal[
    "auto", "srl", "cma-es", "direct", "sgd", "bayes", "imitation", "fenchel-young", "hinge", "crf", "spo+", "neural"
]
#: Methods that were dropped → what to use instead.
_DROPPED = {"line": "auto"}
#: What "auto" stands for, by what is known.
_AUTO = {"costs": "auto", "solutions": "fenchel-young", "thetas": "spo+"}


def learner_names(needs: Needs | None = None) -> tuple[str, ...]:
    """Return the names of the learners, the default first; with `needs`, of those that learn from it."""
    return tuple(name for name in LEARNERS if needs is None or needs in _class(name)().needs)


def learner_for(method: object, needs: Needs = "costs") -> Learner:
    """Return the learner `method` names or is; refuse one that cannot learn from what is given.

    An object with `minimize` alone, a black-box search of the user's, learns by experience.
    """
    if method == "auto":
        method = _AUTO[needs]
    if method == "imitation":
        method = _AUTO["solutions"]
    if isinstance(method, str):
        if method in _DROPPED:
            raise OptionError(f"{method} was dropped, use {_DROPPED[method]} instead", where="--method")
        if method not in LEARNERS:
            raise OptionError(
                f"no method {short(method)}, expected {one_of(method, tuple(LEARNERS))}", where="--method"
            )
        learner: Learner = _class(method)()
    elif isinstance(method, type):
        raise OptionError(f"{method.__name__} is a class, expected an object: {method.__name__}()", where="--method")
    elif isinstance(method, Learner):
        learner = method
    elif (search := _search(method)) is not None:
        learner = search
    else:
        raise OptionError(f"{short(method)} is not a method, expected a name or a learner", where="--method")
    if needs not in learner.needs:
        raise OptionError(_cannot(learner, needs), where="--method")
    return learner


def _search(method: object) -> Learner | None:
    """Return a learner around a user's black-box search; None if `method` is not one."""
    from colayer.learning.search.fit import Searched
    from colayer.learning.search.optimizer import Optimizer

    return Searched(method) if isinstance(method, Optimizer) else None


def check_uses(learner: Learner, given: dict[str, bool]) -> None:
    """Refuse settings that are given but not used by the learner."""
    for option, is_given in given.items():
        if is_given and option not in learner.uses:
            by_demonstration = ", which learns by demonstration," if "costs" not in learner.needs else ""
            why = ", which learns on this machine," if option == "cluster" else by_demonstration
            raise OptionError(f"{learner.name}{why} does not use `{option}`", where=f"--{option}")


def split(count: int, validation: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sorted indices to learn on and to validate on; below 5 instances none are held out."""
    if count < _FEWEST_TO_SPLIT or validation == 0.0:
        return np.arange(count), np.arange(0)
    held_out = min(max(round(validation * count), 1), count - 1)
    shuffled = seeds.generator(seed, seeds.SPLIT).permutation(count)
    return np.sort(shuffled[held_out:]), np.sort(shuffled[:held_out])


def _class(name: str) -> Any:
    module, _, attribute = LEARNERS[name].partition(":")
    return getattr(importlib.import_module(f"colayer.learning.{module}"), attribute)


def _cannot(learner: Learner, needs: Needs) -> str:
    if needs == "costs":
        expected = ", expected --solutions" if "solutions" in learner.needs else ""
        return f"{learner.name} learns from {learner.needs[0]}, none are given{expected}"
    names = ", ".join(learner_names(needs))
    return f"{learner.name} does not learn from {needs}, expected one of {names}"
