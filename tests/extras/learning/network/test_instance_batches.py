"""Epochs over the instances: losses fall, the best state is kept, the clock is heard, damaged states are refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer._runtime.threads import Threads
from colayer.errors import JournalError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.checkpoint import Checkpoint
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.instance_batches import InstanceBatches, Part, _together
from colayer.learning.network.items import item_of
from colayer.learning.network.theta_gradients import by_experience
from colayer.learning.network.trainer import EmaTrainer, RateSchedule
from colayer.learning.run import Evaluation, Run
from colayer.problem.bind import bind
from support.torch_networks import Line


class StoppedError(Exception):
    """Raised by a listener."""


def batches(threads: Threads, epochs: int, *, held_out: bool = False, batch: int = 2) -> tuple[EmaTrainer, Any]:
    """From w = 0, on two lines; validated on a third one, which is the opposite of what they teach."""
    zero, one = np.zeros(2), np.ones(2)

    def part(*instances: Any) -> Part:
        data = LocalEvaluator(bind(Line()), list(instances))
        return Part(
            data, [item_of(bind(Line()), x, f, zero, one, zero) for x, f in zip(instances, data.features, strict=True)]
        )

    training = part(np.full(5, 2.0), np.full(6, 2.2))
    network = ContextNetwork(2, (), 4, (1,), 1.0, 0)

    def model_of(state: Any) -> Any:
        return network.model(
            state, feature_names=Line.feature_names, weights=zero, feature_scale=one, problem="line", center=zero
        )

    gradient = by_experience(training.data, 16, None)
    other = part(np.full(5, -2.0)) if held_out else None
    source = InstanceBatches(training, other, gradient, model_of, batch, epochs, 1, 0, threads, "cpu")
    return EmaTrainer(network, RateSchedule(0.05), "cpu"), source


def trained(
    threads: Threads, epochs: int, path: Path | None = None, stop: int | None = None, seed: int = 0, **options: Any
) -> tuple[EmaTrainer, Run]:
    trainer, source = batches(threads, epochs, **options)

    def listen(done: Evaluation) -> None:
        if done.number == stop and len(run.history) > run.recalled:
            raise StoppedError

    identity = {"seed": seed, "evaluations": epochs}
    run = Run(epochs, listeners=[listen], checkpoint=None if path is None else Checkpoint(path, identity))
    trainer.train(source, run, epochs)
    return trainer, run


def test_the_best_state_is_kept_by_training_loss() -> None:
    with Threads(1) as threads:
        trainer, source = batches(threads, 30)
        run = Run(30)
        trainer.train(source, run, 30)
        made = run.history
        assert [done.number for done in made] == list(range(31))
        assert made[-1].loss < 0.5 * made[0].loss
        assert made[trainer.best].loss == min(done.loss for done in made) == run.loss
        assert source.training.mean_loss(source.model_of(trainer.kept), threads) == run.loss


def test_the_best_state_is_kept_by_validation_loss() -> None:
    """Training goes the wrong way for the instance held out: the start is kept."""
    with Threads(1) as threads:
        trainer, run = trained(threads, 10, held_out=True)
    assert run.history[-1].loss < run.history[0].loss
    assert run.history[-1].validation > run.history[0].validation
    assert trainer.best == 0
    assert run.validation_loss == run.history[0].validation


def test_what_is_worse_than_the_start_on_training_data_is_not_kept() -> None:
    """However good it is on the instance held out: here the gradient points the wrong way."""
    with Threads(1) as threads:
        trainer, source = batches(threads, 10, held_out=True)
        run = Run(10)
        trainer.train(replace(source, gradient=lambda *given: -source.gradient(*given)), run, 10)
    assert run.history[-1].loss > run.history[0].loss
    assert run.history[-1].validation < run.history[0].validation
    assert trainer.best == 0


def test_the_state_does_not_depend_on_the_threads() -> None:
    found = []
    for workers in (1, 2):
        with Threads(workers) as threads:
            found.append(trained(threads, 5, batch=1)[1].history)
    assert found[0] == found[1]


def test_large_instances_go_through_one_by_one() -> None:
    assert _together([4, 7, 9], [10, 20, 30]) == [[4, 7, 9]]
    assert _together([4, 7, 9], [60_000, 40_000, 1]) == [[4, 7], [9]]
    assert _together([4, 7], [500_000, 500_000]) == [[4], [7]]


def test_no_epoch_begins_after_the_deadline() -> None:
    """The start is always evaluated, so that something is known."""
    with Threads(1) as threads:
        trainer, source = batches(threads, 5)
        run = Run(5)
        trainer.train(source, run, 5, deadline=0.0)
    assert [done.number for done in run.history] == [0]
    assert run.answer is not None
    assert math.isfinite(run.loss)


def test_a_run_that_was_stopped_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """StoppedError after any epoch: the losses and the model of a run that never was; a finished one makes no more."""
    path = tmp_path / "state.npz"
    with Threads(1) as threads:
        whole, expected = trained(threads, 6, held_out=True)
        for stop in (1, 4):
            with pytest.raises(StoppedError):
                trained(threads, 6, path, stop, held_out=True)
        again, run = trained(threads, 6, path, held_out=True)
        assert run.history == expected.history
        assert run.recalled == 5
        before = path.read_bytes()
        last, finished = trained(threads, 6, path, held_out=True)
        assert finished.history == expected.history
        assert (finished.recalled, path.read_bytes()) == (7, before)
    for one in (again, last):
        assert one.best == whole.best
        for name, array in whole.kept.items():
            assert np.array_equal(one.kept[name], array)
            assert np.array_equal(one.averaged()[name], whole.averaged()[name])


def test_another_run_is_refused_and_another_budget_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    with Threads(1) as threads:
        trained(threads, 2, path)
        with pytest.raises(JournalError, match=r"state.npz: belongs to another run: seed differs"):
            trained(threads, 2, path, seed=1)
        _, longer = trained(threads, 3, path)
    assert [done.number for done in longer.history] == [0, 1, 2, 3]
    assert longer.recalled == 0
