"""How jobs relate: they stand in a line, by the middle of their time under SRPT, or in a sequence that is given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.layers.sorting import sort
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.blocks import blocks_into
from colayer.problems.single_machine.kernels.schedule import completion_times, srpt
from colayer.structure import Order


def structure(instance: Instance) -> Order:
    """Jobs by their middle: completion − p/2 in the SRPT schedule.

    Moments are this middle, the release date and start and completion under SRPT. Amounts are the processing time, how
    many jobs of the same busy block follow, the gap behind that block, and the jobs of the next one. The unit of time
    is the mean processing time.
    """
    r, p = instance.arrays
    start, completion, *_ = srpt(r, p)
    middle = completion - 0.5 * p
    return _order(sort(middle), (middle, r, start, completion), instance)


def structure_in(sequence: NDArray[np.int64], instance: Instance) -> Order:
    """Jobs in a sequence: moments are the middle of a job in its schedule, the release date, the start, and middle and
    start under SRPT; amounts as above.
    """
    r, p = instance.arrays
    began, ended, *_ = srpt(r, p)
    completion = completion_times(sequence, r, p)
    return _order(sequence, (completion - 0.5 * p, r, completion - p, ended - 0.5 * p, began), instance)


def _order(sequence: NDArray[np.int64], moments: tuple[NDArray[np.float64], ...], instance: Instance) -> Order:
    r, p = instance.arrays
    unit = float(p.mean())
    amounts = np.empty((4, len(r)))
    amounts[0] = p / unit
    blocks_into(r, p, sort(r), sequence, unit, *amounts[1:])
    return Order(sequence, np.column_stack(moments) / unit, np.ascontiguousarray(amounts.T))
