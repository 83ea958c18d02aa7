"""Where to open depots before the storm season: two-stage stochastic facility location over a linear program.

Now: open depots. Later, in each scenario, some depots are cut off and demand is known: every client is served by the
nearest depot that is open and can be reached, or by an air lift. Least opening cost plus expected cost of service.

The easy problem is deterministic: one cost for each opening, one for each pair of depot and client (HiGHS solves it).
Run it: `python facility_location.py`. On the command line: `colayer check facility_location:problem`.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from colayer import BaseProblem, InputError, Pipeline, Size, evaluate
from colayer.comparison.contender import pipeline_contender, rule_contenders
from colayer.layers import LinearProgram


@dataclass(frozen=True, eq=False)
class Instance:
    opening: np.ndarray  # (depots,): cost of opening
    distance: np.ndarray  # (depots, clients): cost of serving one unit
    air_lift: float  # cost of one unit without a depot
    demand: np.ndarray  # (scenarios, clients)
    reachable: np.ndarray  # (scenarios, depots): 1, or 0 where the depot is cut off
    unit: np.ndarray = field(init=False, repr=False)  # (scenarios, depots, clients): cost of serving one unit

    def __post_init__(self):
        unit = np.where(self.reachable[:, :, None] > 0.5, self.distance, self.air_lift)
        object.__setattr__(self, "unit", unit)


@cache
def location(depots: int, clients: int) -> LinearProgram:
    """y = (open depots, pairs, air lifts): each client is served once, and from open depots alone."""
    pairs = np.arange(depots * clients)
    rows = np.zeros((clients + len(pairs), depots + len(pairs) + clients))
    rows[pairs % clients, depots + pairs] = 1.0
    rows[np.arange(clients), depots + len(pairs) + np.arange(clients)] = 1.0
    rows[clients + pairs, depots + pairs] = 1.0
    rows[clients + pairs, pairs // clients] = -1.0
    lower = np.r_[np.ones(clients), np.full(len(pairs), -np.inf)]
    upper = np.r_[np.ones(clients), np.zeros(len(pairs))]
    return LinearProgram((rows, lower, upper), bounds=(0.0, 1.0), integrality=1)


def in_order(*parts):
    """One vector in the order of y: depots, pairs, air lifts."""
    return np.concatenate([np.ravel(part) for part in parts])


class Depots(BaseProblem):
    """A solution is the 0/1 vector of open depots; the allocation in each scenario follows from it."""

    name = "depots"
    feature_names = ("opening", "transport", "air lift", "cut off", "detour")
    homogeneous = True  # y does not change when θ is multiplied by a positive number
    safe_weights = np.array([0.5, 1.0, 1.0, 0.25, 0.0])  # the best plan by hand: half the opening, a quarter of cut off
    baselines = ("mean demand", "hedged", "from all open", "best of three")
    fields = ("opening", "distance", "air_lift", "demand", "reachable")
    sizes = (
        Size("depots", int, 15, "places where a depot can be opened", minimum=2),
        Size("clients", int, 40, "number of clients", minimum=1),
        Size("scenarios", int, 20, "number of scenarios", minimum=1),
    )

    def features(self, instance):
        x = instance
        demand, away = x.demand.mean(axis=0), 1.0 - x.reachable
        missed = away.T @ x.demand / len(x.demand)  # (depots, clients): demand while the depot is cut off
        # cost of a unit in each scenario, were all depots open: the least that a client pays who must go elsewhere
        elsewhere = x.unit.min(axis=1, initial=x.air_lift)
        detour = away.T @ (x.demand * elsewhere) / len(x.demand) - missed * x.distance
        nought, pairs, lifts = np.zeros(len(x.opening)), np.zeros_like(x.distance), np.zeros_like(demand)
        lost = missed * np.maximum(x.air_lift - x.distance, 0.0)
        of_pairs = (demand * x.distance, lost, np.maximum(detour, 0.0))
        transport, cut_off, detour = (in_order(nought, values, lifts) for values in of_pairs)
        opening, lifted = in_order(x.opening, pairs, lifts), in_order(nought, pairs, demand * x.air_lift)
        return np.column_stack([opening, transport, lifted, cut_off, detour])

    def layer(self, theta, instance):
        return location(*instance.distance.shape)(theta)

    def embed(self, y, instance):
        return y

    def decode(self, y, instance):
        """The depots that y opens; then the one that saves most is opened or closed, as long as one saves."""
        z = y[: len(instance.opening)]
        flips = np.abs(z - np.eye(len(z)))
        costs = [self.cost(flip, instance) for flip in flips]
        if min(costs) >= self.cost(z, instance) - 1e-9:
            return z
        return self.decode(flips[np.argmin(costs)], instance)

    def cost(self, solution, instance):
        unit = instance.unit[:, solution > 0.5].min(axis=1, initial=instance.air_lift)
        return float(instance.opening @ solution + (instance.demand * unit).sum(axis=1).mean())

    def scale(self, instance):
        return float(instance.air_lift * instance.demand.sum(axis=1).mean())

    def bound(self, instance):
        """Wait and see: the mean over the scenarios of the cost when the scenario is known before depots are opened."""
        values = []
        for demand, unit in zip(instance.demand, instance.unit, strict=True):
            theta = in_order(instance.opening, demand * unit, demand * instance.air_lift)
            values.append(theta @ location(*instance.distance.shape)(theta))
        return float(np.mean(values))

    def baseline(self, rule, instance):
        """Plans by hand, all decoded as learned ones are."""
        if rule == "best of three":
            plans = [self.baseline(other, instance) for other in self.baselines[:3]]
            return min(plans, key=lambda z: self.cost(z, instance))
        if rule == "from all open":
            return self.decode(np.ones(len(instance.opening)), instance)
        weights = self.safe_weights if rule == "hedged" else [1.0, 1.0, 1.0, 0.0, 0.0]
        return self.decode(self.layer(self.features(instance) @ weights, instance), instance)

    def generate(self, seed, depots=15, clients=40, scenarios=20):
        """A coast at x = 0, where land is cheap and storms arrive: they cut depots off and raise the demand around."""
        rng = np.random.default_rng(seed)
        sites, homes = rng.random((depots, 2)), rng.random((clients, 2))
        eye = np.column_stack([0.5 * rng.random(scenarios), rng.random(scenarios)])
        reach = rng.uniform(0.2, 0.5, scenarios)

        def hit(places):
            return np.linalg.norm(places - eye[:, None], axis=2) < reach[:, None]

        demand = rng.lognormal(0.0, 0.5, (scenarios, clients)) * (1.0 + 3.0 * hit(homes))
        distance = np.linalg.norm(sites[:, None] - homes, axis=2)
        opening = rng.uniform(1.0, 2.0, depots) * (0.3 + sites[:, 0]) * clients / 25
        return Instance(opening, distance, 2.0, demand, 1.0 - hit(sites))

    def read(self, document):
        x = {key: np.asarray(document[key], dtype=float) for key in self.fields}
        scenarios, clients, depots = len(x["demand"]), *x["distance"].shape[::-1]
        shapes = [(depots,), (depots, clients), (), (scenarios, clients), (scenarios, depots)]
        for key, shape in zip(self.fields, shapes, strict=True):
            if x[key].shape != shape or not np.isfinite(x[key]).all():
                raise InputError(f"expected finite numbers of shape {shape}", where=key)
        return Instance(**{**x, "air_lift": float(x["air_lift"])})

    def write(self, instance):
        return {key: getattr(instance, key) for key in self.fields}

    def read_solution(self, document, instance):
        return np.isin(np.arange(len(instance.opening)), document["open"]).astype(float)

    def write_solution(self, solution, instance):
        return {"open": np.flatnonzero(solution > 0.5)}


problem = Depots()

if __name__ == "__main__":
    held_out = [problem.generate(1000 + seed) for seed in range(40)]
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    pipeline.fit([problem.generate(seed) for seed in range(20)], evaluations=150, seed=0)
    rules = rule_contenders(problem)
    for count, rivals in ((1, rules[:3]), (3, rules[3:])):  # like for like: one plan each, then the best of three each
        compared = evaluate(problem, held_out, [pipeline_contender("learned", pipeline, candidates=count), *rivals])
        print(", ".join(f"{row.contender} {row.mean_cost:.2f}" for row in compared.summary()))
        print(*compared.conclusions())
    print(f"no plan can cost less than {np.mean([r.bound for r in compared.results]):.2f}, by wait and see")
