"""The lesson that suits what is known, and settings that contexts have no use for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.errors import OptionError
from colayer.evaluators.base import Backend
from colayer.layers import TopK
from colayer.learning.context.data import ContextData
from colayer.learning.context.lesson import Lesson, lesson_of
from colayer.learning.learner import TrainingJob, learner_for
from colayer.learning.settings import Settings
from colayer.problem.bind import bind
from support.context_samples import data, problem
from support.errors import rejects

CONTEXTS, COSTS = data(10)


def lesson(own: Any, **known: Any) -> Lesson:
    samples = own.samples(CONTEXTS, COSTS)
    job: TrainingJob[Any, Any, Any] = TrainingJob(bind(own), samples, Settings(), Backend(), **known)
    return lesson_of(learner_for("auto", "solutions" if known else "costs"), job, ContextData.of(bind(own), samples))


def test_how_it_learns_follows_from_what_is_known() -> None:
    own = problem(outcome_cost=lambda y, outcome: 0.0)
    answers = [TopK(2)(row) for row in COSTS]
    assert lesson(problem()).learned == lesson(own, solutions=answers).learned == "by demonstration"
    assert lesson(own).learned == "by experience"


def test_the_cost_of_theta_is_that_of_its_decisions() -> None:
    """Over the least, where the true θ are known; else as the problem says."""
    chosen = np.array([1, 4])
    assert lesson(problem()).cost(COSTS[chosen], chosen) > 0.0
    everything = np.arange(10)
    assert np.isclose(lesson(problem()).cost(COSTS, everything), 1.0)
    counted = problem(outcome_cost=lambda y, outcome: float(y.sum()))
    assert lesson(counted).cost(COSTS[chosen], chosen) == 2.0


def test_other_answers_are_another_lesson() -> None:
    """A journal of other answers is told apart by the hash."""
    answers = [TopK(2)(row) for row in COSTS]
    one, same, other = (lesson(problem(), solutions=known).targets for known in (answers, list(answers), answers[::-1]))
    assert one == same != other


@pytest.mark.parametrize("option", ["sigma", "radius"])
def test_settings_without_a_use_are_refused(option: str) -> None:
    with rejects(OptionError, "does not use", where=f"--{option}"):
        Pipeline(problem()).fit(problem().samples(CONTEXTS, COSTS), **{option: 0.5})
