"""Instances from your own data: edges as lists or as a table, a column per scenario."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.io.tables import Arguments
from colayer.problems.spanning_tree.instance import Instance

#: Columns whose names begin like this each hold the costs of a scenario.
SECOND = "second"


def instance(
    edges: Any = None, *, start: Any = "from", to: Any = "to", first: Any = "first", second: Any = None
) -> Instance:
    """Make an instance from a table of edges or from lists. Costs are minimised; a gain is a negative cost.

    Parameters:
        edges: A DataFrame, a dict of columns, or a list of rows.
        start: First node of each edge, a number or a name: the name of a column of `edges`, or values.
        to: Second node of each edge, likewise.
        first: Cost of each edge now, likewise.
        second: Costs in the scenarios: names of columns (by default all that begin with `second`), or an array with a
            row per scenario and a column per edge.
    """
    given = Arguments("edges", edges, start=start, to=to, first=first)
    ends = [given.words(field) for field in ("start", "to")]
    costs = given.numbers("first")
    for field, nodes in zip(("start", "to"), ends, strict=True):
        if len(nodes) != len(costs):
            raise InputError(f"{len(nodes)} entries, expected {len(costs)} as in first", where=field)
        if "" in nodes:
            raise InputError("empty, expected a node", where=given.where(field, nodes.index("")))
    scenarios = _scenarios(given, second)
    if not all(isinstance(node, int) for nodes in ends for node in nodes):
        ends = [[str(node) for node in nodes] for nodes in ends]
    names = _nodes(*ends)
    place = {name: i for i, name in enumerate(names)}
    pairs = np.array([[place[u], place[v]] for u, v in zip(*ends, strict=True)])
    given.columns["edges"] = given.columns.get("to", "to")
    with given.located():
        return Instance(len(names), pairs, costs, scenarios, names)


def _nodes(tails: list[Any], heads: list[Any]) -> tuple[Any, ...]:
    """Return the nodes: sorted if all are numbers, else as they first appear."""
    seen = list(dict.fromkeys(node for pair in zip(tails, heads, strict=True) for node in pair))
    return tuple(sorted(seen) if isinstance(seen[0], int) else seen)


def _scenarios(given: Arguments, second: Any) -> Floats:
    """Return second-stage costs with a row per scenario, each a column of the table unless an array is given."""
    if second is None and given.table is not None:
        second = [name for name in given.table if name.startswith(SECOND)]
        if not second:
            said = "no such columns, expected one per scenario: second_1, second_2, …"
            raise InputError(said, where=f"columns {SECOND}")
        _check_numbers(given.table.about, second)
    if isinstance(second, str):
        second = [second]
    if isinstance(second, list | tuple) and second and all(isinstance(name, str) for name in second):
        return np.array([given.column(f"second[{s}]", name) for s, name in enumerate(second)])
    if second is None:
        raise InputError("missing, expected an array with a row per scenario and a column per edge", where=SECOND)
    return np.asarray(second) if hasattr(second, "to_numpy") else second


def _check_numbers(about: Callable[[str], str], names: list[str]) -> None:
    """Refuse a column that is missing between second_1 and second_3, or one such as second_mean beside them."""
    ends = [name.removeprefix(SECOND).lstrip("_") for name in names]
    numbers = sorted(int(end) for end in ends if end.isdecimal())
    if not numbers:
        return
    for name, end in zip(names, ends, strict=True):
        if not end.isdecimal():
            said = f"no number beside {SECOND}_{numbers[0]}, expected second=[…], the names of the scenarios"
            raise InputError(said, where=about(name))
    for number, after in pairwise(numbers):
        if after > number + 1:
            said = f"no such column, and there is {SECOND}_{after}; expected all, or second=[…]"
            raise InputError(said, where=about(f"{SECOND}_{number + 1}"))
