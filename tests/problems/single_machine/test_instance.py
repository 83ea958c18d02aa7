"""Instances: what is refused and how it is said, the generator, files, and what is kept read-only."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problems.single_machine.instance import PAPER_RHO, Instance, content, generate, read, write
from support.errors import rejects

BAD: list[tuple[Any, Any, str]] = [
    ([], [], "release"),
    (3, [1], "release"),
    ([0, "1"], [1, 1], "release[1]"),
    ([0, None], [1, 1], "release[1]"),
    ([0, True], [1, 1], "release[1]"),
    ([0, float("nan")], [1, 1], "release[1]"),
    ([0, -2], [1, 1], "release[1]"),
    ([0, 1], [1, 0], "processing[1]"),
    ([0, 1], [1, float("inf")], "processing[1]"),
    ([0, 1], [1, 10**400], "processing"),
    ([0, 1], [1], "processing"),
    ([0, 0], [1e308, 1e308], "processing"),
    (np.zeros((2, 1)), [1, 1], "release"),
    (np.zeros(2, dtype=bool), [1, 1], "release"),
]


@pytest.mark.parametrize(("release", "processing", "where"), BAD)
def test_names_what_is_wrong(release: Any, processing: Any, where: str) -> None:
    with rejects(InputError, where=where):
        Instance(release, processing)


def test_arrays_are_read_only_here_and_after_a_journey() -> None:
    """The kernels' copies are writable, and are not the fields themselves."""
    given = np.array([0.0, 2.0])
    instance = Instance(given, [1, 3])
    given[1] = 9.0
    for x in (instance, pickle.loads(pickle.dumps(instance))):
        assert x.release.tolist() == [0.0, 2.0]
        assert x.processing.dtype == np.float64
        for array in (x.release, x.processing):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5
        for own, field in zip(x.arrays, (x.release, x.processing), strict=True):
            assert own.flags.writeable
            assert not np.shares_memory(own, field)
            assert own.tolist() == field.tolist()


@pytest.mark.parametrize(
    ("release", "processing", "integral"),
    [
        ([0, 3], [1, 2], True),
        ([0, 3.5], [1, 2], False),
        ([0, 3], [1, 0.25], False),
        ([0, 2.0**51], [1, 2], True),  # 2 · (2^51 + 3) < 2^53
        ([0, 2.0**52], [1, 2], False),  # whole, but the sum of two completion times is not exact
    ],
)
def test_integral_means_that_every_sum_is_exact(release: list, processing: list, integral: bool) -> None:
    assert Instance(release, processing).integral is integral


def test_documents_keep_whole_numbers_whole() -> None:
    assert write(Instance([0, 2], [1, 3])) == {"release": [0, 2], "processing": [1, 3]}
    assert [type(v) for v in write(Instance([0, 2], [1, 3]))["release"]] == [int, int]
    document = write(Instance([0, 0.1], [1, 3]))
    assert document == {"release": [0.0, 0.1], "processing": [1, 3]}
    assert content(read(document)) == content(Instance([0, 0.1], [1, 3]))


def test_content_tells_release_dates_and_processing_times_apart() -> None:
    instances = [([1, 2], [3, 4]), ([3, 4], [1, 2]), ([2, 1], [4, 3]), ([1, 2], [3, 5])]
    assert len({content(Instance(r, p)) for r, p in instances}) == len(instances)


@pytest.mark.parametrize("rho", PAPER_RHO)
def test_generator_keeps_to_its_ranges(rho: float) -> None:
    """p uniform on 1..100, r whole on 1..⌈50.5·n·ρ⌉, both with the mean of their range; a function of the seed."""
    x = generate(3, jobs=2000, rho=rho)
    assert x.jobs == 2000
    assert x.integral
    assert set(x.processing) == set(range(1, 101))
    assert x.processing.mean() == pytest.approx(50.5, abs=1.5)
    span = 50.5 * 2000 * rho
    assert 1 <= x.release.min() < 0.01 * span
    assert 0.99 * span < x.release.max() <= np.ceil(span)
    assert x.release.mean() == pytest.approx(span / 2, rel=0.05)
    assert content(generate(3, jobs=2000, rho=rho)) == content(x) != content(generate(4, jobs=2000, rho=rho))


def test_release_dates_are_rounded_up() -> None:
    """Uniform on (0, 50.5), rounded: 51 is there and 0 is not."""
    assert set(generate(0, jobs=2000, rho=0.0005).release) == set(range(1, 52))


def test_without_spread_all_jobs_are_released_at_once() -> None:
    assert generate(0, jobs=5, rho=0.0).release.tolist() == [0.0] * 5


@pytest.mark.parametrize(
    ("sizes", "where"),
    [
        ({"jobs": 0}, "jobs"),
        ({"rho": -0.1}, "rho"),
        ({"rho": float("nan")}, "rho"),
        ({"rho": float("inf")}, "rho"),
    ],
)
def test_generator_refuses(sizes: dict, where: str) -> None:
    with rejects(InputError, where=where):
        generate(0, **sizes)
