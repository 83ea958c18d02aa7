"""The mixed-integer program, which shares little with the branch and bound, against it and against brute force."""

from __future__ import annotations

import pytest

from colayer.problems.spanning_tree.branching import branch_and_bound
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.exact import mixed_integer
from colayer.problems.spanning_tree.instance import generate
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.rounding import approximation
from support.plain_trees import brute_force, signed


@pytest.mark.usefixtures("weak_start")
@pytest.mark.parametrize("signs", [(-9, 0), (-9, 6), (0, 9)])
def test_mixed_integer_equals_brute_force(signs: tuple[int, int]) -> None:
    """Costs ≤ 0, of both signs, and ≥ 0."""
    for seed in range(12):
        instance = signed(seed, *signs)
        solution, bound, proved = mixed_integer(instance)
        assert proved
        assert bound == cost(solution, instance)
        assert bound == pytest.approx(brute_force(instance))


@pytest.mark.usefixtures("weak_start")
@pytest.mark.parametrize("width", [4, 5, 6])
def test_both_solvers_agree_on_grids(width: int) -> None:
    """Sandwich: Lagrangian bound ≤ optimum ≤ heuristic ≤ safe pipeline, the optimum being HiGHS's."""
    for second_max in (10, 20):
        instance = generate(100 + second_max, width=width, scenarios=6, second_max=second_max)
        solution, _, proved = mixed_integer(instance)
        optimum = cost(solution, instance)
        found = lagrangian(instance, tolerance=0.0)
        assert proved
        assert found.bound <= optimum <= found.cost <= cost(approximation(instance), instance)
        assert branch_and_bound(instance)[1] == optimum


@pytest.mark.usefixtures("weak_start")
def test_mixed_integer_out_of_time_keeps_a_valid_bound() -> None:
    instance = generate(3, width=6, scenarios=10)
    optimum = branch_and_bound(instance)[1]
    solution, bound, proved = mixed_integer(instance, time_limit=0.0)
    assert not proved
    assert bound <= optimum <= cost(solution, instance)


def test_mixed_integer_is_silent(capfd: pytest.CaptureFixture[str], weak_start: None) -> None:
    told: list[tuple[float, float]] = []
    mixed_integer(signed(0), progress=lambda low, high: told.append((low, high)))
    assert capfd.readouterr() == ("", "")
    assert told
    assert all(low <= high for low, high in told)


def test_the_lagrangian_bound_may_be_all_there_is_to_do() -> None:
    """Where bound and cost meet, they are returned as they are; a start that is optimal is kept."""
    instance = generate(0, width=4, scenarios=3)
    known = lagrangian(instance, iterations=200, tolerance=0.0)
    assert known.gap == 0
    solution, bound, proved = mixed_integer(instance)
    assert (bound, proved) == (known.bound, True)
    assert cost(solution, instance) == known.cost
    again, _, _ = mixed_integer(instance, time_limit=0.0, start=solution)
    assert cost(again, instance) == known.cost
