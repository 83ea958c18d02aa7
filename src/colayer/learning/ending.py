"""The end of a linear run: with the weights goes the σ of their draws, and a portfolio."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.evaluators.base import Evaluator
from colayer.evaluators.visit import Visits
from colayer.learning.learner import Ending, Lesson
from colayer.learning.portfolio import choose_portfolio
from colayer.learning.run import Run
from colayer.learning.spread import choose_sigma
from colayer.learning.turns import Instances, choose_in_turns
from colayer.problem.protocol import X, Y, Z


def conclude(
    lesson: Lesson[X, Y, Z],
    run: Run,
    weights: Floats,
    scale: Floats,
    training: Evaluator,
    held_out: Evaluator | None,
    in_turns: Sequence[tuple[Visits, int]] = (),
) -> Ending:
    """σ is chosen on the instances held out, the portfolio on all; neither where the time is over.

    Where learned in rounds, it is chosen for the turns that its members take, on the instances of `in_turns`.
    """
    if run.out_of_time:
        return Ending(None, np.empty((0, len(weights))))
    sigma = choose_sigma(training if held_out is None else held_out, weights, scale, lesson.seed)
    evaluators = [training] if held_out is None else [training, held_out]
    count = int(lesson.settings.portfolio)
    if in_turns and count > 1:
        spent = sum(record.cost for record in run.visited)
        return Ending(
            sigma, choose_in_turns(Instances(in_turns), lesson.known, weights, scale, lesson.seed, count, spent)
        )
    return Ending(sigma, choose_portfolio(evaluators, run.visited, weights, scale, lesson.seed, count))
