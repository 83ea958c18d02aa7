"""Every contender on every instance, one after the other, each for the same time."""

from __future__ import annotations

import copy
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from colayer._runtime.threads import limited
from colayer.comparison.contender import Contender, Kind, check_names
from colayer.comparison.trajectory import Attempt, Trajectory, trajectory
from colayer.errors import InputError
from colayer.problem.bind import BoundProblem
from colayer.problem.feasibility import refusal
from colayer.problem.gap import gap
from colayer.problem.guard import raised
from colayer.problem.instances import numbering
from colayer.problem.protocol import X, Y, Z

#: Seconds that a contender gets to warm up: what is compiled is not timed.
_WARM = 0.2


@dataclass(frozen=True)
class Race:
    """The trajectories of a race: one row per instance, one trajectory per contender."""

    problem: str
    #: Seconds per contender and instance; infinite where every contender solves once.
    time_limit: float
    seed: int
    contenders: tuple[str, ...]
    groups: tuple[dict[str, float], ...]
    rows: tuple[tuple[Trajectory, ...], ...]
    #: Of each instance: the cheap lower bound, None where there is none, and the scale.
    bounds: tuple[float | None, ...]
    scales: tuple[float, ...]
    #: What each contender stands for: "learned", "safe", "rule" or "solver".
    kinds: tuple[Kind, ...]
    #: Contenders that failed on the way and lost their place, with the reason, in words.
    left_out: tuple[str, ...] = ()

    def of(self, contender: str) -> list[Trajectory]:
        """Return the trajectories of one contender, by instance."""
        column = self.contenders.index(contender)
        return [row[column] for row in self.rows]

    def only(self, instances: Sequence[int]) -> Race:
        """Return the race on some of the instances."""
        columns = ("groups", "rows", "bounds", "scales")
        chosen: dict[str, Any] = {name: tuple(getattr(self, name)[i] for i in instances) for name in columns}
        return replace(self, **chosen)

    @property
    def plain(self) -> list[str]:
        """The contenders that need no learning and no search: safe weights and rules."""
        return [name for name, kind in zip(self.contenders, self.kinds, strict=True) if kind in ("safe", "rule")]

    @property
    def best(self) -> list[float | None]:
        """The best cost any contender found, by instance; None where none found a solution."""
        return [min((t.cost for t in row if t.cost is not None), default=None) for row in self.rows]

    def mean_gap(self, contender: str, seconds: float) -> float | None:
        """Return the mean gap to the best known cost after so many seconds; None until all have a solution."""
        gaps = []
        for found, best in zip(self.of(contender), self.best, strict=True):
            cost = found.at(seconds)
            if cost is None or (above := gap(cost, best)) is None:
                return None
            gaps.append(above)
        return math.fsum(gaps) / len(gaps)

    def mean_gaps(self, contender: str) -> list[tuple[float, float]]:
        """Return (seconds, mean gap) wherever it may change, once every instance has a solution."""
        times = sorted({when for found in self.of(contender) for when, _ in found.points})
        return [(when, above) for when in times if (above := self.mean_gap(contender, when)) is not None]


def race(
    problem: BoundProblem[X, Y, Z],
    instances: Sequence[X],
    contenders: Sequence[Contender[X, Z]],
    *,
    time_limit: float = math.inf,
    seed: int = 0,
    one_core: bool = True,
    warm_up: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Race:
    """Run every contender on every instance for `time_limit` seconds of wall-clock time each.

    Costs are computed by the problem, from the solutions. Every contender gets a copy of the instance that nobody has
    looked at before, so that none profits from what another one left in it. Before that, each runs for a moment on
    the last instance: what is compiled then is not timed. `progress` is called with (runs done, runs in all).

    What the comparison is about must be sound: an exception or an infeasible solution of a pipeline ends the race, with
    an error that names the instance. A rival that raises is left out, and its infeasible solutions do not count.
    """
    if not contenders or not instances:
        raise InputError("nothing to compare, expected at least one contender and one instance")
    check_names(contenders)
    rows: list[dict[str, Trajectory]] = [{} for _ in instances]
    failed: dict[str, str] = {}
    copies = [copy.deepcopy(instance) for instance in instances]  # what is computed leaves nothing for contenders
    with numbering(copies):
        bounds, scales = tuple(map(problem.lower_bound, copies)), tuple(map(problem.scale, copies))
        groups = tuple(map(problem.sizes_of, copies))

    def run(contender: Contender[X, Z], i: int, judged: X, limit: float) -> None:
        if contender.name in failed:
            return
        try:
            found = contender.attempt(copy.deepcopy(instances[i]), limit)
            rows[i][contender.name] = _judged(problem, contender, found, i, judged, limit, bounds[i])
        except Exception as error:
            if not contender.rival:
                if isinstance(error, InputError) and error.instance is not None:  # a copy of instance i
                    raise error.at(f"instance {i}") from error.__cause__
                raise
            failed[contender.name] = f"{contender.name} is left out: it raised {raised(error)}"

    with _one_core() if one_core else nullcontext():
        if warm_up:
            for contender in contenders:
                run(contender, len(instances) - 1, copy.deepcopy(instances[-1]), min(_WARM, time_limit))
        for i, instance in enumerate(instances):
            judged = copy.deepcopy(instance)  # costs and checks leave nothing for contenders either
            for c, contender in enumerate(contenders):
                run(contender, i, judged, time_limit)
                if progress is not None:
                    progress(i * len(contenders) + c + 1, len(instances) * len(contenders))
    staying = [contender for contender in contenders if contender.name not in failed]
    left = tuple(contender.name for contender in staying)
    if not left:
        raise InputError(f"every contender failed: {'; '.join(failed.values())}")
    kept = tuple(tuple(row[name] for name in left) for row in rows)
    reasons, kinds = tuple(failed.values()), tuple(contender.kind for contender in staying)
    return Race(problem.name, time_limit, seed, left, groups, kept, bounds, scales, kinds, reasons)


def _judged(
    problem: BoundProblem[X, Y, Z],
    contender: Contender[X, Z],
    found: Attempt[Z],
    i: int,
    instance: X,
    limit: float,
    bound: float | None,
) -> Trajectory:
    """Return the trajectory of an attempt; an infeasible solution is refused, or of a rival ignored."""

    def against(solution: Z) -> str | None:
        cost = None if bound is None else problem.cost(solution, instance)
        said = refusal(problem, solution, instance, cost=cost, bound=bound)
        if said is not None and not contender.rival:
            raise InputError(f"{contender.name} returned an infeasible solution: {said}", where=f"instance {i}")
        return said

    return trajectory(found, lambda solution: problem.cost(solution, instance), limit, against)


@contextmanager
def _one_core() -> Iterator[None]:
    """Keep this process, its threads and children on one core, if the system can."""
    if not hasattr(os, "sched_setaffinity"):
        with limited(1):
            yield
        return
    before = os.sched_getaffinity(0)
    core = {min(before)}
    threads = [thread.native_id for thread in threading.enumerate() if thread.native_id is not None]
    for thread in threads:
        _pin(thread, core)
    try:
        with limited(1):
            yield
    finally:
        for thread in threads:
            _pin(thread, before)


def _pin(thread: int, cores: set[int]) -> None:
    try:
        os.sched_setaffinity(thread, cores)
    except ProcessLookupError:  # it has ended meanwhile
        return
