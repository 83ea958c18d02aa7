"""The registered problems by kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.problem.bind import bind
from colayer.problems import find_problem, problem_names


def static_names() -> tuple[str, ...]:
    """Those of one decision; days have tests of their own."""
    return tuple(name for name in problem_names() if not bind(find_problem(name)).dynamic)


#: Of the problem whose layer searches, a search and days so small that hundreds of solves are quick.
BUDGET = {"iterations": 200, "futures": 2, "future_iterations": 50}
SMALL_DAYS = {"customers": 12, "clusters": 2, "per_epoch": 3}


def quick_problem(name: str) -> Any:
    """The problem of that name, with a small budget where its layer has one."""
    return find_problem(name, **(BUDGET if name == "dynamic-routing" else {}))


def quick_instances(problem: Any, count: int) -> list[Any]:
    """Instances by seed, of the usual sizes, or a few requests where the layer searches."""
    sizes = SMALL_DAYS if problem.name == "dynamic-routing" else {}
    return [problem.generate(np.random.SeedSequence([11, k]), **sizes) for k in range(count)]
