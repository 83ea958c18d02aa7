"""The loss along a line: moving averages against sums, exact lines against evaluations, grids, bad answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError, OptionError
from colayer.evaluators.along import Along, Follows, LossAlong, Steps, loss_along, mean_steps, middles, on_grid
from colayer.evaluators.base import evaluator_for
from colayer.evaluators.local import LocalEvaluator
from colayer.problems import SingleMachine, SpanningTree
from support.pick_problem import Pick

#: 3 below −1, 1 from −1 to 0.5, 2 above.
STEPS = LossAlong(-2.0, 2.0, np.array([-1.0, 0.5]), np.array([3.0, 1.0, 2.0]), exact=True)


def random_line(seed: int) -> LossAlong:
    rng = np.random.default_rng(seed)
    return LossAlong(-1.0, 2.0, np.sort(rng.uniform(-1, 2, 30)), rng.normal(10, 1, 31), exact=True)


def test_values_by_hand() -> None:
    assert STEPS.at(np.array([-2.0, -1.5, -0.5, 0.4, 0.6, 2.0])).tolist() == [3.0, 3.0, 1.0, 1.0, 2.0, 2.0]
    assert STEPS.average(np.array([-1.0, -0.5, 0.5]), 1.0).tolist() == [2.0, 1.0, 1.5]


def test_the_least_average_is_nearest_to_zero() -> None:
    """The average over 1 is 1 from −0.5 to 0; over 2 it is least where 1.5 of 2 are in the valley, towards the 2."""
    assert STEPS.best(1.0) == 0.0
    assert STEPS.best(2.0) == pytest.approx(0.0)
    assert LossAlong(-1.0, 1.0, np.empty(0), np.array([7.0]), exact=True).best(0.1) == 0.0
    assert STEPS.best(1.0, among=np.array([-0.75, 0.25, 1.0])) == 0.25


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("width", [0.01, 0.3, 1.7])
def test_the_moving_average_is_exact(seed: int, width: float) -> None:
    """Against a fine sum, at its corners and between them, where it is linear; its least value is at a corner."""
    line = random_line(seed)
    corners, values = line.smoothed(width)
    assert corners[0] == pytest.approx(line.low + width / 2)
    assert corners[-1] == pytest.approx(line.high - width / 2)
    at = np.random.default_rng(seed).uniform(corners[0], corners[-1], 200)
    fine = np.array([line.at(np.linspace(t - width / 2, t + width / 2, 20001)).mean() for t in at])
    assert line.average(at, width) == pytest.approx(fine, abs=2e-3)
    assert line.average(at, width) == pytest.approx(np.interp(at, corners, values))
    best = line.best(width)
    assert line.average(np.array([best]), width)[0] <= line.average(at, width).min() + 1e-9


@pytest.mark.parametrize("width", [0.0, -1.0, 4.0, float("nan")])
def test_a_width_beyond_the_line_is_refused(width: float) -> None:
    with pytest.raises(OptionError, match=r"width=.* is out of range"):
        STEPS.smoothed(width)


def test_the_mean_of_step_functions() -> None:
    first = Steps(np.array([0.0, 0.5]), np.array([1.0, 3.0, 2.0]))
    second = Steps(np.array([0.25]), np.array([4.0, 8.0]))
    found = mean_steps([first, second], -1.0, 1.0)
    assert found.t.tolist() == [0.0, 0.25, 0.5]
    assert found.losses.tolist() == [2.5, 3.5, 5.5, 5.0]
    assert found.exact


def test_a_grid_has_its_losses_in_the_middle_of_cells() -> None:
    at = middles(-1.0, 1.0, 4)
    assert at.tolist() == [-0.75, -0.25, 0.25, 0.75]
    line = on_grid(np.array([4.0, 3.0, 1.0, 2.0]), -1.0, 1.0)
    assert line.at(at).tolist() == [4.0, 3.0, 1.0, 2.0]
    assert not line.exact


@pytest.mark.parametrize(
    ("problem", "sizes"), [(SingleMachine("27"), {"jobs": 12}), (SpanningTree(), {"width": 4, "scenarios": 3})]
)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_exact_line_is_what_evaluations_between_its_steps_say(
    problem: Any, sizes: dict[str, int], workers: int
) -> None:
    assert isinstance(problem, Follows)
    data = [problem.generate(seed, **sizes) for seed in range(4)]
    evaluator = evaluator_for(problem, data, workers)
    weights, direction = problem.safe_weights, np.random.default_rng(5).normal(size=len(problem.feature_names))
    line = loss_along(evaluator, problem, data, Along(weights, direction, -0.5, 1.0), points=3)
    assert line.exact
    assert len(line.t) > 5
    at = ((line.edges[1:] + line.edges[:-1]) / 2)[np.diff(line.edges) > 1e-9]
    expected = evaluator.losses(weights + at[:, None] * direction).mean(axis=1)
    assert line.at(at) == pytest.approx(expected, rel=1e-12)
    evaluator.close()


@pytest.mark.parametrize("problem", [SingleMachine("27", decoder="ls"), Pick()])
def test_without_an_exact_line_there_is_a_grid(problem: Any) -> None:
    own = hasattr(problem, "generate")
    data = [problem.generate(s, jobs=8) if own else np.random.default_rng(s).normal(size=(6, 2)) for s in range(3)]
    evaluator = LocalEvaluator(problem, data)
    weights, direction = np.random.default_rng(1).normal(size=(2, len(problem.feature_names)))
    line = loss_along(evaluator, problem, data, Along(weights, direction, -1.0, 1.0), points=5)
    assert not line.exact
    at = middles(-1.0, 1.0, 5)
    assert line.losses == pytest.approx(evaluator.losses(weights + at[:, None] * direction).mean(axis=1))
    assert line.at(at).tolist() == line.losses.tolist()


class Followed(Pick):
    """What `along` of a user's problem may return."""

    answer: Any = None

    def along(self, theta: Any, slope: Any, instance: Any, low: float, high: float) -> Any:
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [
        3,
        ([], []),
        ([0.5, 0.1], [1.0, 2.0, 3.0]),
        ([7.0], [1.0, 2.0]),
        ([0.1], [1.0, float("nan")]),
        ([float("nan")], [1.0, 2.0]),
        (["a"], [1.0, 2.0]),
        ([[0.1]], [1.0, 2.0]),
    ],
)
def test_an_answer_of_the_wrong_kind_is_refused(answer: Any) -> None:
    problem = Followed()
    problem.answer = answer
    data = [np.random.default_rng(0).normal(size=(6, 2))]
    with pytest.raises(InputError, match=r"^along of pick returned .*, expected \(t, costs\), or None"):
        loss_along(LocalEvaluator(problem, data), problem, data, Along(np.ones(2), np.ones(2), -1.0, 1.0), points=3)


def test_an_answer_of_the_right_kind_is_taken() -> None:
    problem = Followed()
    problem.answer = ([0.25], [12.0, 6.0])
    data = [np.random.default_rng(0).normal(size=(6, 2))] * 2
    line = loss_along(LocalEvaluator(problem, data), problem, data, Along(np.ones(2), np.ones(2), -1.0, 1.0), points=3)
    assert (line.t.tolist(), line.losses.tolist()) == ([0.25, 0.25], [2.0, 1.5, 1.0])
    assert line.at(0.3) == 1.0
