"""A tuned rule: what is best, what it is held against, and what is said of that."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from colayer import Tuned
from colayer.comparison.tuned import in_words
from colayer.io.files import encode

GRID = ({"a": 1.0, "b": 2}, {"a": 1.0, "b": 3}, {"a": 0.25, "b": 2})


def tuned(*losses: list[float], **more: Any) -> Tuned[Any, Any]:
    return Tuned("toy", "sum", lambda x, a, b: x + a + b, GRID[: len(losses)], np.array(losses), **more)


def test_the_first_of_equal_means_is_best_and_is_what_it_solves_with() -> None:
    found = tuned([2.0, 4.0], [1.0, 3.0], [3.0, 1.0])
    assert (found.constants, found.loss, found.means) == (GRID[1], 2.0, (3.0, 2.0, 2.0))
    assert found(10.0) == 14.0
    found.constants["a"] = 7.0
    assert found(10.0) == 14.0
    assert repr(found) == "Tuned('sum', a=1, b=3, loss=2)"


def test_rows_are_held_against_the_best_in_units_of_its_mean_loss() -> None:
    """By hand: differences of (1, 3) and (2, 0) to the best, whose mean is 2."""
    best, runner_up, first = tuned([2.0, 6.0], [1.0, 3.0], [3.0, 3.0]).rows
    assert [row.name for row in (best, runner_up, first)] == ["best", "runner-up", "first of the grid"]
    assert (best.constants, best.loss, best.difference) == (GRID[1], 2.0, None)
    assert runner_up.difference is not None
    assert first.difference is not None
    assert (runner_up.constants, runner_up.loss) == (GRID[2], 3.0)
    assert (runner_up.difference.mean, runner_up.difference.standard_error) == (0.5, pytest.approx(0.5))
    assert (first.constants, first.difference.mean) == (GRID[0], 1.0)
    assert first.difference.to == "a=1, b=3"


def test_the_default_is_held_against_the_best_whether_its_constants_are_known_or_not() -> None:
    rows = [[1.0, 1.0, 1.0], [2.0, 2.1, 2.0]]
    known = tuned(*rows, default_losses=np.array(rows[1]), default=GRID[1])
    unknown = tuned(*rows, default_losses=np.array([1.5, 1.6, 1.4]))
    assert [(row.name, row.constants) for row in known.rows[1:]] == [("runner-up", GRID[1]), ("default", GRID[1])]
    assert unknown.rows[-1].constants is None
    assert [line.split()[1:3] for line in unknown.table().text().splitlines()[2:]] == [
        ["1", "2"], ["1", "3"], ["-", "-"],
    ]  # fmt: skip
    assert known.conclusion() == "the default is worse than a=1, b=2: +103 ± 3.33 %"
    assert unknown.conclusion() == "the default is worse than a=1, b=2: +50.0 ± 5.77 %"
    better = tuned(*rows, default_losses=np.array([0.5, 0.6, 0.4]))
    assert better.conclusion().startswith("the default is better than a=1, b=2")


@pytest.mark.parametrize(
    ("losses", "more", "said"),
    [
        ([[1.0, 1.1], [2.0, 2.0]], {}, "the first of the grid, a=1, b=2, is the best"),
        ([[1.0, 1.1]], {}, "the first of the grid, a=1, b=2, is the best"),
        ([[2.0, 2.0], [1.0, 1.1]], {"default_losses": np.array([1.0, 1.1]), "default": GRID[1]}, "the default, a=1, b"),
        ([[1.0, 1.1], [1.0, 1.1]], {}, "the constants make no difference"),
        ([[2.0, 0.5], [1.0, 1.1]], {}, "no measurable difference between the first of the grid and a=1, b=3: "),
    ],
)
def test_no_gain_is_said(losses: list[list[float]], more: dict[str, Any], said: str) -> None:
    found = tuned(*losses, **more)
    assert found.conclusion().startswith(said)
    assert str(found).splitlines()[-1] == found.conclusion()


def test_one_instance_has_no_standard_error() -> None:
    found = tuned([2.0], [1.0])
    assert found.conclusion() == "no measurable difference between the first of the grid and a=1, b=3: +100 %"


def test_the_text_and_the_document_hold_the_same() -> None:
    found = tuned([2.0, 6.0], [1.0, 3.0], [3.0, 3.0])
    head, _, titles, _, first, *_ = str(found).splitlines()
    assert head == "sum of toy, 3 combinations on 2 instances"
    assert titles.split() == ["constants", "a", "b", "mean", "loss", "difference", "verdict"]
    assert first.split() == ["best", "1", "3", "2.0000", "reference"]
    document = json.loads(encode(found.document()))
    assert document["constants"] == document["summary"][0]["constants"] == {"a": 1.0, "b": 3}
    assert document["combinations"] == [
        {"constants": constants, "loss": loss} for constants, loss in zip(GRID, (4.0, 2.0, 3.0), strict=True)
    ]
    assert document["conclusion"] == found.conclusion()


def test_constants_in_words_keep_their_digits() -> None:
    assert in_words({"k": 0.123456, "n": 1234567, "c": 0.1 + 0.2}) == "k=0.123456, n=1234567, c=0.3"
