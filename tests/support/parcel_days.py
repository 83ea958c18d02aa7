"""A tiny dynamic problem: parcels arrive, a van leaves with any of them, and what waits too long is fined."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer import DynamicProblem, Size
from colayer.dynamic.bound import BoundDynamic
from colayer.problem.bind import bind


@dataclass(frozen=True)
class Day:
    """Parcels that arrive in each epoch, by how far they go."""

    arrivals: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class State:
    """What waits, as (distance, age), and the day, of which only the past is known."""

    epoch: int
    waiting: tuple[tuple[float, int], ...]
    day: Day


class Parcels(DynamicProblem):
    """A van costs its way to the farthest parcel; every parcel left behind costs 0.15; at the end all go."""

    name = "parcels"
    feature_names = ("one", "distance", "age")
    safe_weights = (-0.5, 1.0, -0.2)
    baselines = ("all", "none")
    sizes = (Size("epochs", int, 5, "epochs of a day", minimum=1),)
    fields = ("counts", "distances")
    hindsight_is_exact = True

    def start(self, day: Day) -> State:
        """Return what waits in the first epoch."""
        return State(0, tuple((distance, 0) for distance in day.arrivals[0]), day)

    def features(self, state: State) -> Any:
        """Return one row per parcel."""
        return np.array([(1.0, distance, float(age)) for distance, age in state.waiting]).reshape(-1, 3)

    def layer(self, theta: Any, state: State) -> Any:
        """Take what has θ < 0."""
        return (np.asarray(theta) < 0.0).astype(float)

    def decode(self, y: Any, state: State) -> tuple[int, ...]:
        """Return the parcels taken; all of them in the last epoch."""
        last = state.epoch == len(state.day.arrivals) - 1
        return tuple(i for i in range(len(state.waiting)) if last or y[i] > 0.5)

    def step(self, state: State, decision: tuple[int, ...]) -> tuple[float, State | None]:
        """Return the van's way and the fines, and what waits next."""
        taken = [state.waiting[i][0] for i in decision]
        left = [parcel for i, parcel in enumerate(state.waiting) if i not in decision]
        cost = max(taken, default=0.0) + 0.15 * len(left)
        epoch = state.epoch + 1
        if epoch == len(state.day.arrivals):
            return cost, None
        new = tuple((distance, 0) for distance in state.day.arrivals[epoch])
        return cost, State(epoch, (*((d, age + 1) for d, age in left), *new), state.day)

    def scale(self, day: Day) -> float:
        """Return the way to all parcels."""
        return 1.0 + sum(map(sum, day.arrivals))

    def embed(self, y: Any, state: State) -> Any:
        """Return y."""
        return y

    def target(self, decision: tuple[int, ...], state: State) -> Any:
        """Return the decision as 0/1."""
        return np.isin(np.arange(len(state.waiting)), decision).astype(float)

    def violation(self, decision: tuple[int, ...], state: State) -> str | None:
        """Refuse parcels that are not there."""
        return None if set(decision) <= set(range(len(state.waiting))) else "there is no such parcel"

    def baseline(self, rule: str, state: State) -> tuple[int, ...]:
        """Take all parcels, or none before the end."""
        return self.decode(np.full(len(state.waiting), float(rule == "all")), state)

    def hindsight(self, day: Day, state: State | None = None) -> list[tuple[int, ...]]:
        """Return the best decisions by trying all."""
        return best_decisions(self, self.start(day) if state is None else state)[1]

    def generate(self, seed: Any, epochs: int = 5) -> Day:
        """Return up to two parcels per epoch."""
        random = np.random.default_rng(seed)
        counts = [1, *random.integers(0, 3, size=epochs - 1)]
        return Day(tuple(tuple(np.round(random.random(n), 3).tolist()) for n in counts))

    def write(self, day: Day) -> dict[str, Any]:
        """Return the arrivals."""
        counts = [len(epoch) for epoch in day.arrivals]
        return {"counts": counts, "distances": [distance for epoch in day.arrivals for distance in epoch]}

    def read(self, document: Any) -> Day:
        """Return the day of a file."""
        given = iter(float(distance) for distance in document["distances"])
        return Day(tuple(tuple(itertools.islice(given, int(count))) for count in document["counts"]))

    def plot(self, decisions: Any, day: Day, ax: Any = None) -> Any:
        """Draw the number of parcels that leave in each epoch."""
        from matplotlib.figure import Figure

        ax = Figure().subplots() if ax is None else ax
        ax.bar(range(len(decisions)), [len(decision) for decision in decisions])
        return ax


def subsets(count: int) -> list[tuple[int, ...]]:
    """Return all decisions about `count` parcels."""
    return [chosen for size in range(count + 1) for chosen in itertools.combinations(range(count), size)]


def best_decisions(problem: Parcels, state: State) -> tuple[float, list[tuple[int, ...]]]:
    """Return the least cost from a state on, over all decisions that the last epoch allows, and those."""
    last = state.epoch == len(state.day.arrivals) - 1
    found = []
    for decision in [tuple(range(len(state.waiting)))] if last else subsets(len(state.waiting)):
        cost, after = problem.step(state, decision)
        rest, decisions = (0.0, []) if after is None else best_decisions(problem, after)
        found.append((cost + rest, [decision, *decisions]))
    return min(found)


def bound_parcels() -> BoundDynamic:
    """Return the problem, bound."""
    bound = bind(Parcels())
    assert isinstance(bound, BoundDynamic)
    return bound


def days(count: int, first: int = 0, epochs: int = 4) -> list[Day]:
    """Return generated days."""
    return [Parcels().generate(first + k, epochs=epochs) for k in range(count)]
