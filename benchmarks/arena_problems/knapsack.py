"""The multidimensional knapsack: items in the order of θ, each taken where it fits. Costs are minus the value.

Public instances: OR-Library, mknapcb1 to mknapcb9, with the best values of Chu and Beasley (1998), in `DIR/mkp`.
Training instances follow their generator.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numba import njit
from scipy.optimize import linprog

from arena_problems.contest import Contest, numbers
from colayer import BaseProblem
from colayer.layers import sorting

#: Constraints and items of mknapcb1 to mknapcb9.
SIZES = tuple((constraints, items) for constraints in (5, 10, 30) for items in (100, 250, 500))
TRAIN = 72


@dataclass(frozen=True, eq=False)
class Items:
    value: np.ndarray  # (n,)
    use: np.ndarray  # (m, n)
    capacity: np.ndarray  # (m,)

    @cached_property
    def relaxation(self) -> tuple[np.ndarray, np.ndarray, float]:
        """The linear relaxation: how much of each item is taken, the prices of the capacities, its value."""
        found = linprog(-self.value, A_ub=self.use, b_ub=self.capacity, bounds=(0.0, 1.0), method="highs")
        return found.x, -found.ineqlin.marginals, -float(found.fun)

    @property
    def priced(self) -> np.ndarray:
        """What each item uses, at the prices of the relaxation."""
        return np.maximum(self.relaxation[1] @ self.use, 1e-9)

    @property
    def shares(self) -> np.ndarray:
        """What each item uses, as shares of the capacities."""
        return self.use / self.capacity[:, None]


@njit(cache=True, nogil=True)
def fill(order, use, capacity):
    """Take the items in this order, each where all capacities allow: O(n·m)."""
    m, n = use.shape
    left, taken = capacity.copy(), np.zeros(n, np.bool_)
    for item in order:
        fits = True
        for i in range(m):
            if use[i, item] > left[i]:
                fits = False
                break
        if fits:
            taken[item] = True
            for i in range(m):
                left[i] -= use[i, item]
    return taken


@njit(cache=True, nogil=True)
def toyoda(value, shares):
    """Toyoda (1975): again and again the item of most value for its use, capacities weighed by how full they are.

    The use of item j is Σ_i s_ij·U_i/‖U‖ with U the used shares of the capacities, Σ_i s_ij while nothing is used.
    O(n²·m).
    """
    m, n = shares.shape
    used, taken, open_ = np.zeros(m), np.zeros(n, np.bool_), np.ones(n, np.bool_)
    while True:
        length = np.sqrt((used**2).sum())
        weights = used / length if length > 0.0 else np.ones(m)
        best, most = -1, -1.0
        for item in range(n):
            if not open_[item]:
                continue
            worst, charge = -np.inf, 0.0
            for i in range(m):
                worst = max(worst, used[i] + shares[i, item])
                charge += shares[i, item] * weights[i]
            if worst > 1.0 + 1e-12:
                open_[item] = False
            elif value[item] / max(charge, 1e-12) > most:
                best, most = item, value[item] / max(charge, 1e-12)
        if best < 0:
            return taken
        taken[best], open_[best] = True, False
        used += shares[:, best]


class Knapsack(BaseProblem):
    """Sort the items by θ and fill. Features: the linear relaxation, its prices, and efficiencies."""

    name = "multi-knapsack"
    feature_names = (
        "taken by the relaxation", "cut by the relaxation", "reduced value", "log value over price",
        "log value over use", "log value over largest use", "value", "price", "use", "largest use",
        "reduced value, clipped", "reduced value where cut", "log value over price × constraints", "spread of use",
    )  # fmt: skip
    instance_type = Items
    homogeneous = True
    safe_weights = np.array([-float(name == "log value over price") for name in feature_names])

    def features(self, instance):
        taken, prices, _ = instance.relaxation
        value, shares, price = instance.value, instance.shares, prices @ instance.use
        cut = ((taken > 1e-7) & (taken < 1.0 - 1e-7)).astype(float)
        reduced = (value - price) / value.mean()
        use, largest = shares.sum(axis=0), shares.max(axis=0)
        over_price, over_use, over_largest = (
            np.log(value / instance.priced),
            np.log(value / use),
            np.log(value / largest),
        )
        return np.column_stack([
            taken, cut, reduced, over_price, over_use - over_use.mean(), over_largest - over_largest.mean(),
            value / value.mean(), price / price.mean(), use / use.mean(), largest / largest.mean(),
            reduced.clip(-0.1, 0.1), reduced * cut, over_price * len(prices) / 10.0,
            shares.std(axis=0) / shares.mean(axis=0),
        ])  # fmt: skip

    def layer(self, theta, instance):
        return sorting.sort(theta)

    def embed(self, y, instance):
        return sorting.embed(y)

    def decode(self, y, instance):
        return fill(y, instance.use, instance.capacity)

    def cost(self, solution, instance):
        return -float(instance.value[solution].sum())

    def scale(self, instance):
        return float(instance.value.sum()) / 2.0

    def bound(self, instance):
        return -instance.relaxation[2]

    def violation(self, solution, instance):
        fits = (instance.use[:, solution].sum(axis=1) <= instance.capacity).all()
        return None if fits else "a capacity is exceeded"

    def generate(self, seed, items=100, constraints=5):
        rng = np.random.default_rng(seed)
        use = rng.integers(0, 1001, (constraints, items)).astype(float)
        tightness = rng.choice([0.25, 0.5, 0.75])
        value = np.floor(use.sum(axis=0) / constraints + 500.0 * rng.random(items))
        return Items(value, use, np.floor(tightness * use.sum(axis=1)))


def by(key: np.ndarray, items: Items) -> np.ndarray:
    """Fill in the order of decreasing key."""
    return fill(np.argsort(-key, kind="stable"), items.use, items.capacity)


def rounded(items: Items) -> np.ndarray:
    """What the relaxation takes first, whole items before cut ones; the rest by value over price."""
    worth = items.value / items.priced
    return by(items.relaxation[0] + 1e-6 * worth / worth.max(), items)


RULES = {
    "LP rounding": rounded,
    "LP dual (Pirkul)": lambda items: by(items.value / items.priced, items),
    "Toyoda": lambda items: toyoda(items.value, items.shares),
    "value over use": lambda items: by(items.value / items.shares.sum(axis=0), items),
}


def read_public(folder: Path) -> tuple[list[Items], np.ndarray]:
    """Return the instances of `mknapcbK.txt` and, negative, the first value that the list of best ones has for each."""
    values: dict[str, float] = {}
    for words in map(str.split, (folder / "mkp" / "best-feasible-slns.txt").read_text("utf-8").splitlines()):
        if len(words) == 2 and words[0].replace(".", "").replace("-", "").isdigit():
            values.setdefault(words[0], float(words[1]))
    instances, best = [], []
    for file, (constraints, items) in enumerate(SIZES, 1):
        count, *_ = rest = numbers(folder / "mkp" / f"mknapcb{file}.txt")
        rows = rest[1:].reshape(int(count), 3 + items + constraints * items + constraints)
        for k, row in enumerate(rows):
            value, use, capacity = np.split(row[3:], [items, items + constraints * items])
            instances.append(Items(value, use.reshape(constraints, items), capacity))
            best.append(-values[f"{constraints}.{items}-{k:02d}"])
    return instances, np.array(best)


def contest(folder: Path, train: int = TRAIN) -> Contest:
    """Return the contest on the files of `folder`."""
    problem = Knapsack()
    test, best = read_public(folder)
    by_items = sorted(SIZES, key=lambda size: size[1])
    shapes = [(items, constraints) for constraints, items in by_items]
    instances = [problem.generate(3000 + k, *shapes[k % len(shapes)]) for k in range(train)]
    title = "multidimensional knapsack, sort and fill"
    return Contest(title, problem, instances, test, best, np.abs(best), 10, RULES)
