"""A network that learns: batches of any sizes, an average that is not the last state, and a state to go on from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from colayer._runtime.threads import Threads
from colayer.errors import InputError
from colayer.io.npz import npz_bytes, parse_npz
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.trainer import EmaTrainer, RateSchedule, batch_of
from colayer.models.stage import kinds_of
from colayer.problems import SingleMachine
from support.packed import item


def items() -> list[Any]:
    problem = SingleMachine("27")
    return [item(problem, problem.generate(k, jobs=n)) for k, n in enumerate((7, 1, 12))]


def learning() -> EmaTrainer:
    one = items()[0]
    return EmaTrainer(
        ContextNetwork(len(one.inputs), kinds_of(one.structure), 4, (1, 2), 0.3, 0), RateSchedule(3e-3), "cpu"
    )


def towards_release(k: int, theta: np.ndarray, share: float) -> tuple[np.ndarray, float]:
    """A gradient that depends on the row: the release date of each job."""
    release = items()[k].instance.release
    return theta - release / 50.0, float(k)


def steps(made: EmaTrainer, count: int, workers: int = 1) -> None:
    with Threads(workers) as threads:
        for number in range(count):
            made.step([batch_of(items(), towards_release, threads, "cpu")], 0.3 + 0.05 * number)


def test_gradients_belong_to_the_rows_of_the_instance() -> None:
    """Rows are packed in the order they stand in; the gradient is asked for, and given, in that of the features."""
    with Threads(2) as threads:
        batch = batch_of(items(), towards_release, threads, "cpu")
        slope, behind = batch.gradient(batch.start, 0.5)
    assert float(behind) == 1.0
    first = 0
    for one in items():
        (order,) = one.structure
        expected = (order.positions[:, 0] - one.instance.release / 50.0)[order.permutation] / 3.0
        assert np.allclose(slope[first : first + len(expected)].numpy(), expected, atol=1e-5)
        first += len(expected)
    assert first == len(slope)


def test_the_average_is_not_the_last_state() -> None:
    made = learning()
    steps(made, 3)
    own, mean = made.network.state(), made.averaged()
    assert any(not np.array_equal(own[name], mean[name]) for name in own)
    assert all(np.array_equal(own[name], made.network.state()[name]) for name in own)


def test_it_goes_on_from_its_document_bit_for_bit(tmp_path: Any) -> None:
    whole, first, again = learning(), learning(), learning()
    steps(whole, 5)
    steps(first, 2, workers=2)
    again.restore_state(parse_npz(npz_bytes(first.state(), tmp_path), tmp_path))
    with Threads(1) as threads:
        for number in range(2, 5):
            again.step([batch_of(items(), towards_release, threads, "cpu")], 0.3 + 0.05 * number)
    assert again.steps == whole.steps
    assert all(torch.equal(a, b) for a, b in zip(again.average, whole.average, strict=True))
    assert all(np.array_equal(again.network.state()[name], value) for name, value in whole.network.state().items())


def test_batches_of_one_step_add_up() -> None:
    """Three instances at once, or one by one: the same gradients, up to rounding."""
    whole, parts = learning(), learning()
    with Threads(1) as threads:
        whole.step([batch_of(items(), towards_release, threads, "cpu")], 0.5)

        def alone(k: int) -> Any:
            return batch_of(items()[k : k + 1], lambda _, *given: towards_release(k, *given), threads, "cpu", count=3)

        parts.step((alone(k) for k in range(3)), 0.5)
    for one, other in zip(whole.network.parameters(), parts.network.parameters(), strict=True):
        assert torch.allclose(one.grad, other.grad, rtol=1e-4, atol=1e-6)


def test_a_network_that_diverges_is_refused() -> None:
    with Threads(1) as threads:
        batch = batch_of(items(), towards_release, threads, "cpu")
        with pytest.raises(InputError, match="not finite, expected a smaller rate"):
            batch.gradient(batch.start * float("nan"), 0.5)


def test_the_rate_rises_then_falls() -> None:
    schedule = RateSchedule(1.0, warm=0.1)
    assert [schedule.at(share) for share in (0.0, 1.0)] == [0.0, 0.0]
    assert schedule.at(0.05) < schedule.at(0.1) > schedule.at(0.5) == pytest.approx(0.5)
