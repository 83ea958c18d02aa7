"""The demos: what is written on the spot is what a user finds."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from colayer.cli.demos.catalogue import DEFAULT, DEMOS


def test_the_dispatching_of_the_demo_is_the_example() -> None:
    example = Path(__file__).parents[3] / "examples" / "city_dispatch.py"
    assert DEMOS["dispatch"].source == example.read_text("utf-8")


def test_every_demo_makes_its_problem_and_names_rules_that_it_has() -> None:
    for name, demo in DEMOS.items():
        with ExitStack() as stack:
            found = demo.problem(name, stack)
            assert {*demo.tuned, *demo.prizes} <= set(found.baselines)
            assert set(demo.sizes) <= {size.name for size in found.sizes}
    assert not DEFAULT.file
