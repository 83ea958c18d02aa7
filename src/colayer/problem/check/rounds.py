"""The check of features that look at the solution of the round before (`rounds.py`)."""

from __future__ import annotations

import numpy as np

from colayer._runtime.snapshot import difference, snapshot
from colayer.problem.attributes import looks_back_of
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.check.trial import Trial, copied


def rounds(trial: Trial) -> None:
    """In view of any decoded solution: as many rows as in the first round, finite, repeatable, the solution as it was.

    Without one, `features(instance, None)` is `features(instance)`.
    """
    if not looks_back_of(trial.problem):
        raise Skip("features take no solution")
    for sample in trial.samples:
        index, first = sample.index, trial.features(sample.index)
        where = f"{trial.at(index)}features after a solution"
        instance, solution = copied(trial.instances[index]), copied(sample.solution)
        before = snapshot(solution)
        value = trial.call("features", instance, solution, on=index)
        if not isinstance(value, np.ndarray) or value.shape != first.shape:
            got = f"the shape {value.shape}" if isinstance(value, np.ndarray) else f"the type {type(value).__name__}"
            raise Mistake(f"{where} have {got}: return the shape of the first round, {first.shape}, in every round")
        if value.dtype not in (np.float32, np.float64) or not np.isfinite(value).all():
            raise Mistake(f"{where} are not all finite numbers: look for a division by 0, by a load of 0 for instance")
        changed = difference(before, snapshot(solution), "solution")
        if changed is not None:
            raise Mistake(f"{where} change what they look at ({changed}): work on a copy")
        again = trial.call("features", copied(trial.instances[index]), copied(sample.solution), on=index)
        if not np.array_equal(value, again):
            raise Mistake(f"{where} are not the same the second time: let them depend on instance and solution alone")
    for index in trial.chosen:
        if not np.array_equal(
            trial.call("features", copied(trial.instances[index]), None, on=index), trial.features(index)
        ):
            raise Mistake(f"{trial.at(index)}features with solution=None are not those of the first round")
