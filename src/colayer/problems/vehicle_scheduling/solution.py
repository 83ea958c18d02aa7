"""Solutions: the task that follows each task, checked, the file format of routes, and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.text import short
from colayer.errors import InputError
from colayer.io.dates import dates_or_numbers
from colayer.io.files import exact_keys
from colayer.io.validate import named, unnamed
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.delay import first_tasks, solution_delays
from colayer.problems.vehicle_scheduling.kernels.travel import bad_arc

_KEYS = ("routes", "vehicles")


def checked(successor: ArrayLike, instance: Instance) -> Ints:
    """Check that `successor` partitions the tasks into routes along arcs; return it as a new array."""
    n = instance.tasks
    try:
        array = np.asarray(successor)
    except ValueError:  # lists of different lengths
        array = np.empty((0, 0))
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise InputError(f"expected a list of {n} tasks, -1 where a vehicle ends", where="successor")
    array = np.array(array, dtype=np.int64)
    outside = (array < -1) | (array >= n)
    if outside.any():
        u = int(np.argmax(outside))
        raise InputError(f"{array[u]} is not a task, expected -1 to {n - 1}", where=f"successor[{u}]")
    visits = np.bincount(array[array >= 0], minlength=n)
    if (visits > 1).any():
        twice = int(np.argmax(visits > 1))
        u = int(np.flatnonzero(array == twice)[1])
        raise InputError(f"task {twice} comes twice", where=f"successor[{u}]")
    u = bad_arc(instance.times, array)
    if u >= 0:
        raise InputError(f"there is no arc from task {u} to task {array[u]}", where=f"successor[{u}]")
    return array


def routes_of(successor: Ints) -> list[list[int]]:
    """Return the routes, by their first task, each a list of tasks in order."""
    following = successor.tolist()
    routes = []
    for task in np.flatnonzero(first_tasks(successor)).tolist():
        route = [task]
        while following[route[-1]] >= 0:
            route.append(following[route[-1]])
        routes.append(route)
    return routes


def successors_of(routes: Any, instance: Instance) -> Ints:
    """Return the successors of a list of routes; an error names the route that does not fit the instance."""
    n = instance.tasks
    if not isinstance(routes, list | tuple):
        raise InputError(f"{short(routes)} is not a list of routes", where="routes")
    successor = np.full(n, -2, dtype=np.int64)
    for r, route in enumerate(routes):
        if not isinstance(route, list | tuple | np.ndarray) or len(route) == 0:
            raise InputError("expected a list of at least one task", where=f"routes[{r}]")
        for i, task in enumerate(route):
            where = f"routes[{r}][{i}]"
            if isinstance(task, bool) or not isinstance(task, int | np.integer) or not 0 <= task < n:
                raise InputError(f"{short(task)} is not a task, expected 0 to {n - 1}", where=where)
            if successor[task] != -2:
                raise InputError(f"task {task} comes twice", where=where)
            successor[task] = -1
        successor[route[:-1]] = route[1:]
    if (successor == -2).any():
        raise InputError(f"task {int(np.argmax(successor == -2))} is missing", where="routes")
    u = bad_arc(instance.times, successor)
    if u >= 0:
        r, i = next((r, list(route).index(u)) for r, route in enumerate(routes) if u in route)
        raise InputError(f"there is no arc from task {u} to this one", where=f"routes[{r}][{i + 1}]")
    return successor


def write_solution(successor: ArrayLike, instance: Instance) -> dict[str, Any]:
    """Return `{"routes": [[tasks in order]…], "vehicles": k}`, with the names of the tasks if they have some."""
    routes = [named(route, instance.names) for route in routes_of(checked(successor, instance))]
    return {"routes": routes, "vehicles": len(routes)}


def table(successor: ArrayLike, instance: Instance) -> dict[str, list[Any]]:
    """Return one row per task, by vehicle (numbered from 1) in the order of its route, with its mean delay.

    With a depot, `pull_out` and `pull_in` are the minutes of the trip from there and back, 0 within a route.
    """
    solution = checked(successor, instance)
    routes = routes_of(solution)
    order = [task for route in routes for task in route]
    delay = solution_delays(instance.times, solution).mean(axis=1)
    columns = {
        "vehicle": [k for k, route in enumerate(routes, start=1) for _ in route],
        "task": named(order, instance.names),
        "begin": dates_or_numbers(instance.begin[order], instance.origin),
        "end": dates_or_numbers(instance.end[order], instance.origin),
        "mean_delay": delay[order].tolist(),
    }
    trips = depot_trips(solution, instance)
    return columns if trips is None else columns | {key: by_task[order].tolist() for key, by_task in trips.items()}


def depot_trips(successor: Ints, instance: Instance) -> dict[str, Floats] | None:
    """Return by task the minutes of the trip from the depot to it, and from it to the depot; None without a depot."""
    if instance.places is None or instance.places.home is None:
        return None
    places, home = instance.places, instance.places.home
    return {
        "pull_out": np.where(first_tasks(successor), home[places.start], 0.0),
        "pull_in": np.where(successor < 0, home[places.finish], 0.0),
    }


def read_solution(document: Mapping[str, Any], instance: Instance) -> Ints:
    """Return the successors of a document; refuse routes that do not fit the instance or their own number."""
    exact_keys(document, _KEYS)
    listed = document["routes"]
    if isinstance(listed, list | tuple):
        listed = [unnamed(route, instance.names, f"routes[{r}]") for r, route in enumerate(listed)]
    successor = successors_of(listed, instance)
    vehicles = document["vehicles"]
    if type(vehicles) is not int or vehicles != len(document["routes"]):
        raise InputError(f"{short(vehicles)}, expected {len(document['routes'])}, as many as routes", where="vehicles")
    return successor
