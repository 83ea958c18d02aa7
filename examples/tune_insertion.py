"""Tune what you have: the greedy insertion of a courier, whose two constants become weights that see the day.

A courier has a few bikes and more orders than fit. Refusing an order costs its penalty, a plan costs its distance. The
heuristic of the house: of all orders and places where they fit, take the one whose worth exceeds its detour most, per
unit of room; and again. What an order is worth is θ: by hand, two constants; here, weights of eight features.

Run it: `python tune_insertion.py`. On the command line: `colayer check tune_insertion:problem`.
"""

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from colayer import BaseProblem, CmaEs, InputError, Pipeline, Size, check_problem, evaluate, tune
from colayer.comparison.contender import pipeline_contender, rule_contenders


@dataclass(frozen=True, eq=False)
class Instance:
    place: np.ndarray  # (n + 1, 2): the depot, then the orders
    demand: np.ndarray  # (n,): the room that an order takes
    penalty: np.ndarray  # (n,): what it costs to refuse it
    bikes: int
    room: float  # of a bike
    distance: np.ndarray = field(init=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "distance", np.hypot(*(self.place[:, None] - self.place).transpose(2, 0, 1)))


@njit
def insertion(worth, distance, demand, bikes, room):
    """The heuristic of the house, unchanged: each row holds the stops of a bike, with the depot, 0, at both ends."""
    n = len(demand)
    stops, length, free = np.zeros((bikes, n + 2), np.int64), np.ones(bikes, np.int64), np.full(bikes, room)
    waiting = np.ones(n, np.bool_)
    while True:
        best, order, bike, at = 0.0, -1, 0, 0
        for i in range(n):
            for b in range(bikes):
                if not waiting[i] or demand[i] > free[b]:
                    continue
                for k in range(length[b]):
                    here, there = stops[b, k], stops[b, k + 1]
                    detour = distance[here, i + 1] + distance[i + 1, there] - distance[here, there]
                    gain = (worth[i] - detour) / demand[i]
                    if gain > best:
                        best, order, bike, at = gain, i, b, k + 1
        if order < 0:
            return stops
        stops[bike, at + 1 : length[bike] + 2] = stops[bike, at : length[bike] + 1].copy()
        stops[bike, at] = order + 1
        length[bike] += 1
        free[bike] -= demand[order]
        waiting[order] = False


#: Pairs (a, b), in quarters, with worth = a · penalty + b · mean penalty: good together, the best of `GRID` first.
QUARTERS = """9 -1  8 -2  12 -3  5 2  13 -2  6 1  9 -3  16 -3  13 -4  6 4
              11 -2  7 -2  10 -2  4 0  11 2  6 -2  8 2  7 3  12 -4  9 1"""
GRID = {"a": np.arange(4, 17) / 4, "b": np.arange(-4, 5) / 4}
CONSTANTS = [tuple(pair) for pair in (np.array(QUARTERS.split(), dtype=float) / 4).reshape(20, 2).tolist()]


class Courier(BaseProblem):
    """θ is the worth of each order, and the layer is the heuristic: nothing says that a layer must be optimal."""

    name = "courier"
    feature_names = ("penalty", "one", "demand", "demand scarce", "far", "alone", "crowd", "penalty wide")
    safe_weights = np.array([*CONSTANTS[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # the best constants: where learning starts
    fields = ("place", "demand", "penalty", "bikes", "room")
    baselines = ("worth its penalty", "two constants", "20 constants")
    sizes = (Size("orders", int, 40, "number of orders", minimum=1),)

    def features(self, instance):
        distance, demand, penalty = instance.distance, instance.demand, instance.penalty
        mean, room = np.full(len(demand), penalty.mean()), demand / demand.mean() * penalty.mean()
        scarce = np.log(demand.sum() / (instance.bikes * instance.room))  # how far room falls short of the orders
        alone = np.sort(distance[1:, 1:], axis=1)[:, 1:4].sum(axis=1) / 3  # to the three orders next to it
        crowd = (penalty * (distance[1:, 1:] < penalty)).sum(axis=1) - penalty  # what would lie on the way
        wide = np.log((alone.mean() + 1e-3) / mean)  # how spread out the day is
        return np.column_stack([penalty, mean, room, room * scarce, distance[0, 1:], alone, crowd, penalty * wide])

    def layer(self, theta, instance):
        return insertion(theta, instance.distance, instance.demand, instance.bikes, instance.room)

    def cost(self, solution, instance):
        refused = np.ones(len(instance.demand))
        refused[solution[solution > 0] - 1] = 0.0
        return float(instance.distance[solution[:, :-1], solution[:, 1:]].sum() + refused @ instance.penalty)

    def scale(self, instance):
        return float(instance.penalty.sum())

    def bound(self, instance):
        """An order that is served takes half of its two shortest roads; room is filled as if orders could be cut."""
        distance = instance.distance + np.diag(np.full(len(instance.place), np.inf))
        roads = np.sort(np.column_stack([distance[1:], distance[1:, 0]]), axis=1)[:, :2].mean(axis=1)
        saved, demand = np.maximum(instance.penalty - roads, 0.0), instance.demand
        order = np.argsort(-saved / demand)
        room = instance.bikes * instance.room - np.cumsum(demand[order]) + demand[order]  # that is left for each
        return float(instance.penalty.sum() - saved[order] @ np.clip(room / demand[order], 0.0, 1.0))

    def by_hand(self, instance, a, b):
        return self.layer(a * instance.penalty + b * instance.penalty.mean(), instance)

    def baseline(self, rule, instance, a=1.0, b=0.0):
        """An order is worth its penalty, or by a and b; the best two constants; the best, for this day, of 20 pairs."""
        pairs = {"worth its penalty": [(a, b)], "two constants": CONSTANTS[:1]}.get(rule, CONSTANTS)
        return min((self.by_hand(instance, *pair) for pair in pairs), key=lambda z: self.cost(z, instance))

    def generate(self, seed, orders=40):
        """A day: towns and scattered orders, in a wide or narrow area, with much or little room."""
        rng = np.random.default_rng(seed)
        towns = rng.uniform(0.0, 1.0, (4, 2))[rng.integers(4, size=orders)] + rng.normal(0.0, 0.07, (orders, 2))
        scattered = rng.random((orders, 1)) > rng.uniform(0.2, 0.9)
        place = np.where(scattered, rng.uniform(0.0, 1.0, (orders, 2)), towns)
        place = np.vstack([rng.uniform(0.3, 0.7, (1, 2)), place])
        demand = rng.integers(1, 10, orders).astype(float)
        penalty = rng.uniform(0.1, 0.5, orders) * np.sqrt(demand / 5.0)
        bikes = int(rng.integers(2, 5))
        room = float(np.ceil(max(demand.max(), demand.sum() / bikes / rng.uniform(0.8, 2.5))))
        return Instance(place * rng.uniform(0.5, 2.0), demand, penalty, bikes, room)

    def write(self, instance):
        return {key: getattr(instance, key) for key in self.fields}

    def read(self, document):
        place, demand, penalty = (np.array(document[key], dtype=float) for key in ("place", "demand", "penalty"))
        if not len(demand) == len(penalty) == len(place) - 1 or place.shape[1:] != (2,):
            raise InputError("expected the depot and each order, with demand and penalty", where="place")
        if not (demand > 0).all() or not demand.max() <= document["room"]:
            raise InputError("expected demands above 0 that fit a bike", where="demand")
        return Instance(place, demand, penalty, int(document["bikes"]), float(document["room"]))

    def write_solution(self, solution, instance):
        return {"routes": [stops[stops > 0] - 1 for stops in solution]}

    def violation(self, solution, instance):
        full = any(instance.demand[stops[stops > 0] - 1].sum() > instance.room for stops in solution)
        twice = np.bincount(solution[solution > 0]).max(initial=0) > 1
        return "an order is delivered twice, or a bike is too full" if twice or full else None


problem = Courier()


def good_together(tuned, count):
    """Choose `count` pairs of constants greedily: each lowers the mean of the least losses by most."""
    chosen, least = [], np.inf
    for _ in range(count):
        best = np.argmin(np.minimum(tuned.losses, least).mean(axis=1))
        chosen, least = [*chosen, tuple(tuned.combinations[best].values())], np.minimum(tuned.losses[best], least)
    return chosen


if __name__ == "__main__":
    check_problem(problem, [problem.generate(seed, orders=6) for seed in range(4)]).raise_for_failures()
    days, held_out = ([problem.generate(seed) for seed in range(n, n + m)] for n, m in ((0, 160), (1000, 300)))
    print(tune(problem, "worth its penalty", days, GRID), end="\n\n")
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    pipeline.fit(days, method=CmaEs(step=0.3), evaluations=1000, validation=0.0, seed=0)
    for count, rivals in ((1, rule_contenders(problem)[:2]), (20, rule_contenders(problem)[2:])):
        compared = evaluate(problem, held_out, [pipeline_contender("learned", pipeline, candidates=count), *rivals])
        for row in compared.summary():
            told = (to := row.difference) and f"{100 * to.mean:+.1f} ± {100 * to.standard_error:.1f} %: {to.verdict}"
            print(f"{row.contender:24}{row.mean_cost:7.3f}  {told or 'the reference'}")
