"""Simple answers, the safe weights or one feature alone, and when a learned one may take their place."""

from __future__ import annotations

import math

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.learning.search.optimizer import Task
from colayer.learning.search.search import SearchRun
from colayer.models import norm

#: Standard errors that a mean paired difference must exceed to count as measured.
_MEASURABLE = 2.0
#: Or: how many instances must gain, and how many times what the others lose.
_GAINING, _TIMES = 2, 20.0
#: Of a loss: what lies below is no gain.
_ROUNDING = 1e-12


def axes(task: Task) -> int:
    """Evaluations that `simplest` takes: every feature alone, with either sign, and the safe weights."""
    return 2 * task.dimension + (task.safe is not None)


def simplest(search: SearchRun, task: Task) -> Floats:
    """The best of the safe weights and of single features; of equals the first."""
    length = task.radius / 2.0
    if task.safe is not None:
        length = norm(task.safe) or length
    alone = length * np.eye(task.dimension)
    rows = np.vstack([*([] if task.safe is None else [task.safe[None, :]]), alone, -alone])
    return np.array(rows[int(np.argmin(search(rows)))])


def measured(search: SearchRun, learned: Floats, simple: Floats) -> Floats:
    """`learned` where it is measurably better on the training instances, else `simple`."""
    return learned if measurable(search.each(learned), search.each(simple)) else simple


def measurable(learned: Floats, simple: Floats) -> bool:
    """Whether losses are measurably lower than others on the same instances; of one instance, whether they are lower.

    Measurably: by 2 standard errors of the mean difference. Few instances of unlike sizes rarely reach that: one that
    gains far more than the others widens the very error it is measured by. So it is enough as well that 2 instances or
    more gain, together 20 times what the others lose.
    """
    difference = learned - simple
    return by_errors(difference) or _by_gains(difference, simple)


def by_errors(difference: Floats) -> bool:
    """Whether the mean is below 0 by 2 standard errors."""
    mean, error = float(difference.mean()), 0.0
    if len(difference) > 1:
        error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
    return mean < -_MEASURABLE * error


def _by_gains(difference: Floats, simple: Floats) -> bool:
    gains = difference[difference < -_ROUNDING * np.abs(simple)]
    losses = difference[difference > 0.0]
    return len(gains) >= _GAINING and float(-gains.sum()) > _TIMES * float(losses.sum())
