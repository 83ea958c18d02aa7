"""Blocks of instances over the workers of a cluster: none is lost, none is late without need."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colayer.evaluators.ray.balance import blocks, evened, makespan, spread

COSTS = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=40).map(np.array)
SPEEDS = st.lists(st.sampled_from([1.0, 2.0, 16.0]), min_size=1, max_size=6).map(np.array)


@given(COSTS, st.integers(1, 50))
def test_every_instance_is_in_one_block(sizes: np.ndarray, count: int) -> None:
    found = blocks(sizes, count)
    assert np.concatenate(found).tolist() == list(range(len(sizes)))
    assert len(found) <= max(count, 1)
    assert all(len(block) for block in found)
    if len(sizes) <= count:
        assert len(found) == len(sizes)


def test_blocks_have_about_equal_sizes() -> None:
    """No block is larger than its share and the largest instance together."""
    sizes = np.random.default_rng(0).uniform(1, 5, 1000)
    found = blocks(sizes, 32)
    assert max(sizes[block].sum() for block in found) <= sizes.sum() / 32 + 5
    assert len(found) == 32


@given(COSTS, SPEEDS)
def test_evening_out_never_makes_the_last_one_later(costs: np.ndarray, speeds: np.ndarray) -> None:
    """Whatever the start: all blocks have an owner, and no single move helps any more."""
    start = np.arange(len(costs)) % len(speeds)
    owner = evened(costs, speeds, start)
    assert ((owner >= 0) & (owner < len(speeds))).all()
    before, after = makespan(costs, speeds, start), makespan(costs, speeds, owner)
    assert after <= before * (1 + 1e-9)
    load = np.bincount(owner, weights=costs, minlength=len(speeds))
    last = int(np.argmax(load / speeds))
    for block, worker in product(np.flatnonzero(owner == last), range(len(speeds))):
        if worker != last:
            later = max((load[worker] + costs[block]) / speeds[worker], (load[last] - costs[block]) / speeds[last])
            assert later >= after * (1 - 1e-6)


@given(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=7).map(np.array), st.integers(1, 3))
def test_spreading_is_within_four_thirds_of_the_best(costs: np.ndarray, workers: int) -> None:
    """Graham's bound for longest processing time first, against all assignments there are."""
    speeds = np.ones(workers)
    found = makespan(costs, speeds, spread(costs, speeds, np.full(len(costs), -1)))
    best = min(makespan(costs, speeds, np.array(owner)) for owner in product(range(workers), repeat=len(costs)))
    assert found <= (4 / 3 - 1 / (3 * workers)) * best * (1 + 1e-9)


def test_those_who_have_an_owner_keep_it() -> None:
    """A dead worker's blocks go to the others; what these hold stays where it is."""
    owner = np.array([0, -1, 1, -1, 0])
    found = spread(np.array([5.0, 1.0, 1.0, 3.0, 1.0]), np.ones(2), owner)
    assert found[owner >= 0].tolist() == [0, 1, 0]
    assert found[[1, 3]].tolist() == [1, 1]


def test_a_worker_who_comes_empty_is_given_blocks() -> None:
    costs = np.ones(8)
    owner = evened(costs, np.ones(3), np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    assert sorted(np.bincount(owner, minlength=3).tolist()) == [2, 3, 3]


def test_faster_workers_get_more() -> None:
    owner = spread(np.ones(30), np.array([1.0, 2.0]), np.full(30, -1))
    assert np.bincount(owner).tolist() == [10, 20]


@pytest.mark.parametrize("function", [spread, evened])
def test_inputs_are_left_as_they_are(function) -> None:  # type: ignore[no-untyped-def]
    owner = np.zeros(4, dtype=np.int64)
    function(np.arange(1.0, 5.0), np.ones(2), owner)
    assert owner.tolist() == [0, 0, 0, 0]
