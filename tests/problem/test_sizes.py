"""The sizes that a generator takes, as words of the command line."""

from __future__ import annotations

import math

import pytest

from colayer.errors import OptionError
from colayer.problem.sizes import Size
from support.errors import rejects

JOBS = Size("max_jobs", int, 10, "number of jobs", minimum=1)
RHO = Size("rho", float, 1.0, "load", minimum=0.1)
KIND = Size("kind", str, "grid", "kind of graph", choices=("grid", "random"))


def test_words_become_values() -> None:
    assert (JOBS.parse("12"), RHO.parse("1e-1"), KIND.parse("random")) == (12, 0.1, "random")
    assert Size("shift", float, 0.0, "shift").parse("-3") == -3.0


def test_the_option_is_spelled_with_dashes() -> None:
    assert JOBS.option == "--max-jobs"


@pytest.mark.parametrize(
    ("size", "word"),
    [
        (JOBS, "12.5"),
        (JOBS, "many"),
        (JOBS, "0"),
        (RHO, "wide"),
        (RHO, "nan"),
        (RHO, "inf"),
        (RHO, "0.05"),
        (Size("shift", float, 0.0, "shift"), "inf"),
        (KIND, "tree"),
        (JOBS, "9" * 400),
    ],
)
def test_what_is_out_of_range_is_refused_by_the_option(size: Size, word: str) -> None:
    with rejects(OptionError, where=size.option) as caught:
        size.parse(word)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("size", "named"),
    [
        (Size("items", int, 3, "items"), None),
        (Size("items", float, 3, "items", minimum=1), None),
        (Size("kind", str, "flat", "a word", choices=("flat", "steep")), None),
        (Size("number of items", int, 3, ""), "number of items"),
        (Size(3, int, 3, ""), "3"),  # type: ignore[arg-type]
        (Size("items", int, 3, None), "help of items"),  # type: ignore[arg-type]
        (Size("items", str, "a", "", choices="ab"), "choices of items"),  # type: ignore[arg-type]
        (Size("items", str, "c", "", choices=("a", "b")), "default of items"),
        (Size("items", list, 3, ""), "kind of items"),
        (Size("items", int, 3.5, ""), "default of items"),
        (Size("items", int, True, ""), "default of items"),
        (Size("items", float, math.nan, ""), "default of items"),
        (Size("items", int, 3, "", minimum="2"), "minimum of items"),  # type: ignore[arg-type]
        (Size("items", int, 3, "", minimum=5), "default of items"),
    ],
)
def test_what_is_wrong_with_a_size_is_named(size: Size, named: str | None) -> None:
    said = size.mistake()
    assert said is None if named is None else named in (said or "")
