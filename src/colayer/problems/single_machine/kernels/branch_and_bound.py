"""Exact search for 1 | r_j | Σ C_j: forward branching, SRPT bounds, dominance, memory of visited sets.

A node is a partial sequence, of which only the set S of its jobs, its completion time t and its cost c matter to what
follows. Its m remaining jobs have heads r'_j = max(t, r_j) and earliest completions E_j = r'_j + p_j. The bound of a
node is c plus the SRPT (preemptive) optimum of the remaining jobs from t on; where SRPT preempts nobody it is a
schedule, and the node is solved. Nodes are expanded in the order of their bounds, with a plunge to the best child now
and then to find better schedules; when the pool of nodes is nearly full the search goes depth-first instead.

A child j is left out where (all strict, so that no optimal schedule starts that way, except 2 and 5):

1. active: r'_j ≥ E_k for some k: k fits before j and delays nobody.
2. equal: some i with p_i = p_j comes before j in the order of (release, index): exchanging equal jobs changes no time.
3. exchange of i and j, where E_i ≤ E_j: costs at most r'_i − r'_j + (m − 2)·max(0, p_j − p_i) < 0, because the
   jobs up to the place of i start no later, and those after it by at most p_j − p_i (after Chu 1992).
4. insertion of i before j: j and the jobs between them are delayed by at most δ = max(0, E_i − r'_j), the jobs after
   the old place of i by at most δ' = max(0, δ − p_i); i completed no earlier than E_j + p_i + Σ p_k over the jobs k
   in between. Over all choices of those jobs the change is at most
   E_i − E_j − p_i + δ + (m − 2)·δ' + Σ_{k ≠ i, j} max(0, δ − δ' − p_k) < 0.
5. memory: with τ = max(t, earliest remaining release), the same set was reached with (τ₁, c₁), τ₁ ≤ τ and c₁ ≤ c, or
   with c₁ + m·(τ₁ − τ) < c; for partial sequences that were not visited yet (the last job moved forward, exchanged
   with an earlier one, or an earlier one moved to the end) the former must be strict in τ or in c.

Why 2 to 5 can be combined: each replaces a schedule by one that is strictly cheaper, or whose prefix costs and times
(c_k, τ_k) compared from k = n down are lexicographically smaller, or, at equality in 5, one whose prefix was generated
already, and so is not cut off at an earlier place. No chain of replacements returns to where it began.

Sources: Dessouky and Deogun, SIAM J. Comput. 10, 1981 (search, SRPT bound); Chu, Naval Res. Logist. 39, 1992
(dominance); T'kindt, Della Croce and Esswein, J. Sched. 7, 2004 (memory).
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.compiled import njit
from colayer.problems.single_machine.kernels.dominance import candidates, improvable
from colayer.problems.single_machine.kernels.heap import pop, push
from colayer.problems.single_machine.kernels.search_state import (
    EXPANDED,
    HEAP,
    OVERFLOW,
    STACK,
    USED,
    Search,
    add_node,
    close_node,
    dominated_in_memory,
    expands_before,
    pop_node,
    push_node,
    remember,
)

#: One node in so many starts a plunge.
PLUNGE = 32


@njit(cache=True, nogil=True)
def _srpt(t: float, rest: Ints, skip: int, s: Search, room: float, work: Floats) -> tuple[float, bool]:
    """Run SRPT from time t on `rest` (in release order) without `skip`; return (total completion, whether it is a
    schedule).

    It stops early, with a valid lower bound, once the sum cannot stay below `room`. O(m log m).
    """
    r, p = s.release, s.processing
    m = len(rest)
    left = m if skip < 0 else m - 1
    i, size, total = 0, 0, 0.0
    running, schedule = False, True
    while left > 0:
        while i < m and (rest[i] == skip or r[rest[i]] <= t):
            if rest[i] != skip:
                length = p[rest[i]]
                if running and length < work[0]:
                    running, schedule = False, False
                push(work, size, length)
                size += 1
            i += 1
        if size == 0:
            t = r[rest[i]]
            continue
        end = t + work[0]
        if i < m and r[rest[i]] < end:
            work[0] -= r[rest[i]] - t
            t = r[rest[i]]
            running = True
            continue
        t = end
        total += t
        left -= 1
        running = False
        if total + left * t >= room:
            return total + left * t, False
        pop(work, size)
        size -= 1
    return total, schedule


@njit(cache=True, nogil=True)
def _finish(s: Search, path: Ints, depth: int, t: float, cost: float, rest: Ints, skip: int) -> float:
    """Complete the sequence with the shortest available job first, keep it if it is the best, and return its cost."""
    r, p = s.release, s.processing
    n = len(r)
    order = path.copy()
    done = np.zeros(n, np.bool_)
    for k in range(depth, n):
        chosen = -1
        for j in rest:
            if j == skip or done[j]:
                continue
            if chosen < 0:
                chosen = j
                t = max(t, r[j])
            elif r[j] > t:
                break
            elif p[j] < p[chosen]:
                chosen = j
        t += p[chosen]
        cost += t
        order[k] = chosen
        done[chosen] = True
    if cost < s.best_cost[0]:
        s.best_cost[0] = cost
        s.best[:] = order
    return cost


@njit(cache=True, nogil=True)
def open_root(s: Search) -> None:
    """Open the root of a new search; SRPT may solve it already."""
    n = len(s.release)
    rest = np.arange(n)
    total, schedule = _srpt(0.0, rest, -1, s, np.inf, np.empty(n))
    # SRPT sums its pieces: where that rounds, what it calls a schedule may be a dearer one
    if not schedule or _finish(s, np.empty(n, np.int64), 0, 0.0, 0.0, rest, -1) > total + s.tolerance:
        push_node(s, add_node(s, -1, -1, 0, 0.0, 0.0, total))


@njit(cache=True, nogil=True)
def _expand(s: Search, node: int, plunge: bool, deep: bool) -> None:
    """Open the children of a node that neither bounds nor dominance exclude, and close the node.

    With `plunge` the best child goes on the stack; with `deep` all of them do, the best on top.
    """
    n = len(s.release)
    depth = s.depth[node]
    path = np.empty(n, np.int64)
    times, costs = np.empty(n + 1), np.empty(n + 1)
    key = np.zeros(s.keys.shape[1], np.uint64)
    code = np.uint64(0)
    left = np.ones(n, np.bool_)
    one = np.uint64(1)
    x = node
    for k in range(depth, -1, -1):
        times[k], costs[k] = s.time[x], s.cost[x]
        if k > 0:
            j = s.job[x]
            path[k - 1] = j
            left[j] = False
            key[j >> 6] |= one << np.uint64(j & 63)
            code ^= s.hashes[j]
        x = s.parent[x]
    rest = np.flatnonzero(left)
    m = n - depth
    t, c = times[depth], costs[depth]
    if depth > 0 and dominated_in_memory(s, key, code, m, max(t, s.release[rest[0]]), c, True):
        close_node(s, node)
        return
    out, work = np.empty(m, np.int64), np.empty(m)
    count = candidates(s, t, rest, out)
    opened = np.empty(count, np.int64)
    size = 0
    for j in out[:count]:
        time = max(t, s.release[j]) + s.processing[j]
        cost = c + time
        path[depth], times[depth + 1], costs[depth + 1] = j, time, cost
        if m == 1:
            _finish(s, path, n, time, cost, rest, j)
            continue
        release = s.release[rest[0] if rest[0] != j else rest[1]]
        if improvable(s, path, times, costs, depth + 1, release):
            continue
        key[j >> 6] ^= one << np.uint64(j & 63)
        ready = max(time, release)
        if not dominated_in_memory(s, key, code ^ s.hashes[j], m - 1, ready, cost, False):
            total, schedule = _srpt(time, rest, j, s, s.best_cost[0] - cost, work)
            solved = schedule and _finish(s, path, depth + 1, time, cost, rest, j) <= cost + total + s.tolerance
            if not solved and cost + total < s.best_cost[0]:
                child = add_node(s, node, j, depth + 1, time, cost, max(cost + total, s.bound[node]))
                remember(s, key, code ^ s.hashes[j], m - 1, ready, cost)
                opened[size] = child
                size += 1
        key[j >> 6] ^= one << np.uint64(j & 63)
    for a in range(size):  # the best child last
        for b in range(a + 1, size):
            if expands_before(s, opened[a], opened[b]):
                opened[a], opened[b] = opened[b], opened[a]
        if deep or (plunge and a == size - 1):
            s.stack[s.counters[STACK]] = opened[a]
            s.counters[STACK] += 1
        else:
            push_node(s, opened[a])
    close_node(s, node)


@njit(cache=True, nogil=True)
def advance(s: Search, nodes: int) -> tuple[bool, float]:
    """Expand up to `nodes` nodes; return (whether the search is over, a lower bound on the optimal cost).

    The search is over when the best sequence is proved optimal (the bound is its cost), or when the pool of nodes is
    full (it is not). The bound is the least one of the open nodes, and never above the best cost.
    """
    full = len(s.free)
    n = len(s.release)
    reserve = min(full // 2, 64 * n)
    plunging = False
    for _ in range(nodes):
        if s.counters[OVERFLOW]:
            break
        if s.counters[STACK] > 0:
            s.counters[STACK] -= 1
            node = s.stack[s.counters[STACK]]
            plunging = True
        elif s.counters[HEAP] > 0 and s.bound[s.heap[0]] < s.best_cost[0]:
            node = pop_node(s)
            plunging = s.counters[EXPANDED] % PLUNGE == 0
        else:
            break
        s.counters[EXPANDED] += 1
        if s.bound[node] >= s.best_cost[0]:
            close_node(s, node)
        elif s.counters[USED] + n > full:  # no room for all its children: it stays open, and the bound valid
            s.counters[OVERFLOW] = 1
            push_node(s, node)
        else:
            _expand(s, node, plunging, s.counters[USED] + reserve > full)
    bound = s.best_cost[0]
    if s.counters[HEAP] > 0:
        bound = min(bound, s.bound[s.heap[0]])
    for k in range(s.counters[STACK]):
        bound = min(bound, s.bound[s.stack[k]])
    done = bound >= s.best_cost[0] or s.counters[OVERFLOW] > 0
    return done, bound
