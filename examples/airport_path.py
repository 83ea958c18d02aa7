"""Reach the airport in time: a path through a city whose travel times are uncertain and move together.

An instance is a road network with scenarios of travel times, and a deadline. The cost of a path is its mean travel time
plus a penalty for every minute beyond the deadline, averaged over the scenarios: late minutes are counted on the whole
path, so no sum over roads gives them. The easy problem: a shortest path, in an acyclic graph.

Run it: `python airport_path.py`. On the command line: `colayer check airport_path:problem`.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from colayer import BaseProblem, InputError, Pipeline, Size, evaluate
from colayer.comparison.contender import pipeline_contender, rule_contenders
from colayer.layers import ShortestPath


@dataclass(frozen=True, eq=False)
class Instance:
    roads: np.ndarray  # (m, 2): from, to; an acyclic graph
    times: np.ndarray  # (scenarios, m): minutes
    deadline: float  # minutes after departure
    penalty: float  # for each minute late
    layer: ShortestPath = field(init=False, repr=False)  # from node 0 to the last node, sorted once

    def __post_init__(self):
        nodes = int(self.roads.max()) + 1
        object.__setattr__(self, "layer", ShortestPath(nodes, self.roads, source=0, target=nodes - 1))

    def cost(self, minutes):
        """Mean over the scenarios, of their travel times."""
        return float((minutes + self.penalty * np.maximum(minutes - self.deadline, 0.0)).mean())


class Airport(BaseProblem):
    """A solution is the roads of the path, in the order of travel."""

    name = "airport"
    feature_names = ("mean", "deviation", "tail", "city", "when late")
    homogeneous = True  # a path does not change when θ is multiplied by a positive number
    safe_weights = np.array([1.0, 0.5, 0.0, 0.0, 0.0])  # the best rule by hand that takes one path: mean + σ/2
    baselines = ("shortest mean", "mean + half deviation", "20 deviations", "20 slopes")
    fields = ("roads", "times", "deadline", "penalty")
    sizes = (
        Size("width", int, 16, "crossings in a row of the city, width² in all", minimum=2),
        Size("scenarios", int, 40, "number of scenarios", minimum=2),
    )

    def features(self, instance):
        times, mean = instance.times, instance.times.mean(axis=0)
        worst = np.sort(times, axis=0)[-max(1, len(times) // 10) :].mean(axis=0)
        city = times.mean(axis=1) - times.mean()  # how slow the whole city is
        together = (city @ (times - mean)) / max(np.linalg.norm(city) * np.sqrt(len(times)), 1e-12)
        usual = times[:, instance.layer.path(mean)].sum(axis=1)  # minutes on the usual path
        late = (usual > instance.deadline).astype(float)
        return np.column_stack([mean, times.std(axis=0), worst - mean, together, late @ times / len(times)])

    def layer(self, theta, instance):
        return instance.layer.path(theta)

    def embed(self, y, instance):
        return np.bincount(y, minlength=len(instance.roads)).astype(float)

    def cost(self, solution, instance):
        return instance.cost(instance.times[:, solution].sum(axis=1))

    def scale(self, instance):
        mean = instance.times.mean(axis=0)
        return float(mean[instance.layer.path(mean)].sum())

    def bound(self, instance):
        """Wait and see: the fastest path of each scenario, as if it were known before departure."""
        return instance.cost(np.array([times[instance.layer.path(times)].sum() for times in instance.times]))

    def baseline(self, rule, instance):
        """Rules by hand: one path, by mean + k deviations; the best of 20 such; the best of 20 along the slopes."""
        path, times = instance.layer.path, instance.times
        mean, deviation = times.mean(axis=0), times.std(axis=0)
        steps = {"shortest mean": [0.0], "mean + half deviation": [0.5], "20 deviations": np.arange(20) / 10}
        paths = [path(mean + k * deviation) for k in steps.get(rule, [0.5])]
        late = np.zeros(len(times))  # how often the paths so far are late in each scenario, recent ones more
        for k in range(19 if rule == "20 slopes" else 0):
            late += 2 / (k + 2) * ((times[:, paths[-1]].sum(axis=1) > instance.deadline) - late)
            paths.append(path(mean + instance.penalty * late @ times / len(times)))
        return min(paths, key=lambda y: self.cost(y, instance))

    def generate(self, seed, width=16, scenarios=40):
        """A grid of streets; every fifth is a motorway, twice as fast, but now and then a stretch of it is jammed."""
        rng = np.random.default_rng(seed)
        node = np.arange(width * width).reshape(width, width)
        across, along = (np.stack([grid[:-1].ravel(), grid[1:].ravel()], axis=1) for grid in (node, node.T))
        streets = np.concatenate([across, along])
        place = np.column_stack(np.divmod(node.ravel(), width)) + rng.uniform(-0.3, 0.3, (width * width, 2))
        # which street it is (columns, then rows), and how far along
        number = np.concatenate([across[:, 0] % width, width + along[:, 0] // width])
        position = np.concatenate([across[:, 0] // width, along[:, 0] % width])
        motorway = number % 5 == 2
        minutes = np.linalg.norm(place[streets[:, 0]] - place[streets[:, 1]], axis=1)
        minutes *= np.where(motorway, 0.5, 1.0) * rng.uniform(0.9, 1.3, len(streets))
        # traffic: of the whole city, of the district, of the road; motorways feel it more
        district = (place[streets].mean(axis=1) // 4).astype(int) % width
        traffic = rng.normal(size=(scenarios, 1)) + rng.normal(size=(scenarios, width, width))[:, *district.T]
        spread = 0.14 * traffic * np.where(motorway, 1.5, 0.6) + 0.1 * rng.normal(size=(scenarios, len(streets)))
        jammed = motorway & (rng.random((scenarios, 2 * width)) < 0.08)[:, number]
        jammed &= np.abs(position - rng.integers(width, size=(scenarios, 2 * width))[:, number]) < 4
        times = minutes * np.exp(spread) * np.where(jammed, 10.0, 1.0)
        # a road is driven towards the airport: to the end from which less time is left
        both, mean = np.concatenate([streets, streets[:, ::-1]]), times.mean(axis=0)
        left = dijkstra(csr_array((np.tile(mean, 2), both.T), shape=(node.size, node.size)), indices=node.size - 1)
        ahead = left[streets[:, :1]] > left[streets[:, 1:]]
        return Instance(np.where(ahead, streets, streets[:, ::-1]), times, 1.25 * float(left[0]), 10.0)

    def read(self, document):
        roads, times = np.asarray(document["roads"]), np.asarray(document["times"], dtype=float)
        if roads.dtype.kind not in "iu" or roads.ndim != 2 or roads.shape[1] != 2 or not len(roads):
            raise InputError("expected pairs of nodes", where="roads")
        if times.ndim != 2 or times.shape[1] != len(roads) or not (np.isfinite(times) & (times >= 0)).all():
            raise InputError(f"expected scenarios of {len(roads)} times ≥ 0", where="times")
        return Instance(roads, times, float(document["deadline"]), float(document["penalty"]))

    def write(self, instance):
        return {key: getattr(instance, key) for key in self.fields}

    def read_solution(self, document, instance):
        path = np.asarray(document["roads"], dtype=np.int64)
        nodes = instance.roads[path]
        ends = (0, *nodes[:, 1]), (*nodes[:, 0], instance.roads.max())  # where each road must begin, and where it does
        if ends[0] != ends[1]:
            raise InputError("expected the roads of a path from node 0 to the last one", where="roads")
        return path

    def write_solution(self, solution, instance):
        return {"roads": solution}


problem = Airport()

if __name__ == "__main__":
    held_out = [problem.generate(1000 + seed) for seed in range(200)]
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    pipeline.fit([problem.generate(seed) for seed in range(50)], evaluations=500, seed=0)
    for count, rivals in (
        (1, rule_contenders(problem)[:2]),
        (20, rule_contenders(problem)[2:]),
    ):  # like for like: one path each, then the best of 20 each
        compared = evaluate(problem, held_out, [pipeline_contender("learned", pipeline, candidates=count), *rivals])
        print(", ".join(f"{row.contender} {row.mean_cost:.2f}" for row in compared.summary()))
        print(*compared.conclusions())
    print(f"no plan can cost less than {np.mean([r.bound for r in compared.results]):.2f}, by wait and see")
