"""What holds of every learner that goes step by step: workers do not matter, runs that were stopped go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from colayer import Pipeline
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.selection_problem import Selection

Learned = Callable[..., Pipeline[Any, Any, Any]]

#: Problems that are quick to learn, with the sizes of their instances.
PROBLEMS: list[tuple[Any, dict[str, int]]] = [
    (SingleMachine("27"), {"jobs": 15}),
    (SpanningTree(), {"width": 4, "scenarios": 3}),
    (VehicleScheduling("23"), {"tasks": 15, "scenarios": 4}),
    (Selection(), {}),
]


class Even(Selection):
    """A problem in which all solutions cost the same."""

    def cost(self, solution: Any, instance: Any) -> float:
        return 1.0


def workers_do_not_matter(learned: Learned, problem: Any, sizes: dict[str, int]) -> None:
    """One and two of them learn the same, another seed something else."""
    data = [problem.generate(seed, **sizes) for seed in range(10)]
    one, two = (learned(problem, data, workers=workers) for workers in (1, 2))
    assert one.weights_.tobytes() == two.weights_.tobytes()
    assert one.history_ == two.history_
    assert one.history_ != learned(problem, data, seed=1).history_


def stopped_and_resumed(learned: Learned, journal: Path, after: int) -> Pipeline[Any, Any, Any]:
    """The run that was stopped after so many evaluations and goes on: what it learns is what a whole one does."""
    whole = learned()

    def stop(evaluation: Any) -> None:
        if evaluation.number == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learned(journal=journal, callback=stop)
    resumed = learned(journal=journal)
    again = learned(journal=journal)
    assert again.recalled_ == len(whole.history_)
    for pipeline in (resumed, again):
        assert pipeline.weights_.tobytes() == whole.weights_.tobytes()
        assert pipeline.model.portfolio.tobytes() == whole.model.portfolio.tobytes()
        assert pipeline.history_ == whole.history_
    return resumed


def the_start_is_kept(learned: Learned) -> None:
    """Where nothing is gained, the safe weights stay, up to their scale."""
    pipeline = learned(Even(), [Even().generate(seed) for seed in range(6)])
    assert pipeline.model.raw() == pytest.approx(pipeline.model.raw()[0] * Even.safe_weights)
