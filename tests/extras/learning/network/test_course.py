"""Training by the clock: a run that was stopped goes on from its checkpoint."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from colayer.learning.network.averaged import Pace
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.course import Course
from colayer.learning.network.insertions import Smoothing
from colayer.learning.network.resident import Resident, Stack
from colayer.learning.network.source import Source
from colayer.problems import SingleMachine
from support.packed import item


def make(number: int) -> list[Stack]:
    problem = SingleMachine("27")
    return [Stack.of([item(problem, problem.generate(5 * number + k, jobs=12, rho=1.0)) for k in range(5)])]


def course(seconds: float, path: Path | None = None) -> tuple[Course, Source[Stack]]:
    source = Source(make, 1, 8, processes=False)
    source.refresh(8)
    network = ContextNetwork(source.items[0].inputs.shape[2], ("order",), 6, (1, 2), 0.3, 0)
    feed = Resident(source, Smoothing(window=6), "cpu")
    return Course(network, feed, Pace(3e-3), "cpu", seconds, checkpoint=path, every=0.1), source


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    first, source = course(0.3, path)
    first.run()
    source.close()
    assert first.step > 0
    assert first.history[-1]["step"] == first.step
    again, source = course(0.6, path)
    assert again.step == first.step
    assert again.spent == first.spent
    before, after = first.network.state(), again.network.state()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert all(np.array_equal(first.averaged()[name], again.averaged()[name]) for name in before)
    again.run()
    source.close()
    assert again.step > first.step
    third, source = course(0.5, path)  # nothing is left of its time
    third.run()
    source.close()
    assert third.step == again.step
