"""How jobs relate: they stand in a line, by the middle of their time under SRPT, or in a sequence that is given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.layers.sorting import sort
from colayer.problem.structure import Order
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.blocks import amounts_into
from colayer.problems.single_machine.kernels.schedule import completion_times


def structure(instance: Instance) -> Order:
    """Jobs by their middle: completion − p/2 in the SRPT schedule.

    Moments are this middle, the release date and start and completion under SRPT. Amounts are the processing time, how
    many jobs of the same busy block follow, the gap behind that block, and the jobs of the next one. The unit of time
    is the mean processing time.
    """
    r, p = instance.arrays
    _, start, completion = instance.preemptive
    middle = completion - 0.5 * p
    return _order(sort(middle), (middle, r, start, completion), instance)


def structure_in(sequence: NDArray[np.int64], instance: Instance) -> Order:
    """Jobs in a sequence: moments are the middle of a job in its schedule, the release date, the start, and middle and
    start under SRPT; amounts as above.
    """
    r, p = instance.arrays
    _, began, ended = instance.preemptive
    completion = completion_times(sequence, r, p)
    return _order(sequence, (completion - 0.5 * p, r, completion - p, ended - 0.5 * p, began), instance)


def _order(sequence: NDArray[np.int64], moments: tuple[NDArray[np.float64], ...], instance: Instance) -> Order:
    r, p = instance.arrays
    by_release, *_ = instance.preemptive
    unit, amounts = float(p.sum()) / len(p), np.empty((4, len(p)))
    amounts_into(r, p, by_release, sequence, unit, amounts)
    return Order(sequence, (np.array(moments) / unit).T, amounts.T)
