"""Pipeline: a problem with its weights. `fit` learns them, `solve` uses them, `save` and `load` keep them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, Self

from numpy.typing import ArrayLike, NDArray

from colayer._runtime.clock import clock
from colayer._runtime.threads import Threads, limited
from colayer.analysis.loss_profile import POINTS, LossProfile, loss_profile
from colayer.errors import InputError, OptionError
from colayer.evaluators.base import Backend, Device
from colayer.io.columns import check_instance, checked_instances
from colayer.learning.learner import Learner, Lesson, MethodName, check_uses, learner_for
from colayer.learning.perturbation import LARGEST
from colayer.learning.run import Evaluation
from colayer.learning.search.optimizer import Optimizer
from colayer.learning.settings import Settings, as_float, check_number, check_whole
from colayer.models import Model, read_model, thetas
from colayer.problem.abilities import bound_of
from colayer.problem.compose import decoded, features_of
from colayer.problem.gap import gap
from colayer.problem.protocol import Floats, Problem, X, Y, Z, declared, variant
from colayer.problem.rounds import MOST, check_rounds
from colayer.solving.candidates import Candidates, Found, fixed_rows, rows_of_rounds
from colayer.solving.compatibility import checked, default_model, default_source, problem_of_model, raw_model
from colayer.solving.solved import Origin, Solved

__all__ = ["LONGEST", "Pipeline", "Solved"]

#: Seconds of a time limit at most: what a clock can count.
LONGEST = 1e9


class Pipeline(Generic[X, Y, Z]):
    """instance → features → θ → layer → decoder → solution.

    Without `weights`, those shipped for the problem and its options are used; where there are none, the problem's
    safe weights, with a warning. `weights` are taken in raw feature units. With `safe=True`, `solve` also decodes
    the safe weights and returns the better solution, so that their guarantee is kept; where the model is a network
    with a linear model to fall back on, that one too, so that the network is never worse than it.
    """

    def __init__(self, problem: Problem[X, Y, Z], weights: ArrayLike | None = None, *, safe: bool = True) -> None:
        known = declared(problem)
        self.problem = problem
        self.safe = safe
        self._safe_weights, self._looks_back = known.safe_weights, known.looks_back
        self.loss_: float | None = None
        self.validation_loss_: float | None = None
        self.history_: tuple[Evaluation, ...] = ()
        #: How many of the evaluations came from the journal.
        self.recalled_ = 0
        self._model: Model | None = None if weights is None else raw_model(known, weights, "given")
        self._weights_from = None if weights is None else "given"

    def __repr__(self) -> str:
        return f"Pipeline({self.problem!r}, {self.weights_from} weights{'' if self.safe else ', safe=False'})"

    @property
    def weights_from(self) -> str:
        """Whose the weights are: "given", "fitted", "loaded", "shipped", "safe", or "no" where there are none yet."""
        return self._weights_from or default_source(self.problem)

    @property
    def model(self) -> Model:
        """The model in use; looked up when it is first needed, where no weights were given or learned."""
        if self._model is None:
            self._model = default_model(self.problem)
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
        method: MethodName | Learner | Optimizer = "auto",
        evaluations: int | None = None,
        seed: int = 0,
        radius: float | None = None,
        sigma: float | Literal["theory"] = 0.0,
        samples: int = 100,
        learn_decoder: str | None = None,
        validation: float = 0.2,
        workers: int | None = None,
        device: Device = "cpu",
        cluster: str | None = None,
        journal: str | Path | None = None,
        time_limit: float | None = None,
        callback: Callable[[Evaluation], None] | None = None,
        progress: bool = False,
        portfolio: int = 32,
        rounds: int = 1,
    ) -> Self:
        """Learn weights, by experience, or by demonstration where `solutions` or true `thetas` are given.

        By experience: minimise the mean loss over the instances, plain or perturbed (σ > 0; `sigma="theory"`: the σ of
        the best guarantee, for problems with a proven ratio). `method` is a name (`auto`, `srl`, `direct`,
        `cma-es`, `sgd`, `bayes`) or an optimiser object, `evaluations` its budget, 1000 by default. The search is in
        the L∞ ball of `radius`, in model units.

        By demonstration: minimise the mean of a loss that says how far the layer is from the known answers, one per
        instance. `method` is `fenchel-young`, `hinge` or `crf` for solutions, `spo+` for thetas, or an object;
        `evaluations` are passes over the instances, 100 by default.

        Either way, `neural` or a `Neural` object learns a network on top of a linear model.

        `learn_decoder` is the decoder used while learning. A share `validation` of the instances (none below 5)
        chooses among the best weights. With them go up to `portfolio` weight vectors that are good together, chosen
        from those evaluated and from draws that take an eighth more (see `solve`); 1 leaves them out. Where features
        take the solution of the round before, the loss is that of the best of `rounds` rounds. With `journal`, a
        run that was stopped goes on where it was. The result depends on the data, the options and the seed alone.

        By experience, `cluster` evaluates on a Ray cluster: `HOST:PORT`, `ray://HOST:PORT`, or `auto`, the one that
        RAY_ADDRESS names, else Ray started on this machine. `workers` are then the threads on each of its nodes.
        """
        if solutions is not None and thetas is not None:
            raise OptionError("given with thetas, expected one of them", where="solutions")
        instances = checked_instances(self.problem, instances)
        learner = learner_for(method, "solutions" if solutions is not None else "costs" if thetas is None else "thetas")
        given = {"radius": radius is not None, "sigma": sigma != 0, "cluster": cluster is not None}
        check_uses(learner, {**given, "device": device == "cuda", "rounds": rounds != 1})
        check_rounds(self.problem, rounds)
        settings = Settings(
            evaluations=evaluations, seed=seed, radius=radius, sigma=sigma, samples=samples,
            learn_decoder=learn_decoder, validation=validation, journal=journal, time_limit=time_limit,
            callback=callback, progress=progress, portfolio=portfolio, rounds=rounds,
        )  # fmt: skip
        backend = Backend(workers, device, cluster)
        with limited(workers):
            fitted = learner.fit(Lesson(self.problem, instances, settings, backend, solutions, thetas))
        self._model, self.history_, self._weights_from = fitted.model, fitted.history, "fitted"
        self.loss_, self.validation_loss_, self.recalled_ = fitted.loss, fitted.validation_loss, fitted.recalled
        return self

    def solve(
        self,
        instance: X,
        *,
        candidates: int = 1,
        samples: int = 0,
        sigma: float | None = None,
        seed: int = 0,
        rounds: int | None = None,
        time_limit: float | None = None,
    ) -> Solved[Z]:
        """The best solution over `candidates` members of the portfolio, `samples` draws, and the safe weights.

        The first member are the weights w; draws are w + σZ. σ is in model units; without `sigma` it is the one that
        belongs to the model. Where the portfolio has fewer members, draws stand in for them.

        Where features take the solution of the round before, all this is done in `rounds` rounds: by default as many
        as the model was learned with. Members then take turns, `candidates` of them in each round.

        With `time_limit`, in seconds, all members are tried, then draws around those that did best, in as many rounds
        as there is time for; one solution is always found.
        """
        _check_candidates(candidates, samples, sigma, seed, time_limit)
        check_instance(self.problem, instance)
        begin, deadline = clock(), clock() + (time_limit or 0.0)
        problem, model = self.problem, self.model
        turns = self._rounds(rounds, anytime=time_limit is not None)
        features = features_of(problem, instance)
        tried = Candidates(problem, model, instance, features, seed)
        others = self._others(features, instance)
        if time_limit is not None:
            rows, names = fixed_rows(model, max(candidates, len(model.portfolio)), samples, sigma, seed)
            *_, found = tried.until(deadline, rows, names, sigma, turns)
        elif turns > 1:
            rows_of, alone = rows_of_rounds(model, candidates, samples, sigma, seed), candidates + samples == 1
            *_, found = tried.in_rounds(turns, rows_of, alone=alone)
        else:
            found = tried.best(*fixed_rows(model, candidates, samples, sigma, seed))
        for other in others:
            found = replace(other if other.cost < found.cost else found, tried=found.tried + 1, rounds=found.rounds)
        seconds = clock() - begin
        bound = bound_of(problem, instance)
        return Solved(
            found.solution, found.cost, bound, gap(found.cost, bound), seconds, found.source,
            candidates=found.tried, origin=Origin(problem, instance), rounds=found.rounds,
        )  # fmt: skip

    def _rounds(self, rounds: int | None, anytime: bool) -> int:
        """How many: as asked for, else what the model was learned with, or what the time allows."""
        if rounds is not None:
            if rounds != 1:
                check_rounds(self.problem, rounds)
            return rounds
        if not self._looks_back:
            return 1
        return MOST if anytime else self.model.rounds

    def _others(self, features: NDArray[Any], instance: X) -> list[Found[Z]]:
        """Where safety is asked for: the solutions of the safe weights and of the linear model beside a network."""
        kept = {"safe": self._safe_weights, "linear": self.model.linear_fallback} if self.safe else {}
        return [
            Found(*decoded(self.problem, thetas(features, weights[None, :])[0], instance), source, 1)
            for source, weights in kept.items()
            if weights is not None
        ]

    def solve_many(self, instances: Sequence[X], *, workers: int = 1, **options: Any) -> list[Solved[Z]]:
        """`solve` for each instance, `workers` at a time (threads: the compiled kernels run side by side)."""
        check_whole("--workers", workers, 1)
        instances = checked_instances(self.problem, instances)
        solve: Callable[[X], Solved[Z]] = partial(self.solve, **options)
        if len(instances) == 1:  # its kernels may use all the threads
            with limited(workers):
                return [solve(instances[0])]
        with Threads(workers) as threads:
            return threads.map(solve, instances)

    def loss_along(
        self,
        instances: Sequence[X],
        direction: str | ArrayLike,
        *,
        reach: float | None = None,
        points: int = POINTS,
        workers: int | None = None,
    ) -> LossProfile:
        """Return the mean losses of w + t·d over the instances at `points` equally spaced t, from −reach to reach.

        `direction` d is the name of a feature, whose weight then changes by t, or a vector in model units. By default
        t·d becomes as long as w.
        """
        instances = checked_instances(self.problem, instances)
        backend = Backend(workers)
        return loss_profile(self.model, self.problem, instances, direction, reach=reach, points=points, backend=backend)

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
        pipeline._model, pipeline._weights_from = checked(model, declared(problem)), "loaded"
        return pipeline


def _check_candidates(candidates: int, samples: int, sigma: float | None, seed: int, time_limit: float | None) -> None:
    check_whole("--seed", seed, 0)
    check_whole("--candidates", candidates, 1)
    check_whole("--samples", samples, 0)
    within = sigma is None or 0 <= as_float(sigma) <= LARGEST
    check_number("--sigma", sigma, within, f"a number from 0 to {LARGEST:g}")
    waits = time_limit is None or 0 <= as_float(time_limit) <= LONGEST
    check_number("--time-limit", time_limit, waits, f"seconds from 0 to {LONGEST:g}")
