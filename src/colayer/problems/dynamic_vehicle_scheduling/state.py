"""States: the requests that are open in an epoch; what a decision costs and leads to, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.seeds import generator
from colayer._runtime.text import counted
from colayer.errors import InputError
from colayer.problems.dynamic_vehicle_scheduling.city import REQUESTS, draw
from colayer.problems.dynamic_vehicle_scheduling.instance import Day
from colayer.problems.dynamic_vehicle_scheduling.kernels.epoch import HOUR, arcs, driven, first_of_routes, must_into

#: The routes that leave in an epoch, each a tuple of requests (positions in the day) in order of their visits.
Decision = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """The open requests of an epoch: `open` holds their positions in the day, ascending.

    Nothing but the city and these requests is looked at to decide; the rest of the day is there for `step`. A live
    system makes a `Day` of the requests it knows.
    """

    day: Day
    epoch: int
    open: Ints

    def __repr__(self) -> str:
        sizes = f"{counted(len(self.open), 'open request')}, {int(self.must.sum())} must go"
        return f"State(epoch {self.epoch}, {self.epochs_left} to come: {sizes})"

    @property
    def leave(self) -> float:
        """Return when the vehicles of the epoch leave."""
        return HOUR * (self.epoch + 1)

    @property
    def epochs_left(self) -> int:
        """Return the number of epochs that follow."""
        return self.day.city.epochs - 1 - self.epoch

    @cached_property
    def location(self) -> Ints:
        """Return the places of the open requests."""
        return self.day.location[self.open]

    @cached_property
    def start(self) -> Floats:
        """Return when the visits of the open requests begin."""
        return self.day.start[self.open]

    @cached_property
    def duration(self) -> Floats:
        """Return how long the visits of the open requests take."""
        return self.day.duration[self.open]

    @cached_property
    def later(self) -> Floats:
        """Return what the open requests would cost later, by the days that the city draws."""
        later: Floats = self.day.later[self.open, self.epoch]
        return later

    @cached_property
    def must(self) -> NDArray[np.bool_]:
        """Return which open requests must go now: the vehicles of the next epoch are too late for them."""
        out = np.empty(len(self.open), dtype=np.bool_)
        must_into(self.location, self.start, self.day.city.times, self.leave, self.epochs_left == 0, out)
        return out

    @cached_property
    def arcs(self) -> tuple[Ints, NDArray[np.int32], Floats]:
        """Return the arcs between open requests: indptr, heads, travel times."""
        indptr, heads, costs = arcs(self.location, self.start, self.duration, self.day.city.times)
        return indptr, heads, costs


def start(day: Day) -> State:
    """Return the first state of a day."""
    return State(day, day.first, np.flatnonzero(day.epoch <= day.first))


def step(state: State, decision: Sequence[Sequence[int]]) -> tuple[float, State | None]:
    """Return what the routes drive, and the state of the next epoch; None after the last."""
    said = violation(decision, state)
    if said is not None:
        raise InputError(said)
    successor = successors(decision, state)
    cost = float(driven(state.location, state.day.city.times, successor))
    if state.epochs_left == 0:
        return cost, None
    left = state.open[successor == np.arange(len(state.open))]
    new = np.flatnonzero(state.day.epoch == state.epoch + 1)
    return cost, State(state.day, state.epoch + 1, np.concatenate([left, new]))


def successors(decision: Sequence[Sequence[int]], state: State) -> Ints:
    """Return the decision as the layer's y: the successor of each open request, −1 ends a route, itself: left out."""
    place = {int(request): i for i, request in enumerate(state.open)}
    successor = np.arange(len(state.open))
    for route in decision:
        for request, after in zip(route, [*route[1:], None], strict=True):
            successor[place[request]] = -1 if after is None else place[after]
    return successor


def routes(successor: Ints, state: State) -> Decision:
    """Return the routes of a y, in the order of their first requests."""
    return tuple(tuple(state.open[route].tolist()) for route in routes_of(successor))


def routes_of(successor: Ints) -> list[list[int]]:
    """Return the routes of successors (−1 ends a route, itself: left out), in the order of their first requests."""
    found = []
    for first in np.flatnonzero(first_of_routes(successor)):
        route = [int(first)]
        while successor[route[-1]] >= 0:
            route.append(int(successor[route[-1]]))
        found.append(route)
    return found


def violation(decision: Any, state: State) -> str | None:
    """Return in a sentence what is wrong with a decision; None if nothing is."""
    place = {int(request): i for i, request in enumerate(state.open)}
    seen: set[int] = set()
    where = f"epoch {state.epoch}"
    for route in decision:
        if len(route) == 0:
            return f"{where}: a route has no request"
        for request in route:
            if request not in place:
                return f"{where}: request {request} is not open"
            if request in seen:
                return f"{where}: request {request} is on two routes"
            seen.add(request)
        for u, v in pairwise(route):
            indptr, heads, _ = state.arcs
            if place[v] not in heads[indptr[place[u]] : indptr[place[u] + 1]]:
                return f"{where}: request {v} cannot be visited in time after request {u}"
    missing = [int(request) for request in state.open[state.must] if int(request) not in seen]
    return f"{where}: request {missing[0]} must go now, and is on no route" if missing else None


def future(state: State, seed: int) -> Day:
    """Draw a day that could follow: the open requests, in their order, then what the epochs to come might bring."""
    day = state.day
    drawn = draw(day.city, generator(seed, state.epoch), day.per_epoch, first=state.epoch + 1)
    columns: dict[str, Any] = {
        field: np.concatenate([getattr(day, field)[state.open], drawn[field]]) for field in REQUESTS
    }
    return Day(day.city, **columns, per_epoch=day.per_epoch, first=state.epoch)


def write_decisions(decisions: Sequence[Decision], day: Any) -> dict[str, Any]:
    """Return the JSON object of the decisions of a day."""
    return {"decisions": [[list(route) for route in decision] for decision in decisions]}


def table(decisions: Sequence[Decision], day: Day) -> dict[str, list[Any]]:
    """Return one row per visit, by epoch and route (numbered from 1): how long one drives to it, and back to the depot.

    `back` is 0 but for the last visit of a route, so that the two columns add up to the cost.
    """
    travel, rows = day.city.travel, []
    leaving = [(epoch, route) for epoch, decision in enumerate(decisions, start=day.first) for route in decision]
    for number, (epoch, route) in enumerate(leaving, start=1):
        for request, (u, v) in zip(route, pairwise([0, *day.location[list(route)].tolist()]), strict=True):
            back = float(travel[v, 0]) if request == route[-1] else 0.0
            visit = float(day.start[request]), float(day.duration[request]), float(travel[u, v])
            rows.append((epoch, number, int(request), v, *visit, back))
    names = ("epoch", "route", "request", "location", "start", "duration", "travel", "back")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def read_decisions(
    document: Mapping[str, Any],
    day: Any,
    start: Callable[[Any], Any] = start,
    step: Callable[[Any, Any], tuple[float, Any]] = step,
) -> list[Decision]:
    """Return the decisions of a JSON object; refuse those that a day of this `start` and `step` does not allow."""
    try:
        decisions = [tuple(tuple(map(index, route)) for route in decision) for decision in document["decisions"]]
    except (KeyError, TypeError):
        raise InputError(
            "expected lists of routes, each a list of requests, one per epoch", where="decisions"
        ) from None
    state = start(day)
    for decision in decisions:
        if state is None:
            break
        _, state = step(state, decision)
    expected = day.city.epochs - day.first
    if state is not None or len(decisions) != expected:
        raise InputError(f"{len(decisions)} epochs, expected {expected}", where="decisions")
    return decisions
