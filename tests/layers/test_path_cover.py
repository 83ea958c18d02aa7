"""The path cover layer against scipy's assignment, and its own dual certificate."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from colayer.errors import InputError
from colayer.layers.kernels import levels
from colayer.layers.kernels.matching import match_into
from colayer.layers.path_cover import (
    Certified,
    embed,
    mixed,
    partial_assignment,
    path_cover,
    path_cover_certified,
    path_cover_into,
)
from support.errors import rejects

Graph = tuple[np.ndarray, np.ndarray]
Costs = tuple[np.ndarray, np.ndarray, np.ndarray]


def compressed(mask: np.ndarray) -> Graph:
    """indptr and heads of the arcs of a 0/1 matrix."""
    return np.concatenate([[0], np.cumsum(mask.sum(axis=1))]), np.nonzero(mask)[1].astype(np.int32)


def dense(graph: Graph, costs: Costs) -> np.ndarray:
    """The rows × columns matrix of costs, infinite where there is no arc."""
    matrix = np.full((len(costs[2]), len(costs[1])), np.inf)
    matrix[np.repeat(np.arange(len(matrix)), np.diff(graph[0])), graph[1]] = costs[0]
    return matrix


def optimum(graph: Graph, costs: Costs) -> float:
    """Least cost by scipy: each row has a column of its own to stay alone with, each column a row of its own."""
    rows, columns = len(costs[2]), len(costs[1])
    matrix = np.zeros((rows + columns, columns + rows))
    matrix[:rows, :columns] = dense(graph, costs)
    matrix[:rows, columns:] = np.where(np.eye(rows, dtype=bool), costs[2][:, None], np.inf)
    matrix[rows:, :columns] = np.where(np.eye(columns, dtype=bool), costs[1], np.inf)
    return float(matrix[linear_sum_assignment(matrix)].sum())


def value(partner: np.ndarray, graph: Graph, costs: Costs) -> float:
    """Cost of a matching; it must be one, on arcs."""
    matrix = dense(graph, costs)
    matched = partner >= 0
    assert len(set(partner[matched].tolist())) == matched.sum()
    alone = np.ones(len(costs[1]), dtype=bool)
    alone[partner[matched]] = False
    return float(matrix[matched, partner[matched]].sum() + costs[2][~matched].sum() + costs[1][alone].sum())


def check(found: Certified, graph: Graph, costs: Costs) -> float:
    """The certificate proves the cost: signs, feasibility on all arcs, complementary slackness, primal = dual."""
    partner, row_duals, column_duals = found
    cost = value(partner, graph, costs)
    largest = max((float(np.abs(c).max()) for c in costs if len(c)), default=0.0)
    near = 2e-11 * largest
    slack = dense(graph, costs) - row_duals[:, None] - column_duals
    assert slack.min(initial=0.0) >= -near
    assert (row_duals <= costs[2] + near).all()
    assert (column_duals <= costs[1] + near).all()
    matched = partner >= 0
    alone = np.setdiff1d(np.arange(len(costs[1])), partner[matched])
    assert np.abs(slack[matched, partner[matched]]).max(initial=0.0) <= near
    assert np.abs(row_duals - costs[2])[~matched].max(initial=0.0) <= near
    assert np.abs(column_duals - costs[1])[alone].max(initial=0.0) <= near
    assert row_duals.sum() + column_duals.sum() == pytest.approx(cost, rel=1e-9, abs=len(slack) * near)
    return cost


def draw(kind: str, rng: np.random.Generator, size: int) -> np.ndarray:
    """Costs of each shape that could go wrong."""
    if kind == "normal":
        return rng.normal(size=size)
    if kind == "integers":
        return rng.integers(-3, 4, size).astype(float)
    if kind == "zero or one":
        return rng.integers(0, 2, size).astype(float)
    if kind == "all equal":
        return np.full(size, -1.0)
    if kind == "negative":
        return -rng.random(size)
    if kind == "huge":
        return rng.normal(size=size) * 1e290
    if kind == "tiny":
        return rng.normal(size=size) * 1e-290
    return rng.standard_cauchy(size) ** 3


KINDS = ("normal", "integers", "zero or one", "all equal", "negative", "huge", "tiny", "heavy tails")


def later(tasks: int, density: float, rng: np.random.Generator) -> Graph:
    """A random acyclic graph: arcs to later tasks."""
    return compressed(np.triu(rng.random((tasks, tasks)) < density, 1))


def city(tasks: int, seed: int) -> tuple[Graph, np.ndarray]:
    """Arcs of tasks at random places and times between which there is time to travel, and the slack of each."""
    rng = np.random.default_rng(seed)
    start, finish = rng.uniform(0, 50, (2, tasks, 2))
    begin = np.sort(rng.uniform(360, 1200, tasks))
    end = begin + rng.uniform(1.2, 1.6, tasks) * np.hypot(*(start - finish).T)
    slack = begin - end[:, None] - np.hypot(*(finish[:, None] - start).transpose(2, 0, 1))
    return compressed(slack >= 0), slack[slack >= 0]


def city_costs(kind: str, slack: np.ndarray, tasks: int) -> Costs:
    """A vehicle costs 1000, a tight connection a delay: 0 on most arcs, which are tied, or perturbed on all."""
    rng = np.random.default_rng(3)
    delay = 2 * np.maximum(30.0 - slack, 0.0)
    if kind == "whole numbers":
        delay = np.round(delay)
    costs = delay, np.full(tasks, 1000.0), np.zeros(tasks)
    if kind == "perturbed":
        return tuple(c + rng.normal(0, 5, len(c)) for c in costs)  # type: ignore[return-value]
    return costs


@pytest.mark.parametrize("kind", KINDS)
def test_partial_assignment_has_the_value_scipy_finds(kind: str) -> None:
    """Rows and columns of any number, no arc to all arcs; the duals prove it, too."""
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(400):
        rows, columns = rng.integers(1, 22, 2)
        graph = compressed(rng.random((rows, columns)) < rng.choice([0.0, 0.1, 0.5, 1.0]))
        costs = draw(kind, rng, len(graph[1])), draw(kind, rng, columns), draw(kind, rng, rows)
        largest = max(float(np.abs(c).max()) for c in costs if len(c))
        expected = optimum(graph, costs)
        assert check(partial_assignment(*graph, *costs), graph, costs) == pytest.approx(expected, abs=1e-9 * largest)


@pytest.mark.parametrize("kind", KINDS)
def test_path_cover_has_the_value_scipy_finds(kind: str) -> None:
    rng = np.random.default_rng(50 + KINDS.index(kind))
    for _ in range(150):
        tasks = int(rng.integers(1, 40))
        graph = later(tasks, rng.choice([0.1, 0.5, 1.0]), rng)
        costs = draw(kind, rng, len(graph[1])), draw(kind, rng, tasks), draw(kind, rng, tasks)
        largest = max(float(np.abs(c).max()) for c in costs if len(c))
        found = path_cover_certified(*graph, *costs)
        assert check(found, graph, costs) == pytest.approx(optimum(graph, costs), abs=1e-9 * largest)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_small_numbers(data: st.DataObject) -> None:
    """Costs hypothesis thinks of, with arcs it chooses."""
    rows, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    bits = data.draw(st.lists(st.booleans(), min_size=rows * columns, max_size=rows * columns))
    graph = compressed(np.array(bits).reshape(rows, columns))
    numbers = st.floats(-1e6, 1e6, width=32)

    def vector(size: int) -> np.ndarray:
        return np.array(data.draw(st.lists(numbers, min_size=size, max_size=size)), dtype=np.float64)

    costs = vector(len(graph[1])), vector(columns), vector(rows)
    largest = max(float(np.abs(c).max()) for c in costs if len(c))
    found = partial_assignment(*graph, *costs)
    assert value(found.partner, graph, costs) == pytest.approx(optimum(graph, costs), abs=1e-9 * largest)


@pytest.mark.parametrize("kind", ["tied", "whole numbers", "perturbed"])
@pytest.mark.parametrize("tasks", [300, 700])
def test_cities_have_the_value_scipy_finds(kind: str, tasks: int) -> None:
    """Large enough for several rounds of pricing, in which rows and columns are matched anew."""
    graph, slack = city(tasks, seed=tasks)
    costs = city_costs(kind, slack, tasks)
    found = path_cover_certified(*graph, *costs)
    assert check(found, graph, costs) == pytest.approx(optimum(graph, costs), rel=1e-10)


@pytest.mark.parametrize("kind", ["tied", "perturbed"])
def test_a_city_of_2000_tasks_is_certified(kind: str) -> None:
    """The duals are a proof by themselves."""
    graph, slack = city(2000, seed=1)
    costs = city_costs(kind, slack, 2000)
    assert check(path_cover_certified(*graph, *costs), graph, costs) > 0


@pytest.mark.parametrize("scale", [1e-200, 1e-6, 1e6, 1e200])
def test_the_unit_of_the_costs_does_not_matter(scale: float) -> None:
    """Tolerances are relative: learned θ come in any unit."""
    graph, slack = city(400, seed=2)
    costs = city_costs("perturbed", slack, 400)
    scaled = tuple(c * scale for c in costs)
    assert value(path_cover(*graph, *scaled), graph, costs) == pytest.approx(
        value(path_cover(*graph, *costs), graph, costs), rel=1e-10
    )


def test_the_order_of_insertion_changes_no_cost() -> None:
    graph, slack = city(300, seed=4)
    costs = city_costs("tied", slack, 300)
    orders = [None, np.arange(300), np.random.default_rng(0).permutation(300)]
    values = [check(path_cover_certified(*graph, *costs, order=order), graph, costs) for order in orders]
    assert values == pytest.approx([values[0]] * 3, rel=1e-12)


@pytest.mark.parametrize("kind", ["tied", "whole numbers", "perturbed"])
def test_any_start_and_any_number_of_levels_end_at_an_optimum(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the optimum, from that of other costs, from a matching without sense and duals of any size."""
    monkeypatch.setattr(levels, "FEW", 30)
    graph, slack = city(500, seed=6)
    costs, order, random = city_costs(kind, slack, 500), np.arange(499, -1, -1), np.random.default_rng(0)
    expected = path_cover_certified(*graph, *costs)
    best = check(expected, graph, costs)
    other = path_cover_certified(*graph, costs[0][::-1].copy(), *costs[1:])
    wild = Certified(np.where(random.random(500) < 0.5, random.permutation(500), -1), np.empty(500), np.zeros(500))
    high, low = (wild._replace(column_duals=sign * random.exponential(1e4, 500)) for sign in (1.0, -1.0))
    for start in (expected, other, high, low):
        found = Certified(*(array.copy() for array in start))
        match_into(*graph, *costs, order, *found, True)
        assert check(found, graph, costs) == pytest.approx(best, rel=1e-10)
    levels.match_by_levels_into(*graph, *costs, order, *found)
    assert check(found, graph, costs) == pytest.approx(best, rel=1e-10)


def test_the_kernel_reads_nothing_in_its_outputs() -> None:
    """Buffers that were used before, for other costs, change nothing, on any number of threads."""
    graph, slack = city(300, seed=5)
    order = np.arange(299, -1, -1)
    problems = [city_costs(kind, slack, 300) for kind in ("tied", "whole numbers", "perturbed")]
    fresh = [path_cover_certified(*graph, *costs) for costs in problems]

    def solve_all(dirt: float) -> list[tuple[np.ndarray, ...]]:
        out = np.full(300, -7), np.full(300, dirt), np.full(300, dirt)
        results = []
        for costs in problems:
            path_cover_into(*graph, *costs, order, *out)
            results.append(tuple(array.copy() for array in out))
        return results

    with ThreadPoolExecutor(3) as threads:
        for results in threads.map(solve_all, [np.nan, 1e9, -1e9]):
            for found, expected in zip(results, fresh, strict=True):
                for array, same in zip(found, expected, strict=True):
                    assert array.tolist() == same.tolist()


def test_embed_gives_the_cost_as_an_inner_product() -> None:
    rng = np.random.default_rng(6)
    for _ in range(50):
        tasks = int(rng.integers(1, 30))
        graph = later(tasks, 0.4, rng)
        theta = rng.normal(size=len(graph[1]) + 2 * tasks)
        costs = theta[: len(graph[1])], theta[len(graph[1]) : -tasks], theta[-tasks:]
        successor = path_cover(*graph, *costs)
        vector = embed(successor, *graph)
        assert set(vector.tolist()) <= {0.0, 1.0}
        assert theta @ vector == pytest.approx(value(successor, graph, costs))
        starts, ends = vector[len(graph[1]) : -tasks], vector[-tasks:]
        assert starts.sum() == ends.sum() == (successor < 0).sum()  # as many paths start as end


def test_embed_refuses_a_successor_without_an_arc() -> None:
    with rejects(InputError, where="covers[0][0]"):
        embed(np.array([2, -1, -1]), np.array([0, 1, 1, 1]), np.array([1], dtype=np.int32))


def test_mixed_is_the_sum_of_covers_as_vectors() -> None:
    """Bit for bit what a loop over them adds up."""
    random = np.random.default_rng(5)
    for _ in range(20):
        n = int(random.integers(1, 30))
        graph = later(n, 0.4, random)
        arcs = len(graph[1])
        covers = np.array([path_cover(*graph, *(random.normal(size=k) for k in (arcs, n, n))) for _ in range(6)])
        coefficients = random.normal(size=6)
        total = np.zeros(arcs + 2 * n)
        for cover, coefficient in zip(covers, coefficients, strict=True):
            total += coefficient * embed(cover, *graph)
        assert mixed(covers, coefficients, *graph).tobytes() == total.tobytes()


def test_mixed_refuses_a_successor_without_an_arc() -> None:
    covers = np.array([[1, -1, -1], [2, -1, -1]])
    with rejects(InputError, where="covers[1][0]"):
        mixed(covers, np.ones(2), np.array([0, 1, 1, 1]), np.array([1], dtype=np.int32))


def test_by_hand() -> None:
    """Tasks 0, 1, 2 in one path cost 10 + 3 + 2 = 15; any two paths cost at least 21. Without vehicle cost: three."""
    arcs = [0, 2, 3, 3], [1, 2, 2], [3.0, 1.0, 2.0]
    found = path_cover_certified(*arcs, [10.0] * 3, [0.0] * 3)
    assert found.partner.tolist() == [1, 2, -1]
    assert found.row_duals.sum() + found.column_duals.sum() == 15.0
    assert path_cover(*arcs, [0.0] * 3, [0.0] * 3).tolist() == [-1, -1, -1]


def test_one_task_no_task_and_no_arc() -> None:
    assert path_cover([0, 0], [], [], [5.0], [1.0]).tolist() == [-1]
    assert path_cover([0], [], [], [], []).tolist() == []
    assert path_cover([0, 0, 0], [], [], [5.0, 5.0], [1.0, 1.0]).tolist() == [-1, -1]


def test_inputs_are_left_alone_and_may_be_read_only() -> None:
    graph, slack = city(60, seed=8)
    arrays = [*graph, *city_costs("perturbed", slack, 60)]
    before = [array.copy() for array in arrays]
    expected = path_cover(*arrays).tolist()
    assert all((array == copy).all() for array, copy in zip(arrays, before, strict=True))
    for array in arrays:
        array.setflags(write=False)
    assert path_cover(*arrays).tolist() == expected


def test_a_cycle_is_refused_where_it_would_be_used() -> None:
    with rejects(InputError, where="heads"):
        path_cover([0, 1, 2, 2], [1, 0], [0.0, 0.0], [1.0] * 3, [1.0] * 3)
    assert path_cover([0, 1, 2], [1, 0], [0.0, 5.0], [1.0] * 2, [1.0] * 2).tolist() == [1, -1]


GOOD = {
    "indptr": [0, 1, 1],
    "heads": [1],
    "arc_costs": [1.0],
    "origin_costs": [1.0, 1.0],
    "destination_costs": [1.0, 1.0],
}


@pytest.mark.parametrize(
    ("field", "bad", "where"),
    [
        ("indptr", [0, 1], "indptr"),
        ("indptr", [0, 2, 2], "indptr"),
        ("indptr", [0, 2, 1], "indptr"),
        ("indptr", [[0, 1, 1]], "indptr"),
        ("heads", [2], "heads[0]"),
        ("heads", [-1], "heads[0]"),
        ("arc_costs", [1.0, 2.0], "arc_costs"),
        ("arc_costs", [np.nan], "arc_costs[0]"),
        ("origin_costs", [0.0, np.inf], "origin_costs[1]"),
        ("destination_costs", [-2e300, 0.0], "destination_costs[0]"),
        ("destination_costs", [0.0], "destination_costs"),
        ("order", [0, 0], "order"),
        ("order", [0], "order"),
    ],
)
def test_bad_input_is_refused_by_name(field: str, bad: list, where: str) -> None:
    with rejects(InputError, where=where):
        path_cover(**{**GOOD, field: bad})


def test_heads_of_a_row_ascend() -> None:
    """Parallel arcs or an unsorted row are refused: embed looks a head up by bisection."""
    for heads in ([1, 1], [2, 1]):
        with rejects(InputError, where="columns[1]"):
            partial_assignment([0, 2], heads, [1.0, 1.0], [0.0] * 3, [0.0])
