"""How jobs relate: they stand in a line, by the middle of their time under SRPT."""

from __future__ import annotations

import numpy as np

from colayer.layers.sorting import sort
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.blocks import blocks_into
from colayer.problems.single_machine.kernels.schedule import srpt
from colayer.structure import Order


def structure(instance: Instance) -> Order:
    """Jobs by their middle: completion − p/2 in the SRPT schedule.

    Moments are this middle, the release date and start and completion under SRPT. Amounts are the processing time, how
    many jobs of the same busy block follow, the gap behind that block, and the jobs of the next one. The unit of time
    is the mean processing time.
    """
    r, p = instance.arrays
    unit = float(p.mean())
    start, completion, *_ = srpt(r, p)
    middle = completion - 0.5 * p
    sequence = sort(middle)
    moments = np.column_stack([middle, r, start, completion]) / unit
    amounts = np.empty((4, len(r)))
    amounts[0] = p / unit
    blocks_into(r, p, sort(r), sequence, unit, *amounts[1:])
    return Order(sequence, moments, np.ascontiguousarray(amounts.T))
