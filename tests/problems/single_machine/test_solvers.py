"""Plain rules on instances solved by hand, and the exact solver as users call it."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.single_machine.cost import bound as relaxed
from colayer.problems.single_machine.decoder import decode
from colayer.problems.single_machine.instance import PAPER_RHO, Instance, generate
from colayer.problems.single_machine.kernels.schedule import sequence_cost
from colayer.problems.single_machine.solvers import (
    BASELINES,
    SEARCHES,
    baseline,
    exact,
    rules,
    searches,
)
from support.errors import rejects
from support.plain_jobs import brute_force


def cost(sequence, instance: Instance) -> float:
    return float(sequence_cost(sequence, *instance.arrays))


def is_sequence(sequence, instance: Instance) -> bool:
    return sequence.dtype == np.int64 and sorted(sequence.tolist()) == list(range(instance.jobs))


#: SRPT: 0 runs 0-1, 1 runs 1-2, 2 runs 2-4, 0 again 4-13. Waiting for 1 and 2 is optimal: 2 + 4 + 14.
WAIT = Instance([0, 1, 2], [10, 1, 2])
#: SRPT: 0 runs 0-18, 1 runs 18-19, 0 again 19-21: completion order 1, 0, but midpoints 11 and 18.5. Optimal: 20 + 21.
GO = Instance([0, 18], [20, 1])


@pytest.mark.parametrize(
    ("rule", "wait", "go"),
    [
        ("release", [0, 1, 2], [0, 1]),
        ("release+ls", [0, 1, 2], [0, 1]),  # no job is released when an earlier one starts: no swap
        ("srpt", [1, 2, 0], [1, 0]),
        ("srpt-midpoint", [1, 2, 0], [0, 1]),
        ("ect", [1, 2, 0], [1, 0]),  # 1 can complete at 19, 0 at 20
        ("shortest-available", [0, 1, 2], [0, 1]),
        ("look-ahead", [1, 2, 0], [0, 1]),
        ("aprtf", [1, 2, 0], [0, 1]),
        ("aprtf+rdi", [1, 2, 0], [0, 1]),
    ],
)
def test_rules_by_hand(rule, wait, go):
    assert baseline(rule, WAIT).tolist() == wait
    assert baseline(rule, GO).tolist() == go


def test_every_rule_is_tested_by_hand():
    """A rule added to the table needs a line above."""
    marks = test_rules_by_hand.pytestmark[0].args[1]
    assert {rule for rule, _, _ in marks} == {*BASELINES, *SEARCHES} == set(rules("none"))


@pytest.mark.parametrize("decoder", ["ls", "rdi"])
def test_rules_run_through_the_decoder_as_the_pipeline_does(decoder):
    """Every rule has its place plain and through it; what goes beyond it, and no less, is a search."""
    instance = generate(3, 12, 0.6)
    for rule in BASELINES:
        through = decode(baseline(rule, instance), instance, decoder)
        assert baseline(f"{rule}+{decoder}", instance).tolist() == through.tolist()
    assert set(rules(decoder)) == {*BASELINES, *(f"{rule}+{decoder}" for rule in BASELINES), *SEARCHES}
    assert len(rules(decoder)) == len(set(rules(decoder)))


def test_rules_that_go_beyond_the_decoder_are_searches():
    assert [searches(decoder) for decoder in ("none", "ls", "rdi")] == [SEARCHES, ("aprtf+rdi",), ()]


def test_exact_by_hand():
    for instance, sequence, optimum in ((WAIT, [1, 2, 0], 20.0), (GO, [0, 1], 41.0)):
        found, bound, proved = exact(instance)
        assert (found.tolist(), bound, proved) == (sequence, optimum, True)
        assert brute_force(instance)[1] == optimum


@pytest.mark.parametrize("rule", BASELINES)
def test_rules_give_sequences_and_leave_the_instance_alone(rule):
    for n, rho in ((1, 1.0), (2, 0.0), (60, 0.2), (60, 3.0)):
        instance = generate(5, n, rho)
        before = [a.copy() for a in (instance.release, instance.processing, *instance.arrays)]
        assert is_sequence(BASELINES[rule](instance), instance)
        for a, b in zip(before, (instance.release, instance.processing, *instance.arrays), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("rule", BASELINES)
def test_ties_go_to_the_smaller_index(rule):
    """Equal jobs keep their order, whatever sort or heap is in use."""
    n = 40
    assert BASELINES[rule](Instance(np.full(n, 3.0), np.full(n, 2.0))).tolist() == list(range(n))


def test_release_rule_breaks_ties_by_processing_time_first():
    assert BASELINES["release"](Instance([5, 0, 0, 0], [1, 3, 2, 2])).tolist() == [2, 3, 1, 0]


def test_srpt_order_is_within_twice_the_optimum():
    """The proven ratio (Phillips, Stein and Wein 1998), also where long jobs that are almost done are preempted."""
    rng = np.random.default_rng(0)
    instances = [generate(int(seed), 8, float(rng.choice(PAPER_RHO))) for seed in rng.integers(2**31, size=40)]
    instances += [Instance(rng.integers(0, 9, 8), rng.integers(1, 9, 8)) for _ in range(40)]
    long = [Instance([0.0, *(100 - 0.01 * (k + 1) for k in range(m))], [100.0, *[0.001] * m]) for m in range(1, 9)]
    instances += long
    ratios = [cost(BASELINES["srpt"](x), x) / brute_force(x)[1] for x in instances]
    assert min(ratios) >= 1.0
    assert max(ratios) <= 2.0
    assert cost(BASELINES["srpt"](long[0]), long[0]) / brute_force(long[0])[1] > 1.4  # the bad case is a bad one


@pytest.mark.parametrize("rho", PAPER_RHO)
def test_sandwich(rho):
    """Relaxation ≤ optimum ≤ RDI ≤ LS ≤ its start, and no rule beats the optimum."""
    for seed, n in enumerate((15, 20, 25)):
        instance = generate(seed, n, rho)
        sequence, bound, proved = exact(instance)
        assert proved
        assert is_sequence(sequence, instance)
        assert bound == cost(sequence, instance)
        start = BASELINES["release"](instance)
        chain = [decode(start, instance, decoder) for decoder in ("rdi", "ls", "none")]
        costs = [relaxed(instance), bound, *(cost(s, instance) for s in chain)]
        assert costs == sorted(costs)
        assert all(cost(rule(instance), instance) >= bound for rule in BASELINES.values())


def test_exact_equals_brute_force():
    rng = np.random.default_rng(1)
    for k in range(60):
        n = int(rng.integers(1, 9))
        release = rng.random(n) * 3 * n if k % 2 else rng.integers(0, 3 * n, n)
        instance = Instance(release, rng.random(n) * 5 + 0.1 if k % 2 else rng.integers(1, 6, n))
        sequence, bound, proved = exact(instance)
        optimal, optimum = brute_force(instance)
        assert proved
        assert cost(optimal, instance) == optimum
        assert bound == cost(sequence, instance) == pytest.approx(optimum, rel=1e-12)


def test_one_job():
    sequence, bound, proved = exact(Instance([3], [4]))
    assert (sequence.tolist(), bound, proved) == ([0], 7.0, True)


def test_all_released_at_once_is_spt():
    """1 || Σ C_j is solved by the shortest first (Smith 1956), for any number of jobs, without search."""
    instance = generate(2, 500, 0.0)
    sequence, bound, proved = exact(instance, time_limit=0.0)
    spt = np.argsort(instance.processing, kind="stable")
    assert proved
    assert bound == cost(spt, instance) == cost(sequence, instance)


def test_equal_jobs():
    instance = Instance([7.0] * 30, [2.0] * 30)
    _, bound, proved = exact(instance)
    assert proved
    assert bound == sum(7 + 2 * k for k in range(1, 31))


@pytest.mark.parametrize("n", [60, 1000])
def test_no_time_still_gives_a_sequence_and_a_bound(n):
    instance = generate(4, n, 0.6)
    sequence, bound, proved = exact(instance, time_limit=0.0)
    assert is_sequence(sequence, instance)
    assert not proved
    assert relaxed(instance) == bound < cost(sequence, instance)
    assert cost(sequence, instance) <= cost(baseline("aprtf+rdi", instance), instance)


def test_progress_closes_in_on_the_optimum():
    """Bounds rise, best costs fall, and they meet at what is returned."""
    told: list[tuple[float, float]] = []
    _, bound, proved = exact(generate(6, 40, 0.6), progress=lambda *pair: told.append(pair))
    assert proved
    bounds, bests = zip(*told, strict=True)
    assert list(bounds) == sorted(bounds)
    assert list(bests) == sorted(bests, reverse=True)
    assert told[-1] == (bound, bound)


def test_interrupt_goes_through():
    """Control comes back to Python while it searches, so that Ctrl-C works: here, an exception in `progress`."""

    def stop(bound: float, best: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        exact(generate(6, 200, 0.6), progress=stop)


def test_start_is_used_where_it_is_better():
    """With no time to search, a better start than the solver's own must come back; the worse one must not."""
    used = 0
    for seed in range(40):
        instance = generate(seed, 40, 0.8)
        optimal, optimum, _ = exact(instance)
        before = optimal.copy()
        sequence, _, _ = exact(instance, time_limit=0.0, start=optimal)
        assert cost(sequence, instance) == optimum
        np.testing.assert_array_equal(optimal, before)
        own = cost(exact(instance, time_limit=0.0)[0], instance)
        assert cost(exact(instance, time_limit=0.0, start=BASELINES["release"](instance))[0], instance) == own
        used += own > optimum
    assert used > 0


@pytest.mark.parametrize("start", [[0, 1], [0, 1, 1], [1, 2, 3], [[0, 1, 2]]])
def test_start_that_is_no_sequence_is_refused(start):
    with rejects(InputError, "sequence"):
        exact(WAIT, start=np.array(start))


def test_decimal_data_are_proved_as_their_multiples_are():
    """Nineteen jobs with two decimals: the optimum is a hundredth of that of the same data in whole numbers."""
    r = [0, 0.22, 0.31, 0, 0.1, 0.53, 0.42, 0.37, 0.26, 0.12, 0.3, 0.42, 0.16, 0.24, 1.8, 1.9, 4.8, 4.9, 6.2]
    p = [0.05, 0.07, 0.01, 0.07, 0.09, 0.01, 0.1, 0.07, 0.08, 0.04, 0.05, 0.08, 0.09, 0.06, 3, 3.6, 1.4, 1.6, 0.1]
    _, bound, proved = exact(Instance(r, p), time_limit=60)
    whole = exact(Instance(np.rint(100 * np.array(r)), np.rint(100 * np.array(p))), time_limit=60)
    assert proved
    assert whole[2]
    assert bound == pytest.approx(whole[1] / 100)
