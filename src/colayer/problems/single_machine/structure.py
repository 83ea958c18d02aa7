"""How jobs relate: in a line, by the middle of their time under SRPT or by a given sequence."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.layers.sorting import sort
from colayer.problem.structure import Order
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.blocks import sizes_into
from colayer.problems.single_machine.kernels.schedule import completion_times


def structure(instance: Instance) -> Order:
    """Order the jobs by their middle, completion − p/2 in the SRPT schedule.

    Positions are this middle, the release date, and start and completion under SRPT. Sizes are the processing time, the
    number of jobs that follow in the same busy block, the gap behind that block, and the number of jobs in the next
    one. The unit of time is the mean processing time.
    """
    r, p = instance.arrays
    _, start, completion = instance.preemptive
    middle = completion - 0.5 * p
    return _order(sort(middle), (middle, r, start, completion), instance)


def structure_of_sequence(sequence: Ints, instance: Instance) -> Order:
    """Order the jobs as in a sequence.

    Positions are the middle of a job in the schedule of the sequence, the release date, the start, and middle and start
    under SRPT; sizes are those of `structure`.
    """
    r, p = instance.arrays
    _, began, ended = instance.preemptive
    completion = completion_times(sequence, r, p)
    return _order(sequence, (completion - 0.5 * p, r, completion - p, ended - 0.5 * p, began), instance)


def _order(sequence: Ints, positions: tuple[Floats, ...], instance: Instance) -> Order:
    r, p = instance.arrays
    by_release, *_ = instance.preemptive
    unit, sizes = float(p.sum()) / len(p), np.empty((4, len(p)))
    sizes_into(r, p, by_release, sequence, unit, sizes)
    return Order(sequence, (np.array(positions) / unit).T, sizes.T)
