"""Instances as networks learn from them: their inputs, how their rows relate, and what θ starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Singles
from colayer.models import ContextModel
from colayer.models.inputs import inputs_of, offsets_of
from colayer.models.thetas import thetas
from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z
from colayer.problem.structure import Structure, has_positions, order_of
from colayer.problem.theta import structure_after, theta_of


@dataclass(frozen=True, eq=False)
class Item(Generic[X]):
    """An instance as networks learn from it, rows in the order they stand in where that is said."""

    instance: X
    inputs: Singles
    structure: Structure
    #: θ of the linear model, and t: what the network adds to.
    start: Floats
    #: The embedded target of a good solution of the instance, and its cost; None without one.
    target: Floats | None
    cost: float

    @property
    def anchored(self) -> bool:
        """Whether θ starts from the first moment of an order, without the linear model."""
        return has_positions(self.structure)


def item_of(
    problem: BoundProblem[X, Y, Z],
    instance: X,
    features: NDArray[Any],
    weights: Floats,
    scale: Floats,
    center: Floats,
    earlier: ContextModel | None = None,
) -> Item[X]:
    """Return the item of an instance, for a network that looks at what an `earlier` one makes of it, or for the first.

    Weights and centre are in model units. θ starts from the first position of an order; without positions, from θ of
    the earlier network, or of the weights.
    """
    if earlier is None:
        start, structure = None, problem.structure_of(instance, len(features))
    else:
        start = theta_of(problem, earlier, instance, features)
        structure = structure_after(problem, instance, start)
    order = order_of(structure)
    if order is not None and has_positions(structure):
        start = order.positions[:, 0]
    elif start is None:
        start = thetas(features, (weights / scale)[None, :])[0]
    if order is not None:
        start = start[order.permutation]
    return Item(instance, inputs_of(features, structure, scale, center), structure, start, None, 0.0)


def units_of(items: Sequence[Item[Any]]) -> list[float]:
    """Return the sizes of what can be added to θ: 1 for positions, the spread for offsets.

    Offsets that are the same in all rows of an instance count by their size.
    """
    offsets = [offsets_of(item.structure) for item in items]
    if items[0].anchored:
        return [1.0] * len(offsets[0])
    columns = [[one[k] for one in offsets] for k in range(len(offsets[0]))]
    return [
        float(np.mean([one.std() for one in column]) or np.mean([np.abs(one).mean() for one in column])) or 1.0
        for column in columns
    ]
