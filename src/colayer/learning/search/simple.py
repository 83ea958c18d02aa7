"""Simple answers, the safe weights or one feature alone, and when another one may take their place."""

from __future__ import annotations

import math

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.learning.search.optimizer import Task
from colayer.learning.search.search import SearchRun
from colayer.models import norm

#: Standard errors that a mean paired difference must exceed to count as measured: more than 2, for what was searched on
#: the same instances is flattered.
_MEASURABLE = 2.5
#: Or: how many instances must gain, and how many times what the others lose.
_GAINING, _TIMES = 2, 20.0
#: Of a loss: what lies below is no gain.
_ROUNDING = 1e-12


def axes(task: Task) -> int:
    """Return the evaluations that `simplest` takes: every feature alone, with either sign, and the safe weights."""
    return 2 * task.dimension + (task.safe is not None)


def single_features(task: Task) -> Floats:
    """Return every feature alone, with either sign, as long as the safe weights; in a ball without, half its radius."""
    length = (0.0 if task.safe is None else norm(task.safe)) or task.radius / 2.0
    alone = length * np.eye(task.dimension)
    return np.vstack([alone, -alone])


def simple_answers(task: Task) -> Floats:
    """Return the safe weights, where there are some, and every feature alone."""
    alone = single_features(task)
    return alone if task.safe is None else np.vstack([task.safe[None, :], alone])


def simplest(search: SearchRun, task: Task) -> Floats:
    """Return the safe weights, unless the best single feature is measurably better; without any, that feature.

    Of equals the first. What is chosen among many is flattered, so that the instances held out must agree.
    """
    alone = single_features(task)
    if task.safe is None:
        return np.array(alone[int(np.argmin(search(alone)))])
    losses = search(simple_answers(task))
    return better(search, alone[int(np.argmin(losses[1:]))], task.safe)


def better(search: SearchRun, other: Floats, simple: Floats) -> Floats:
    """Return `other` where it is measurably better on the training instances and no worse held out, else `simple`."""
    if not measurable(search.each(other), search.each(simple)):
        return np.array(simple)
    worse = search.held_out(other).sum() > search.held_out(simple).sum()
    return np.array(simple if worse else other)


def measurable(learned: Floats, simple: Floats) -> bool:
    """Tell whether losses are measurably lower than others on the same instances; of one, whether it is lower.

    Measurably: by 2.5 standard errors of the mean difference. Few instances of unlike sizes rarely reach that: one that
    gains far more than the others widens the very error it is measured by. So it is enough as well that 2 instances or
    more gain, together 20 times what the others lose.
    """
    difference = learned - simple
    return by_errors(difference) or _by_gains(difference, simple)


def by_errors(difference: Floats, errors: float = _MEASURABLE) -> bool:
    """Tell whether the mean is below 0 by so many standard errors."""
    mean, error = float(difference.mean()), 0.0
    if len(difference) > 1:
        error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
    return mean < -errors * error


def _by_gains(difference: Floats, simple: Floats) -> bool:
    gains = difference[difference < -_ROUNDING * np.abs(simple)]
    losses = difference[difference > 0.0]
    return len(gains) >= _GAINING and float(-gains.sum()) > _TIMES * float(losses.sum())
