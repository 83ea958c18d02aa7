"""Jobs in a line: positions that schedules give, sizes by hand."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problem.bind import bind
from colayer.problem.structure import Order
from colayer.problems import SingleMachine
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.structure import structure, structure_of_sequence


def test_by_hand() -> None:
    """SRPT: job 0 from 0 to 1 and 2 to 4, preempted by job 1 from 1 to 2; then a gap of 6, and job 2 from 10 to 16."""
    order = structure(Instance(np.array([0.0, 1.0, 10.0]), np.array([3.0, 1.0, 5.0])))
    assert order.permutation.tolist() == [1, 0, 2]
    assert (3.0 * order.positions).tolist() == [[2.5, 0.0, 0.0, 4.0], [1.5, 1.0, 1.0, 2.0], [12.5, 10.0, 10.0, 15.0]]
    assert (order.sizes * [3.0, 1.0, 3.0, 1.0]).tolist() == [
        [3.0, 0.0, 6.0, 1.0],
        [1.0, 1.0, 6.0, 1.0],
        [5.0, 0.0, 0.0, 0.0],
    ]


@pytest.mark.parametrize("features", ["27", "66"])
def test_jobs_stand_as_in_the_rule(features: str) -> None:
    problem = SingleMachine(features)
    instance = problem.generate(4, jobs=80, rho=1.0)
    (order,) = bind(problem).structure_of(instance, 80)
    assert order.permutation.tolist() == problem.baseline("srpt-midpoint", instance).tolist()
    assert (np.diff(order.positions[order.permutation, 0]) >= 0).all()


def test_the_unit_of_time_does_not_matter() -> None:
    instance = SingleMachine.generate(5, jobs=40)
    plain, scaled = structure(instance), structure(Instance(8.0 * instance.release, 8.0 * instance.processing))
    assert np.array_equal(plain.positions, scaled.positions)
    assert np.array_equal(plain.sizes, scaled.sizes)


def test_one_job() -> None:
    order = structure(Instance(np.array([3.0]), np.array([2.0])))
    assert order.positions.tolist() == [[2.0, 1.5, 1.5, 2.5]]
    assert order.sizes.tolist() == [[1.0, 0.0, 0.0, 0.0]]


def test_blocks_are_counted_as_plain_python_does() -> None:
    """A block is a run of jobs without a gap; jobs of it that follow in the sequence are counted one by one."""
    instance = SingleMachine.generate(6, jobs=60, rho=1.2)
    r, p = instance.arrays
    order = structure(instance)
    blocks: list[list[int]] = []
    gaps, end = [], 0.0
    for j in np.argsort(r, kind="stable").tolist():
        if not blocks or r[j] > end:
            gaps.append(r[j] - end)
            blocks.append([])
        end = max(end, r[j]) + p[j]
        blocks[-1].append(j)
    assert len(blocks) > 3
    place = np.argsort(order.permutation)
    for k, block in enumerate(blocks):
        last = k == len(blocks) - 1
        for j in block:
            after = sum(place[i] > place[j] for i in block)
            gap, following = (0.0, 0) if last else (gaps[k + 1] / p.mean(), len(blocks[k + 1]))
            assert order.sizes[j, 1:].tolist() == [after, pytest.approx(gap), following]


def test_in_a_sequence_by_hand() -> None:
    """Job 0 from 0 to 3, job 2 from 10 to 15, job 1 from 15 to 16: middle, release, start, and those under SRPT."""
    order = structure_of_sequence(np.array([0, 2, 1]), Instance(np.array([0.0, 1.0, 10.0]), np.array([3.0, 1.0, 5.0])))
    assert order.permutation.tolist() == [0, 2, 1]
    assert (3.0 * order.positions).tolist() == [
        [1.5, 0.0, 0.0, 2.5, 0.0],
        [15.5, 1.0, 15.0, 1.5, 1.0],
        [12.5, 10.0, 10.0, 12.5, 10.0],
    ]
    assert (order.sizes * [3.0, 1.0, 3.0, 1.0]).tolist() == [
        [3.0, 1.0, 6.0, 1.0],
        [1.0, 0.0, 6.0, 1.0],
        [5.0, 0.0, 0.0, 0.0],
    ]


@pytest.mark.parametrize("jobs", [1, 2, 50])
def test_positions_in_a_sequence_are_those_of_its_schedule(jobs: int) -> None:
    problem = SingleMachine("27")
    instance = problem.generate(7, jobs=jobs, rho=1.0)
    sequence = np.random.default_rng(jobs).permutation(jobs)
    (order,) = bind(problem).structure_of(instance, jobs, sequence)
    assert isinstance(order, Order)
    assert order.permutation.tolist() == sequence.tolist()
    r, p = instance.arrays
    first = structure(instance)
    now = 0.0
    for j in sequence.tolist():
        start = max(now, float(r[j]))
        now = start + float(p[j])
        positions = [(start + 0.5 * p[j]) / p.mean(), r[j] / p.mean(), start / p.mean(), *first.positions[j, [0, 2]]]
        assert order.positions[j].tolist() == pytest.approx(positions, rel=1e-12)
    assert (np.diff(order.positions[sequence, 0]) > 0).all()


def test_theta_offsets_in_a_sequence_count_what_follows_in_it() -> None:
    """In that of SRPT they are as before; in another, jobs of the block that follow are others, in all as many."""
    instance = SingleMachine.generate(8, jobs=60, rho=1.2)
    first = structure(instance)
    assert np.array_equal(structure_of_sequence(first.permutation, instance).sizes, first.sizes)
    turned = structure_of_sequence(first.permutation[::-1].copy(), instance)
    assert np.array_equal(turned.sizes[:, [0, 2, 3]], first.sizes[:, [0, 2, 3]])
    assert not np.array_equal(turned.sizes[:, 1], first.sizes[:, 1])
    assert turned.sizes[:, 1].sum() == first.sizes[:, 1].sum()


def test_without_an_answer_jobs_stand_as_under_srpt() -> None:
    problem = SingleMachine("27")
    instance = problem.generate(9, jobs=30)
    found, expected = problem.structure(instance), structure(instance)
    assert np.array_equal(found.permutation, expected.permutation)
    assert np.array_equal(found.positions, expected.positions)
