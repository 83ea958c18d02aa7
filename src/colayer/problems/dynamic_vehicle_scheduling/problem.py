"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from colayer._runtime.arrays import Floats, Ints
from colayer.dynamic.protocol import DynamicProblem
from colayer.errors import OptionError
from colayer.io.vrplib import read_routing
from colayer.problem.sizes import Size
from colayer.problems.dynamic_vehicle_scheduling.city import REQUESTS, static_city
from colayer.problems.dynamic_vehicle_scheduling.cost import bound, day_costs, scale
from colayer.problems.dynamic_vehicle_scheduling.decoder import decode
from colayer.problems.dynamic_vehicle_scheduling.features import COLUMNS, features
from colayer.problems.dynamic_vehicle_scheduling.hindsight import hindsight
from colayer.problems.dynamic_vehicle_scheduling.instance import (
    CITY,
    PER_EPOCH,
    Day,
    day_in,
    generate,
    read,
    write,
)
from colayer.problems.dynamic_vehicle_scheduling.layer import embed, layer, target
from colayer.problems.dynamic_vehicle_scheduling.solvers import BASELINES, PRIZE
from colayer.problems.dynamic_vehicle_scheduling.state import (
    Decision,
    State,
    future,
    read_decisions,
    start,
    step,
    table,
    violation,
    write_decisions,
)
from colayer.problems.rules import rule_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Who dispatches: routes that can wait do, or all routes of the layer leave.
DECODERS = ("wait", "none")


class DynamicVehicleScheduling(DynamicProblem):
    """Dynamic vehicle scheduling: requests come hour by hour; serve them all at least travel time.

    A decision is a tuple of routes that leave in the epoch, each a tuple of requests.

    Parameters:
        decoder: "wait" (routes leave when one of their requests must go) or "none" (all routes of the layer leave).
    """

    name = "dynamic-vehicle-scheduling"
    feature_names = COLUMNS.names
    feature_groups = COLUMNS.groups
    fields = (*CITY, *REQUESTS)
    optional_fields = ("points", "per_epoch", "first")
    instance_type = Day
    decoders = DECODERS
    baselines = tuple(BASELINES)
    searches = ("look-ahead",)
    hindsight_is_exact = True
    sizes = (
        Size("customers", int, 200, "number of customers of the city", minimum=1),
        Size("clusters", int, 6, "number of clusters that they live in", minimum=1),
        Size("per_epoch", int, PER_EPOCH, "requests that are drawn in an hour", minimum=1),
    )

    start = staticmethod(start)
    features = staticmethod(features)
    layer = staticmethod(layer)
    embed = staticmethod(embed)
    target = staticmethod(target)
    step = staticmethod(step)
    violation = staticmethod(violation)
    hindsight = staticmethod(hindsight)
    future = staticmethod(future)
    scale = staticmethod(scale)
    bound = staticmethod(bound)
    generate = staticmethod(generate)
    read = staticmethod(read)
    write = staticmethod(write)
    read_solution = staticmethod(read_decisions)
    table = staticmethod(table)
    write_solution = staticmethod(write_decisions)

    def __init__(self, decoder: Literal["wait", "none"] = "wait") -> None:
        if decoder not in DECODERS:
            raise OptionError(f"no decoder {decoder!r}, expected one of {', '.join(DECODERS)}", where="--decoder")
        self.decoder = decoder
        self.safe_weights = PRIZE[decoder] * COLUMNS.safe_weights

    @property
    def options(self) -> dict[str, Any]:
        """Return the decoder."""
        return {"decoder": self.decoder}

    def decode(self, y: Ints, state: State) -> Decision:
        """Return the routes that leave now."""
        return decode(y, state, self.decoder)

    def day(
        self, path: str | os.PathLike[str], seed: int = 473, per_epoch: int = PER_EPOCH, *, unit: float = 1.0
    ) -> Day:
        """Draw a day in the city of a static VRPLIB or Solomon file; a unit of its times is `unit` seconds."""
        return day_in(static_city(read_routing(path, unit=unit), str(path)), np.random.default_rng(seed), per_epoch)

    def day_costs(self, weights: Floats, day: Day) -> Floats:
        """Return the cost of a day under each row of `weights` (raw units), by compiled code."""
        return day_costs(weights, day, self.decoder)

    def baseline(self, rule: str, state: State, **constants: float) -> Decision:
        """Return the decision of a plain rule; `prize` and `prize+wait` have the constant `factor`."""
        return rule_named(rule, BASELINES)(state, **constants)

    def group(self, day: Day) -> dict[str, float]:
        """Return the number of customers and of requests per epoch."""
        return {"customers": day.city.customers, "per_epoch": day.per_epoch}

    def plot(self, decisions: Any, day: Day, ax: Axes | None = None) -> Axes:
        """Draw the routes of a day, by epoch."""
        from colayer.problems.dynamic_vehicle_scheduling.pictures import draw_day

        return draw_day(decisions, day, ax=ax)
