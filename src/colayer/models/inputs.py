"""What a network is told of the rows of an instance: their features, and what the structure says of them in numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.models.kernels.inputs import line_into, plain_into, squash_all
from colayer.problem.structure import Graph, Structure, order_of

#: Centred features are clipped here, in standard deviations: beyond, a network is not to be trusted.
CLIP = 8.0
#: Places from a row to the neighbours that it is compared with.
SHIFTS = (-4, -2, -1, 1, 2, 4)
_SHIFTS = np.array(SHIFTS)
#: Where rows stand in no order.
_NO_COLUMNS, _NO_ROWS = np.empty((0, 0)), np.empty(0, np.int64)


class Seen(NamedTuple):
    """Numbers of a structure, as kernels take them: columns are (·, rows), rows by their numbers."""

    #: Of an order; empty without one.
    moments: Floats
    sizes: Floats
    sequence: Ints
    #: Of graphs.
    amounts: Floats


def seen_of(structure: Structure) -> Seen:
    """Those of a structure."""
    order = order_of(structure)
    found = [relation.amounts.T for relation in structure if isinstance(relation, Graph)]
    rows = structure[0].rows if structure else 0
    amounts = np.ascontiguousarray(np.concatenate(found)) if found else np.empty((0, rows))
    if order is None:
        return Seen(_NO_COLUMNS, _NO_COLUMNS, _NO_ROWS, amounts)
    moments, sizes = np.ascontiguousarray(order.moments.T), np.ascontiguousarray(order.amounts.T)
    return Seen(moments, sizes, order.permutation, amounts)


def sequence_of(structure: Structure) -> Ints | None:
    """The rows in the order they stand in; None where they stand in none."""
    order = order_of(structure)
    return None if order is None else order.permutation


def offsets_of(structure: Structure) -> Floats:
    """What multiples of can be added to θ, (·, rows): the moments of an order less the first, the amounts of graphs.

    Rows are in the order they stand in.
    """
    moments, _, sequence, amounts = seen_of(structure)
    offsets = np.concatenate([moments[1:] - moments[:1], amounts]) if len(moments) else amounts
    return offsets[:, sequence] if len(sequence) else offsets


def inputs_of(features: NDArray[Any], structure: Structure, scale: Floats, center: Floats) -> Singles:
    """u, (inputs, rows), the rows in the order they stand in, if in one."""
    return assemble_inputs(plain_of(features, scale, center), seen_of(structure))


def plain_of(features: NDArray[Any], scale: Floats, center: Floats) -> Singles:
    """The features, centred and clipped, (d, rows), rows by their numbers: what the networks of all stages are told."""
    rows, d = features.shape
    plain = np.empty((d, rows), np.float32)
    plain_into(np.ascontiguousarray(features.T), scale.copy(), center.copy(), CLIP, plain)  # kernels take writable ones
    return plain


def assemble_inputs(features: Singles, relations: Seen) -> Singles:
    """Return u: features, then what the relations say of each row."""
    (d, rows), (moments, sizes, sequence, amounts) = features.shape, relations
    columns = len(moments) + len(sizes)
    about = d * len(SHIFTS) if len(sequence) else 0
    if columns:
        about = columns * (1 + len(SHIFTS)) - (len(moments) > 0)
    inputs = np.empty((d + about + len(amounts), rows), np.float32)
    if len(sequence):
        line_into(features, moments, sizes, sequence, _SHIFTS, inputs)
    else:
        inputs[:d] = features
    if about and not columns:
        for k, shift in enumerate(SHIFTS, start=1):
            beside = inputs[:d, np.clip(np.arange(rows) + shift, 0, rows - 1)]
            inputs[k * d : (k + 1) * d] = beside - inputs[:d]
        squash_all(inputs[d : d + about])
    if len(amounts):
        inputs[d + about :] = amounts[:, sequence] if len(sequence) else amounts
        squash_all(inputs[d + about :])
    return inputs
