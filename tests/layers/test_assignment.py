"""Assignment against enumeration, and against the linear program."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.layers import Assignment, LinearProgram
from colayer.layers.assignment import assignment, embed
from colayer.layers.path_cover import partial_assignment
from support.errors import rejects


def by_enumeration(costs: np.ndarray) -> float:
    """The least cost over all ways to match the smaller side."""
    if len(costs) > costs.shape[1]:
        costs = costs.T
    rows = np.arange(len(costs))
    return min(costs[rows, list(columns)].sum() for columns in permutations(range(costs.shape[1]), len(costs)))


def test_is_the_best_of_all_assignments() -> None:
    """Square, wide and tall matrices, either sign, with ties: thousands of them."""
    rng = np.random.default_rng(0)
    for trial in range(2000):
        shape = tuple(rng.integers(1, 5, 2).tolist())
        costs = rng.normal(size=shape) if trial % 2 else rng.integers(-2, 3, shape).astype(float)
        partner = assignment(costs)
        matched = partner[partner >= 0]
        assert len(set(matched.tolist())) == len(matched) == min(shape)
        y = Assignment(*shape)(costs.ravel())
        assert y.tolist() == embed(partner, shape[1]).tolist()
        assert costs.ravel() @ y == pytest.approx(by_enumeration(costs))


def test_agrees_with_the_matching_kernel_on_large_matrices() -> None:
    """`partial_assignment`, with staying alone made dear, proves its cost by duals."""
    rng = np.random.default_rng(1)
    for n in (60, 150):
        costs = rng.normal(size=(n, n))
        dear = np.full(n, 100.0 * n)
        certified = partial_assignment(np.arange(n + 1) * n, np.tile(np.arange(n), n), costs.ravel(), dear, dear)
        value = costs[np.arange(n), certified.partner].sum()
        assert costs.ravel() @ Assignment(n, n)(costs.ravel()) == pytest.approx(value)


def test_agrees_with_the_linear_program() -> None:
    """Rows and columns used at most once, all rows matched: the relaxation is integral."""
    rows, columns = 4, 6
    pairs = np.arange(rows * columns)
    by_row = (pairs // columns == np.arange(rows)[:, None]).astype(float)
    by_column = (pairs % columns == np.arange(columns)[:, None]).astype(float)
    program = LinearProgram([(by_row, 1.0, 1.0), (by_column, 0.0, 1.0)])
    rng = np.random.default_rng(2)
    for _ in range(200):
        theta = rng.normal(size=rows * columns)
        assert Assignment(rows, columns)(theta).tolist() == program(theta).tolist()


def test_rows_left_over_have_no_column() -> None:
    assert assignment([[1.0], [0.0], [2.0]]).tolist() == [-1, 0, -1]
    assert assignment([[7.0]]).tolist() == [0]
    assert Assignment(3, 1)([1.0, 0.0, 2.0]).tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: assignment([1.0, 2.0]), "costs"),
        (lambda: assignment([[1.0, np.nan]]), "costs[1]"),
        (lambda: Assignment(0, 2), "rows"),
        (lambda: Assignment(2, 0), "columns"),
        (lambda: Assignment(2.0, 2), "rows"),
        (lambda: Assignment(2, 2)([1.0, 2.0, 3.0]), "theta"),
        (lambda: Assignment(1, 2)([1.0, np.inf]), "theta[1]"),
    ],
)
def test_names_what_is_wrong(call, where: str) -> None:
    with rejects(InputError, where=where):
        call()
