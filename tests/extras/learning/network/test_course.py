"""Training: costs fall, a killed run goes on, and what is kept is an average."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.course import Course, Pace
from colayer.learning.network.source import Item, Source
from colayer.learning.network.towards import Draws, Sorted
from colayer.problems import SingleMachine
from colayer.problems.single_machine.instance import Instance
from support.packed import item


def make(number: int) -> list[Item[Instance]]:
    problem = SingleMachine("27")
    return [item(problem, problem.generate(number, jobs=12, rho=1.0))]


def course(seconds: float, path: Path | None = None) -> tuple[Course, Source[Instance]]:
    source = Source(partial(make), 1, 40, processes=False)
    source.refresh(40)
    inputs = len(source.items[0].inputs)
    network = ContextNetwork(inputs, ("order",), 6, (1, 2), 0.3, 0)
    gradient = Sorted(Draws(16, sigma=0.7, absolute=True), window=6)
    return Course(network, source, gradient, Pace(3e-3, 8), "cpu", seconds, checkpoint=path, every=0.1), source


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


def test_the_average_is_not_the_last_state() -> None:
    made, source = course(0.4)
    made.run()
    source.close()
    own, mean = made.network.state(), made.averaged()
    assert any(not np.array_equal(own[name], mean[name]) for name in own)
    assert all(np.array_equal(own[name], made.network.state()[name]) for name in own)
