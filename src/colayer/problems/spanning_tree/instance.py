"""Instances of the two-stage spanning tree problem: data, validation, generator, file format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.text import counted, short
from colayer.errors import InputError
from colayer.io.frames import HasFrame
from colayer.io.validate import named, names, numbers, table, whole
from colayer.layers.likelihood import Elimination
from colayer.layers.spanning_tree import kruskal_into
from colayer.problems.spanning_tree.graphs import complete, geometric, grid
from colayer.problems.spanning_tree.kernels.trees import scenario_trees

#: The paper's data sets (section 5.1): widths of the grid, K and numbers of scenarios.
PAPER_WIDTHS = (10, 20, 30, 40, 50, 60)
PAPER_SECOND_MAX = (10, 15, 20, 25, 30)
PAPER_SCENARIOS = (5, 10, 15, 20)

#: First-stage costs of generated instances are uniform on {−FIRST_MAX, …, 0}.
FIRST_MAX = 20
GRAPHS = ("grid", "geometric", "complete")

#: Of a cost, either sign: then features fit into float32 and no sum overflows.
LARGEST = 1e30


@dataclass(frozen=True, eq=False, repr=False)
class Instance(HasFrame):
    """A connected graph with costs c_e of the first stage and d_es of the second, of either sign (read-only arrays).

    `edges` is (m, 2), 0-based nodes, parallel edges allowed; `first` is (m,), `second` is (scenarios, m). `names`, if
    given, are one per node and distinct; solutions are then shown with them.
    """

    nodes: int
    edges: Ints
    first: Floats
    second: Floats
    names: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        nodes = whole(self.nodes, "nodes", least=2)
        edges = _edges(self.edges, nodes)
        m = len(edges)
        first = table(self.first, "first", (m,), largest=LARGEST, read_only=False)
        second = table(self.second, "second", (None, m), largest=LARGEST, read_only=False)
        u, v = (np.array(ends) for ends in edges.T)
        # counted first: a number of nodes that no memory holds is refused all the same
        if m < nodes - 1 or not _connected(nodes, u, v):
            raise InputError("the graph is not connected, expected a path between any two nodes", where="edges")
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "names", names(self.names, "names", nodes))
        for field, array in (("edges", edges), ("first", first), ("second", second)):
            view = array.view()
            view.setflags(write=False)
            object.__setattr__(self, field, view)
        object.__setattr__(self, "_arrays", (u, v, first, second))

    def __reduce__(self) -> tuple[Any, ...]:
        # read-only again on the other side
        return Instance, (self.nodes, self.edges, self.first, self.second, self.names)

    def __repr__(self) -> str:
        """Return one line: nodes, edges, scenarios."""
        sizes = ((self.nodes, "node"), (self.edge_count, "edge"), (self.scenarios, "scenario"))
        return f"Instance(spanning-tree: {', '.join(counted(count, noun) for count, noun in sizes)})"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the columns of `to_frame`: one row per edge, a column per scenario."""
        ends = {side: named(self.edges[:, k], self.names) for k, side in enumerate(("from", "to"))}
        later = {f"second_{s}": numbers(costs) for s, costs in enumerate(self.second, start=1)}
        return {**ends, "first": numbers(self.first), **later}

    @property
    def edge_count(self) -> int:
        """Return m."""
        return len(self.first)

    @property
    def scenarios(self) -> int:
        """Return |S|."""
        return len(self.second)

    @property
    def arrays(self) -> tuple[Ints, Ints, Floats, Floats]:
        """Return (ends u, ends v, first, second) as writable arrays that kernels are compiled for, not written."""
        arrays: tuple[Ints, Ints, Floats, Floats] = self.__dict__["_arrays"]
        return arrays

    @cached_property
    def integral(self) -> bool:
        """Return whether all costs are whole and all sums of them exact in float64, so that sums have no order."""
        if not all(bool(np.all(values == np.floor(values))) for values in (self.first, self.second)):
            return False
        return float(self.scenarios * np.abs(self.first).sum() + np.abs(self.second).sum()) < 2.0**53

    @cached_property
    def cost_range(self) -> float:
        """Return the largest cost less the least."""
        return float(max(self.first.max(), self.second.max()) - min(self.first.min(), self.second.min()))

    @cached_property
    def elimination(self) -> Elimination:
        """Return the order in which the likelihood eliminates the nodes."""
        return Elimination.of(self.nodes, self.edges)

    @cached_property
    def scenario_trees(self) -> NDArray[np.int32]:
        """Return the edges (S, n − 1) of the minimum spanning tree for each d_s, by increasing cost, ties by index.

        The cheapest completion of any forest consists of these edges alone (see `kernels.trees`).
        """
        u, v, _, second = self.arrays
        trees: NDArray[np.int32] = scenario_trees(self.nodes, u, v, second)
        return trees


def generate(
    seed: int | np.random.SeedSequence, width: int = 10, scenarios: int = 10, second_max: int = 20, graph: str = "grid"
) -> Instance:
    """Draw whole costs, c_e uniform on −20..0 and d_es on −second_max..0, on width² nodes (paper, section 5.1).

    The paper's graph is "grid"; "geometric" joins near points of the unit square, "complete" all nodes.
    """
    for name, value, least in (("width", width, 2), ("scenarios", scenarios, 1), ("second_max", second_max, 0)):
        if value < least:
            raise InputError(f"{value} is out of range, expected at least {least}", where=name)
    rng = np.random.default_rng(seed)
    if graph == "grid":
        nodes, edges = grid(width)
    elif graph == "geometric":
        nodes, edges = geometric(width * width, rng)
    elif graph == "complete":
        nodes, edges = complete(width * width)
    else:
        raise InputError(f"no graph {graph!r}, expected one of {', '.join(GRAPHS)}", where="graph")
    first = rng.integers(-FIRST_MAX, 0, size=len(edges), endpoint=True).astype(np.float64)
    second = rng.integers(-second_max, 0, size=(scenarios, len(edges)), endpoint=True).astype(np.float64)
    return Instance(nodes, edges, first, second)


def read(document: Mapping[str, Any]) -> Instance:
    """Return the instance of `{"nodes": n, "edges": [[u, v]…], "first": [m], "second": [[m] …]}`, and of `names`."""
    nodes, edges, first, second = (document[key] for key in ("nodes", "edges", "first", "second"))
    return Instance(nodes, edges, first, second, document.get("names"))


def write(instance: Instance) -> dict[str, Any]:
    """Return the fields of the file format; whole numbers are written as integers."""
    return {
        "nodes": instance.nodes,
        "edges": instance.edges.tolist(),
        "first": numbers(instance.first),
        "second": numbers(instance.second),
        **({} if instance.names is None else {"names": list(instance.names)}),
    }


def content(instance: Instance) -> bytes:
    """Return nodes, edges and costs as bytes."""
    sizes = np.array([instance.nodes, instance.edge_count], dtype=np.int64)
    return b"".join(part.tobytes() for part in (sizes, instance.edges, instance.first, instance.second))


def _connected(nodes: int, u: Ints, v: Ints) -> bool:
    parent = np.full(nodes, -1, dtype=np.int32)
    return bool(kruskal_into(u, v, np.arange(len(u)), parent, np.empty(nodes - 1, dtype=np.int64)) == nodes - 1)


def _edges(values: Any, nodes: int) -> Ints:
    """Return the edges as an (m, 2) array; refuse what is no pair of different nodes."""
    if not isinstance(values, list | tuple | np.ndarray):
        raise InputError(f"{short(values)} is not a list of pairs of nodes", where="edges")
    if len(values) == 0:
        raise InputError("empty, expected at least one edge", where="edges")
    if isinstance(values, np.ndarray):
        if values.ndim != 2 or values.shape[1] != 2 or values.dtype.kind not in "iu":
            what = f"an array of {values.dtype} and shape {values.shape}"
            raise InputError(f"{what}, expected pairs of whole numbers, (m, 2)", where="edges")
    else:
        for i, pair in enumerate(values):
            if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
                raise InputError(f"{short(pair)} is not a pair of nodes", where=f"edges[{i}]")
            for k, node in enumerate(pair):
                whole(node, f"edges[{i}][{k}]")
    edges = np.array(values)
    outside = (edges < 0) | (edges >= nodes)
    if outside.any():
        i, k = np.argwhere(outside)[0].tolist()
        raise InputError(f"{short(int(edges[i, k]))} is no node, expected 0 to {nodes - 1}", where=f"edges[{i}][{k}]")
    loops = edges[:, 0] == edges[:, 1]
    if loops.any():
        i = int(np.argmax(loops))
        raise InputError(f"a loop at node {edges[i, 0]}, expected two different nodes", where=f"edges[{i}]")
    return np.ascontiguousarray(edges, dtype=np.int64)
