"""Inputs: rows of a line and their neighbours as in plain numpy; arsinh, of large and of small numbers."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.models.kernels.inputs import order_inputs_into, squash_all


def test_it_is_arsinh() -> None:
    """To what float32 can tell, for numbers of any size; beyond 1e18 it does not grow any more."""
    random = np.random.default_rng(0)
    drawn = random.normal(size=(3, 700)) * np.exp(random.uniform(-20, 40, size=(3, 700)))
    values = np.concatenate([drawn, [[0.0, -1e-30, 1.0, -1.0, 2.5] * 140]]).astype(np.float32)
    found = values.copy()
    squash_all(found)
    assert np.allclose(found, np.arcsinh(values.astype(np.float64)), rtol=3e-7, atol=3e-7)
    ends = np.array([[3e38, -3e38]], np.float32)
    squash_all(ends)
    assert np.allclose(ends, [[np.arcsinh(1e18), -np.arcsinh(1e18)]])


@pytest.mark.parametrize(("positions", "size"), [(4, 4), (1, 0), (0, 2), (0, 0)])
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_a_line_is_told_of_its_neighbours(rows: int, positions: int, size: int) -> None:
    random, shifts = np.random.default_rng(rows), (-4, -1, 2)
    sequence, plain = random.permutation(rows), random.normal(size=(2, rows)).astype(np.float32)
    times, sizes = random.normal(size=(positions, rows)), random.normal(size=(size, rows))
    expected = [*plain[:, sequence]]
    expected += [np.arcsinh(time[sequence] - times[0, sequence]) for time in times[1:]]
    expected += [np.arcsinh(one[sequence]) for one in sizes]
    for shift in shifts:
        beside = sequence[np.clip(np.arange(rows) + shift, 0, rows - 1)]
        expected += [np.arcsinh(time[beside] - times[0, sequence]) for time in times]
        expected += [np.arcsinh(one[beside] - one[sequence]) for one in sizes]
    out = np.empty((len(expected), rows), np.float32)
    order_inputs_into(plain, times, sizes, sequence, np.array(shifts), out)
    assert np.allclose(out, expected, rtol=1e-6, atol=1e-6)
