"""The descent: a minimum is found, the rate follows the spread of θ, and a journal goes on where it ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from colayer.learning.context.data import ContextData
from colayer.learning.context.descent import ContextDescent
from colayer.learning.run import Run, open_run
from colayer.learning.settings import Settings
from colayer.problem.bind import bind
from support.context_samples import data, problem


def descent(factor: float = 1.0, **options: Any) -> tuple[ContextDescent, np.ndarray]:
    """Least squares of costs times a factor."""
    contexts, costs = data(40, degree=1)
    values = factor * costs
    arrays = ContextData.of(bind(problem()), list(contexts))

    def losses(thetas, chosen, number):
        away = thetas - values[chosen]
        return float((away**2).sum()) / len(chosen), 2.0 * away

    given: dict[str, Any] = {"rate": 0.3, "batch": 8, "seed": 0, "spread": factor * float(costs.std())}
    run = Run(100, every=True)
    found = ContextDescent(
        run=run, data=arrays, chosen=np.arange(40), losses=losses, judge=lambda w, whole: (0.0, None),
        **{**given, **options},
    )  # fmt: skip
    return found, values


def test_finds_the_minimum() -> None:
    found, values = descent()
    start = np.zeros(found.data.dimension)
    last = found.minimize(start, 60)
    best = found.data.regression(values, np.arange(40))
    assert last.demonstration < 1.2 * found.losses(found.data.thetas(best, np.arange(40)), np.arange(40), 0)[0]
    assert len(found.run.history) == 61


def test_steps_follow_the_spread_of_the_costs() -> None:
    """Costs in cents are learned as costs in euros are."""
    start = np.zeros(descent()[0].data.dimension)
    euros, cents = (np.array(descent(factor)[0].minimize(start, 5).weights) for factor in (1.0, 100.0))
    assert np.allclose(100.0 * euros, cents, rtol=1e-6)


def test_the_same_seed_gives_the_same_weights_and_another_does_not() -> None:
    start = np.zeros(descent()[0].data.dimension)
    one, same, other = (descent(seed=seed)[0].minimize(start, 3).weights for seed in (0, 0, 1))
    assert one == same
    assert one != other


def test_the_answer_is_the_mean_of_the_second_half() -> None:
    """One step a pass, four in all: the last two."""
    found, _ = descent(batch=40)
    d = found.data.dimension
    last = found.minimize(np.zeros(d), 4)
    steps = [np.array(record.state[:d]) for record in found.run.visited[1:]]
    assert np.allclose(last.weights, (steps[2] + steps[3]) / 2)


def test_a_journal_goes_on_where_it_ended(tmp_path: Path) -> None:
    found, _ = descent()
    path, start = tmp_path / "j", np.zeros(found.data.dimension)

    def minimized() -> tuple[list[float], int]:
        with open_run(Settings(journal=path), 9, len(start), {}, every=True) as run:
            return list(replace(found, run=run).minimize(start, 4).weights), run.recalled

    weights, _ = minimized()
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-2]))
    assert minimized() == (weights, 3)
