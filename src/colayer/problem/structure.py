"""How the rows of an instance relate, which networks see beside the features.

A problem describes it in a method `structure(instance)`, which returns one of these, or a tuple of several:

    Order(permutation)        the rows stand in a line: jobs by time, items by weight
    Graph(nodes, tail, head)  each row is an edge, or an arc, between two nodes; several rows may be one edge
    Groups(labels)            rows of one label belong together

A method `structure(instance, y=None)` can also describe how rows relate in an answer y of the layer. Each network after
the first sees the answer to the θ before it. If θ starts from the linear model, the first network sees the answer to
that model.

Networks see rows through relations alone: if rows and their structure are permuted, θ is permuted in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.io.validate import whole
from colayer.problem import guard


def _none() -> Floats:
    return np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class Order:
    """The rows stand in a line.

    Parameters:
        permutation: The row numbers from the first to the last.
        positions: Places on one axis, shape (rows, k), in any unit; the first is where the row stands. Networks see
            their differences, within a row and to its neighbours, and θ starts from the first.
        sizes: Numbers such as durations, shape (rows, l); networks see them and their differences to the neighbours.
    """

    permutation: Ints
    positions: Floats = field(default_factory=_none)
    sizes: Floats = field(default_factory=_none)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.permutation)

    def check(self) -> None:
        """Refuse anything that is not a permutation."""
        permutation = _whole(self.permutation, "permutation")
        n = len(permutation)
        there = np.zeros(n, dtype=np.bool_)
        if n and permutation.min() >= 0 and permutation.max() < n:
            there[permutation] = True
        if not there.all():
            raise InputError(f"expected every row from 0 to {n - 1} once", where="permutation")
        object.__setattr__(self, "permutation", permutation)
        for name in ("positions", "sizes"):
            object.__setattr__(self, name, _columns(getattr(self, name), name, n))


@dataclass(frozen=True, eq=False)
class Graph:
    """Each row is an arc, or an undirected edge, between two nodes.

    Parameters:
        nodes: Number of nodes.
        tail: First node of each row.
        head: Second node of each row.
        directed: Whether the direction from tail to head matters.
        theta_offsets: Numbers in the unit of θ, shape (rows, l); networks see them and can add multiples of them to θ.
    """

    nodes: int
    tail: Ints
    head: Ints
    directed: bool = False
    theta_offsets: Floats = field(default_factory=_none)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.tail)

    def check(self) -> None:
        """Refuse nodes that do not exist."""
        whole(self.nodes, "nodes")
        for name in ("tail", "head"):
            ends = _whole(getattr(self, name), name)
            if (ends < 0).any() or (ends >= self.nodes).any():
                raise InputError(f"expected nodes from 0 to {self.nodes - 1}", where=name)
            object.__setattr__(self, name, ends)
        if len(self.tail) != len(self.head):
            raise InputError(f"{len(self.head)} entries, expected {len(self.tail)} as in tail", where="head")
        object.__setattr__(self, "theta_offsets", _columns(self.theta_offsets, "theta_offsets", len(self.tail)))


@dataclass(frozen=True, eq=False)
class Groups:
    """Each row belongs to one group.

    Parameters:
        labels: The group of each row, numbered from 0; some groups may be empty.
    """

    labels: Ints

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.labels)

    @property
    def count(self) -> int:
        """Return the number of groups."""
        return int(self.labels.max()) + 1

    def check(self) -> None:
        """Refuse labels that are not group numbers."""
        labels = _whole(self.labels, "labels")
        if len(labels) and (labels.min() < 0 or labels.max() >= len(labels)):
            raise InputError("expected a group from 0 to the number of rows - 1", where="labels")
        object.__setattr__(self, "labels", labels)


Relation = Order | Graph | Groups
Structure = tuple[Relation, ...]


def order_of(structure: Structure) -> Order | None:
    """Return the order of the rows, or None; there is at most one."""
    return next((relation for relation in structure if isinstance(relation, Order)), None)


def has_positions(structure: Structure) -> bool:
    """Tell whether rows have positions on an axis, from which a network's θ starts."""
    order = order_of(structure)
    return order is not None and order.positions.shape[1] > 0


def first_stage_uses_answer(uses_answer: bool, structure: Structure) -> bool:
    """Tell whether the first network uses the layer's answer to the linear model it starts from."""
    return uses_answer and not has_positions(structure)


def checked_structure(given: Any, rows: int, what: str) -> Structure:
    """Return the relations between `rows` rows that a problem gave as `given`; refuse anything else."""
    relations = given if isinstance(given, tuple) else (given,)
    for relation in relations:
        if not isinstance(relation, Relation):
            raise guard.refused(what, relation, "Order, Graph, Groups, or a tuple of them")
        try:
            relation.check()
        except InputError as error:
            raise error.at(what) from None
        if relation.rows != rows:
            raise InputError(f"{what} is about {relation.rows} rows, expected {rows}, as many as the features have")
    if sum(isinstance(relation, Order) for relation in relations) > 1:
        raise InputError(f"{what} has two orders, expected one")
    return relations


def _whole(values: Any, where: str) -> Ints:
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError("expected a list of whole numbers", where=where)
    return np.ascontiguousarray(array, dtype=np.int64)


def _columns(values: Any, where: str, rows: int) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("expected a table of numbers", where=where) from None
    if array.size == 0:
        return np.empty((rows, 0))
    if array.ndim != 2 or len(array) != rows:
        raise InputError(f"shape {array.shape}, expected one row for each of {rows}", where=where)
    if not np.isfinite(array).all():
        raise InputError("not finite", where=where)
    return array
