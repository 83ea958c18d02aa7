"""The decoders: what they find by hand, never above what they start from, the same for any number of threads."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.problems.single_machine.cost import bound
from colayer.problems.single_machine.decoder import best, decode
from colayer.problems.single_machine.instance import PAPER_RHO, Instance, generate
from colayer.problems.single_machine.kernels.schedule import sequence_cost
from support.errors import rejects
from support.plain_jobs import small_instances

#: A long job at 0 and a short one at 1: waiting costs 2 + 12 = 14, starting at once 10 + 11 = 21.
WAIT = Instance([0.0, 1.0], [10.0, 1.0])


def arrays(instance):
    return np.array(instance.release), np.array(instance.processing)


def cost(order, instance):
    return sequence_cost(np.asarray(order), *arrays(instance))


def test_waiting_pays():
    """The machine waits for a short job: no adjacent swap finds that, RDI does."""
    late = np.array([0, 1])
    assert decode(late, WAIT, "none").tolist() == [0, 1]
    assert decode(late, WAIT, "ls").tolist() == [0, 1]
    assert decode(late, WAIT, "rdi").tolist() == [1, 0]
    assert cost([0, 1], WAIT) == 21.0
    assert cost([1, 0], WAIT) == 14.0


def test_waiting_with_a_queue():
    """Two long jobs are available: raising the date of one alone starts the other, so all must be raised."""
    instance = Instance([0.0, 0.0, 1.0], [10.0, 10.0, 1.0])
    assert decode(np.array([0, 1, 2]), instance, "rdi").tolist() == [2, 0, 1]


def test_waiting_does_not_pay():
    """A job that comes too late is not waited for."""
    instance = Instance([0.0, 9.0], [10.0, 1.0])
    assert decode(np.array([1, 0]), instance, "rdi").tolist() == [0, 1]


def test_between_optimum_and_ls():
    """Brute force ≤ perturbed ≤ RDI ≤ LS, and RDI finds most optima of seven jobs."""
    found = total = 0
    for instance, start in small_instances(60, 7):
        optimum = min(cost(np.array(o), instance) for o in itertools.permutations(range(instance.jobs)))
        ls, improved = (cost(decode(start, instance, d), instance) for d in ("ls", "rdi"))
        perturbed = best(np.tile(start, (5, 1)), instance, "rdi", 0)[2]
        assert optimum * (1 - 1e-12) <= perturbed <= improved <= ls
        found += improved <= optimum * (1 + 1e-12)
        total += 1
    assert found >= 0.8 * total


@pytest.mark.parametrize("rho", PAPER_RHO)
def test_never_above_ls_for_the_same_weights(rho):
    """On any instance and from any sequence, exactly, without a tolerance."""
    rng = np.random.default_rng(4)
    for k, n in enumerate((1, 2, 5, 50, 120, 400)):
        instance = generate(k, n, rho)
        if k % 2:
            instance = Instance(instance.release / 7, instance.processing / 3)
        r, p = arrays(instance)
        for start in (np.argsort(r, kind="stable"), np.argsort(-p, kind="stable"), rng.permutation(n)):
            order = decode(start, instance, "rdi")
            assert sorted(order) == list(range(n))
            assert (
                bound(instance) * (1 - 1e-12) <= cost(order, instance) <= cost(decode(start, instance, "ls"), instance)
            )


def test_quality():
    """What the documentation promises, with room: mean gap to the bound against release order and LS."""
    gaps = []
    for k in range(100):
        instance = generate(k, 60, PAPER_RHO[k % len(PAPER_RHO)])
        start = np.argsort(instance.release, kind="stable")
        costs = [cost(decode(start, instance, d), instance) for d in ("ls", "rdi")]
        costs.append(best(np.tile(start, (20, 1)), instance, "rdi", 0)[2])
        gaps.append([c / bound(instance) - 1 for c in costs])
    ls, improved, perturbed = np.mean(gaps, axis=0)
    assert improved < 0.85 * ls
    assert perturbed < 0.97 * improved


@pytest.mark.parametrize(("jobs", "rows"), [(30, 7), (400, 60)])
def test_same_result_for_any_number_of_threads(jobs, rows):
    """The second case is large enough for threads to be used."""
    instance = generate(0, jobs, 1.0)
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(jobs) for _ in range(rows)])
    one, two, four = (best(orders, instance, "rdi", 3, workers=w) for w in (1, 2, 4))
    for other in (two, four):
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])
        assert one[2] == other[2]


@pytest.mark.parametrize("decoder", ["none", "ls"])
def test_best_is_the_first_best_row(decoder):
    """Without jitter, `best` is a loop over `decode`."""
    instance = generate(1, 40, 0.8)
    rng = np.random.default_rng(1)
    orders = np.array([rng.permutation(40) for _ in range(6)])
    orders = np.concatenate([orders, orders])
    costs = [cost(decode(order, instance, decoder), instance) for order in orders]
    row, order, value = best(orders, instance, decoder, 0)
    assert row == int(np.argmin(costs)) < 6
    assert value == costs[row]
    np.testing.assert_array_equal(order, decode(orders[row], instance, decoder))


def test_best_of_one_row_is_decode():
    """Row 0 is the plain pipeline, whatever the seed."""
    instance = generate(2, 80, 1.0)
    start = np.random.default_rng(0).permutation(80)
    for seed in (0, 1):
        row, order, value = best(start[np.newaxis], instance, "rdi", seed)
        assert row == 0
        np.testing.assert_array_equal(order, decode(start, instance, "rdi"))
        assert value == cost(order, instance)


def test_best_is_never_above_ls_on_any_row():
    """Nor above row 0 decoded by RDI."""
    instance = generate(5, 150, 0.9)
    rng = np.random.default_rng(5)
    orders = np.array([np.argsort(instance.release + s * rng.standard_normal(150)) for s in (0, 1, 10, 50, 200)])
    value = best(orders, instance, "rdi", 0)[2]
    assert value <= min(cost(decode(order, instance, "ls"), instance) for order in orders)
    assert value <= cost(decode(orders[0], instance, "rdi"), instance)


def test_more_rows_never_cost_more():
    """The jitter of a row does not depend on the rows after it; over several instances more rows do pay."""
    gains = []
    for k in range(6):
        instance = generate(6 + k, 100, 0.9)
        rng = np.random.default_rng(6)
        orders = np.array([np.argsort(instance.release + 20 * rng.standard_normal(100)) for _ in range(24)])
        costs = [best(orders[:rows], instance, "rdi", 0)[2] for rows in range(1, 25)]
        assert all(after <= before for before, after in itertools.pairwise(costs))
        gains.append(costs[0] - costs[-1])
    assert sum(gains) > 0


def test_seed_changes_the_jitter():
    """Equal rows differ by their jitter alone, and that by the seed: not every seed finds the same."""
    instance = generate(7, 200, 0.9)
    orders = np.tile(np.argsort(instance.release, kind="stable"), (40, 1))
    assert best(orders, instance, "rdi", 1)[2] == best(orders, instance, "rdi", 1)[2]
    assert len({best(orders, instance, "rdi", seed)[2] for seed in range(6)}) > 1


@pytest.mark.parametrize("decoder", ["none", "ls", "rdi"])
def test_inputs_are_not_changed(decoder):
    """Results are new arrays; read-only inputs are fine."""
    instance = generate(0, 50, 0.5)
    release, processing = arrays(instance)
    orders = np.array([np.arange(50), np.arange(50)[::-1]])
    orders.setflags(write=False)
    result = decode(orders[1], instance, decoder)
    assert not np.shares_memory(result, orders)
    sequence = best(orders, instance, decoder, 0)[1]
    assert not np.shares_memory(sequence, orders)
    np.testing.assert_array_equal(orders, [np.arange(50), np.arange(50)[::-1]])
    np.testing.assert_array_equal(instance.release, release)
    np.testing.assert_array_equal(instance.processing, processing)


@pytest.mark.parametrize("decoder", ["none", "ls", "rdi"])
def test_one_job_and_no_release_dates(decoder):
    """The smallest instances; without release dates LS gives the optimum, SPT."""
    assert decode(np.array([0]), Instance([0.0], [1.5]), decoder).tolist() == [0]
    assert best(np.array([[0], [0]]), Instance([2.0], [1.5]), decoder, 0)[2] == 3.5
    if decoder != "none":
        instance = Instance(np.zeros(5), [3.0, 1.0, 2.0, 1.0, 5.0])
        assert decode(np.array([4, 3, 2, 1, 0]), instance, decoder).tolist() == [3, 1, 2, 0, 4]


def test_unknown_decoder():
    """Named as the option on the command line."""
    with rejects(OptionError, where="--decoder"):
        decode(np.array([0, 1]), WAIT, "x")
    with rejects(InputError, "sequence"):
        best(np.empty((0, 2), dtype=np.int64), WAIT, "ls", 0)
