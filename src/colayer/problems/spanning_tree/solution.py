"""Solutions: a forest now and its completion in each scenario; checked, their file format, and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Ints
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.io.files import exact_keys
from colayer.io.validate import named
from colayer.layers.spanning_tree import kruskal_into
from colayer.problems.spanning_tree.instance import Instance

_KEYS = ("first_stage", "second_stage")


@dataclass(frozen=True, eq=False)
class Solution:
    """E_1, and E_s for each scenario: increasing edge indices; E_1 ∪ E_s is a spanning tree, E_1 ∩ E_s is empty."""

    first_stage: Ints
    second_stage: tuple[Ints, ...]


def checked(solution: Solution, instance: Instance) -> Solution:
    """Check that each scenario's edges are a spanning tree; return the solution with new, increasing arrays."""
    if not isinstance(solution, Solution):
        raise InputError(f"{short(solution)} is not a Solution", where="solution")
    return _solution(solution.first_stage, solution.second_stage, instance)


def write_solution(solution: Solution, instance: Instance) -> dict[str, Any]:
    """Return `{"first_stage": [edge indices], "second_stage": [[edge indices] per scenario]}`."""
    sound = checked(solution, instance)
    return {
        "first_stage": sound.first_stage.tolist(),
        "second_stage": [edges.tolist() for edges in sound.second_stage],
    }


def table(solution: Solution, instance: Instance) -> dict[str, list[Any]]:
    """Return one row per edge bought: those of the first stage, then those of each scenario (numbered from 1)."""
    sound = checked(solution, instance)
    parts: list[tuple[int | None, Ints]] = [(None, sound.first_stage), *enumerate(sound.second_stage, start=1)]
    columns: dict[str, list[Any]] = {key: [] for key in ("stage", "scenario", "edge", "from", "to", "cost")}
    for scenario, edges in parts:
        costs = instance.first if scenario is None else instance.second[scenario - 1]
        columns["stage"] += [1 if scenario is None else 2] * len(edges)
        columns["scenario"] += [scenario] * len(edges)
        columns["edge"] += edges.tolist()
        columns["from"] += named(instance.edges[edges, 0], instance.names)
        columns["to"] += named(instance.edges[edges, 1], instance.names)
        columns["cost"] += costs[edges].tolist()
    return columns


def read_solution(document: Mapping[str, Any], instance: Instance) -> Solution:
    """Return the solution of a document; refuse one that does not fit the instance."""
    exact_keys(document, _KEYS)
    return _solution(document["first_stage"], document["second_stage"], instance)


def _solution(first_stage: Any, second_stage: Any, instance: Instance) -> Solution:
    u, v = instance.arrays[:2]
    parent = np.full(instance.nodes, -1, dtype=np.int32)
    forest = _edges(first_stage, "first_stage", instance)
    _add(u, v, forest, parent, "first_stage")
    if not isinstance(second_stage, list | tuple | np.ndarray):
        raise InputError(f"{short(second_stage)} is not a list of lists of edges", where="second_stage")
    if len(second_stage) != instance.scenarios:
        wrong = f"{len(second_stage)} lists of edges, expected one per scenario, {instance.scenarios}"
        raise InputError(wrong, where="second_stage")
    completions = []
    for s, listed in enumerate(second_stage):
        where = f"second_stage[{s}]"
        edges = _edges(listed, where, instance)
        _add(u, v, edges, parent.copy(), where)
        total, tree = len(forest) + len(edges), instance.nodes - 1
        if total < tree:
            raise InputError(f"{total} edges with those of first_stage, expected {tree}, a spanning tree", where=where)
        completions.append(edges)
    return Solution(forest, tuple(completions))


def _edges(listed: Any, where: str, instance: Instance) -> Ints:
    """Return a list of edge indices as a new increasing array."""
    try:
        edges = np.asarray(listed)
    except ValueError:  # lists of different lengths
        edges = np.empty((0, 0))
    if edges.ndim == 1 and len(edges) == 0:
        return np.empty(0, dtype=np.int64)
    if edges.ndim != 1 or edges.dtype.kind not in "iu":
        raise InputError("expected a list of edges", where=where)
    outside = (edges < 0) | (edges >= instance.edge_count)
    if outside.any():
        i = int(np.argmax(outside))
        raise InputError(f"{edges[i]} is not an edge, expected 0 to {instance.edge_count - 1}", where=f"{where}[{i}]")
    return np.sort(edges).astype(np.int64)


def _add(u: Ints, v: Ints, edges: Ints, parent: NDArray[np.int32], where: str) -> None:
    if kruskal_into(u, v, edges, parent, np.empty(len(edges), dtype=np.int64)) < len(edges):
        raise InputError("its edges close a cycle, expected part of a spanning tree", where=where)
