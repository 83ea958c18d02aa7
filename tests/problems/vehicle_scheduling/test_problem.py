"""The problem as it is put together: options, groups, rules, and tasks whose numbers are names."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from colayer.errors import InputError, OptionError
from colayer.problems import find_problem
from colayer.problems.vehicle_scheduling import VehicleScheduling
from colayer.problems.vehicle_scheduling.generator import generate
from support import plain_vehicles as plain
from support.errors import rejects


@pytest.mark.parametrize(("features", "dimension"), [("23", 23), ("extended", 30)])
@pytest.mark.parametrize("decoder", ["none", "ls"])
def test_options_make_the_problem_again(features: str, dimension: int, decoder: str) -> None:
    problem = find_problem("vehicle-scheduling", features=features, decoder=decoder)
    assert problem.options == {"features": features, "decoder": decoder}
    assert len(problem.feature_names) == len(problem.safe_weights) == dimension
    assert sorted(name for names in problem.feature_groups.values() for name in names) == sorted(problem.feature_names)


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"features": "24"}, "--features"),
        ({"decoder": "rdi"}, "--decoder"),
    ],
)
def test_refuses_options_by_name(options: dict, where: str) -> None:
    with rejects(OptionError, where=where):
        VehicleScheduling(**options)


@pytest.mark.parametrize("which", ["23", "extended"])
def test_permuting_the_tasks_permutes_the_solution(which: str) -> None:
    """Equivariance, at weights without ties."""
    problem = VehicleScheduling(features=which)
    x = generate(8, tasks=40, scenarios=12)
    order = np.random.default_rng(1).permutation(40)
    y = plain.permuted(x, order)
    weights = problem.safe_weights + 1e-3 * np.random.default_rng(2).random(len(problem.feature_names))
    one = problem.layer(problem.features(x).astype(np.float64) @ weights, x)
    two = problem.layer(problem.features(y).astype(np.float64) @ weights, y)
    place = np.empty(41, dtype=np.int64)
    place[order], place[-1] = np.arange(40), -1
    assert np.array_equal(two, place[one[order]])
    assert np.isclose(problem.cost(two, y), problem.cost(one, x), rtol=1e-12)


def test_the_decoder_is_the_one_that_was_chosen() -> None:
    x = generate(90, tasks=90, scenarios=5)
    plainest, searching = (VehicleScheduling(features="23", decoder=decoder) for decoder in ("none", "ls"))
    y = plainest.layer(plainest.features(x) @ plainest.safe_weights, x)
    assert np.array_equal(plainest.decode(y, x), y)
    assert searching.cost(searching.decode(y, x), x) < plainest.cost(y, x)


def test_groups_rules_models_and_picture_are_of_the_instance() -> None:
    problem = VehicleScheduling()
    x = generate(1, tasks=9, scenarios=4)
    assert problem.group(x) == {"tasks": 9, "scenarios": 4}
    solution = problem.baseline("deterministic", x)
    with rejects(InputError, "srpt"):
        problem.baseline("srpt", x)
    assert problem.baselines == ("deterministic", "delay x3")
    searching = VehicleScheduling(decoder="ls")
    assert searching.baselines == (*problem.baselines, "deterministic+ls", "delay x3+ls")
    for rule in problem.baselines:
        plain = problem.baseline(rule, x)
        assert np.array_equal(searching.baseline(f"{rule}+ls", x), searching.decode(plain, x))
    theta = problem.features(x) @ problem.safe_weights
    theta[: len(x.arcs[1])] *= 3.0
    assert np.array_equal(problem.baseline("delay x3", x), problem.layer(theta, x))
    theta[: len(x.arcs[1])] *= 5.0
    assert np.array_equal(problem.baseline("delay x3", x, factor=15.0), problem.layer(theta, x))
    arcs = len(x.arcs[1])
    assert len(problem.compact(x).cost) == arcs + 9 + 36
    assert problem.constraint_program(x).reported == arcs
    drawn = problem.plot(solution, x)
    assert isinstance(drawn, Axes)
    assert "9 tasks on" in drawn.get_title(loc="left")
