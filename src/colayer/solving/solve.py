"""Solve one instance with a model: try candidates, keep the best."""

from __future__ import annotations

from dataclasses import dataclass, replace

from colayer._runtime.clock import clock
from colayer.dynamic.bound import BoundDynamic
from colayer.learning.perturbation import LARGEST, MOST_DRAWS
from colayer.learning.settings import as_float, check_number, check_whole
from colayer.models import Model
from colayer.problem.bind import BoundProblem
from colayer.problem.gap import gap
from colayer.problem.protocol import X, Y, Z
from colayer.problem.rounds import MOST, check_rounds
from colayer.solving.candidates import Candidates, fixed_rows, rows_of_rounds
from colayer.solving.days import solve_day
from colayer.solving.in_time import solve_in_time
from colayer.solving.solved import Origin, Solved

#: Seconds of a time limit at most: what a clock can count.
LONGEST = 1e9


@dataclass(frozen=True)
class SolveOptions:
    """The keywords of `Pipeline.solve`, checked."""

    candidates: int = 1
    samples: int = 0
    sigma: float | None = None
    seed: int = 0
    rounds: int | None = None
    time_limit: float | None = None
    bound: bool = True

    def __post_init__(self) -> None:
        check_whole("--seed", self.seed, 0)
        check_whole("--candidates", self.candidates, 1, MOST_DRAWS)
        check_whole("--samples", self.samples, 0, MOST_DRAWS)
        within = self.sigma is None or 0 <= as_float(self.sigma) <= LARGEST
        check_number("--sigma", self.sigma, within, f"a number from 0 to {LARGEST:g}")
        waits = self.time_limit is None or 0 <= as_float(self.time_limit) <= LONGEST
        check_number("--time-limit", self.time_limit, waits, f"seconds from 0 to {LONGEST:g}")


def solve_instance(
    problem: BoundProblem[X, Y, Z], model: Model, instance: X, options: SolveOptions, *, safe: bool
) -> Solved[Z]:
    """Return the best solution over members, draws and, if `safe`, the safe weights; see `Pipeline.solve`."""
    problem.check_instance(instance)
    begin, number = clock(), _number_of_rounds(problem, model, options)
    if isinstance(problem, BoundDynamic):
        return solve_day(problem, model, instance, options)  # type: ignore[return-value]  # Z is a list of decisions
    if options.time_limit is not None:
        return solve_in_time(problem, model, instance, options, number, safe=safe, begin=begin)
    tried = Candidates.of(problem, model, instance, options.seed)
    others = list(tried.safe_solutions()) if safe else []
    chosen = options.samples, options.sigma, options.seed
    if number > 1:
        alone = options.candidates + options.samples == 1
        *_, found = tried.in_rounds(number, rows_of_rounds(model, options.candidates, *chosen), alone=alone)
    else:
        found = tried.best(*fixed_rows(model, options.candidates, *chosen, tried.features))
    for other in others:
        found = replace(other if other.cost < found.cost else found, tried=found.tried + 1, rounds=found.rounds)
    seconds = clock() - begin
    bound = problem.lower_bound(instance) if options.bound else None
    return Solved(
        found.solution, found.cost, bound, gap(found.cost, bound), seconds, found.source,
        candidates=found.tried, origin=Origin(problem, instance), rounds=found.rounds,
    )  # fmt: skip


def _number_of_rounds(problem: BoundProblem[X, Y, Z], model: Model, options: SolveOptions) -> int:
    """Return the rounds asked for, else those the model was learned with or the time allows."""
    if options.rounds is not None:
        if options.rounds != 1:
            check_rounds(problem, options.rounds)
        return options.rounds
    if not problem.features_use_solution:
        return 1
    return MOST if options.time_limit is not None else model.rounds
