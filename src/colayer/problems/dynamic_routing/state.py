"""States: the requests that are open in an epoch; what a decision costs and leads to, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.seeds import generator
from colayer.errors import InputError
from colayer.problems.dynamic_routing.city import REQUESTS, draw, reachable
from colayer.problems.dynamic_routing.instance import RoutingDay
from colayer.problems.dynamic_routing.kernels.routes import DEMAND, HOUR, PLACE, driven, on_time
from colayer.problems.dynamic_vehicle_scheduling.state import Decision
from colayer.problems.dynamic_vehicle_scheduling.state import read_decisions as read_routes


@dataclass(frozen=True, eq=False)
class RoutingState:
    """The open requests of an epoch: `open` holds their positions in the day, ascending.

    Nothing but the city and these requests is looked at to decide; the rest of the day is there for `step`. A live
    system makes a `RoutingDay` of the requests it knows.
    """

    day: RoutingDay
    epoch: int
    open: Ints

    @property
    def leave(self) -> int:
        """Return when the vehicles of the epoch leave."""
        return HOUR * (self.epoch + 1)

    @property
    def epochs_left(self) -> int:
        """Return the number of epochs that follow."""
        return self.day.city.epochs - 1 - self.epoch

    @cached_property
    def requests(self) -> Ints:
        """Return the open requests as rows of kernels: release, place, opening, closing, demand, service."""
        columns = [getattr(self.day, field)[self.open] for field in REQUESTS]
        columns[0] = np.full(len(self.open), self.leave)
        return np.ascontiguousarray(np.stack(columns, axis=1))

    @cached_property
    def trip(self) -> Floats:
        """Return how long one drives to each open request and back."""
        place, travel = self.requests[:, PLACE], self.day.city.travel
        trip: Floats = (travel[0, place] + travel[place, 0]).astype(np.float64)
        return trip

    @cached_property
    def must(self) -> NDArray[np.bool_]:
        """Return which open requests must go now: the vehicles of the next epoch are too late for them."""
        if self.epochs_left == 0:
            return np.ones(len(self.open), dtype=np.bool_)
        _, place, opening, closing, _, service = self.requests.T
        return ~reachable(self.day.city, (place, opening, closing, service), self.leave + HOUR)


def start(day: RoutingDay) -> RoutingState:
    """Return the first state of a day."""
    return RoutingState(day, day.first, np.flatnonzero(day.epoch <= day.first))


def step(state: RoutingState, decision: Sequence[Sequence[int]]) -> tuple[float, RoutingState | None]:
    """Return what the routes drive, and the state of the next epoch; None after the last."""
    said = violation(decision, state)
    if said is not None:
        raise InputError(said)
    place = _places(state)
    rows = [np.array([place[request] for request in route]) for route in decision]
    cost = float(sum(driven(state.day.city.times, state.requests, row, len(row)) for row in rows))
    if state.epochs_left == 0:
        return cost, None
    left = np.ones(len(state.open), dtype=np.bool_)
    for row in rows:
        left[row] = False
    new = np.flatnonzero(state.day.epoch == state.epoch + 1)
    return cost, RoutingState(state.day, state.epoch + 1, np.concatenate([state.open[left], new]))


def violation(decision: Any, state: RoutingState) -> str | None:
    """Return in a sentence what is wrong with a decision; None if nothing is."""
    place, city, where = _places(state), state.day.city, f"epoch {state.epoch}"
    seen: set[int] = set()
    for route in decision:
        if len(route) == 0:
            return f"{where}: a route has no request"
        for request in route:
            if request not in place:
                return f"{where}: request {request} is not open"
            if request in seen:
                return f"{where}: request {request} is visited twice"
            seen.add(request)
        row = np.array([place[request] for request in route])
        load = int(state.requests[row, DEMAND].sum())
        if load > city.capacity:
            return f"{where}: the route of request {route[0]} loads {load}, a vehicle takes {city.capacity}"
        if not on_time(city.times, state.requests, city.closing, row, len(row), state.leave):
            return f"{where}: the route of request {route[0]} is late at a request or at the depot"
    missing = [int(request) for request in state.open[state.must] if int(request) not in seen]
    return f"{where}: request {missing[0]} must go now, and is on no route" if missing else None


def can_wait(route: Sequence[int], state: RoutingState) -> bool:
    """Tell whether a route, of positions among the open requests, is still feasible when it leaves an hour later."""
    if state.epochs_left == 0:
        return False
    row, city = np.array(route), state.day.city
    later = bool(on_time(city.times, state.requests, city.closing, row, len(row), state.leave + HOUR))
    return later and not state.must[row].any()


def numbered(routes: Sequence[Sequence[int]], state: RoutingState) -> Decision:
    """Return routes of positions among the open requests as a decision."""
    return tuple(tuple(int(state.open[i]) for i in route) for route in routes)


def future(state: RoutingState, seed: int) -> RoutingDay:
    """Draw a day that could follow: the open requests, in their order, then what the epochs to come might bring."""
    day = state.day
    drawn = draw(day.city, generator(seed, state.epoch), day.per_epoch, state.epoch + 1)
    columns: dict[str, Any] = {
        field: np.concatenate([getattr(day, field)[state.open], drawn[field]]) for field in REQUESTS
    }
    return RoutingDay(day.city, **columns, per_epoch=day.per_epoch, first=state.epoch)


def read_decisions(document: Mapping[str, Any], day: RoutingDay) -> list[Decision]:
    """Return the decisions of a JSON object; refuse those that the day does not allow."""
    return read_routes(document, day, start, step)


def _places(state: RoutingState) -> dict[int, int]:
    return {int(request): i for i, request in enumerate(state.open)}
