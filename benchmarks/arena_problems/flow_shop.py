"""The permutation flow shop, F | prmu | C_max: jobs in the order of θ, each inserted where it lengthens least.

Public instances: Taillard (1993), 1 to 110, in `DIR/taillard/pfsp/instances`. The upper bounds in the files are old;
`BEST` holds the best known makespans. Training instances have processing times of 1 to 99, as Taillard's.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from arena_problems.contest import Contest
from colayer import BaseProblem
from colayer.layers import sorting

#: Jobs and machines; ten instances of each. Training instances have the first nine of these sizes.
SIZES = (
    (20, 5), (20, 10), (20, 20), (50, 5), (50, 10), (50, 20), (100, 5), (100, 10), (100, 20), (200, 10), (200, 20),
)  # fmt: skip
TRAIN = 108
#: Best known makespans of Taillard's instances 1 to 110, a line for each size.
BEST = (
    1278, 1359, 1081, 1293, 1235, 1195, 1234, 1206, 1230, 1108,
    1582, 1659, 1496, 1377, 1419, 1397, 1484, 1538, 1593, 1591,
    2297, 2099, 2326, 2223, 2291, 2226, 2273, 2200, 2237, 2178,
    2724, 2834, 2621, 2751, 2863, 2829, 2725, 2683, 2552, 2782,
    2991, 2867, 2839, 3063, 2976, 3006, 3093, 3037, 2897, 3065,
    3850, 3704, 3640, 3723, 3610, 3679, 3704, 3691, 3741, 3755,
    5493, 5268, 5175, 5014, 5250, 5135, 5246, 5094, 5448, 5322,
    5770, 5349, 5676, 5781, 5467, 5303, 5595, 5617, 5871, 5845,
    6202, 6183, 6271, 6269, 6314, 6364, 6268, 6401, 6275, 6434,
    10862, 10480, 10922, 10889, 10524, 10329, 10854, 10730, 10438, 10675,
    11181, 11203, 11281, 11275, 11259, 11176, 11360, 11334, 11192, 11284,
)  # fmt: skip

#: What decides between places of equal makespan: the first; the least idle time; the half that Kalczynski and
#: Kamburowski's weights point to.
FIRST, IDLE, HALF = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Shop:
    times: np.ndarray  # (jobs, machines)


@njit(cache=True, nogil=True)
def makespan(sequence, times):
    """The time at which the last machine ends: O(n·m)."""
    free = np.zeros(times.shape[1])
    for job in sequence:
        for i in range(times.shape[1]):
            free[i] = max(free[i], free[i - 1] if i else 0.0) + times[job, i]
    return free[-1]


@njit(cache=True, nogil=True)
def insert(sequence, count, job, times, ties, work):
    """Insert a job into the first `count` of a sequence at the place of least makespan, which is returned.

    Taillard's acceleration: head[j + 1, i + 1] is the end of the j-th job on machine i, tail[j, i] the time from its
    begin there to the end of all, end[j, i + 1] the end of the new job at place j. The makespan with the job there is
    max_i end[j, i + 1] + tail[j, i]. O(count·m).
    """
    m = times.shape[1]
    head, tail, end, lengths = work[0], work[1], work[2], work[3, :, 0]
    for j in range(count):
        for i in range(m):
            head[j + 1, i + 1] = max(head[j, i + 1], head[j + 1, i]) + times[sequence[j], i]
    tail[count, :] = 0.0
    for j in range(count - 1, -1, -1):
        for i in range(m - 1, -1, -1):
            tail[j, i] = max(tail[j + 1, i], tail[j, i + 1]) + times[sequence[j], i]
    least, place, last = np.inf, 0, 0
    for j in range(count + 1):
        longest = 0.0
        for i in range(m):
            end[j, i + 1] = max(end[j, i], head[j, i + 1]) + times[job, i]
            longest = max(longest, end[j, i + 1] + tail[j, i])
        if longest < least:
            least, place, last = longest, j, j
        elif longest == least:
            last = j
        lengths[j] = longest
    if last > place and ties == HALF:
        place = last if front_weight(times[job]) > front_weight(times[job, ::-1]) else place
    elif last > place and ties == IDLE and count + 1 < len(sequence):
        shortest = np.inf
        for j in range(place, last + 1):
            if lengths[j] == least:
                idle = idle_time(sequence, count, job, j, times, head, end)
                if idle < shortest:
                    shortest, place = idle, j
    for j in range(count, place, -1):
        sequence[j] = sequence[j - 1]
    sequence[place] = job
    return least


@njit(cache=True, nogil=True)
def idle_time(sequence, count, job, place, times, head, end):
    """Fernandez-Viagas and Framinan (2014): estimate of the idle time between the new job and its neighbours. O(m)."""
    m, idle = times.shape[1], 0.0
    if place == count:
        for i in range(1, m):
            idle += end[place, i + 1] - times[job, i] - head[count, i + 1]
        return idle
    following = sequence[place]
    ready = end[place, 1] + times[following, 0]  # the end of the job that follows, machine by machine
    for i in range(1, m):
        moved = end[place, i + 1] - times[job, i] - (head[place + 1, i + 1] - times[following, i])
        idle += moved + max(0.0, ready - end[place, i + 1])
        ready = max(ready, end[place, i + 1]) + times[following, i]
    return idle


@njit(cache=True, nogil=True)
def front_weight(times):
    """Kalczynski and Kamburowski (2008): Σ_i ((m − 1)(m − 2)/2 + m − i)·p_i, which weighs the first machines most."""
    m, total = len(times), 0.0
    for i in range(m):
        total += ((m - 1) * (m - 2) / 2.0 + m - 1 - i) * times[i]
    return total


@njit(cache=True, nogil=True)
def insert_all(order, times, ties):
    """NEH (Nawaz, Enscore, Ham 1983) from a given order: O(n²·m)."""
    n, m = times.shape
    sequence, work = np.empty(n, np.int64), np.zeros((4, n + 1, m + 1))
    for count in range(n):
        insert(sequence, count, order[count], times, ties, work)
    return sequence


@njit(cache=True, nogil=True)
def iterated_greedy(sequence, times, uniform):
    """Ruiz and Stützle (2007), without local search: take jobs out, insert them again, accept as in annealing.

    A row of `uniform` numbers, in [0, 1), is an iteration: one number for each job that is taken out, one to accept.
    """
    (n, m), removed = times.shape, uniform.shape[1] - 1
    work = np.zeros((4, n + 1, m + 1))
    temperature = 0.4 * times.mean() / 10.0
    now, best = sequence.copy(), sequence.copy()
    length = shortest = makespan(sequence, times)
    for drawn in uniform:
        tried, out = now.copy(), np.empty(removed, np.int64)
        for k in range(removed):
            at = int(drawn[k] * (n - k))
            out[k] = tried[at]
            tried[at : n - k - 1] = tried[at + 1 : n - k].copy()
        found = 0.0
        for k in range(removed):
            found = insert(tried, n - removed + k, out[k], times, FIRST, work)
        if found < length or drawn[removed] < np.exp((length - found) / temperature):
            now, length = tried, found
        if found < shortest:
            best, shortest = tried.copy(), found
    return best


class FlowShop(BaseProblem):
    """Sort the jobs by θ, then insert them (NEH), ties by idle time. Features: moments of a job's processing times."""

    name = "flow-shop"
    feature_names = (
        "total", "spread", "skewness", "smaller end weight", "end weights apart", "slope", "slope, absolute", "longest",
        "first machine", "last machine", "shorter end", "middle machines", "bottleneck", "median",
    )  # fmt: skip
    instance_type = Shop
    homogeneous = True
    safe_weights = np.array([-float(name == "total") for name in feature_names])

    def features(self, instance):
        times, (_, m) = instance.times, instance.times.shape
        total = times.sum(axis=1)
        unit = total.mean()
        front, back = end_weights(times)
        slope = times @ (2.0 * np.arange(m) - m + 1.0)
        steep = np.abs(slope).mean() * m
        middle = np.abs(np.arange(m) - (m - 1) / 2.0) <= m / 4.0
        apart = times - times.mean(axis=1, keepdims=True)
        skewness = ((apart / np.maximum(times.std(axis=1, keepdims=True), 1e-9)) ** 3).mean(axis=1)
        return np.column_stack([
            total / unit, times.std(axis=1, ddof=1) * np.sqrt(m) / unit, skewness / m,
            np.minimum(front, back) / front.mean(), np.abs(front - back) / front.mean(),
            slope / steep, np.abs(slope) / steep, times.max(axis=1) / unit, times[:, 0] / unit, times[:, -1] / unit,
            np.minimum(times[:, 0], times[:, -1]) / unit, times[:, middle].mean(axis=1) * m / unit,
            times[:, times.sum(axis=0).argmax()] / unit, np.median(times, axis=1) * m / unit,
        ])  # fmt: skip

    def layer(self, theta, instance):
        return sorting.sort(theta)

    def embed(self, y, instance):
        return sorting.embed(y)

    def decode(self, y, instance):
        return insert_all(y, instance.times, IDLE)

    def cost(self, solution, instance):
        return float(makespan(solution, instance.times))

    def scale(self, instance):
        return self.bound(instance)

    def bound(self, instance):
        """Return the longest job, or the work of a machine with the shortest way to it and from it."""
        times = instance.times
        after = times.sum(axis=1, keepdims=True) - times.cumsum(axis=1)
        before = times.cumsum(axis=1) - times
        machines = times.sum(axis=0) + before.min(axis=0) + after.min(axis=0)
        return float(max(times.sum(axis=1).max(), machines.max()))

    def violation(self, solution, instance):
        every = np.array_equal(np.sort(solution), np.arange(len(instance.times)))
        return None if every else "not every job stands in the sequence once"

    def group(self, instance):
        jobs, machines = instance.times.shape
        return {"jobs": jobs, "machines": machines}

    def generate(self, seed, jobs=20, machines=5):
        return Shop(np.random.default_rng(seed).integers(1, 100, (jobs, machines)).astype(float))


def end_weights(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Kalczynski and Kamburowski's weight of each job towards the first machines, and towards the last."""
    m = times.shape[1]
    towards = (m - 1) * (m - 2) / 2.0 + np.arange(m)
    return times @ towards[::-1], times @ towards


def neh(key: np.ndarray, shop: Shop, ties: int) -> np.ndarray:
    """Insert the jobs by decreasing key."""
    return insert_all(np.argsort(-key, kind="stable"), shop.times, ties)


def with_spread(shop: Shop) -> np.ndarray:
    """Return the key of NEH-D (Dong, Huang and Chen 2008): mean and standard deviation of a job's times."""
    return shop.times.mean(axis=1) + shop.times.std(axis=1, ddof=1)


RULES = {
    "NEH-FF": lambda shop: neh(shop.times.sum(axis=1), shop, IDLE),
    "NEH": lambda shop: neh(shop.times.sum(axis=1), shop, FIRST),
    "NEHKK1": lambda shop: neh(np.minimum(*end_weights(shop.times)), shop, HALF),
    "NEH-D": lambda shop: neh(with_spread(shop), shop, FIRST),
    "NEH-D, ties by idle time": lambda shop: neh(with_spread(shop), shop, IDLE),
}


def searched(shop: Shop, seed: int, solves: int = 10) -> np.ndarray:
    """NEH-FF, then iterated greedy for as many steps as the other solves take: n²/2 each, n for a job put back."""
    removed = min(4, len(shop.times) - 1)
    iterations = max(1, int((solves - 1) * len(shop.times) / (2 * removed)))
    uniform = np.random.default_rng(seed).random((iterations, removed + 1))
    return iterated_greedy(RULES["NEH-FF"](shop), shop.times, uniform)


def read_public(folder: Path) -> tuple[list[Shop], np.ndarray]:
    """Return Taillard's instances (a row for each machine) and their best known makespans."""
    instances = []
    for jobs, machines in SIZES:
        for k in range(10):
            text = (folder / "taillard" / "pfsp" / "instances" / f"tai{jobs}_{machines}_{k}.fsp").read_text("utf-8")
            times = np.array(text.partition("processing times :")[2].split(), dtype=float)
            instances.append(Shop(np.ascontiguousarray(times.reshape(machines, jobs).T)))
    return instances, np.array(BEST, dtype=float)


def contest(folder: Path, train: int = TRAIN) -> Contest:
    """Return the contest on the files of `folder`."""
    problem = FlowShop()
    test, best = read_public(folder)
    instances = [problem.generate(1000 + k, *SIZES[k % min(9, len(SIZES))]) for k in range(train)]
    searches = {"NEH-FF + iterated greedy, as long as 10": searched}
    title = "permutation flow shop, sort and insert"
    return Contest(title, problem, instances, test, best, best, 10, RULES, searches=searches)
