"""The inputs of a network: the features of an instance's rows, and the numbers that their relations bring."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints, Singles
from colayer.models.kernels.inputs import order_inputs_into, scale_into, squash_all
from colayer.problem.structure import Graph, Structure, order_of

#: Centred features are clipped here, in standard deviations: a network is not to be trusted beyond.
CLIP = 8.0
#: Distances to the neighbours that a row is compared with.
SHIFTS = (-4, -2, -1, 1, 2, 4)
_SHIFTS = np.array(SHIFTS)
#: The arrays of rows that have no order.
_NO_COLUMNS, _NO_ROWS = np.empty((0, 0)), np.empty(0, np.int64)


class RelationArrays(NamedTuple):
    """The numbers of a structure in the kernels' form: columns are (·, rows), rows by their numbers."""

    #: Of the order; empty without one.
    positions: Floats
    sizes: Floats
    sequence: Ints
    #: Of all graphs.
    theta_offsets: Floats


def relation_arrays(structure: Structure) -> RelationArrays:
    """Return the numbers of a structure."""
    order = order_of(structure)
    found = [relation.theta_offsets.T for relation in structure if isinstance(relation, Graph)]
    rows = structure[0].rows if structure else 0
    theta_offsets = np.ascontiguousarray(np.concatenate(found)) if found else np.empty((0, rows))
    if order is None:
        return RelationArrays(_NO_COLUMNS, _NO_COLUMNS, _NO_ROWS, theta_offsets)
    positions, sizes = np.ascontiguousarray(order.positions.T), np.ascontiguousarray(order.sizes.T)
    return RelationArrays(positions, sizes, order.permutation, theta_offsets)


def sequence_of(structure: Structure) -> Ints | None:
    """Return the rows in their order, or None if they have none."""
    order = order_of(structure)
    return None if order is None else order.permutation


def offsets_of(structure: Structure) -> Floats:
    """Return the numbers whose multiples a network can add to θ, (·, rows), rows in their order.

    These are the positions of an order less the first, and the θ offsets of graphs.
    """
    positions, _, sequence, theta_offsets = relation_arrays(structure)
    offsets = np.concatenate([positions[1:] - positions[:1], theta_offsets]) if len(positions) else theta_offsets
    return offsets[:, sequence] if len(sequence) else offsets


def inputs_of(features: NDArray[Any], structure: Structure, scale: Floats, center: Floats) -> Singles:
    """Return the inputs of a network, (inputs, rows), rows in their order if they have one."""
    return assemble_inputs(scaled_features(features, scale, center), relation_arrays(structure))


def scaled_features(features: NDArray[Any], scale: Floats, center: Floats) -> Singles:
    """Return the features centred and clipped, (d, rows), rows by their numbers; all stages share them."""
    rows, d = features.shape
    scaled = np.empty((d, rows), np.float32)
    # copies, because kernels take writable arrays
    scale_into(np.ascontiguousarray(features.T), scale.copy(), center.copy(), CLIP, scaled)
    return scaled


def assemble_inputs(features: Singles, relations: RelationArrays) -> Singles:
    """Return the inputs of a network, made of its features and of the relations between rows."""
    (d, rows), (positions, sizes, sequence, theta_offsets) = features.shape, relations
    columns = len(positions) + len(sizes)
    about = d * len(SHIFTS) if len(sequence) else 0
    if columns:
        about = columns * (1 + len(SHIFTS)) - (len(positions) > 0)
    inputs = np.empty((d + about + len(theta_offsets), rows), np.float32)
    if len(sequence):
        order_inputs_into(features, positions, sizes, sequence, _SHIFTS, inputs)
    else:
        inputs[:d] = features
    if about and not columns:
        for k, shift in enumerate(SHIFTS, start=1):
            beside = inputs[:d, np.clip(np.arange(rows) + shift, 0, rows - 1)]
            inputs[k * d : (k + 1) * d] = beside - inputs[:d]
        squash_all(inputs[d : d + about])
    if len(theta_offsets):
        inputs[d + about :] = theta_offsets[:, sequence] if len(sequence) else theta_offsets
        squash_all(inputs[d + about :])
    return inputs
