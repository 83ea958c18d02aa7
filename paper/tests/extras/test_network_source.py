"""The endless training set: the newest replaces the oldest; training by the clock goes on from its checkpoint."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from colayer.learning.checkpoint import Checkpoint
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.items import Item
from colayer.learning.network.trainer import EmaTrainer, RateSchedule
from colayer.learning.run import Run
from colayer.problems import SingleMachine
from colayer_paper.network_jobs import JobBatches, Smoothing, Stack
from colayer_paper.network_source import EndlessBatches, Source
from support.packed import item


def make(number: int) -> Item[int]:
    """An item that knows its number."""
    return Item(number, np.zeros((1, 1), np.float32), (), np.zeros(1), None, 1.0)


@pytest.mark.parametrize("processes", [False, True])
def test_items_come_and_go(processes: bool) -> None:
    with Source(make, 1, capacity=6, processes=processes) as source:
        source.refresh(6)
        seen = {item.instance for item in source.items}
        assert seen <= set(range(20))
        assert len(seen) == 6
        deadline = time.monotonic() + 60.0
        while source.made < 30 and time.monotonic() < deadline:
            source.refresh()
        assert len(source.items) == 6
        assert min(item.instance for item in source.items) > 5
        drawn = source.batch(50, np.random.default_rng(0))
        assert {item.instance for item in drawn} <= {item.instance for item in source.items}


def test_what_a_maker_raises_is_raised() -> None:
    def broken(number: int) -> Item[int]:
        raise ValueError(f"no item {number}")

    with Source(broken, 1, capacity=2, processes=False) as source, pytest.raises(ValueError, match="no item"):
        source.refresh(1)


def stacks(number: int) -> Stack:
    problem = SingleMachine("27")
    return Stack.of([item(problem, problem.generate(5 * number + k, jobs=12, rho=1.0)) for k in range(5)])


def trained(milliseconds: int, path: Path) -> tuple[EmaTrainer, Run]:
    with Source(stacks, 1, 8, processes=False) as source:
        source.refresh(8)
        network = ContextNetwork(source.items[0].inputs.shape[2], ("order",), 6, (1, 2), 0.3, 0)
        trainer = EmaTrainer(network, RateSchedule(3e-3), "cpu", keep="last")
        run = Run(milliseconds, checkpoint=Checkpoint(path, {"name": "jobs"}))
        batches = JobBatches(source, Smoothing(window=6), "cpu").batch
        trainer.train(EndlessBatches(source, batches, run, every=0.1), run, milliseconds)
        return trainer, run


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr("colayer_paper.network_source.clock", lambda: 0.03 * next(ticks))  # however busy the machine is
    path = tmp_path / "state.npz"
    first, run = trained(400, path)
    assert first.steps > 0
    assert [done.cost > 0 for done in run.history] == [False] + [True] * (len(run.history) - 1)
    assert len(run.history) > 2
    assert run.loss == run.history[-1].loss  # the last is kept, not the best
    assert 400 <= run.spent == run.history[-1].number
    same, recalled = trained(400, path)  # nothing is left of its time
    assert (same.steps, recalled.recalled, recalled.history) == (first.steps, len(run.history), run.history)
    for name, array in first.averaged().items():
        assert np.array_equal(array, same.averaged()[name])
        assert np.array_equal(array, same.kept[name])
    again, longer = trained(2 * run.spent, path)
    assert again.steps > first.steps
    assert longer.history[: len(run.history)] == run.history
