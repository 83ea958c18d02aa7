"""Pipeline: a problem with its weights. `fit` learns them, `solve` uses them, `save` and `load` keep them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from colayer.capabilities import bound_of
from colayer.compose import best_of, decoded, features_of, gap, theta_blocks
from colayer.errors import ColayerError, InputError, OptionError
from colayer.evaluators.base import Backend
from colayer.learning.learner import Learner, Lesson, check_uses, learner_for
from colayer.learning.perturbation import LARGEST, draws
from colayer.learning.run import Evaluation
from colayer.learning.settings import Settings
from colayer.models import LinearModel, Model, read_model, thetas
from colayer.pretrained import pretrained
from colayer.problem import Declared, Floats, Problem, X, Y, Z, declared, variant
from colayer.text import short
from colayer.threads import Threads, limited


@dataclass(frozen=True)
class Solved(Generic[Z]):
    """A solution and how good it is known to be."""

    solution: Z
    cost: float
    #: A lower bound on the optimal cost; None where the problem has none.
    bound: float | None
    #: (cost − bound)/|bound|; None where it is not defined.
    gap: float | None
    seconds: float
    #: Which weights found it: "learned", "sample K" (perturbed weights, K = 1, 2, …), "combined" (parts of
    #: several of these), "safe", or "exact".
    source: str
    #: Whether the solution is proved optimal; None where no exact solver was asked (see `colayer.certify`).
    certified: bool | None = None


class Pipeline(Generic[X, Y, Z]):
    """instance → features → θ → layer → decoder → solution.

    Without `weights`, those shipped for the problem and its options are used; where there are none, the problem's
    safe weights, with a warning. `weights` are taken in raw feature units. With `safe=True`, `solve` also decodes
    the safe weights and returns the better solution, so that their guarantee is kept.
    """

    def __init__(self, problem: Problem[X, Y, Z], weights: ArrayLike | None = None, *, safe: bool = True) -> None:
        known = declared(problem)
        self.problem = problem
        self.safe = safe
        self._safe_weights = known.safe_weights
        self.loss_: float | None = None
        self.validation_loss_: float | None = None
        self.history_: tuple[Evaluation, ...] = ()
        #: How many of the evaluations came from the journal.
        self.recalled_ = 0
        self._model: Model | None = None if weights is None else _raw_model(known, weights, "given")

    def __repr__(self) -> str:
        return f"Pipeline({self.problem!r}, safe={self.safe})"

    @property
    def model(self) -> Model:
        """The model in use; looked up when it is first needed, where no weights were given or learned."""
        if self._model is None:
            self._model = _default_model(self.problem)
        return self._model

    @property
    def weights_(self) -> Floats:
        """The weights in use, in model units: every feature divided by its spread over the training rows."""
        return self.model.weights

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the weights come from."""
        return self.model.provenance

    def fit(
        self,
        instances: Sequence[X],
        *,
        solutions: Sequence[Z] | None = None,
        thetas: Sequence[Floats] | None = None,
        method: str | Learner | object = "auto",
        evaluations: int | None = None,
        seed: int = 0,
        radius: float | None = None,
        sigma: float | Literal["theory"] = 0.0,
        samples: int = 100,
        learn_decoder: str | None = None,
        validation: float = 0.2,
        workers: int | None = None,
        device: str = "cpu",
        cluster: str | None = None,
        journal: str | Path | None = None,
        time_limit: float | None = None,
        callback: Callable[[Evaluation], None] | None = None,
        progress: bool = False,
    ) -> Self:
        """Learn weights, by experience, or by demonstration where `solutions` or true `thetas` are given.

        By experience: minimise the mean loss over the instances, plain or perturbed (σ > 0; `sigma="theory"`: the σ of
        the best guarantee, for problems with a proven ratio). `method` is a name (`auto`, `direct`, `cma-es`, `sgd`,
        `bayes`) or an optimiser object, `evaluations` its budget, 1000 by default. The search is in the L∞ ball of
        `radius`, in model units.

        By demonstration: minimise the mean of a loss that says how far the layer is from the known answers, one per
        instance. `method` is `fenchel-young`, `hinge` or `crf` for solutions, `spo+` for thetas, or an object;
        `evaluations` are passes over the instances, 100 by default.

        Either way, `neural` or a `Neural` object learns a network on top of a linear model.

        `learn_decoder` is the decoder used while learning. A share `validation` of the instances (none below 5)
        chooses among the best weights. With `journal`, a run that was stopped goes on where it was. The result depends
        on the data, the options and the seed alone.

        By experience, `cluster` evaluates on a Ray cluster: `HOST:PORT`, `ray://HOST:PORT`, or `auto`, the one that
        RAY_ADDRESS names, else Ray started on this machine. `workers` are then the threads on each of its nodes.
        """
        if solutions is not None and thetas is not None:
            raise OptionError("given with thetas, expected one of them", where="solutions")
        learner = learner_for(method, "solutions" if solutions is not None else "costs" if thetas is None else "thetas")
        given = {"radius": radius is not None, "sigma": sigma != 0, "cluster": cluster is not None}
        check_uses(learner, {**given, "device": device == "cuda"})
        settings = Settings(
            evaluations=evaluations, seed=seed, radius=radius, sigma=sigma, samples=samples,
            learn_decoder=learn_decoder, validation=validation, journal=journal, time_limit=time_limit,
            callback=callback, progress=progress,
        )  # fmt: skip
        backend = Backend(workers, device, cluster)
        with limited(workers):
            fitted = learner.fit(Lesson(self.problem, list(instances), settings, backend, solutions, thetas))
        self._model, self.history_ = fitted.model, fitted.history
        self.loss_, self.validation_loss_, self.recalled_ = fitted.loss, fitted.validation_loss, fitted.recalled
        return self

    def solve(self, instance: X, *, samples: int = 0, sigma: float = 1.0, seed: int = 0) -> Solved[Z]:
        """The best solution over the weights w, the perturbed w + σZ_1, …, w + σZ_samples and, if `safe`, w̃."""
        _check_perturbation(samples, sigma, seed)
        begin = time.perf_counter()
        problem, model = self.problem, self.model
        rows = model.weights[None, :]
        if samples:
            rows = np.vstack([rows, model.weights + sigma * draws(seed, samples, len(model.weights))])
        features = features_of(problem, instance)
        blocks = theta_blocks(features, model.raw(rows), model.correction(features))
        found = ((first, *best_of(problem, block, instance, seed)) for first, block in blocks)
        first, row, solution, cost = min(found, key=lambda best: best[3])  # the first at equal cost
        source = "combined" if row < 0 else "learned" if first + row == 0 else f"sample {first + row}"
        if self.safe and self._safe_weights is not None:
            theta = thetas(features, self._safe_weights[None, :])[0]
            safe_solution, safe_cost = decoded(problem, theta, instance)
            if safe_cost < cost:
                solution, cost, source = safe_solution, safe_cost, "safe"
        seconds = time.perf_counter() - begin
        bound = bound_of(problem, instance)
        return Solved(solution, cost, bound, gap(cost, bound), seconds, source)

    def solve_many(
        self, instances: Sequence[X], *, workers: int = 1, samples: int = 0, sigma: float = 1.0, seed: int = 0
    ) -> list[Solved[Z]]:
        """`solve` for each instance, `workers` at a time (threads: the compiled kernels run side by side)."""
        if workers < 1:
            raise OptionError(f"{workers} is out of range, expected at least 1", where="--workers")
        solve = partial(self.solve, samples=samples, sigma=sigma, seed=seed)
        if len(instances) == 1:  # its kernels may use all the threads
            with limited(workers):
                return [solve(instances[0])]
        with Threads(workers) as threads:
            return threads.map(solve, instances)

    def save(self, path: str | Path) -> None:
        """Write the model file (JSON)."""
        self.model.save(path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        problem: Problem[X, Y, Z] | None = None,
        *,
        decoder: str | None = None,
        safe: bool = True,
    ) -> Self:
        """The pipeline of a model file, through the decoder that the model was made for, or another `decoder`.

        `problem` is needed for a problem of your own; it must have the name and the features of the model. Options
        that it was given win over those of the model; options that are its defaults give way to them.
        """
        model = read_model(path)
        try:
            return cls.from_model(
                variant(problem_of_model(model, problem, keep=True), decoder=decoder), model, safe=safe
            )
        except InputError as error:
            raise error.at(str(path)) from None

    @classmethod
    def from_model(cls, problem: Problem[X, Y, Z], model: Model, *, safe: bool = True) -> Self:
        """A pipeline with the weights of `model`, refused where they were not made for this problem's features."""
        pipeline = cls(problem, safe=safe)
        pipeline._model = _checked(model, declared(problem))
        return pipeline


def problem_of_model(model: Model, problem: Problem[X, Y, Z] | None = None, *, keep: bool = False) -> Problem[X, Y, Z]:
    """The problem as the model knows it: `problem`, or the registered one that it names, with the model's options.

    With `keep`, options of `problem` that differ from its defaults are the user's choice, and stay.
    """
    from colayer.problems import find_problem, problem_names

    if problem is None:
        if model.problem not in problem_names():  # a file never makes us import a module of its choice
            known = ", ".join(problem_names())
            message = f"no problem {short(model.problem)}, expected one of {known}, or --problem MODULE:NAME"
            raise InputError(message, where="problem")
        problem = find_problem(model.problem)
    if model.problem != problem.name or not model.options:
        return problem
    chosen = _chosen_options(problem) if keep else {}
    try:
        return variant(problem, **{**model.options, **chosen})
    except (ColayerError, TypeError) as error:
        raise InputError(f"not options of {problem.name} ({error})", where="options") from None


def _chosen_options(problem: Problem[X, Y, Z]) -> dict[str, Any]:
    """The options in which a problem differs from one made without arguments."""
    options = declared(problem).options
    try:
        defaults = declared(type(problem)()).options
    except TypeError:  # it cannot be made without arguments: all of them are chosen
        return options
    return {key: value for key, value in options.items() if key not in defaults or defaults[key] != value}


def _default_model(problem: Problem[X, Y, Z]) -> Model:
    """The weights shipped for the problem, else its safe weights, with a warning."""
    known, shipped = declared(problem), pretrained(problem)
    if shipped is not None:
        return _checked(shipped, known)
    if known.safe_weights is None:
        raise ColayerError(f"{known.name} has neither shipped nor safe weights: call fit, or give weights")
    warnings.warn(f"no weights are shipped for {known.title}: safe weights are used", stacklevel=4)
    return _raw_model(known, known.safe_weights, "safe weights")


def _raw_model(known: Declared, weights: ArrayLike, source: str) -> LinearModel:
    """A model of weights in raw feature units."""
    scale = np.ones(known.dimension)
    return LinearModel(known.feature_names, np.asarray(weights), scale, known.name, known.options, {"source": source})


def _checked(model: Model, known: Declared) -> Model:
    """`model`, refused where it was not made for this problem and its features."""
    if model.problem != known.name:
        raise InputError(f"a model for {short(model.problem)}, expected one for {known.name!r}", where="problem")
    if model.feature_names != known.feature_names:
        raise InputError(
            f"{len(model.feature_names)} features that are not those of {known.title}, {known.dimension} of them",
            where="feature_names",
        )
    return model


def _check_perturbation(samples: int, sigma: float, seed: int) -> None:
    if seed < 0:
        raise OptionError(f"{seed} is out of range, expected at least 0", where="--seed")
    if samples < 0:
        raise OptionError(f"{samples} is out of range, expected at least 0", where="--samples")
    if not 0 <= sigma <= LARGEST:
        raise OptionError(f"{sigma} is out of range, expected a number from 0 to {LARGEST:g}", where="--sigma")
