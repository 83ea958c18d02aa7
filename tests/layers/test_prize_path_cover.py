"""The prize-collecting path cover against brute force, scipy's assignment and HiGHS."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, linear_sum_assignment, milp

from colayer.errors import InputError
from colayer.layers.path_cover import path_cover
from colayer.layers.prize_path_cover import prize_path_cover, served_cost
from support.errors import rejects

Case = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def drawn(seed: int, tasks: int, whole: bool = False, density: float = 0.5) -> Case:
    """Arcs to later tasks with random costs, prizes and requirements; whole numbers make ties."""
    rng = np.random.default_rng(seed)
    mask = np.triu(rng.random((tasks, tasks)) < density, 1)
    indptr, heads = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]), np.nonzero(mask)[1].astype(np.int32)
    sizes = (len(heads), tasks, tasks, tasks)
    if whole:
        numbers = [rng.integers(0, 6, size).astype(float) for size in sizes]
    else:
        numbers = [rng.uniform(0.0, 5.0, size) for size in sizes]
    numbers[3] *= 1.5
    return indptr, heads, *numbers, rng.random(tasks) < 0.3


def matrix(case: Case) -> np.ndarray:
    """Costs with the prizes: row u, column v or own end; last rows: the origins; the diagonal: left out."""
    indptr, heads, costs, origin, destination, prizes, required = case
    n = len(prizes)
    full = np.full((2 * n, 2 * n), np.inf)
    tails = np.repeat(np.arange(n), np.diff(indptr))
    full[tails, heads] = costs - prizes[heads]
    own = np.arange(n)
    full[own, own] = np.where(required, np.inf, 0.0)
    full[own, n + own] = destination
    full[n + own, own] = origin - prizes
    full[n:, n:] = 0.0
    return full


def value(successor: np.ndarray, case: Case) -> float:
    """Cost less prizes of an answer, which must be a cover."""
    _, _, _, _, _, prizes, required = case
    own = np.arange(len(prizes))
    served = successor != own
    assert served[required].all()
    followers = successor[served & (successor >= 0)]
    assert len(set(followers.tolist())) == len(followers)
    assert served[followers].all()
    full, n = matrix(case), len(prizes)
    begins = served.copy()
    begins[followers] = False
    total = full[own, np.where(successor < 0, n + own, successor)].sum() + full[n + own, own][begins].sum()
    assert total == pytest.approx(served_cost(successor, *case[:5]) - prizes[served].sum())
    return float(total)


def by_scipy(case: Case) -> float:
    full = matrix(case)
    return float(full[linear_sum_assignment(full)].sum())


def by_highs(case: Case) -> float:
    """Binary variables: arcs, first and last tasks, and left out."""
    indptr, heads, costs, origin, destination, prizes, required = case
    n, m = len(prizes), len(heads)
    into, out = np.zeros((n, m + 3 * n)), np.zeros((n, m + 3 * n))
    into[heads, np.arange(m)] = out[np.repeat(np.arange(n), np.diff(indptr)), np.arange(m)] = 1.0
    own = np.arange(n)
    into[own, m + own] = out[own, m + n + own] = into[own, m + 2 * n + own] = out[own, m + 2 * n + own] = 1.0
    objective = np.concatenate([costs - prizes[heads], origin - prizes, destination, np.zeros(n)])
    upper = np.concatenate([np.ones(m + 2 * n), 1.0 - required])
    rows = LinearConstraint(np.concatenate([into, out]), 1.0, 1.0)
    found = milp(objective, constraints=rows, bounds=(0.0, upper), integrality=np.ones(m + 3 * n))
    return float(found.fun)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25), st.booleans())
def test_the_cover_costs_what_scipy_and_highs_find(seed: int, tasks: int, whole: bool) -> None:
    case = drawn(seed, tasks, whole)
    found = value(prize_path_cover(*case), case)
    assert found == pytest.approx(by_scipy(case), abs=1e-9)
    assert found == pytest.approx(by_highs(case), abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_cover_is_the_best_over_all_subsets(seed: int) -> None:
    """The best path cover of each set of tasks that holds the required ones, by the plain path cover."""
    case = drawn(seed, 6, whole=seed % 2 == 0)
    indptr, heads, costs, origin, destination, prizes, required = case
    best = np.inf
    for left in itertools.product([False, True], repeat=6):
        chosen = ~np.array(left)
        if not chosen[required].all():
            continue
        keep = np.flatnonzero(chosen)
        tails = np.repeat(np.arange(6), np.diff(indptr))
        inside = chosen[tails] & chosen[heads]
        rows, columns = np.searchsorted(keep, tails[inside]), np.searchsorted(keep, heads[inside])
        starts = np.searchsorted(rows, np.arange(len(keep) + 1))
        own = path_cover(starts, columns, costs[inside], origin[keep], destination[keep])
        successor = np.arange(6)
        successor[keep] = np.where(own < 0, -1, keep[own] if len(keep) else own)
        best = min(best, served_cost(successor, *case[:5]) - prizes[chosen].sum())
    assert value(prize_path_cover(*case), case) == pytest.approx(best)


def test_all_required_is_the_plain_path_cover() -> None:
    case = drawn(3, 40)
    plain = path_cover(*case[:5])
    assert prize_path_cover(*case[:6], np.ones(40, dtype=bool)).tolist() == plain.tolist()


def test_without_prizes_nothing_optional_is_served() -> None:
    case = drawn(4, 30)
    assert prize_path_cover(*case[:5], np.zeros(30), np.zeros(30, dtype=bool)).tolist() == list(range(30))


def test_no_task_is_no_cover() -> None:
    assert prize_path_cover([0], [], [], [], [], [], []).tolist() == []


def test_wrong_arguments_are_refused_by_name() -> None:
    case = list(drawn(5, 4))
    with rejects(InputError, "prizes: shape"):
        prize_path_cover(*case[:5], np.zeros(3), case[6])
    with rejects(InputError, "required: shape"):
        prize_path_cover(*case[:6], np.zeros(5, dtype=bool))
    with rejects(InputError, "prizes[0]: nan"):
        prize_path_cover(*case[:5], np.full(4, np.nan), case[6])
    with rejects(InputError, "a cycle through task"):
        prize_path_cover([0, 1, 2], [1, 0], [-9.0, -9.0], [0.0] * 2, [0.0] * 2, [1.0] * 2, [False] * 2)
