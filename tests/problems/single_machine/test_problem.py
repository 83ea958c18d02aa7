"""The problem as it is put together: options, what belongs to which option, groups and rules."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from colayer import Pipeline
from colayer.errors import InputError, OptionError
from colayer.problem.bind import bind
from colayer.problems.single_machine import Instance, SingleMachine
from colayer.problems.single_machine.features import FEATURE_SETS
from colayer.problems.single_machine.solvers import BASELINES
from support.errors import rejects


@pytest.mark.parametrize("features", ["27", "66"])
@pytest.mark.parametrize("decoder", ["none", "ls", "rdi"])
def test_options_make_the_problem_again(features: str, decoder: str) -> None:
    problem = SingleMachine(features=features, decoder=decoder)
    assert problem.options == {"features": features, "decoder": decoder}
    assert len(problem.feature_names) == len(problem.safe_weights) == int(features)
    assert problem.feature_names == FEATURE_SETS[features].names
    assert sorted(name for names in problem.feature_groups.values() for name in names) == sorted(problem.feature_names)
    assert bind(problem).variant(decoder="none").options == {"features": features, "decoder": "none"}


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"features": "28"}, "--features"),
        ({"decoder": "lss"}, "--decoder"),
        ({"decoder": 3}, "--decoder"),
    ],
)
def test_refuses_options_by_name(options: dict, where: str) -> None:
    with rejects(OptionError, where=where):
        SingleMachine(**options)


def test_each_decoder_finds_no_more_than_the_one_before() -> None:
    """The machine should wait for the short job: LS cannot see that, RDI does; `best` is the same with one row."""
    wait = Instance([0.0, 1.0], [10.0, 1.0])
    late = np.array([0, 1])
    costs = []
    for decoder in SingleMachine.decoders:
        problem = SingleMachine(decoder=decoder)
        costs.append(problem.cost(problem.decode(late, wait), wait))
        row, sequence, value = problem.best(np.array([[0.0, 1.0]]), wait, 0)
        assert (row, value) == (0, costs[-1])
        assert sequence.tolist() == problem.decode(late, wait).tolist()
    assert costs == [21.0, 21.0, 14.0]


def test_safe_weights_sort_as_srpt_and_only_the_66_carry_the_ratio() -> None:
    instance = SingleMachine.generate(0, jobs=30)
    for features in ("27", "66"):
        problem = SingleMachine(features=features)
        solved = Pipeline(problem, weights=problem.safe_weights).solve(instance)
        assert solved.solution.tolist() == problem.baseline("srpt", instance).tolist()
        assert (problem.approximation(instance) is None) == (features == "27")


def test_instances_of_one_rho_are_one_group() -> None:
    """It is not guessed from the release dates, which differ."""
    problem = SingleMachine()
    assert [problem.group(problem.generate(seed, jobs=6, rho=1.0)) for seed in range(8)] == [{"jobs": 6}] * 8


def test_rules_by_name() -> None:
    problem = SingleMachine()
    instance = problem.generate(2, jobs=12)
    assert problem.baselines == (*BASELINES, "release+ls", "aprtf+rdi")
    assert (problem.searches, SingleMachine(decoder="rdi").searches) == (("release+ls", "aprtf+rdi"), ())
    for rule in BASELINES:
        assert problem.baseline(rule, instance).tolist() == BASELINES[rule](instance).tolist()
    assert set(SingleMachine(decoder="ls").baselines) == {
        *BASELINES, *(f"{rule}+ls" for rule in BASELINES), "aprtf+rdi",
    }  # fmt: skip
    with rejects(InputError, "spt"):
        problem.baseline("spt", instance)


def test_models_for_general_solvers_and_the_picture_are_of_the_instance() -> None:
    problem = SingleMachine()
    instance = Instance([0, 1, 5], [4, 1, 2])
    assert len(problem.compact(instance).cost) == 3 * 3 + 3
    assert problem.constraint_program(instance).reported == 3
    drawn = problem.plot(np.array([1, 0, 2]), instance)
    assert isinstance(drawn, Axes)
    assert "Σ C = 16" in drawn.get_title(loc="left")
