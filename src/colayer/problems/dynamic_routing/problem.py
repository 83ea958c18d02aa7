"""The problem, assembled: each method is an arrow of the pipeline and lives in the file of that name."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.dynamic.protocol import DynamicProblem
from colayer.errors import OptionError
from colayer.io.validate import number, whole
from colayer.io.vrplib import read_routing
from colayer.problem.sizes import Size
from colayer.problems.dynamic_routing.city import REQUESTS, static_city
from colayer.problems.dynamic_routing.cost import scale
from colayer.problems.dynamic_routing.decoder import decode
from colayer.problems.dynamic_routing.features import COLUMNS, features
from colayer.problems.dynamic_routing.hindsight import hindsight
from colayer.problems.dynamic_routing.instance import CITY, FEW, PER_EPOCH, RoutingDay, day_in, generate, read, write
from colayer.problems.dynamic_routing.layer import embed, layer, target
from colayer.problems.dynamic_routing.search import SOLVERS, Budget, Routes
from colayer.problems.dynamic_routing.solvers import BASELINES, VOTED_PRIZE
from colayer.problems.dynamic_routing.state import (
    RoutingState,
    future,
    read_decisions,
    start,
    step,
    violation,
)
from colayer.problems.dynamic_vehicle_scheduling.state import Decision, write_decisions
from colayer.problems.rules import rule_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Who dispatches: routes that can wait do, or all routes of the layer leave.
DECODERS = ("wait", "none")
#: Iterations of hindsight, for each one of the layer: it has all requests of the day.
_HINDSIGHT = 10


class DynamicRouting(DynamicProblem):
    """Dynamic routing with time windows: requests come hour by hour; serve them all at least driving time.

    A decision is a tuple of routes that leave in the epoch, each a tuple of requests.

    Parameters:
        decoder: "wait" (routes that can leave an hour later do) or "none" (all routes of the layer leave).
        iterations: Of the layer, per epoch; the same answers on every run.
        seconds: Of the layer, per epoch, in place of iterations.
        threads: In which the layer searches, each from its own seed; the best answer is taken.
        futures: Days that are drawn in each state, for the features.
        future_iterations: Of the search for routes in each drawn day.
        solver: Of the layer: "own", ruin and recreate, or "pyvrp" (`pip install 'colayer[routing]'`).
    """

    name = "dynamic-routing"
    #: Options that say how long to search, not what is learned.
    budget_options = ("iterations", "seconds", "threads", "futures", "future_iterations", "solver")
    feature_names = COLUMNS.names
    feature_groups = COLUMNS.groups
    fields = (*CITY, *(f"request_{field}" for field in REQUESTS))
    optional_fields = ("points", "per_epoch", "first")
    instance_type = RoutingDay
    decoders = DECODERS
    baselines = tuple(BASELINES)
    searches = ("look-ahead",)
    layer_is_exact = False
    sizes = (
        Size("customers", int, 200, "number of customers of the city", minimum=1),
        Size("clusters", int, 6, "number of clusters that they live in", minimum=1),
        Size("per_epoch", int, FEW, "requests that are drawn in an hour", minimum=1),
    )

    start = staticmethod(start)
    embed = staticmethod(embed)
    target = staticmethod(target)
    step = staticmethod(step)
    violation = staticmethod(violation)
    future = staticmethod(future)
    scale = staticmethod(scale)
    generate = staticmethod(generate)
    read = staticmethod(read)
    write = staticmethod(write)
    read_solution = staticmethod(read_decisions)
    write_solution = staticmethod(write_decisions)

    def __init__(
        self,
        decoder: Literal["wait", "none"] = "wait",
        iterations: int = 3000,
        seconds: float | None = None,
        threads: int = 1,
        futures: int = 8,
        future_iterations: int = 300,
        solver: str = "own",
    ) -> None:
        if decoder not in DECODERS:
            raise OptionError(f"no decoder {decoder!r}, expected one of {', '.join(DECODERS)}", where="--decoder")
        self.decoder = decoder
        self.iterations = whole(iterations, "iterations")
        self.seconds = None if seconds is None else number(seconds, "seconds")
        if self.seconds is not None and self.seconds <= 0:
            raise OptionError(f"{seconds:g}, expected more than 0", where="seconds")
        self.threads = whole(threads, "threads", least=1)
        self.futures = whole(futures, "futures", least=1)
        self.future_iterations = whole(future_iterations, "future_iterations")
        if solver not in SOLVERS:
            raise OptionError(f"no solver {solver!r}, expected one of {', '.join(SOLVERS)}", where="--solver")
        self.solver = solver
        self.safe_weights = VOTED_PRIZE * COLUMNS.safe_weights

    @property
    def options(self) -> dict[str, Any]:
        """Return decoder, budget and number of futures."""
        return {key: getattr(self, key) for key in ("decoder", *self.budget_options)}

    @property
    def budget(self) -> Budget:
        """Return how long the layer may take."""
        return Budget(self.iterations, self.seconds, self.threads, self.solver)

    def features(self, state: RoutingState) -> Floats:
        """Return one row per open request."""
        return features(state, self.futures, self.future_iterations)

    def layer(self, theta: Floats, state: RoutingState) -> Routes:
        """Return routes of least driving time less prizes."""
        return layer(theta, state, self.budget)

    def decode(self, y: Routes, state: RoutingState) -> Decision:
        """Return the routes that leave now."""
        return decode(y, state, self.decoder)

    def hindsight(self, day: RoutingDay, state: RoutingState | None = None) -> list[Decision]:
        """Return good decisions for the day, or for the rest of it, by a search of its own."""
        seconds = None if self.seconds is None else _HINDSIGHT * self.seconds
        return hindsight(day, state, replace(self.budget, iterations=_HINDSIGHT * self.iterations, seconds=seconds))

    def day(
        self, path: str | os.PathLike[str], seed: int = 473, per_epoch: int = PER_EPOCH, *, unit: float = 1.0
    ) -> RoutingDay:
        """Draw a day in the city of a static VRPLIB or Solomon file; a unit of its times is `unit` seconds.

        With 100 requests per epoch and a seed of the competition, the day is that of its official run.
        """
        city = static_city(read_routing(path, unit=unit), str(path))
        return day_in(city, np.random.default_rng(seed), per_epoch)

    def baseline(self, rule: str, state: RoutingState, **constants: float) -> Decision:
        """Return the decision of a plain rule; `prize` has the constant `factor`."""
        return rule_named(rule, BASELINES)(self, state, **constants)

    def group(self, day: RoutingDay) -> dict[str, float]:
        """Return the number of customers and of requests per epoch."""
        return {"customers": day.city.customers, "per_epoch": day.per_epoch}

    def plot(self, decisions: Any, day: RoutingDay, ax: Axes | None = None) -> Axes:
        """Draw the routes of a day, by epoch."""
        from colayer.problems.dynamic_vehicle_scheduling.pictures import draw_day

        return draw_day(decisions, day, ax, start, step)
