"""Bayesian optimisation in a trust region: a Gaussian process of the loss near the best weights says where to look.

Eriksson, Pearce, Gardner, Turner and Poloczek (2019), Scalable global optimization via local Bayesian optimization
(TuRBO), with one trust region and Thompson sampling; the process is BoTorch's, with a Matérn 5/2 kernel of one length
a weight (ARD) whose prior grows with √d (Hvarfner, Hellsten and Nardi, 2024, Vanilla Bayesian optimization performs
great in high dimensions). The extra `bayes` brings BoTorch.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.errors import OptionError, need_extra
from colayer.learning.learner import Fitted, TrainingJob
from colayer.learning.options import at_least_one
from colayer.learning.search.fit import Experience
from colayer.learning.search.optimizer import Evaluate, Portion, Task, ball
from colayer.problem.protocol import X, Y, Z

# as in TuRBO: first and largest side of the trust region, as a share of the ball's; where it is given up, as a share of
# the first; successes in a row that double it
_FIRST, _LARGEST = 0.8, 1.6
_GIVEN_UP = 0.5**7
_SUCCESSES = 3
#: First side of a trust region around safe weights, as a share of their root mean square.
_FROM_SAFE = 0.1
#: Weights that a candidate changes, in the mean.
_CHANGED = 20
#: Candidates among which Thompson sampling chooses.
_CANDIDATES = 2000
#: Added to the variance of a standardised loss, so that 2000 neighbours have a covariance that can be factored.
_JITTER = 1e-6
#: Losses further above the median than this times what the best lies below it are clipped.
_WORST = 3.0


@dataclass(frozen=True)
class Bayes(Experience):
    """TuRBO with one trust region, in the L∞ ball of the task's radius.

    The first evaluation is that of the task's safe weights, where it has some; a scrambled Sobol design of `initial`
    points follows (by default d, at most an eighth of the evaluations), in the first trust region around them, or in
    the whole ball where there are none. Then each round asks for `batch` weights, in one batch, from a trust region
    around the best, whose sides are proportional to the lengths of the kernel. The first side, `length` times the
    diameter of the ball, is by default 0.8, or around safe weights a tenth of their root mean square: a large first
    step forgets a good start. It doubles after 3 rounds in a row that improve and halves after d/batch (at least
    4/batch) that do not. After seven halvings, the search starts again from the best with a new design. The process is
    conditioned on the `points` evaluations that are nearest to the best, and its hyperparameters are fitted anew when
    the region changes its size and every `refit` rounds, so that the time of a round does not grow.

    Where the safe weights lie outside the ball, the search keeps to the ball of twice their largest weight. Linear
    algebra runs in one thread: its last bits, and so the weights asked for, depend on the processor, but not on the
    number of its cores.
    """

    batch: int = 8
    initial: int | None = None
    length: float | None = None
    points: int = 256
    refit: int = 10

    name: ClassVar[str] = "bayes"

    def __post_init__(self) -> None:
        at_least_one(self, "batch", "points", "refit", "initial")
        if self.length is not None and not 0.0 < self.length <= _LARGEST:
            raise OptionError(
                f"length {self.length} is out of range, expected > 0 and at most {_LARGEST}", where="--method"
            )

    def fit(self, job: TrainingJob[X, Y, Z]) -> Fitted:
        """Learn, if BoTorch is there."""
        need_botorch()
        return super().fit(job)

    def minimize(self, evaluate: Evaluate, task: Task) -> None:
        """Search until the evaluations of the task are spent."""
        need_botorch()
        radius = task.radius if task.safe is None else ball(task, task.safe)

        def search(portion: Portion) -> None:
            if task.safe is not None:
                portion(task.safe[None, :])
            restarts = 0
            while True:
                self._descend(portion, task, radius, restarts)
                restarts += 1

        Portion(evaluate, task.evaluations).spend(search)

    def _descend(self, portion: Portion, task: Task, radius: float, restarts: int) -> None:
        """One trust region, from its design until it is too small. X are weights as points of the unit cube."""
        random = seeds.generator(task.seed, seeds.BAYES, restarts)
        length = first = self._first(task, radius)
        X = self._design(task, portion, radius, length, random)
        losses = portion(_weights(X, radius))
        if portion.best is not None and portion.loss < losses.min():  # what a region before this one has found
            X, losses = np.vstack([_points(portion.best, radius), X]), np.concatenate([[portion.loss], losses])
        process = _Process()
        successes = failures = rounds = 0
        while length >= _GIVEN_UP * first:
            centre, least = X[np.argmin(losses)], losses.min()
            near = self._nearest(X, centre)
            with _undisturbed():
                process.condition((X[near] - centre) / length, losses[near], refit=rounds % self.refit == 0)
                steps = process.thompson(_box(centre, length, process.sides()), self.batch, random)
            asked = np.clip(centre + length * steps, 0.0, 1.0)
            X, losses = np.vstack([X, asked]), np.concatenate([losses, portion(_weights(asked, radius))])
            rounds += 1
            improved = losses[-self.batch :].min() < least
            successes, failures = (successes + 1, 0) if improved else (0, failures + 1)
            if successes == _SUCCESSES:
                length, successes, rounds = min(2.0 * length, _LARGEST), 0, 0
            elif failures == math.ceil(max(4, task.dimension) / self.batch):
                length, failures, rounds = length / 2.0, 0, 0

    def _first(self, task: Task, radius: float) -> float:
        """The first side of the trust region, as a share of the ball's."""
        if self.length is not None or task.safe is None or not task.safe.any():
            return self.length or _FIRST
        return min(_FIRST, _FROM_SAFE * float(np.sqrt(np.mean(task.safe**2))) / (2.0 * radius))

    def _design(
        self, task: Task, portion: Portion, radius: float, length: float, random: np.random.Generator
    ) -> Floats:
        """A scrambled Sobol design: of the first trust region, or of the whole ball where nothing is known."""
        from torch.quasirandom import SobolEngine

        count = self.initial or max(1, min(task.dimension, task.evaluations // 8))
        engine = SobolEngine(task.dimension, scramble=True, seed=int(random.integers(2**31)))
        with _undisturbed():
            unit: Floats = engine.draw(count).double().numpy()
        if portion.best is None:
            return unit
        centre = _points(portion.best, radius)
        low, high = _box(centre, length, np.ones(task.dimension))
        return np.asarray(centre + length * (low + (high - low) * unit))

    def _nearest(self, X: Floats, centre: Floats) -> Any:
        """The points nearest to the centre in the maximum norm, in the order they were asked for."""
        distance = np.abs(X - centre).max(axis=1)
        return np.sort(np.argsort(distance, kind="stable")[: self.points])


def need_botorch() -> None:
    """Refuse with the pip command where BoTorch is missing."""
    need_extra("botorch", "bayes needs BoTorch", "bayes", where="--method")


def _points(W: Floats, radius: float) -> Floats:
    """Weights as points of the unit cube."""
    return W / (2.0 * radius) + 0.5


def _weights(X: Floats, radius: float) -> Floats:
    return np.clip((X - 0.5) * (2.0 * radius), -radius, radius)


def _box(centre: Floats, length: float, sides: Floats) -> tuple[Floats, Floats]:
    """The trust region, of the unit cube only what lies in it, with the centre moved to 0 and divided by `length`."""
    return np.maximum(-sides / 2.0, -centre / length), np.minimum(sides / 2.0, (1.0 - centre) / length)


def _standard(losses: Floats) -> Floats:
    """Losses with mean 0 and deviation 1; those far above the median count as equally bad."""
    middle = float(np.median(losses))
    clipped = np.minimum(losses, middle + _WORST * (middle - float(losses.min())))
    spread = float(clipped.std())
    return np.asarray((clipped - clipped.mean()) / (spread or 1.0))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """One thread, seeded, without warnings of the fit; torch's global settings and generator are left as they were."""
    import torch
    from botorch.exceptions.warnings import BotorchWarning
    from botorch.settings import validate_input_scaling

    from colayer.learning.network.device import one_thread

    with one_thread(), torch.random.fork_rng(devices=[]), validate_input_scaling(False), warnings.catch_warnings():
        # a fit that ends at its limit of iterations, and inputs beyond the unit cube, are both meant
        warnings.simplefilter("ignore", BotorchWarning)
        torch.default_generator.manual_seed(0)
        yield


class _Process:
    """A Gaussian process whose hyperparameters are kept from one set of points to the next."""

    def __init__(self) -> None:
        self._model: Any = None

    def condition(self, X: Floats, losses: Floats, *, refit: bool) -> None:
        """Condition on the losses at the rows of X; fit the hyperparameters, from those there are, if `refit`."""
        import torch
        from botorch.models import SingleTaskGP
        from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior
        from botorch.optim.fit import fit_gpytorch_mll_scipy
        from gpytorch.mlls import ExactMarginalLogLikelihood

        former = self._model
        self._model = SingleTaskGP(
            torch.tensor(X),
            torch.tensor(_standard(losses))[:, None],
            covar_module=get_covar_module_with_dim_scaled_prior(ard_num_dims=X.shape[1], use_rbf_kernel=False),
            outcome_transform=None,
        )
        if former is not None:
            self._model.load_state_dict(former.state_dict())
        if refit or former is None:
            mll = ExactMarginalLogLikelihood(self._model.likelihood, self._model)
            mll.train()
            fit_gpytorch_mll_scipy(mll, options={"maxiter": 50})
        self._model.eval()

    def sides(self) -> Floats:
        """The lengths of the kernel, relative to their geometric mean."""
        lengths: Floats = self._model.covar_module.lengthscale.detach().numpy().ravel()
        return np.asarray(lengths / math.exp(float(np.log(lengths).mean())))

    def thompson(self, box: tuple[Floats, Floats], count: int, random: np.random.Generator) -> Floats:
        """`count` candidates of the box, each the best under a draw of its own of the process, all different."""
        import torch

        low, high = box
        d = len(low)
        changed = random.random((_CANDIDATES, d)) < min(1.0, _CHANGED / d)
        changed[np.arange(_CANDIDATES), random.integers(d, size=_CANDIDATES)] = True
        candidates = np.where(changed, low + (high - low) * random.random((_CANDIDATES, d)), 0.0)
        with torch.no_grad():
            posterior = self._model.posterior(torch.tensor(candidates)).distribution
            root = torch.linalg.cholesky(
                posterior.covariance_matrix + _JITTER * torch.eye(_CANDIDATES, dtype=torch.float64)
            )
            draws = posterior.mean + (root @ torch.tensor(random.standard_normal((_CANDIDATES, count)))).T
        taken: list[int] = []
        for draw in draws.numpy():
            draw[taken] = np.inf
            taken.append(int(np.argmin(draw)))
        return candidates[taken]
