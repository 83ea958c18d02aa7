"""Tuning: every combination once, the best by brute force, killed and resumed alike, bad grids and rules refused."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colayer import InputError, JournalError, OptionError, evaluate, tune
from colayer.comparison.tune import MOST, checked_grid
from colayer.problem.bind import bind
from colayer.problems import VehicleScheduling
from support.errors import rejects
from support.item_problem import Even, Item
from support.selection_problem import Projects, Selection, instances

GRID = {"risk": [0.0, 0.5, 1.0, 2.0], "power": [1, 2]}
DATA = instances(6)


class Weighing(Selection):
    """A rule of its own: by price plus so much of the risk."""

    baselines = ("cheapest", "weighed")

    def baseline(self, rule: str, instance: Projects, risk: float = 1.0, power: int = 1) -> np.ndarray:
        return self.layer(instance.price + (rule == "weighed") * risk * instance.risk**power, instance)


PROBLEM = Weighing()


def weighed(instance: Projects, risk: float, power: int) -> np.ndarray:
    return PROBLEM.baseline("weighed", instance, risk, power)


def test_the_best_is_that_of_a_plain_loop() -> None:
    found = tune(PROBLEM, weighed, DATA, GRID)
    every = [{"risk": risk, "power": power} for risk, power in itertools.product(*GRID.values())]
    losses = [[PROBLEM.cost(weighed(x, **c), x) / PROBLEM.scale(x) for x in DATA] for c in every]
    assert list(found.combinations) == every
    assert found.losses.tolist() == losses
    assert found.constants == every[int(np.argmin(np.mean(losses, axis=1)))]
    assert found.rows[-1].name == "first of the grid"
    assert [found(x).tolist() for x in DATA] == [weighed(x, **found.constants).tolist() for x in DATA]


def test_a_tuned_rule_is_a_contender() -> None:
    found = tune(PROBLEM, weighed, DATA, GRID)
    rows = evaluate(PROBLEM, DATA, {"tuned": found, "cheapest": lambda x: weighed(x, 0.0, 1)}).summary()
    assert rows[0].mean_loss == pytest.approx(found.loss)
    assert rows[0].mean_loss < rows[1].mean_loss


def test_a_rule_by_name_has_the_defaults_of_baseline() -> None:
    found = tune(PROBLEM, "weighed", DATA, GRID)
    assert found.rule == "weighed"
    assert found.losses.tolist() == tune(PROBLEM, weighed, DATA, GRID).losses.tolist()
    assert found.default == {"risk": 1.0, "power": 1}
    assert found.default_losses is not None
    assert found.default_losses.tolist() == found.losses[4].tolist()
    again = tune(bind(PROBLEM), "weighed", DATA, {"risk": [0.5]})
    assert again.default == {"risk": 1.0}


def test_a_default_beside_the_grid_is_tried_too_and_may_win() -> None:
    found = tune(PROBLEM, "weighed", DATA, {"risk": [-5, -4]})
    assert found.combinations[-1] == found.constants == {"risk": 1.0}
    assert found.conclusion().startswith("the default, risk=1, is the best")


def test_a_default_that_the_rule_keeps_to_itself_is_run_without_constants() -> None:
    class Kept(Weighing):
        def baseline(self, rule: str, instance: Projects, **constants: Any) -> np.ndarray:
            return super().baseline(rule, instance, **{"risk": 3.0, **constants})

    found = tune(Kept(), "weighed", DATA, {"risk": [0.0, 1.0]})
    assert (found.default, len(found.combinations)) == (None, 2)
    assert found.default_losses is not None
    assert found.default_losses.tolist() == tune(PROBLEM, "weighed", DATA, {"risk": [3.0]}).losses[0].tolist()
    assert tune(PROBLEM, lambda x, **c: weighed(x, **c), DATA, GRID).default_losses is None  # who knows what it needs
    optional = tune(PROBLEM, lambda x, risk=None: weighed(x, risk or 0.0, 1), DATA, {"risk": [1.0]})
    assert (optional.default, optional.rows[-1].name) == (None, "default")


def test_any_number_of_workers_gives_the_same() -> None:
    alone, shared = (tune(PROBLEM, weighed, DATA, GRID, workers=n) for n in (None, 3))
    assert alone.losses.tobytes() == shared.losses.tobytes()
    with rejects(OptionError, where="--workers"):
        tune(PROBLEM, weighed, DATA, GRID, workers=0)


@pytest.mark.parametrize("after", [0, 1, 5])
def test_killed_and_resumed_gives_the_same(after: int, tmp_path: Path) -> None:
    """Killed in the evaluation after `after` others, in the middle of a line of the journal as well."""
    whole = tune(PROBLEM, weighed, DATA, GRID, journal=tmp_path / "whole")
    calls = []

    def killed(done: int, total: int) -> None:
        calls.append((done, total))
        if done > after:
            raise KeyboardInterrupt

    book = tmp_path / "book"
    with pytest.raises(KeyboardInterrupt):
        tune(PROBLEM, weighed, DATA, GRID, journal=book, progress=killed)
    assert calls == [(k, 8) for k in range(1, after + 2)]
    book.write_bytes(book.read_bytes()[:-10])
    again = tune(PROBLEM, weighed, DATA, GRID, journal=book, workers=2)
    assert again.recalled == after
    assert again.losses.tobytes() == whole.losses.tobytes()
    assert book.read_bytes() == (tmp_path / "whole").read_bytes()
    assert str(again) == str(tune(PROBLEM, weighed, DATA, GRID, journal=book)) == str(whole)


def test_what_the_journal_knows_is_not_computed_again_but_for_the_best(tmp_path: Path) -> None:
    solved = []

    def counting(instance: Projects, risk: float) -> np.ndarray:
        solved.append(risk)
        return weighed(instance, risk, 1)

    grid = {"risk": [0.0, 1.0, 2.0]}
    first = tune(PROBLEM, counting, DATA, grid, journal=tmp_path / "j")
    assert len(solved) == 3 * len(DATA)
    solved.clear()
    assert tune(PROBLEM, counting, DATA, grid, journal=tmp_path / "j").recalled == 3
    assert solved == [first.constants["risk"]] * len(DATA)


@pytest.mark.parametrize(
    ("data", "grid", "rule"),
    [
        (DATA[1:], GRID, "weighed"),
        (DATA, {"risk": [0.0, 0.5, 1.0, 3.0], "power": [1, 2]}, "weighed"),
        (DATA, {"power": [1, 2], "risk": [0.0, 0.5, 1.0, 2.0]}, "weighed"),
        (DATA, GRID, "cheapest"),
    ],
)
def test_a_journal_of_another_run_is_refused_and_left_alone(
    data: list[Projects], grid: dict[str, list[float]], rule: str, tmp_path: Path
) -> None:
    tune(PROBLEM, "weighed", DATA, GRID, journal=tmp_path / "j")
    before = (tmp_path / "j").read_bytes()
    with rejects(JournalError, "another run", where="j"):
        tune(PROBLEM, rule, data, grid, journal=tmp_path / "j")
    assert (tmp_path / "j").read_bytes() == before


def test_a_journal_of_a_rule_that_has_changed_is_refused(tmp_path: Path) -> None:
    factor = 1.0

    def rule(instance: Projects, risk: float) -> np.ndarray:
        return weighed(instance, factor * risk, 1)

    tune(PROBLEM, rule, DATA, {"risk": [0.5, 1.0]}, journal=tmp_path / "j")
    factor = -9.0
    with rejects(JournalError, "has changed", where="j"):
        tune(PROBLEM, rule, DATA, {"risk": [0.5, 1.0]}, journal=tmp_path / "j")


@pytest.mark.parametrize("wrong", ['"weights":[0.5]', '"state":[1.0]'])
def test_a_journal_with_other_evaluations_is_refused(wrong: str, tmp_path: Path) -> None:
    tune(PROBLEM, "weighed", DATA, {"risk": [1.0, 2.0]}, journal=tmp_path / "j")
    key = wrong.partition(":")[0]
    text = re.sub(rf"{key}:\[[^]]*]", wrong, (tmp_path / "j").read_text(), count=1)
    (tmp_path / "j").write_text(text)
    with rejects(JournalError, "than the grid asks for", where="j:2"):
        tune(PROBLEM, "weighed", DATA, {"risk": [1.0, 2.0]}, journal=tmp_path / "j")


def test_infeasible_solutions_are_refused_with_the_instance_named() -> None:
    data = [Item([1.0, 2.0, 3.0]), Item([5.0, 4.0, 3.0])]
    assert tune(Even(), lambda x, k: k, data, {"k": [0, 2]}).constants == {"k": 0}
    with rejects(InputError, "with k=1 returned an infeasible solution", "odd", where="instance 0"):
        tune(Even(), lambda x, k: k, data, {"k": [0, 1]})
    with rejects(InputError, "less than the lower bound", where="instance 0"):
        tune(Bounded(), lambda x, k=0: k, data, {"k": [2]})


class Bounded(Even):
    def bound(self, instance: Item) -> float:
        return 2.0


def test_what_a_rule_raises_or_returns_is_named() -> None:
    def broken(instance: Projects, k: float) -> np.ndarray:
        raise KeyError("crew")

    with pytest.raises(KeyError) as caught:
        tune(PROBLEM, broken, DATA, {"k": [1.0]})
    assert "rule broken of selection raised KeyError: 'crew'" in caught.value.__notes__[0]
    with rejects(InputError, "rule <lambda> of selection returned None"):
        tune(PROBLEM, lambda x, k: None, DATA, {"k": [1.0]})


@pytest.mark.parametrize(
    ("rule", "grid", "names"),
    [
        ("weighed", {"rsk": [1.0]}, ("weighed takes no constant rsk", "risk (or power)")),
        (weighed, {"risk": [1.0], "power": [1], "rsk": [1.0]}, ("rsk", "risk")),
        (weighed, {"risk": [1.0]}, ("weighed needs the constant power",)),
        (lambda x: x, {"k": [1.0]}, ("takes no constant k",)),
    ],
)
def test_a_constant_that_the_rule_does_not_take_or_that_is_missing_is_named(
    rule: str | Callable[..., Any], grid: dict[str, list[float]], names: tuple[str, ...]
) -> None:
    with rejects(OptionError, *names, where="grid"):
        tune(PROBLEM, rule, DATA, grid)


def test_a_rule_that_is_none_is_refused() -> None:
    with rejects(OptionError, "'weighd'", "expected weighed", where="--rule"):
        tune(PROBLEM, "weighd", DATA, GRID)
    with rejects(OptionError, "no rule 'k'", "a function", where="--rule"):
        tune(Even(), "k", [Item([1.0])], GRID)
    with rejects(OptionError, "3 is no rule", where="--rule"):
        tune(PROBLEM, 3, DATA, GRID)  # type: ignore[arg-type]
    with rejects(InputError, where="instances"):
        tune(PROBLEM, weighed, [], GRID)


@pytest.mark.parametrize(
    ("grid", "names"),
    [
        ({}, ("no grid",)),
        ([1.0], ("no grid",)),
        ({3: [1.0]}, ("3",)),
        ({"a b": [1.0]}, ("'a b'",)),
        ({"k": []}, ("k", "a list of numbers")),
        ({"k": 2.0}, ("k", "a list of numbers")),
        ({"k": np.array(2.0)}, ("k", "a list of numbers")),
        ({"k": "12"}, ("k", "a list of numbers")),
        ({"k": [1.0, float("nan")]}, ("k", "nan")),
        ({"k": [float("inf")]}, ("k", "inf")),
        ({"k": [True]}, ("k", "True")),
        ({"k": [1.0, "2"]}, ("k", "'2'")),
        ({"k": [2**53 + 1]}, ("k", str(2**53 + 1))),
        ({"k": [1, 2, 1.0]}, ("k", "twice")),
        ({"k": [3, 1, 2, 1.0]}, ("k", "the value 1 twice")),
        ({"k": itertools.count()}, ("combinations",)),
        ({"k": range(400), "l": range(251)}, ("100,400 combinations", f"{MOST:,}")),
    ],
)
def test_what_is_no_grid_is_refused(grid: Any, names: tuple[str, ...]) -> None:
    with rejects(OptionError, *names, where="grid"):
        checked_grid(grid)


@given(st.lists(st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_values_keep_their_order_and_are_all_whole_or_all_floats(values: list[float]) -> None:
    different = list(dict.fromkeys(values))
    (found,) = checked_grid({"k": np.array(different, dtype=object)}).values()
    assert found == different
    whole = all(isinstance(value, int) for value in different)
    assert {type(value) for value in found} == {int if whole else float}


def test_numbers_of_numpy_are_plain_numbers() -> None:
    found = checked_grid({"k": np.arange(1, 4) / 4, "n": np.arange(2)})
    assert found == {"k": [0.25, 0.5, 0.75], "n": [0, 1]}
    assert {type(value) for values in found.values() for value in values} == {int, float}


def test_the_factor_of_delays_of_vehicles_is_a_constant() -> None:
    problem = VehicleScheduling()
    data = [problem.generate(seed, tasks=12, scenarios=3) for seed in range(3)]
    found = tune(problem, "delay x3", data, {"factor": [1.0, 50.0]})
    assert found.default == {"factor": 3.0}
    assert found.losses[-1].tolist() == [
        problem.cost(problem.baseline("delay x3", x), x) / problem.scale(x) for x in data
    ]
