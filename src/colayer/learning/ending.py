"""The end of a linear run: with the weights goes the σ of their draws, and a portfolio."""

from __future__ import annotations

import numpy as np

from colayer.evaluators.base import Evaluator
from colayer.learning.learner import Ending, Lesson
from colayer.learning.portfolio import choose_portfolio
from colayer.learning.run import Run
from colayer.learning.spread import choose_sigma
from colayer.problem import Floats, X, Y, Z


def conclude(
    lesson: Lesson[X, Y, Z],
    run: Run,
    weights: Floats,
    scale: Floats,
    training: Evaluator,
    held_out: Evaluator | None,
) -> Ending:
    """σ is chosen on the instances held out, the portfolio on all; neither where the time is over."""
    if run.out_of_time:
        return Ending(None, np.empty((0, len(weights))))
    sigma = choose_sigma(training if held_out is None else held_out, weights, scale, lesson.seed)
    evaluators = [training] if held_out is None else [training, held_out]
    count = int(lesson.settings.portfolio)
    return Ending(sigma, choose_portfolio(evaluators, run.visited, weights, scale, lesson.seed, count))
