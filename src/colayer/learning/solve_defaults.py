"""The end of a linear run: with the weights goes the σ of their draws, and a portfolio."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Evaluator
from colayer.evaluators.visit import Visits
from colayer.learning.learner import SolveDefaults, TrainingJob
from colayer.learning.portfolio import choose_portfolio
from colayer.learning.round_portfolio import RoundInstances, choose_round_portfolio
from colayer.learning.run import Run
from colayer.learning.sigma import choose_sigma
from colayer.problem.protocol import X, Y, Z


def choose_sigma_and_portfolio(
    job: TrainingJob[X, Y, Z],
    run: Run,
    weights: Floats,
    scale: Floats,
    training: Evaluator,
    held_out: Evaluator | None,
    round_parts: Sequence[tuple[Visits, int]] = (),
) -> SolveDefaults:
    """Choose σ on the instances held out and the portfolio on all; neither where the time is over.

    Where learned in rounds, it is chosen for the turns that its members take, on the instances of `round_parts`.
    """
    if run.out_of_time:
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
