"""Pipeline: a problem with its weights. `fit` learns them, `solve` uses them, `save` and `load` keep them."""

from __future__ import annotations

import importlib.resources
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer.compose import decoded, features_of, theta_blocks
from colayer.errors import ColayerError, InputError, OptionError
from colayer.evaluation import gap
from colayer.learning.perturbation import LARGEST, draws
from colayer.models import LinearModel, read_model, thetas
from colayer.problem import completed, safe_weights_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Solved:
    """A solution and how good it is known to be."""

    solution: Any
    cost: float
    #: A lower bound on the optimal cost; None where the problem has none.
    bound: float | None
    #: (cost − bound)/|bound|; None where it is not defined.
    gap: float | None
    seconds: float
    #: Which weights found it: "learned", "sample K" (perturbed weights, K = 1, 2, …), "combined" (parts of
    #: several of these) or "safe".
    source: str


class Pipeline:
    """instance → features → θ → layer → decoder → solution.

    Without `weights`, those shipped for the problem and its options are used; where there are none, the problem's
    safe weights, with a warning. `weights` are taken in raw feature units. With `safe=True`, `solve` also decodes
    the safe weights and returns the better solution, so that their guarantee is kept.
    """

    def __init__(self, problem: Any, weights: ArrayLike | None = None, *, safe: bool = True) -> None:
        self.problem = completed(problem)
        self.safe = safe
        safe_weights = safe_weights_of(self.problem)
        self.loss_: float | None = None
        self.validation_loss_: float | None = None
        self.history_: Sequence[Any] = ()
        self._model: LinearModel | None = None
        if weights is not None:
            self._model = self._raw_model(weights, {"source": "given"})
        elif (shipped := pretrained(self.problem)) is not None:
            self._model = _checked(shipped, self.problem)
        elif safe_weights is not None:
            warnings.warn(f"no weights are shipped for {_title(self.problem)}: safe weights are used", stacklevel=2)
            self._model = self._raw_model(safe_weights, {"source": "safe weights"})

    def __repr__(self) -> str:
        return f"Pipeline({self.problem!r}, safe={self.safe})"

    @property
    def model(self) -> LinearModel:
        """The model in use."""
        if self._model is None:
            raise ColayerError(f"{self.problem.name} has neither shipped nor safe weights: call fit, or give weights")
        return self._model

    @property
    def weights_(self) -> Floats:
        """The weights in use, in model units."""
        return self.model.weights

    @property
    def provenance(self) -> dict[str, Any]:
        """Where the weights come from."""
        return self.model.provenance

    def fit(
        self,
        instances: Sequence[Any],
        *,
        solutions: Sequence[Any] | None = None,
        thetas: Sequence[Any] | None = None,
        method: str | Any = "auto",
        evaluations: int | None = None,
        seed: int = 0,
        radius: float | None = None,
        sigma: float | str = 0.0,
        samples: int = 100,
        learn_decoder: str | None = None,
        validation: float = 0.2,
        workers: int | None = None,
        cluster: str | None = None,
        journal: str | Path | None = None,
        time_limit: float | None = None,
        callback: Callable[[Any], None] | None = None,
        progress: bool = False,
    ) -> Self:
        """Learn weights, by experience, or by demonstration where `solutions` or true `thetas` are given.

        By experience: minimise the mean loss over the instances, plain or perturbed (σ > 0; `sigma="theory"`: the σ of
        the best guarantee, for problems with a proven ratio). `method` is a name (`auto`, `direct`, `cma-es`, `sgd`,
        `bayes`) or an optimiser object, `evaluations` its budget, 1000 by default. The search is in the L∞ ball of
        `radius`, in model units.

        By demonstration: minimise the mean of a loss that says how far the layer is from the known answers, one an
        instance. `method` is `fenchel-young`, `hinge` or `crf` for solutions, `spo+` for thetas, or an object;
        `evaluations` are passes over the instances, 100 by default.

        Either way, `neural` or a `Neural` object learns a network on top of a linear model.

        `learn_decoder` is the decoder used while learning. A share `validation` of the instances (none below 5)
        chooses among the best weights. With `journal`, a run that was stopped goes on where it was. The result depends
        on the data, the options and the seed alone.

        By experience, `cluster` evaluates on a Ray cluster: `HOST:PORT`, `ray://HOST:PORT`, or `auto`, the one that
        RAY_ADDRESS names, else Ray started on this machine. `workers` are then the threads on each of its nodes.
        """
        from colayer.learning.fit import fit_by_experience
        from colayer.learning.fit_demonstration import demonstration_method, fit_by_demonstration
        from colayer.neural.fit import fit_neural
        from colayer.neural.method import Neural

        shared: dict[str, Any] = {
            "seed": seed,
            "learn_decoder": learn_decoder,
            "validation": validation,
            "workers": workers,
            "journal": journal,
            "time_limit": time_limit,
            "callback": callback,
            "progress": progress,
        }
        known: dict[str, Any] = {"solutions": solutions, "thetas": thetas}
        network = Neural() if method == "neural" else method if isinstance(method, Neural) else None
        imitation = None if network is not None else demonstration_method(method, solutions, thetas)
        if cluster is not None and (chosen := network or imitation) is not None:
            raise OptionError(f"has no meaning for {chosen.name}, which learns on this machine", where="--cluster")
        if network is not None:
            if sigma != 0:
                raise OptionError("has no meaning for neural, whose spread perturbs theta", where="--sigma")
            learned = fit_neural(
                self.problem, instances, method=network, evaluations=evaluations, radius=radius, **known, **shared
            )
        elif imitation is not None:
            for option, given in (("--radius", radius is not None), ("--sigma", sigma != 0)):
                if given:
                    raise OptionError(
                        f"has no meaning for {imitation.name}, which learns by demonstration", where=option
                    )
            learned = fit_by_demonstration(
                self.problem, instances, method=imitation, evaluations=evaluations, **known, **shared
            )
        else:
            learned = fit_by_experience(
                self.problem,
                instances,
                method=method,
                evaluations=1000 if evaluations is None else evaluations,
                radius=radius,
                sigma=sigma,
                samples=samples,
                cluster=cluster,
                **shared,
            )
        self._model = learned.model
        self.loss_ = learned.loss
        self.validation_loss_ = learned.validation_loss
        self.history_ = learned.history
        return self

    def solve(self, instance: Any, *, samples: int = 0, sigma: float = 1.0, seed: int = 0) -> Solved:
        """The best solution over the weights w, the perturbed w + σZ_1, …, w + σZ_samples and, if `safe`, w̃."""
        _check_perturbation(samples, sigma, seed)
        begin = time.perf_counter()
        problem, model = self.problem, self.model
        rows = model.weights[None, :]
        if samples:
            rows = np.vstack([rows, model.weights + sigma * draws(seed, samples, len(model.weights))])
        features = features_of(problem, instance)
        blocks = theta_blocks(features, model.raw(rows), model.correction(features))
        found = ((first, *problem.best(block, instance, seed)) for first, block in blocks)
        first, row, solution, cost = min(found, key=lambda best: best[3])  # the first at equal cost
        row = row if row < 0 else first + row
        source = {0: "learned", -1: "combined"}.get(row, f"sample {row}")
        safe_weights = safe_weights_of(problem) if self.safe else None
        if safe_weights is not None:
            safe_solution, safe_cost = decoded(problem, thetas(features, safe_weights[None, :])[0], instance)
            if safe_cost < cost:
                solution, cost, source = safe_solution, safe_cost, "safe"
        seconds = time.perf_counter() - begin
        bound = problem.bound(instance)
        bound = None if bound is None else float(bound)
        return Solved(solution, cost, bound, gap(cost, bound), seconds, source)

    def solve_many(
        self, instances: Sequence[Any], *, workers: int = 1, samples: int = 0, sigma: float = 1.0, seed: int = 0
    ) -> list[Solved]:
        """`solve` for each instance, `workers` at a time (threads: the compiled kernels run side by side)."""
        if workers < 1:
            raise OptionError(f"{workers} is out of range, expected at least 1", where="--workers")

        def one(instance: Any) -> Solved:
            return self.solve(instance, samples=samples, sigma=sigma, seed=seed)

        if workers == 1:
            return [one(instance) for instance in instances]
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(one, instances))

    def save(self, path: str | Path) -> None:
        """Write the model file (JSON)."""
        self.model.save(path)

    @classmethod
    def load(cls, path: str | Path, problem: Any = None, *, safe: bool = True) -> Self:
        """The pipeline of a model file. `problem` may have another decoder, but the same name and features."""
        from colayer.problems import find_problem, problem_names

        model = read_model(path)
        if problem is None:
            if model.problem not in problem_names():  # a file never makes us import a module of its choice
                known = ", ".join(problem_names())
                raise InputError(f"{model.problem!r} is not one of {known}: pass problem=", where=f"{path}: problem")
            try:
                problem = find_problem(model.problem, **model.options)
            except ColayerError as error:
                raise InputError(str(error), where=f"{path}: options") from None
        problem = completed(problem)
        try:
            return cls.from_model(problem, model, safe=safe)
        except InputError as error:
            raise error.at(str(path)) from None

    @classmethod
    def from_model(cls, problem: Any, model: LinearModel, *, safe: bool = True) -> Self:
        """A pipeline with the weights of `model`, refused where they were not made for this problem's features."""
        problem = completed(problem)
        pipeline = cls(problem, weights=np.zeros(len(problem.feature_names)), safe=safe)
        pipeline._model = _checked(model, problem)
        return pipeline

    def _raw_model(self, weights: ArrayLike, provenance: dict[str, Any]) -> LinearModel:
        names = tuple(self.problem.feature_names)
        return LinearModel(
            names, np.asarray(weights), np.ones(len(names)), self.problem.name, self.problem.options, provenance
        )


def pretrained(problem: Any) -> LinearModel | None:
    """The weights shipped for this problem and its options, or None.

    Where none were learned through the problem's decoder, those for the same features through the plainest one.
    """
    folder = importlib.resources.files("colayer.pretrained")
    chosen = [problem.options]
    if problem.decoders and "decoder" in problem.options:
        chosen.append({**problem.options, "decoder": problem.decoders[0]})
    for options in chosen:
        shipped = folder.joinpath("-".join([problem.name, *(str(value) for value in options.values())]) + ".json")
        if shipped.is_file():
            with importlib.resources.as_file(shipped) as path:
                return read_model(path)
    return None


def _checked(model: LinearModel, problem: Any) -> LinearModel:
    """`model`, refused where it was not made for this problem and its features."""
    if model.problem != problem.name:
        raise InputError(f"a model for {model.problem!r}, expected one for {problem.name!r}", where="problem")
    if model.feature_names != tuple(problem.feature_names):
        raise InputError(
            f"{len(model.feature_names)} features that are not "
            f"those of {_title(problem)}, {len(problem.feature_names)} of them",
            where="feature_names",
        )
    return model


def _title(problem: Any) -> str:
    options = ", ".join(f"{key}={value}" for key, value in problem.options.items())
    return f"{problem.name} ({options})" if options else str(problem.name)


def _check_perturbation(samples: int, sigma: float, seed: int) -> None:
    if seed < 0:
        raise OptionError(f"{seed} is out of range, expected at least 0", where="--seed")
    if samples < 0:
        raise OptionError(f"{samples} is out of range, expected at least 0", where="--samples")
    if not 0 <= sigma <= LARGEST:
        raise OptionError(f"{sigma} is out of range, expected a number from 0 to {LARGEST:g}", where="--sigma")
