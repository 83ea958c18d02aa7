"""The end of a linear run: with the weights goes the σ of their draws, and a portfolio."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from colayer.evaluators.base import Evaluator
from colayer.evaluators.visit import Visits
from colayer.learning.learner import Ending, Lesson
from colayer.learning.portfolio import choose_portfolio
from colayer.learning.run import Run
from colayer.learning.schedule import choose_schedule
from colayer.learning.spread import choose_sigma
from colayer.problem import Floats, X, Y, Z


def conclude(
    lesson: Lesson[X, Y, Z],
    run: Run,
    weights: Floats,
    scale: Floats,
    training: Evaluator,
    held_out: Evaluator | None,
    visits: Callable[[], Visits] | None = None,
) -> Ending:
    """σ is chosen on the instances held out, the portfolio on all; neither where the time is over.

    For rounds the portfolio is a schedule, chosen on the training instances, which `visits` gives.
    """
    if run.out_of_time:
        return Ending(None, np.empty((0, len(weights))))
    sigma = choose_sigma(training if held_out is None else held_out, weights, scale, lesson.seed)
    evaluators = [training] if held_out is None else [training, held_out]
    count = int(lesson.settings.portfolio)
    if lesson.settings.rounds > 1 and visits is not None:
        learned = len(lesson.training), run.visited, weights, scale, lesson.seed, count
        return Ending(sigma, choose_schedule(visits(), *learned))
    return Ending(sigma, choose_portfolio(evaluators, run.visited, weights, scale, lesson.seed, count))
