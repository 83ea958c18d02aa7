"""Pipeline: a problem with its weights. `fit` learns them, `solve` uses them, `save` and `load` keep them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, Self

from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats
from colayer._runtime.threads import Threads, limited
from colayer.dynamic.protocol import Dynamic
from colayer.errors import InputError, OptionError
from colayer.evaluators.base import Backend, Device
from colayer.learning.learner import Learner, MethodName, TrainingJob, check_uses, learner_for
from colayer.learning.run import Evaluation
from colayer.learning.search.optimizer import Optimizer
from colayer.learning.settings import Settings, check_whole
from colayer.models import Model, read_model
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.instances import numbering
from colayer.problem.protocol import Problem, X, Y, Z
from colayer.problem.rounds import check_rounds
from colayer.solving import compatibility
from colayer.solving.days import decide
from colayer.solving.solve import SolveOptions, solve_instance
from colayer.solving.solved import Solved

__all__ = ["Pipeline", "Solved"]


class Pipeline(Generic[X, Y, Z]):
    """A problem with its weights: instance → features → θ → layer → decoder → solution.

    Parameters
    ----------
    problem
        The problem.
    weights
        Weights in raw feature units; by default those shipped for the problem and its options, else its safe weights,
        with a warning.
    portfolio
        Further weight vectors for `solve(candidates=…)`, a row each, in raw feature units; the weights come first.
    safe
        Whether `solve` also tries the safe weights, whose guarantee is then kept; and beside a network its linear
        model, so that the network is never worse.
    """

    def __init__(
        self,
        problem: Problem[X, Y, Z] | Dynamic,
        weights: ArrayLike | None = None,
        *,
        portfolio: ArrayLike | None = None,
        safe: bool = True,
    ) -> None:
        #: The problem as everything behind the public methods takes it.
        self.bound_problem: BoundProblem[X, Y, Z] = bind(problem)
        self.problem: Problem[X, Y, Z] = self.bound_problem.problem
        self.safe = safe
        self.loss_: float | None = None
        self.validation_loss_: float | None = None
        self.history_: tuple[Evaluation, ...] = ()
        #: How many of the evaluations came from the journal.
        self.recalled_ = 0
        self._model: Model | None = compatibility.given_model(self.bound_problem, weights, portfolio)
        self._weights_from = None if weights is None else "given"

    def __repr__(self) -> str:
        return f"Pipeline({self.problem!r}, {self.weights_from} weights{'' if self.safe else ', safe=False'})"

    @property
    def weights_from(self) -> str:
        """The source of the weights: "given", "fitted", "loaded", "shipped", "safe"; "no" if there are none yet."""
        return self._weights_from or compatibility.default_source(self.bound_problem)

    @property
    def model(self) -> Model:
        """The model in use; looked up when it is first needed, where no weights were given or learned."""
        if self._model is None:
            self._model = compatibility.default_model(self.bound_problem)
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
        solutions: Sequence[Z] | Literal["hindsight"] | None = None,
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
        module: Any = None,
    ) -> Self:
        """Learn weights: by experience, or by demonstration from `solutions` or true `thetas`.

        By experience, minimise the mean loss, plain or perturbed (`sigma` > 0). By demonstration, minimise how far the
        layer is from the known answers. The result depends on the data, the options and the seed alone.

        Parameters
        ----------
        instances
            What to learn from.
        solutions, thetas
            Known solutions, or true θ, one per instance; pass either, or neither to learn by experience. Of days,
            "hindsight" labels states on its own way, then (DAgger) those that the policy visits.
        method
            By experience `auto`, `srl`, `direct`, `cma-es`, `sgd`, `bayes`; from solutions `fenchel-young`, `hinge`,
            `crf`; from thetas `spo+`; `neural` learns a network on top of a linear model. Or a learner object, or an
            optimiser of your own (an object with `minimize`).
        evaluations
            Budget: evaluations by experience (1000 by default), passes over the instances by demonstration (100).
        seed
            Seed of all random choices.
        radius
            Radius of the L∞ ball of weights that is searched, in model units.
        sigma, samples
            Width and number of the draws of the perturbed loss; `"theory"` takes the σ of the best guarantee.
        learn_decoder
            The decoder used while learning.
        validation
            Share of the instances (none below 5) held out to choose among the best weights.
        workers, device, cluster
            Where losses are computed: threads or processes of this machine, a GPU, or a Ray cluster (`HOST:PORT`, or
            `auto`: the one that RAY_ADDRESS names, else Ray started here; `workers` are then threads of each node).
        journal, time_limit
            A file of evaluations, from which a stopped run goes on; seconds after which learning ends.
        callback, progress
            Called with each evaluation; whether to show a progress bar.
        portfolio
            Weight vectors kept in the model that are good together (see `solve`); 1 leaves them out.
        rounds
            Rounds of a solve, where features take the solution of the round before: the best of them counts.
        module
            A torch module in the place of W·context + b: a copy is trained, to known answers, then for decisions.
        """
        if solutions is not None and thetas is not None:
            raise OptionError("pass either solutions or thetas, not both", where="solutions")
        instances = self.bound_problem.check_instances(instances)
        learner = learner_for(method, "solutions" if solutions is not None else "costs" if thetas is None else "thetas")
        given = {"radius": radius is not None, "sigma": sigma != 0, "cluster": cluster is not None}
        check_uses(learner, {**given, "device": device == "cuda", "rounds": rounds != 1})
        check_rounds(self.bound_problem, rounds)
        settings = Settings(
            evaluations=evaluations, seed=seed, radius=radius, sigma=sigma, samples=samples,
            learn_decoder=learn_decoder, validation=validation, journal=journal, time_limit=time_limit,
            callback=callback, progress=progress, portfolio=portfolio, rounds=rounds,
        )  # fmt: skip
        backend = Backend(workers, device, cluster)
        job = TrainingJob(self.bound_problem, instances, settings, backend, solutions, thetas, module)
        with limited(workers), numbering(instances):
            fitted = learner.fit(job)
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
        bound: bool = True,
    ) -> Solved[Z]:
        """Return the best solution over members of the portfolio, draws around the weights, and the safe weights.

        Parameters
        ----------
        instance
            The instance to solve.
        candidates
            Members of the model's portfolio to try: those that its selector finds most promising for this instance, or,
            without one, the weights w and those after them. Draws stand in for missing members.
        samples
            Draws w + σZ to try as well.
        sigma
            σ of the draws, in model units; by default the one that belongs to the model.
        seed
            Seed of the draws.
        rounds
            Rounds in which features see the solution of the round before, where they take one; by default as many as
            the model was learned with. Members then take turns, `candidates` of them in each round.
        time_limit
            Seconds: the problem's quickest rule, the weights, the safe ones, all members, then draws around those that
            did best, in as many rounds as there is time for; the bound last, None if there is no time for it. One
            solution is always found. A method of yours is never interrupted.
        bound
            Whether to compute the problem's lower bound, and the gap to it.
        """
        options = SolveOptions(candidates, samples, sigma, seed, rounds, time_limit, bound)
        return solve_instance(self.bound_problem, self.model, instance, options, safe=self.safe)

    def decide(self, state: Any, *, candidates: int = 1, seed: int = 0, **budget: Any) -> Any:
        """Return the decision in one state of a dynamic problem, or for a context: a vector, a sample, or rows of them.

        With several `candidates`, weights around the model's are tried on drawn days that could follow. A layer that
        searches (`DynamicRouting`) takes a budget, such as `seconds=10, threads=2`.
        """
        return decide(self.bound_problem.variant(**budget), self.model, state, candidates, seed)

    def solve_many(self, instances: Sequence[X], *, workers: int = 1, **options: Any) -> list[Solved[Z]]:
        """Solve each instance, `workers` at a time (threads: compiled kernels run side by side)."""
        check_whole("--workers", workers, 1)
        instances = self.bound_problem.check_instances(instances)
        solve: Callable[[X], Solved[Z]] = partial(self.solve, **options)
        with numbering(instances):
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
        problem: Problem[X, Y, Z] | Dynamic | None = None,
        *,
        decoder: str | None = None,
        safe: bool = True,
    ) -> Self:
        """Return the pipeline of a model file, through the model's decoder or another `decoder`.

        Parameters
        ----------
        path
            The model file.
        problem
            Needed for a problem of your own. Options that differ from its defaults win over those of the model.
        decoder, safe
            Another decoder than the model's; whether `solve` also tries the safe weights.
        """
        model = read_model(path)
        try:
            found = compatibility.problem_of_model(model, None if problem is None else bind(problem), keep=True)
            return cls.from_model(found.variant(decoder=decoder), model, safe=safe)
        except InputError as error:
            raise error.at(str(path)) from None

    @classmethod
    def from_model(cls, problem: Problem[X, Y, Z] | Dynamic, model: Model, *, safe: bool = True) -> Self:
        """Return a pipeline with the weights of `model`; refuse one made for other features."""
        pipeline = cls(problem, safe=safe)
        pipeline._model = compatibility.require_model_for(pipeline.bound_problem, model)
        pipeline._weights_from = "loaded"
        return pipeline
