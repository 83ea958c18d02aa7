"""A weak start of the mixed-integer program, so that it is a reference of its own."""

from __future__ import annotations

import pytest

from colayer.problems.spanning_tree import exact
from colayer.problems.spanning_tree.cost import cost
from colayer.problems.spanning_tree.instance import Instance
from colayer.problems.spanning_tree.lagrangian import lagrangian
from colayer.problems.spanning_tree.rounding import approximation


@pytest.fixture
def weak_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """One iteration only, and a bound below it: HiGHS has to do the work."""

    def weak(instance: Instance, **options: object) -> object:
        found = lagrangian(instance, iterations=1, tolerance=0.0)
        object.__setattr__(found, "bound", found.bound - 10.0)
        object.__setattr__(found, "solution", approximation(instance))
        object.__setattr__(found, "cost", cost(found.solution, instance))
        return found

    monkeypatch.setattr(exact, "lagrangian", weak)
