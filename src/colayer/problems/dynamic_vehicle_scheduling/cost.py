"""Scale and bound of a day."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.problems.dynamic_vehicle_scheduling.hindsight import hindsight
from colayer.problems.dynamic_vehicle_scheduling.instance import Day
from colayer.problems.dynamic_vehicle_scheduling.kernels.days import day_costs_into
from colayer.problems.dynamic_vehicle_scheduling.state import start, step


def scale(day: Day) -> float:
    """Return half of what it takes to serve each request alone, at least a second."""
    travel = day.city.travel
    return max(1.0, 0.5 * float((travel[0, day.location] + travel[day.location, 0]).sum()))


def bound(day: Day) -> float:
    """Return the cost of the best decisions in hindsight: no policy costs less."""
    total, state = 0.0, start(day)
    for decision in hindsight(day):
        cost, after = step(state, decision)
        total += cost
        if after is not None:
            state = after
    return total


def day_costs(weights: Floats, day: Day, decoder: str) -> Floats:
    """Return the cost of the day under each row of `weights` (raw units)."""
    rows = np.array(weights, dtype=np.float64, order="C", ndmin=2)
    out = np.empty(len(rows))
    requests = (np.array(values) for values in (day.epoch, day.location, day.start, day.duration, day.later))
    city = day.city
    day_costs_into(rows, city.times, city.near, *requests, day.first, city.epochs, decoder == "wait", out)
    return out
