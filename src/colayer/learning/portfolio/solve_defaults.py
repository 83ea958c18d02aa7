"""The end of a run: σ and a portfolio go with the weights, of a linear model and of a network beside one.

Draws around a network change the linear part of θ, and the network's part stays: θ + σΦZ. So σ is in model units, as
ever; what is tried are shares of the spread of θ, in which the norm of the weights, which may be 0, plays no part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Generic

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.threads import Threads
from colayer.evaluators.base import Evaluator
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.visit import Visits
from colayer.learning.journal import Record
from colayer.learning.learner import SolveDefaults, TrainingJob
from colayer.learning.portfolio.choose import choose_portfolio
from colayer.learning.portfolio.rounds import RoundInstances, choose_round_portfolio
from colayer.learning.portfolio.sigma import choose_sigma
from colayer.learning.run import Run
from colayer.models import ContextModel
from colayer.models.thetas import theta_blocks
from colayer.problem.protocol import X, Y, Z
from colayer.problem.theta import correction_of

#: What shares of σ are shares of, for a network: this part of the spread of θ, over the root of the number of features.
_PART = 0.1


def choose_sigma_and_portfolio(
    job: TrainingJob[X, Y, Z],
    run: Run,
    weights: Floats,
    scale: Floats,
    training: Evaluator,
    held_out: Evaluator | None,
    round_parts: Sequence[tuple[Visits, int]] = (),
) -> SolveDefaults:
    """Choose σ on the instances held out and the portfolio on all; neither where the time is over, or for days.

    Where learned in rounds, it is chosen for the turns that its members take, on the instances of `round_parts`.
    """
    if run.out_of_time or job.problem.dynamic:  # a day is played once
        return SolveDefaults(None, np.empty((0, len(weights))))
    sigma = choose_sigma(training if held_out is None else held_out, weights, scale, job.seed)
    evaluators = [training] if held_out is None else [training, held_out]
    count = int(job.settings.portfolio)
    if round_parts and count > 1:
        spent = sum(record.cost for record in run.visited)
        return SolveDefaults(
            sigma,
            choose_round_portfolio(RoundInstances(round_parts), job.problem, weights, scale, job.seed, count, spent),
        )
    return SolveDefaults(sigma, choose_portfolio(evaluators, run.visited, weights, scale, job.seed, count))


class Corrected(Generic[X, Y, Z]):
    """An evaluator of linear weights beside a network."""

    def __init__(
        self,
        data: LocalEvaluator[X, Y, Z],
        model: ContextModel,
        threads: Threads,
    ) -> None:
        self._data, self._threads, self._model = data, threads, model
        self._corrections = threads.map(self._correction, range(len(data.instances)))

    def _correction(self, x: int) -> Floats | None:
        return correction_of(self._data.problem, self._model, self._data.instances[x], self._data.features[x])

    def losses(self, weights: Floats) -> Floats:
        """See `Evaluator.losses`."""
        data = self._data

        def one(x: int) -> list[float]:
            blocks = theta_blocks(data.features[x], weights, self._corrections[x])
            many = (theta for _, block in blocks for theta in block)
            return [data.problem.solution_at(theta, data.instances[x])[1] / float(data.scales[x]) for theta in many]

        return np.ascontiguousarray(np.array(self._threads.map(one, range(len(data.instances)))).T)

    def length(self) -> float:
        """Return what σ are shares of: how long weights are whose θ have a part of the spread that θ has, or 0."""
        spreads = [
            float(block.std())
            for features, correction in zip(self._data.features, self._corrections, strict=True)
            for _, block in theta_blocks(features, self._model.raw()[None, :], correction)
        ]
        return _PART * float(np.median(spreads)) / math.sqrt(len(self._model.weights))

    def close(self) -> None:
        """Nothing to give back."""


def choose_for_network(
    training: Corrected[X, Y, Z],
    held_out: Corrected[X, Y, Z] | None,
    model: ContextModel,
    seed: int,
    spent: int,
    portfolio: int,
) -> SolveDefaults:
    """Choose σ on the instances held out and the portfolio on all; its draws take a part of what was `spent`."""
    length = training.length()
    evaluators = [training] if held_out is None else [training, held_out]
    sigma = choose_sigma(evaluators[-1], model.weights, model.feature_scale, seed, length)
    answer = Record(1, model.weights.tolist(), 0.0, None, cost=max(1, spent))
    members = choose_portfolio(
        evaluators, [answer], model.weights, model.feature_scale, seed, portfolio, length
    )  # fmt: skip
    return SolveDefaults(sigma, members)
