"""Minimum-cost path cover of an acyclic graph, and assignment with the option to stay unmatched: exact and fast.

**Path cover.** Tasks 0 … n−1, arcs (u, v), an origin o and a destination d. Partition the tasks into o–d paths at least
cost: an arc (u, v) that is used costs θ_uv, the first task v of a path θ_ov, the last task u of a path θ_ud. Every task
has exactly one in-arc and one out-arc, and in an acyclic graph that is all there is to it, so the problem is a

**partial assignment.** Rows u, columns v; a row has at most one column, a column at most one row; a pair costs θ_uv, a
row that stays alone θ_ud, a column that stays alone θ_ov. Costs have any sign; a pair that is not an arc is forbidden.

The linear program is integral. Its dual has a variable per constraint, α_u ("one out-arc") and π_v ("one in-arc"),

    max Σ_u α_u + Σ_v π_v   subject to   α_u + π_v ≤ θ_uv,   α_u ≤ θ_ud,   π_v ≤ θ_ov,

and α, π certify the answer: equality holds on each arc that is used, and the two values are equal.

Arcs come in compressed rows: those of u lead to `heads[indptr[u] : indptr[u + 1]]`, ascending. Arrays of the right type
(int64, int32 for `heads`, float64) are used as they are, without a copy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.errors import InputError
from colayer.layers.kernels.matching import match_into
from colayer.layers.layer import costs_of, first_beyond

#: Larger costs are refused, so that sums of a few of them cannot overflow.
LARGEST = 1e300

#: The kernel, for compiled callers, any number of threads at a time. Arguments: those of `path_cover`, then
#: successor int64[n], row_duals and column_duals float64[n], which it writes and does not read. It checks nothing, and
#: its scratch memory is O(n).
path_cover_into = match_into


class Certified(NamedTuple):
    """An optimal solution with the duals that prove it."""

    partner: Ints  #: successor of each task, or column of each row; −1: none
    row_duals: Floats  #: α, by task or row
    column_duals: Floats  #: π, by task or column


def path_cover(
    indptr: ArrayLike,
    heads: ArrayLike,
    arc_costs: ArrayLike,
    origin_costs: ArrayLike,
    destination_costs: ArrayLike,
    order: ArrayLike | None = None,
) -> Ints:
    """Return the successor of each task in a path cover of least cost.

    Parameters:
        indptr: Where the arcs of each task begin in `heads`, and where the last ones end, shape (n + 1,).
        heads: The tasks that the arcs lead to, ascending for each task.
        arc_costs: Cost of each arc.
        origin_costs: Cost of starting a path at each task.
        destination_costs: Cost of ending a path at each task.
        order: Permutation of the tasks, the order in which they are inserted. It changes the speed, and which of
            several optimal covers is found. The default, last task first, is fast if arcs lead to later tasks.

    Returns:
        The task after each task, −1 where a path ends.

    Three tasks, arcs 0 → 1, 0 → 2, 1 → 2; a path costs 10 at its origin:

    >>> path_cover([0, 2, 3, 3], [1, 2, 2], [3.0, 1.0, 2.0], [10.0, 10.0, 10.0], [0.0, 0.0, 0.0]).tolist()
    [1, 2, -1]
    """
    return path_cover_certified(indptr, heads, arc_costs, origin_costs, destination_costs, order).partner


def path_cover_certified(
    indptr: ArrayLike,
    heads: ArrayLike,
    arc_costs: ArrayLike,
    origin_costs: ArrayLike,
    destination_costs: ArrayLike,
    order: ArrayLike | None = None,
) -> Certified:
    """Solve as `path_cover` does and return the duals as well; their sum equals the cost."""
    tasks = np.shape(origin_costs)
    if np.shape(destination_costs) != tasks:
        raise InputError(f"shape {np.shape(destination_costs)}, expected {tasks}", where="destination_costs")
    names = ("indptr", "heads", "arc_costs", "origin_costs", "destination_costs", "order")
    certified = _solve(names, indptr, heads, arc_costs, origin_costs, destination_costs, order)
    refuse_cycle(certified.partner)
    return certified


def refuse_cycle(successor: Ints) -> None:
    """Refuse an answer that is no set of paths: then the arcs hold a cycle."""
    task = _on_a_cycle(successor)
    if task >= 0:
        raise InputError(f"the arcs hold a cycle through task {task}, expected an acyclic graph", where="heads")


def partial_assignment(
    indptr: ArrayLike,
    columns: ArrayLike,
    costs: ArrayLike,
    column_costs: ArrayLike,
    row_costs: ArrayLike,
    order: ArrayLike | None = None,
) -> Certified:
    """Return an assignment of least cost in which any row and any column may stay unmatched.

    Parameters:
        indptr: Where the pairs of each row begin in `columns`, and where the last ones end, shape (rows + 1,).
        columns: The columns that each row may take, ascending for each row.
        costs: Cost of each pair.
        column_costs: Cost of leaving each column unmatched. Use 0 to match only where it pays, a large number to match
            as much as possible.
        row_costs: Cost of leaving each row unmatched.
        order: The rows in order of insertion, as in `path_cover`.

    Two rows want column 0; row 1 gets it, and row 0 takes column 2 rather than nothing:

    >>> partial_assignment([0, 2, 4], [0, 2, 0, 1], [-5.0, -1.0, -9.0, 3.0], [0.0] * 3, [0.0] * 2).partner.tolist()
    [2, 0]
    """
    names = ("indptr", "columns", "costs", "column_costs", "row_costs", "order")
    return _solve(names, indptr, columns, costs, column_costs, row_costs, order)


def embed(successor: Ints, indptr: Ints, heads: NDArray[np.int32]) -> Floats:
    """Return y as a 0/1 vector (arcs, n origin arcs, n destination arcs); ⟨θ, embed(y)⟩ is the cost of y."""
    return mixed(successor[np.newaxis], np.ones(1), indptr, heads)


def mixed(covers: Ints, coefficients: Floats, indptr: Ints, heads: NDArray[np.int32]) -> Floats:
    """Return Σ_k c_k·embed(covers[k]) in one pass over the rows of `covers`."""
    total = np.zeros(len(heads) + 2 * (len(indptr) - 1))
    j, u = _mix_into(covers, coefficients, indptr, heads, total)
    if u >= 0:
        raise InputError(f"{covers[j, u]} is not a head of an arc from task {u}", where=f"covers[{j}][{u}]")
    return total


class PathCover:
    """The layer of path covers: n tasks are partitioned into paths of an acyclic graph, and y is 1 on the arcs used.

    θ and y hold the arcs between tasks, then the n origin arcs, then the n destination arcs.

    Parameters:
        indptr: Where the arcs of each task begin in `heads`, and where the last ones end, shape (n + 1,).
        heads: The tasks that the arcs lead to, ascending for each task.

    >>> PathCover([0, 2, 3, 3], [1, 2, 2])([3.0, 1.0, 2.0, 10.0, 10.0, 10.0, 0.0, 0.0, 0.0]).tolist()
    [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """

    def __init__(self, indptr: ArrayLike, heads: ArrayLike) -> None:
        arcs = np.array(heads, dtype=np.int32)
        tasks = np.zeros(max(len(np.atleast_1d(indptr)) - 1, 0))
        path_cover(indptr, arcs, np.zeros(len(arcs)) - 1.0, tasks, tasks)  # refuses rows that are not valid
        self.indptr = np.array(indptr, dtype=np.int64)
        self.heads = arcs

    @property
    def size(self) -> int:
        """Return the number of arcs, two per task included."""
        return len(self.heads) + 2 * (len(self.indptr) - 1)

    def __call__(self, theta: ArrayLike) -> Floats:
        """Return the path cover of least cost (see `path_cover`)."""
        m, n = len(self.heads), len(self.indptr) - 1
        costs = costs_of(theta, self.size)
        successor = path_cover(self.indptr, self.heads, costs[:m], costs[m : m + n], costs[m + n :])
        return embed(successor, self.indptr, self.heads)


def _solve(names: tuple[str, ...], *arguments: ArrayLike | None) -> Certified:
    """Check the arguments, named as the caller names them, and run the kernel."""
    arrays = checked_arrays(names, *arguments)
    rows, columns = len(arrays[4]), len(arrays[3])
    certified = Certified(np.empty(rows, dtype=np.int64), np.empty(rows), np.empty(columns))
    match_into(*arrays, *certified)
    return certified


def checked_arrays(names: tuple[str, ...], *arguments: ArrayLike | None) -> list[NDArray[Any]]:
    """Return the arguments, named as the caller names them, as arrays of the kernel's types, checked."""
    types = (np.int64, np.int32, np.float64, np.float64, np.float64)
    arrays = [_array(*item) for item in zip(names, arguments[:5], types, strict=False)]
    indptr, heads, costs, column_costs, row_costs = arrays
    rows = len(row_costs)
    if len(indptr) != rows + 1:
        raise InputError(f"length {len(indptr)}, expected {rows + 1}", where=names[0])
    if indptr[0] != 0 or indptr[-1] != len(heads) or (np.diff(indptr) < 0).any():
        raise InputError(f"expected to ascend from 0 to the number of arcs, {len(heads)}", where=names[0])
    if len(costs) != len(heads):
        raise InputError(f"length {len(costs)}, expected {len(heads)}", where=names[2])
    k = _bad_head(indptr, heads, len(column_costs))
    if k >= 0:
        expected = f"expected 0 … {len(column_costs) - 1}, ascending in each row"
        raise InputError(f"{heads[k]} is out of range or order, {expected}", where=f"{names[1]}[{k}]")
    for name, values in zip(names[2:5], arrays[2:], strict=True):
        k = first_beyond(values, LARGEST)
        if k >= 0:
            raise InputError(f"{values[k]}, expected a number within ±{LARGEST:g}", where=f"{name}[{k}]")
    if arguments[5] is None:
        order = np.arange(rows - 1, -1, -1)
    else:
        order = _array(names[5], arguments[5], np.int64)
        if not np.array_equal(np.sort(order), np.arange(rows)):
            raise InputError(f"expected each of 0 … {rows - 1} once", where=names[5])
    return [*arrays, order]


def _array(name: str, values: ArrayLike | None, dtype: type) -> NDArray[Any]:
    """Return `values` as a writable, contiguous array of the kernel's type, copied only if necessary."""
    array = np.require(values, dtype, ["C", "W"])
    if array.ndim != 1:
        raise InputError(f"an array of {array.ndim} dimensions, expected one", where=name)
    return array


@njit(cache=True, nogil=True)
def _mix_into(covers, coefficients, indptr, heads, total):  # type: ignore[no-untyped-def]
    """Add c_k on the arcs that cover k uses, in the order of k: O(K·n·log n), whatever the number of arcs.

    Returns the first (k, task) whose successor is not one of its heads, (−1, −1): none.
    """
    n = indptr.shape[0] - 1
    origins = total[heads.shape[0] : heads.shape[0] + n]
    destinations = total[heads.shape[0] + n :]
    begins = np.empty(n, np.bool_)
    for j in range(covers.shape[0]):
        begins[:] = True
        for u in range(n):
            v = covers[j, u]
            if v < 0:
                destinations[u] += coefficients[j]
                continue
            k = indptr[u] + np.searchsorted(heads[indptr[u] : indptr[u + 1]], v)
            if k == indptr[u + 1] or heads[k] != v:
                return j, u
            total[k] += coefficients[j]
            begins[v] = False
        for v in range(n):
            if begins[v]:
                origins[v] += coefficients[j]
    return -1, -1


@njit(cache=True, nogil=True)
def _bad_head(indptr, heads, columns):  # type: ignore[no-untyped-def]
    """Return the position of the first head out of range or not above its neighbour in the row, −1 if there is none."""
    for u in range(indptr.shape[0] - 1):
        previous = -1
        for k in range(indptr[u], indptr[u + 1]):
            if heads[k] <= previous or heads[k] >= columns:
                return k
            previous = heads[k]
    return -1


@njit(cache=True, nogil=True)
def _on_a_cycle(successor):  # type: ignore[no-untyped-def]
    """Return a task on a cycle of the successor relation, −1 if all are on paths. O(n): each task is visited once."""
    n = successor.shape[0]
    walk = np.full(n, -1, np.int64)
    for start in range(n):
        u = start
        while u >= 0 and walk[u] < 0:
            walk[u] = start
            u = successor[u]
        if u >= 0 and walk[u] == start:
            return u
    return -1
