"""Total weighted tardiness on one machine, 1 || Σ w_j T_j, in two ways: θ sorts the jobs, or θ parametrises a rule.

Public instances: OR-Library, wt40, wt50 and wt100, with optimal or best known values, in `DIR/wt`. Training instances
follow the generator described there. Some optima are 0, so a gap is a share of the optimum and 2 % of Σw · mean p.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from arena_problems.contest import Contest, numbers
from colayer import BaseProblem
from colayer.layers import sorting

#: Look-aheads of ATC, in mean processing times.
LOOK_AHEADS = (0.3, 0.5, 0.8, 1.2, 1.8, 2.5, 3.5, 5.0)
JOBS = (40, 50, 100)
#: Training instances, and further ones on which the rule ATC is tuned.
TRAIN, TUNE = 120, 1200


@dataclass(frozen=True, eq=False)
class Jobs:
    processing: np.ndarray
    weight: np.ndarray
    due: np.ndarray

    @property
    def tardiness_factor(self) -> float:
        """1 − mean due date / total processing time: how many jobs will be late."""
        return float(1.0 - self.due.mean() / self.processing.sum())

    @property
    def due_range(self) -> float:
        """Range of the due dates over total processing time."""
        return float((self.due.max() - self.due.min()) / self.processing.sum())


@njit(cache=True, nogil=True)
def weighted_tardiness(sequence, processing, weight, due):
    """Σ w_j max(0, C_j − d_j) of a sequence: O(n)."""
    time, total = 0.0, 0.0
    for job in sequence:
        time += processing[job]
        total += weight[job] * max(0.0, time - due[job])
    return total


@njit(cache=True, nogil=True)
def apparent_tardiness_cost(processing, weight, due, log_boost, look_ahead):
    """ATC (Vepsalainen and Morton 1987): always the waiting job of largest index next, ties by number.

    The index at time t is b_j·(w_j/p_j)·exp(−max(0, d_j − p_j − t)/(k_j p̄)), p̄ the mean processing time of those that
    wait; here its logarithm, with a boost b and a look-ahead k of each job. O(n²).
    """
    n = len(processing)
    sequence, waiting = np.empty(n, np.int64), np.ones(n, np.bool_)
    time, left = 0.0, processing.sum()
    for place in range(n):
        mean = left / (n - place)
        first, largest = -1, -np.inf
        for job in range(n):
            if waiting[job]:
                slack = max(0.0, due[job] - processing[job] - time)
                index = log_boost[job] + np.log(weight[job] / processing[job]) - slack / (look_ahead[job] * mean)
                if first < 0 or index > largest:
                    first, largest = job, index
        sequence[place] = first
        waiting[first] = False
        time += processing[first]
        left -= processing[first]
    return sequence


@njit(cache=True, nogil=True)
def weighted_modified_due_date(processing, weight, due):
    """WMDD (Kanet and Li 2004): the waiting job of least max(p_j, d_j − t)/w_j, ties by number. O(n²)."""
    n = len(processing)
    sequence, waiting = np.empty(n, np.int64), np.ones(n, np.bool_)
    time = 0.0
    for place in range(n):
        first, least = -1, np.inf
        for job in range(n):
            if waiting[job]:
                index = max(processing[job], due[job] - time) / weight[job]
                if first < 0 or index < least:
                    first, least = job, index
        sequence[place] = first
        waiting[first] = False
        time += processing[first]
    return sequence


def atc(jobs: Jobs, look_ahead: float) -> np.ndarray:
    """Return the sequence of the plain rule: no boost, one look-ahead."""
    n = len(jobs.processing)
    return apparent_tardiness_cost(jobs.processing, jobs.weight, jobs.due, np.zeros(n), np.full(n, look_ahead))


def wmdd(jobs: Jobs) -> np.ndarray:
    return weighted_modified_due_date(jobs.processing, jobs.weight, jobs.due)


def earliest_due_date(jobs: Jobs) -> np.ndarray:
    return np.argsort(jobs.due, kind="stable")


def shortest_weighted(jobs: Jobs) -> np.ndarray:
    return np.argsort(jobs.processing / jobs.weight, kind="stable")


def positions(sequence: np.ndarray) -> np.ndarray:
    """Return the position of each job in a sequence, as a share of the length."""
    found = np.empty(len(sequence))
    found[sequence] = np.arange(len(sequence)) / len(sequence)
    return found


class _Tardiness(BaseProblem):
    """What both problems share: a solution is a sequence."""

    instance_type = Jobs

    def cost(self, solution, instance):
        return float(weighted_tardiness(solution, instance.processing, instance.weight, instance.due))

    def scale(self, instance):
        """Return the better of two rules and a bit: easy instances count neither nothing nor all."""
        return min(self.cost(atc(instance, 2.0), instance), self.cost(wmdd(instance), instance)) + a_bit(instance)

    def violation(self, solution, instance):
        every = np.array_equal(np.sort(solution), np.arange(len(instance.processing)))
        return None if every else "not every job stands in the sequence once"

    def generate(self, seed, jobs=40):
        rng = np.random.default_rng(seed)
        processing = rng.integers(1, 101, jobs).astype(float)
        total = processing.sum()
        due_range, factor = (rng.choice([0.2, 0.4, 0.6, 0.8, 1.0]) for _ in range(2))
        early, late = total * (1.0 - factor - due_range / 2.0), total * (1.0 - factor + due_range / 2.0)
        due = np.floor(rng.uniform(early, late, jobs)).clip(0.0)
        return Jobs(processing, rng.integers(1, 11, jobs).astype(float), due)


class SortedJobs(_Tardiness):
    """Sort the jobs by θ. Features: where rules put a job, and its data, alone and by tightness of the instance."""

    name = "weighted-tardiness"
    feature_names = (
        *(f"position under ATC, k {k:g}" for k in LOOK_AHEADS),
        "position under WMDD", "position under EDD", "position under WSPT", "due date", "processing time", "weight",
        "due date × tardiness factor", "EDD × tardiness factor", "WSPT × tardiness factor", "WSPT × due range",
        "ATC, k 1.2 × tardiness factor", "WMDD × tardiness factor", "processing time over weight",
    )  # fmt: skip
    homogeneous = True
    safe_weights = np.array([float(name == "position under ATC, k 1.8") for name in feature_names])

    def features(self, instance):
        ratio, due = instance.processing / instance.weight, instance.due / instance.processing.sum()
        factor, wide = instance.tardiness_factor - 0.6, instance.due_range - 0.6
        ahead = [positions(atc(instance, k)) for k in LOOK_AHEADS]
        modified, by_due = positions(wmdd(instance)), positions(earliest_due_date(instance))
        by_ratio = positions(shortest_weighted(instance))
        return np.column_stack([
            *ahead, modified, by_due, by_ratio, due,
            instance.processing / instance.processing.mean(), instance.weight / instance.weight.mean(),
            due * factor, by_due * factor, by_ratio * factor, by_ratio * wide,
            ahead[LOOK_AHEADS.index(1.2)] * factor, modified * factor, ratio / ratio.mean(),
        ])  # fmt: skip

    def layer(self, theta, instance):
        return sorting.sort(theta)

    def embed(self, y, instance):
        return sorting.embed(y)


class BoostedATC(_Tardiness):
    """The rule ATC is the layer: θ holds the log boost of every job, then the log look-ahead of every job."""

    name = "atc-layer"
    _boost = ("processing time", "weight", "slack", "processing time × weight", "processing time × tardiness factor")
    _look_ahead = (
        "one", "tardiness factor", "due range", "tardiness factor²", "due range²", "tardiness factor × due range",
        "processing time", "weight", "slack",
    )  # fmt: skip
    feature_names = (*(f"boost: {name}" for name in _boost), *(f"look-ahead: {name}" for name in _look_ahead))
    safe_weights = np.array([np.log(1.5) * (name == "look-ahead: one") for name in feature_names])

    def features(self, instance):
        n, one = len(instance.processing), np.ones(len(instance.processing))
        factor, wide = instance.tardiness_factor - 0.6, instance.due_range - 0.6
        processing = np.log(instance.processing / instance.processing.mean())
        weight = np.log(instance.weight / instance.weight.mean())
        slack = (instance.due - instance.processing) / instance.processing.sum()
        slack = slack - slack.mean()
        boost = [processing, weight, slack, processing * weight, processing * factor]
        ahead = [one, one * factor, one * wide, one * factor**2, one * wide**2, one * factor * wide]
        ahead += [processing, weight, slack]
        found = np.zeros((2 * n, len(self.feature_names)))
        found[:n, : len(boost)] = np.column_stack(boost)
        found[n:, len(boost) :] = np.column_stack(ahead)
        return found

    def layer(self, theta, instance):
        n = len(instance.processing)
        look_ahead = np.exp(np.clip(theta[n:], -4.0, 4.0))
        return apparent_tardiness_cost(
            instance.processing, instance.weight, instance.due, np.ascontiguousarray(theta[:n]), look_ahead
        )


class TunedATC:
    """ATC with the look-ahead best on training instances of like tardiness factor and due range, five bins of each."""

    def __init__(self, problem: _Tardiness, instances: list[Jobs]) -> None:
        bins: dict[tuple[int, int], np.ndarray] = {}
        for jobs in instances:
            losses = np.array([problem.cost(atc(jobs, k), jobs) for k in LOOK_AHEADS]) / problem.scale(jobs)
            bins[self._bin(jobs)] = bins.get(self._bin(jobs), 0.0) + losses
        #: The look-ahead of each bin, and the best over all bins.
        self._of_bin = {key: LOOK_AHEADS[int(np.argmin(losses))] for key, losses in bins.items()}
        self.best = LOOK_AHEADS[int(np.argmin(sum(bins.values())))]

    def __call__(self, jobs: Jobs) -> np.ndarray:
        return atc(jobs, self._of_bin.get(self._bin(jobs), self.best))

    @staticmethod
    def _bin(jobs: Jobs) -> tuple[int, int]:
        factor, wide = np.clip([5.0 * jobs.tardiness_factor, 5.0 * jobs.due_range], 0, 4).astype(int).tolist()
        return factor, wide


def a_bit(jobs: Jobs) -> float:
    return 0.02 * float(jobs.weight.sum() * jobs.processing.mean())


def read_public(folder: Path) -> tuple[list[Jobs], np.ndarray]:
    """Return the instances of `wtN.txt` (processing times, weights, due dates, row by row) and their best values."""
    instances, best = [], []
    for n, values in zip(JOBS, ("wtopt40.txt", "wtopt50.txt", "wtbest100b.txt"), strict=True):
        rows = numbers(folder / "wt" / f"wt{n}.txt").reshape(-1, 3, n)
        instances += [Jobs(*row) for row in rows]
        best.append(numbers(folder / "wt" / values)[: len(rows)])
    return instances, np.concatenate(best)


def contest(folder: Path, problem: _Tardiness, title: str, train: int = TRAIN, tune: int = TUNE) -> Contest:
    """Return the contest of one of the two problems on the files of `folder`."""
    test, best = read_public(folder)
    instances = [problem.generate(5000 + k, JOBS[k % 3]) for k in range(train)]
    tuned = TunedATC(problem, instances + [problem.generate(20000 + k, JOBS[k % 3]) for k in range(tune)])
    plain = {f"ATC, k {k:g}": lambda jobs, k=k: atc(jobs, k) for k in LOOK_AHEADS}
    one = f"ATC, k {tuned.best:g}"
    rules = {
        "ATC, k by bins": tuned, f"{one}, the best": plain.pop(one), "WMDD": wmdd,
        "EDD": earliest_due_date, "WSPT": shortest_weighted,
    }  # fmt: skip
    unit = best + np.array([a_bit(jobs) for jobs in test])
    return Contest(title, problem, instances, test, best, unit, 8, rules, plain)
