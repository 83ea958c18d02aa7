"""Simple answers, the safe weights or one feature alone, and when a learned one may take their place."""

from __future__ import annotations

import math

import numpy as np

from colayer.learning.experience.optimizer import Floats, Stepwise, Task
from colayer.models import norm

#: Standard errors that a mean paired difference must exceed to count as measured.
_MEASURABLE = 2.0


def axes(task: Task) -> int:
    """Evaluations that `simplest` takes: every feature alone, with either sign, and the safe weights."""
    return 2 * task.dimension + (task.safe is not None)


def simplest(search: Stepwise, task: Task) -> Floats:
    """The best of the safe weights and of single features; of equals the first."""
    length = task.radius / 2.0
    if task.safe is not None:
        length = norm(task.safe) or length
    alone = length * np.eye(task.dimension)
    rows = np.vstack([*([] if task.safe is None else [task.safe[None, :]]), alone, -alone])
    return np.array(rows[int(np.argmin(search(rows)))])


def measured(search: Stepwise, learned: Floats, simple: Floats) -> Floats:
    """`learned` where its mean paired loss is lower by 2 standard errors, or at all on one instance; else `simple`."""
    difference = search.each(learned) - search.each(simple)
    mean, error = float(difference.mean()), 0.0
    if len(difference) > 1:
        error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
    return learned if mean < -_MEASURABLE * error else simple
