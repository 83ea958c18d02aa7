"""Dispatching in a city: requests appear minute by minute; idle vehicles are matched to them, or wait."""

from collections import namedtuple

import numpy as np
from matplotlib.figure import Figure

from colayer import DynamicProblem, Pipeline, Size, evaluate
from colayer.comparison.contender import pipeline_contender, rule_contenders
from colayer.layers.assignment import assignment

MINUTES, PATIENCE = 40, 5
State = namedtuple("State", "day minute place busy waiting idle")  # vehicles are busy or idle, requests wait


class Dispatching(DynamicProblem):
    name = "dispatching"
    feature_names = ("fare", "pick-up", "ride", "end", "waited", "one")
    safe_weights = (-1.0, 1.0, 0.0, 0.0, 0.0, 0.0)  # maximal weight: fare less pick-up
    baselines = ("nearest", "maximal weight")
    sizes = (Size("requests", int, 60, "requests of a day"), Size("vehicles", int, 10, "vehicles in the city"))
    fields = ("minute", "start", "end", "fare", "place")

    def generate(self, seed, requests=60, vehicles=10):  # coordinates are minutes of driving
        random = np.random.default_rng(seed)
        start, end, place = (5.0 * random.normal(size=(count, 2)) for count in (requests, requests, vehicles))
        start *= 0.4  # rides begin near the centre
        fare = (2.0 + np.hypot(*(start - end).T)) * random.lognormal(sigma=0.4, size=requests)
        return dict(zip(self.fields, (random.integers(MINUTES, size=requests), start, end, fare, place), strict=True))

    def start(self, day):
        vehicles = np.arange(len(day["place"]))
        return State(day, 0, day["place"], 0.0 * vehicles, np.flatnonzero(day["minute"] == 0), vehicles)

    def features(self, state):  # a row for each pair of an idle vehicle and a waiting request
        minute, start, end, fare = (state.day[name][state.waiting] for name in self.fields[:4])
        pick_up = np.hypot(*(state.place[state.idle, None] - start).reshape(-1, 2).T)
        known = fare, np.hypot(*(start - end).T), np.hypot(*end.T), state.minute - minute, np.ones(len(fare))
        return np.insert(np.tile(np.transpose(known), (len(state.idle), 1)), 1, pick_up, axis=1)

    def layer(self, theta, state):  # pairs (vehicle, request) of least θ; for 0 a vehicle may wait
        rows, columns = len(state.idle), len(state.waiting)
        partner = assignment(np.hstack([theta.reshape(rows, columns), np.zeros((rows, rows))]))
        return [(int(state.idle[v]), int(state.waiting[r])) for v, r in enumerate(partner) if r < columns]

    def step(self, state, decision):  # costs are minutes of empty driving, and the fares of requests that are lost
        day, minute, place, busy, cost = state.day, state.minute + 1, state.place.copy(), state.busy.copy(), 0.0
        for v, r in decision:
            pick_up = float(np.hypot(*(place[v] - day["start"][r])))
            busy[v] = state.minute + pick_up + np.hypot(*(day["start"][r] - day["end"][r]))
            cost, place[v] = cost + pick_up, day["end"][r]
        left = np.array([r for r in state.waiting if r not in {r for _, r in decision}], dtype=int)
        lost = (day["minute"][left] + PATIENCE < minute) | (minute == MINUTES)
        waiting = np.append(left[~lost], np.flatnonzero(day["minute"] == minute))
        after = State(day, minute, place, busy, waiting, np.flatnonzero(busy <= minute))
        return cost + float(day["fare"][left[lost]].sum()), after if minute < MINUTES else None

    def baseline(self, rule, state):
        fare, pick_up = self.features(state)[:, :2].T
        return self.layer(pick_up - (1000.0 if rule == "nearest" else fare), state)

    def read(self, document):
        return {name: np.asarray(document[name]) for name in self.fields}

    def write(self, day):
        return day

    def plot(self, decisions, day, ax=None):
        ax = ax or Figure().subplots()
        for _, r in (pair for decision in decisions for pair in decision):
            ax.plot(*np.transpose([day["start"][r], day["end"][r]]), "o-", markevery=[0])
        return ax


if __name__ == "__main__":
    problem = Dispatching()
    days = [problem.generate(seed) for seed in range(65)]
    learned = Pipeline(problem).fit(days[:15], evaluations=100)
    compared = evaluate(problem, days[15:], [*rule_contenders(problem), pipeline_contender("learned", learned)])
    print(*(f"{row.contender} {row.mean_cost:.1f}" for row in compared.summary()), *compared.conclusions(), sep="\n")
