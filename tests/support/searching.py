"""A black-box search on plain functions: what `Experience.fit` does with the losses of an evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from colayer.learning.run import Run, open_run
from colayer.learning.search.objective import Objective
from colayer.learning.search.optimizer import Optimizer, Task
from colayer.learning.search.search import SearchRun
from colayer.learning.settings import Settings


def search(
    train: Objective,
    validation: Objective | None = None,
    *,
    task: Task,
    method: Optimizer,
    identity: Mapping[str, Any] | None = None,
    together: int = 1,
    **settings: Any,
) -> Run:
    """The run of `method` on `train`; `settings` are those of `Settings` (journal, time limit, callback, progress)."""
    given = Settings(evaluations=task.evaluations, seed=task.seed, **settings)
    with open_run(given, task.evaluations, task.dimension, identity or {}) as run:
        asked = SearchRun(run, train, validation, together)
        finished = run.journal is not None and run.journal.finished and not getattr(method, "selects_answer", False)
        run.conduct(asked.replay if finished else partial(method.minimize, asked, task), method.name)
    return run


class Given:
    """A method that asks for given populations of one weight."""

    name = "given"

    def __init__(self, *populations: Any) -> None:
        self.populations = populations

    def options(self) -> dict[str, Any]:
        return {"populations": self.populations}

    def minimize(self, evaluate: Any, task: Task) -> None:
        for population in self.populations:
            evaluate(np.array(population, dtype=float)[:, None])


def table(**values: float) -> Objective:
    """The objective with these values: `table(w1=5.0)` is 5 at w = 1."""
    return lambda W: np.array([values[f"w{w:.0f}"] for w in W[:, 0]])


def centre(dimension: int) -> Any:
    """Where `sphere` and `stairs` are least."""
    return np.random.default_rng(dimension).uniform(-5, 5, dimension)


def sphere(W: Any) -> Any:
    """Minimum 0 at `centre`."""
    return ((W - centre(W.shape[1])) ** 2).mean(axis=1)


def stairs(W: Any) -> Any:
    """Piecewise constant, like the losses of a pipeline; minimum 0 around `centre`."""
    return np.floor(4 * np.abs(W - centre(W.shape[1]))).mean(axis=1)


def traced(function: Objective) -> tuple[Objective, list[Any]]:
    """The function and the list of all rows it is asked for."""
    asked: list[Any] = []
    return lambda W: (asked.extend(W.copy()), function(W))[1], asked


def identify(value: Any) -> str:
    """The name of a parameter of a test."""
    return repr(value) if not callable(value) else value.__name__
