"""Solvers beside the pipeline: the plain rules of the comparison tables, and exact branch and bound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from colayer._runtime.arrays import Ints
from colayer._runtime.clock import clock
from colayer.layers.sorting import sort
from colayer.problems.rules import rule_named
from colayer.problems.single_machine.decoder import DECODERS, decode
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels import dispatch, schedule
from colayer.problems.single_machine.kernels.branch_and_bound import advance, open_root
from colayer.problems.single_machine.kernels.lookahead import dispatch_lookahead
from colayer.problems.single_machine.kernels.search_state import new_search
from colayer.problems.single_machine.solution import checked

#: Seconds between two looks at the clock, about.
_PAUSE = 0.05


#: The plain rules by name: functions from an instance to a sequence. Ties are broken by job index.
#:
#: release: by r_j, then p_j. srpt: by completion in the preemptive optimum, a 2-approximation (Phillips, Stein and Wein
#: 1998). srpt-midpoint: by that completion minus p_j/2. ect: always the job of earliest completion. shortest-available:
#: always the shortest released job. aprtf: Chu's alternative priority rule for total flow time (1992). look-ahead: our
#: own.
BASELINES: dict[str, Callable[[Instance], Ints]] = {
    "release": lambda instance: np.lexsort((instance.processing, instance.release)),
    "srpt": lambda instance: sort(instance.preemptive[2]),
    "srpt-midpoint": lambda instance: sort(instance.preemptive[2] - instance.processing / 2),
    "ect": lambda instance: dispatch.dispatch_ect(*instance.arrays),
    "shortest-available": lambda instance: dispatch.dispatch_shortest(*instance.arrays),
    "look-ahead": lambda instance: dispatch_lookahead(*instance.arrays),
    "aprtf": lambda instance: dispatch.aprtf(*instance.arrays),
}
#: Rules after a decoder that are always shown.
SEARCHES = ("release+ls", "aprtf+rdi")


def quick(instance: Instance) -> Ints:
    """Return the jobs by release date."""
    return BASELINES["release"](instance)


def rules(decoder: str) -> tuple[str, ...]:
    """Return the names of the rules for a pipeline with this decoder: plain, through it, and `SEARCHES`."""
    through = () if decoder == "none" else tuple(f"{rule}+{decoder}" for rule in BASELINES)
    return (*BASELINES, *through, *(rule for rule in SEARCHES if rule not in through))


def searches(decoder: str) -> tuple[str, ...]:
    """Return those of `SEARCHES` whose decoder goes beyond this one."""
    return tuple(rule for rule in SEARCHES if DECODERS.index(rule.partition("+")[2]) > DECODERS.index(decoder))


def baseline(rule: str, instance: Instance) -> Ints:
    """Return the sequence of a rule, `RULE` or `RULE+DECODER`."""
    name, _, decoder = rule.partition("+")
    return decode(rule_named(name, BASELINES)(instance), instance, decoder or "none")


def exact(
    instance: Instance,
    time_limit: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    start: Ints | None = None,
) -> tuple[Ints, float, bool]:
    """Run branch and bound; return (best sequence, lower bound on the optimal cost, whether the sequence is proved
    optimal).

    The search starts from the better of `start` and RDI on APRTF. It ends with a proof, after `time_limit` seconds, or
    when its memory (about 300 MB) is full; the bound is valid in each case, and at least SRPT's. `progress` is called
    with (bound, best cost) some ten times per second. If the data are not integral, "optimal" is up to rounding.
    """
    r, p = instance.arrays
    sequences = [baseline("aprtf+rdi", instance)]
    if start is not None:
        sequences.append(checked(start, instance))
    costs = [schedule.sequence_cost(sequence, r, p) for sequence in sequences]
    best = int(np.argmin(costs))

    jobs = np.lexsort((p, r))  # the search numbers jobs by release
    number = np.empty_like(jobs)
    number[jobs] = np.arange(len(jobs))
    tolerance = 0.0 if instance.integral else 1e-10 * float(r.max() + p.sum())
    search = new_search(r[jobs], p[jobs], number[sequences[best]], costs[best], tolerance)
    open_root(search)

    done, bound = advance(search, 0)
    nodes = 1
    began = clock()  # not before: the first call may compile
    while not done and (time_limit is None or clock() - began < time_limit):
        before = clock()
        done, bound = advance(search, nodes)
        if progress is not None:
            progress(bound, float(search.best_cost[0]))
        # Chunks of the search do not change what it finds, only how often the clock is looked at.
        seconds = clock() - before
        nodes = nodes * 2 if seconds < _PAUSE else max(1, nodes // 2) if seconds > 2 * _PAUSE else nodes
    cost = float(search.best_cost[0])
    return jobs[search.best], min(bound, cost), bound >= cost
