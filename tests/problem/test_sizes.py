"""The sizes that a generator takes, as words of the command line."""

from __future__ import annotations

import math

import pytest

from colayer.errors import OptionError
from colayer.problem.sizes import Size

JOBS = Size("max_jobs", int, 10, "number of jobs", minimum=1)
RHO = Size("rho", float, 1.0, "load", minimum=0.1)
KIND = Size("kind", str, "grid", "kind of graph", choices=("grid", "random"))


def test_words_become_values() -> None:
    assert (JOBS.parse("12"), RHO.parse("1e-1"), KIND.parse("random")) == (12, 0.1, "random")
    assert Size("shift", float, 0.0, "shift").parse("-3") == -3.0


def test_the_option_is_spelled_with_dashes() -> None:
    assert JOBS.option == "--max-jobs"


@pytest.mark.parametrize(
    ("size", "word", "message"),
    [
        (JOBS, "12.5", "max_jobs='12.5' is not a whole number"),
        (JOBS, "many", "max_jobs='many' is not a whole number"),
        (JOBS, "0", "max_jobs=0 is out of range, expected at least 1"),
        (RHO, "wide", "rho='wide' is not a number"),
        (RHO, "nan", "rho=nan is out of range, expected at least 0.1"),
        (RHO, "inf", "rho=inf is out of range, expected at least 0.1"),
        (RHO, "0.05", "rho=0.05 is out of range, expected at least 0.1"),
        (Size("shift", float, 0.0, "shift"), "inf", "shift=inf is out of range, expected a finite number"),
        (KIND, "tree", "kind: 'tree', expected one of grid, random"),
        (JOBS, "9" * 400, "max_jobs='9999"),
    ],
)
def test_what_is_out_of_range_is_refused_by_the_option(size: Size, word: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        size.parse(word)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (Size("items", int, 3, "items"), None),
        (Size("items", float, 3, "items", minimum=1), None),
        (Size("kind", str, "flat", "a word", choices=("flat", "steep")), None),
        (Size("number of items", int, 3, ""), "'number of items' is not the name of an argument of generate"),
        (Size(3, int, 3, ""), "3 is not the name of an argument of generate"),  # type: ignore[arg-type]
        (Size("items", int, 3, None), "the help of items is None, expected text"),  # type: ignore[arg-type]
        (Size("items", str, "a", "", choices="ab"), "the choices of items are 'ab', expected a tuple of words"),  # type: ignore[arg-type]
        (Size("items", str, "c", "", choices=("a", "b")), "the default of items is 'c', expected one of a, b"),
        (Size("items", list, 3, ""), "the kind of items is <class 'list'>, expected int or float, or choices"),
        (Size("items", int, 3.5, ""), "the default of items is 3.5, expected a number (int)"),
        (Size("items", int, True, ""), "the default of items is True, expected a number (int)"),
        (Size("items", float, math.nan, ""), "the default of items is nan, expected a number (float)"),
        (Size("items", int, 3, "", minimum="2"), "the minimum of items is '2', expected a number (int)"),  # type: ignore[arg-type]
        (Size("items", int, 3, "", minimum=5), "the default of items is 3, less than its minimum 5"),
    ],
)
def test_what_is_wrong_with_a_size_is_said_in_a_sentence(size: Size, said: str | None) -> None:
    assert size.mistake() == said
