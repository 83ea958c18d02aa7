"""Every contender on every instance, one after the other, on one core, each for the same time."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from colayer.checks.trial import raised
from colayer.comparison.contenders import Contender
from colayer.comparison.trajectory import Trajectory, trajectory
from colayer.errors import ColayerError, InputError
from colayer.evaluation import gap
from colayer.files import first_line
from colayer.problem import provides

#: The parts of the time limit at which tables compare costs.
SHARES = (0.01, 0.1, 1.0)
#: Seconds that a contender gets to warm up: what is compiled is not timed.
_WARM = 0.2


@dataclass(frozen=True)
class Standing:
    """One contender over all instances. Gaps are means over the instances, to the best cost any contender found."""

    contender: str
    #: Instances with a solution in time, with the best one, and with a proof.
    solved: int
    wins: int
    proved: int
    #: Mean seconds to the first solution, over the instances with one.
    first: float | None
    #: Mean gap at each of `SHARES` of the time limit; None where an instance has no solution by then.
    gaps: tuple[float | None, ...]
    #: Why there is less than there could be, as it was last said.
    note: str


@dataclass(frozen=True)
class Race:
    """What every contender found by when: one row an instance, one trajectory a contender."""

    problem: str
    time_limit: float
    seed: int
    contenders: tuple[str, ...]
    groups: tuple[dict[str, float], ...]
    rows: tuple[tuple[Trajectory, ...], ...]
    #: Contenders that failed on the way and lost their place, with the reason, in words.
    left_out: tuple[str, ...] = ()

    def of(self, contender: str) -> list[Trajectory]:
        """The trajectories of one contender, by instance."""
        column = self.contenders.index(contender)
        return [row[column] for row in self.rows]

    def only(self, instances: Sequence[int]) -> Race:
        """The race on some of the instances."""
        groups = tuple(self.groups[i] for i in instances)
        return replace(self, groups=groups, rows=tuple(self.rows[i] for i in instances))

    @property
    def best(self) -> list[float | None]:
        """The best cost any contender found, by instance; None where none found a solution."""
        return [min((t.cost for t in row if t.cost is not None), default=None) for row in self.rows]

    def mean_gap(self, contender: str, seconds: float) -> float | None:
        """The mean gap to the best known cost after so many seconds; None before all instances have a solution."""
        gaps = []
        for found, best in zip(self.of(contender), self.best, strict=True):
            cost = found.at(seconds)
            if cost is None or (apart := gap(cost, best)) is None:
                return None
            gaps.append(apart)
        return math.fsum(gaps) / len(gaps)

    def standings(self) -> list[Standing]:
        """One row a contender, in the order of the contenders."""
        return [self._standing(name) for name in self.contenders]

    def _standing(self, name: str) -> Standing:
        found = self.of(name)
        firsts = [t.first for t in found if t.first is not None]
        wins = sum(best is not None and t.reaches(best) is not None for t, best in zip(found, self.best, strict=True))
        return Standing(
            contender=name,
            solved=len(firsts),
            wins=wins,
            proved=sum(t.proved for t in found),
            first=math.fsum(firsts) / len(firsts) if firsts else None,
            gaps=tuple(self.mean_gap(name, share * self.time_limit) for share in SHARES),
            note=next((t.note for t in reversed(found) if t.note), ""),
        )


def race(
    problem: Any,
    instances: Sequence[Any],
    contenders: Mapping[str, Contender],
    *,
    time_limit: float,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    may_fail: Collection[str] = (),
) -> Race:
    """Run every contender on every instance for `time_limit` seconds of wall-clock time each.

    Costs are computed by the problem, from the solutions, and those that it refuses do not count. Every contender gets
    a copy of the instance that nobody has looked at before, so that none profits from what another one left in it.
    Before that, each runs for a moment on the last instance: what is compiled then is not timed. `progress` is told
    (runs done, runs in all). Of the contenders named in `may_fail`, one that raises is left out; what another one
    raises ends the race.
    """
    if not contenders or not instances:
        raise InputError("nothing to compare, expected at least one contender and one instance")
    rows: list[dict[str, Trajectory]] = [{} for _ in instances]
    failed: dict[str, str] = {}

    def attempt(name: str, instance: Any, judged: Any, limit: float) -> Trajectory | None:
        if name in failed:
            return None
        try:
            found = contenders[name](copy.deepcopy(instance), limit)
            return trajectory(found, lambda z: problem.cost(z, judged), limit, lambda z: refusal(problem, z, judged))
        except Exception as error:
            if name not in may_fail:
                raise
            failed[name] = f"{name} is left out: it raised {raised(error)}"
            return None

    with one_core():
        for name in contenders:
            attempt(name, instances[-1], copy.deepcopy(instances[-1]), min(_WARM, time_limit))
        for i, instance in enumerate(instances):
            judged = copy.deepcopy(instance)  # costs and checks leave nothing for contenders either
            for c, name in enumerate(contenders):
                found = attempt(name, instance, judged, time_limit)
                if found is not None:
                    rows[i][name] = found
                if progress is not None:
                    progress(i * len(contenders) + c + 1, len(instances) * len(contenders))
    left = tuple(name for name in contenders if name not in failed)
    if not left:
        raise InputError(f"no contender is left: {'; '.join(failed.values())}")
    groups = tuple(dict(problem.group(instance)) for instance in instances)
    kept = tuple(tuple(row[name] for name in left) for row in rows)
    return Race(problem.name, time_limit, seed, left, groups, kept, tuple(failed.values()))


def refusal(problem: Any, solution: Any, instance: Any) -> str | None:
    """What the problem says against a solution: `violation`, else `read_solution` of what was written, where it can."""
    if provides(problem, "violation"):
        said = problem.violation(solution, instance)
        return None if said is None else f"violation says: {first_line(InputError(str(said) or 'something is wrong'))}"
    if not (provides(problem, "write_solution") and provides(problem, "read_solution")):
        return None
    try:
        problem.read_solution(problem.write_solution(solution, instance), instance)
    except (ColayerError, ValueError) as error:
        return first_line(error)
    except Exception:
        return None  # no verdict: `colayer check` says what is wrong with the two
    return None


@contextmanager
def one_core() -> Iterator[None]:
    """One core for this process, its threads and the processes it starts, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
