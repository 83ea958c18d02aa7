"""How the rows of an instance relate: what a network that sees context is told beside the features.

A problem may say it by a method `structure(instance)`, which returns one of these, or several in a tuple:

    Order(permutation)        the rows stand in a line: jobs by time, items by weight
    Graph(nodes, tail, head)  each row is an edge, or an arc, between two nodes; several rows may be one edge
    Groups(labels)            rows of one label belong together

As `structure(instance, y=None)`, y an answer of the layer or None, it can also say how rows relate in that answer:
networks in several stages look at what the stage before has made, and where θ starts from the linear model, the first
looks at what that makes.

Networks see rows through these alone, so rows that are permuted, with their structure, give θ permuted alike.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.problem.faults import calling


def _none() -> Floats:
    return np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class Order:
    """Rows in a line: `permutation` holds their numbers from the first to the last.

    `moments` (rows, k) are positions on one axis, in a unit of the problem's own, the first of them where the row
    stands: networks see their differences, within a row and to its neighbours, and θ starts from the first.
    `amounts` (rows, l) are sizes: networks see them and their differences to the neighbours.
    """

    permutation: Ints
    moments: Floats = field(default_factory=_none)
    amounts: Floats = field(default_factory=_none)

    @property
    def rows(self) -> int:
        """Return how many rows it is about."""
        return len(self.permutation)

    def check(self) -> None:
        """Refuse what is no order."""
        permutation = _whole(self.permutation, "permutation")
        n = len(permutation)
        there = np.zeros(n, dtype=np.bool_)
        if n and permutation.min() >= 0 and permutation.max() < n:
            there[permutation] = True
        if not there.all():
            raise InputError(f"expected every row from 0 to {n - 1} once", where="permutation")
        object.__setattr__(self, "permutation", permutation)
        for name in ("moments", "amounts"):
            object.__setattr__(self, name, _columns(getattr(self, name), name, n))


@dataclass(frozen=True, eq=False)
class Graph:
    """Row i is an arc from node `tail[i]` to node `head[i]`; where not `directed`, an edge between them.

    `amounts` (rows, l) are numbers in the unit of θ: networks see them, and can add multiples of them to θ.
    """

    nodes: int
    tail: Ints
    head: Ints
    directed: bool = False
    amounts: Floats = field(default_factory=_none)

    @property
    def rows(self) -> int:
        """Return how many rows it is about."""
        return len(self.tail)

    def check(self) -> None:
        """Refuse nodes that are not there."""
        for name in ("tail", "head"):
            ends = _whole(getattr(self, name), name)
            if (ends < 0).any() or (ends >= self.nodes).any():
                raise InputError(f"expected nodes from 0 to {self.nodes - 1}", where=name)
            object.__setattr__(self, name, ends)
        if len(self.tail) != len(self.head):
            raise InputError(f"{len(self.head)} entries, expected {len(self.tail)} as in tail", where="head")
        object.__setattr__(self, "amounts", _columns(self.amounts, "amounts", len(self.tail)))


@dataclass(frozen=True, eq=False)
class Groups:
    """Row i belongs to group `labels[i]`; groups are numbered from 0, and some may be empty."""

    labels: Ints

    @property
    def rows(self) -> int:
        """Return how many rows it is about."""
        return len(self.labels)

    @property
    def count(self) -> int:
        """Return how many groups there are."""
        return int(self.labels.max()) + 1

    def check(self) -> None:
        """Refuse labels that are no numbers of groups."""
        labels = _whole(self.labels, "labels")
        if len(labels) and (labels.min() < 0 or labels.max() >= len(labels)):
            raise InputError("expected a group from 0 to the number of rows - 1", where="labels")
        object.__setattr__(self, "labels", labels)


Relation = Order | Graph | Groups
Structure = tuple[Relation, ...]


def order_of(structure: Structure) -> Order | None:
    """Return the line in which rows stand; there is one at most."""
    return next((relation for relation in structure if isinstance(relation, Order)), None)


def anchored(structure: Structure) -> bool:
    """Tell whether rows have a place on an axis, from which θ of a network starts."""
    order = order_of(structure)
    return order is not None and order.moments.shape[1] > 0


def looks_again(problem: Any) -> bool:
    """Tell whether `structure` of a problem also takes an answer of the layer: as `y`, in the second place."""
    try:
        parameters = list(inspect.signature(getattr(problem, "structure", None)).parameters.values())  # type: ignore[arg-type]
    except (TypeError, ValueError):  # no method
        return False
    places = [one for one in parameters if one.kind not in (one.KEYWORD_ONLY, one.VAR_KEYWORD)]
    if any(one.kind == one.VAR_POSITIONAL for one in places[:2]):
        return True
    return len(places) > 1 and places[1].name == "y"


def looks_first(problem: Any, structure: Structure) -> bool:
    """Tell whether the first network looks at an answer of the layer: that to the linear model it starts from."""
    return looks_again(problem) and not anchored(structure)


def structure_of(problem: Any, instance: Any, rows: int, y: Any = None) -> Structure:
    """Return the relations between the `rows` rows of an instance, checked; none where the problem says nothing.

    With `y`, what they are once the layer has given this answer.
    """
    own = getattr(problem, "structure", None)
    if own is None:
        return ()
    with calling(problem, "structure"):
        given = own(instance) if y is None else own(instance, y)
    return checked_structure(given, rows, f"structure of {problem.name}")


def checked_structure(given: Any, rows: int, what: str) -> Structure:
    """Return the relations between `rows` rows that a problem gave as `given`; refuse what is none."""
    relations = given if isinstance(given, tuple) else (given,)
    for relation in relations:
        if not isinstance(relation, Relation):
            raise InputError(f"{what} returned {short(relation)}, expected Order, Graph, Groups, or a tuple of them")
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
