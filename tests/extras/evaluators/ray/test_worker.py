"""What runs on a node, in this process: blocks held, asked and dropped; answers, times and exceptions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from ray import cloudpickle

import colayer
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.ray import worker as worker_module
from colayer.evaluators.ray.worker import Answer, Worker, versions
from colayer.evaluators.statistics import row_squares
from support.ray_problems import Faulty, Lowest, ThirteenError, compiled

BLOCKS = {0: [0, 1, 2], 3: [7]}


def holding(problem: Any, blocks: dict[int, list[Any]], threads: int = 2) -> Worker:
    worker = Worker(threads)
    worker.hold(1, cloudpickle.dumps(problem), {block: cloudpickle.dumps(data) for block, data in blocks.items()})
    return worker


@pytest.mark.parametrize("threads", [1, 2])
def test_losses_of_the_blocks_in_the_order_they_are_asked_for(threads: int) -> None:
    weights = np.random.default_rng(0).normal(size=(6, 3))
    weights.flags.writeable = False  # as Ray hands it over
    worker = holding(Lowest(), BLOCKS, threads)
    for order in ([0, 3], [3, 0], [3]):
        answer = worker.ask(1, order, "losses", weights)
        assert isinstance(answer, Answer)
        instances = [x for block in order for x in BLOCKS[block]]
        assert np.array_equal(answer.losses, LocalEvaluator(Lowest(), instances).losses(weights))
        assert answer.seconds.shape == (len(order),)
        assert (answer.seconds > 0).all()


def test_slow_blocks_are_cut_into_pieces_of_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its time is known, a block is asked for a few weight vectors at a time, by all threads: the same bits."""
    problem, data = compiled()
    worker, weights = holding(problem, {0: data}), np.random.default_rng(1).normal(size=(11, 66))
    first = worker.ask(1, [0], "losses", weights).losses
    asked: list[int] = []
    held = worker._held[1, 0]

    class Counted:
        def losses(self, rows: Any) -> Any:
            asked.append(len(rows))
            return held.losses(rows)

    monkeypatch.setitem(worker._held, (1, 0), Counted())
    monkeypatch.setattr(worker_module, "_PIECE", 0.0)
    assert np.array_equal(worker.ask(1, [0], "losses", weights).losses, first)
    assert sorted(asked) == [3, 4, 4]  # four at least, so that features are read for more than one


def test_features_stay_here_and_functions_look_at_them() -> None:
    centre = np.array([0.5, 0.0, -0.5])
    work = partial(row_squares, center=centre)
    found = holding(Lowest(), BLOCKS).ask(1, [3, 0], "map_features", work)
    expected = LocalEvaluator(Lowest(), [7, 0, 1, 2]).map_features(work)
    assert np.array_equal(found, expected)


class Bare:
    """An evaluator that does not show its features."""

    def __init__(self, problem: Any, instances: Sequence[Any]) -> None:
        self._local = LocalEvaluator(problem, instances)

    def losses(self, weights: Any) -> Any:
        return self._local.losses(weights)

    def close(self) -> None:
        """Nothing to give back."""


class WithBare(Lowest):
    def evaluator(self, instances: Sequence[Any]) -> Bare:
        return Bare(self, instances)


def test_features_that_an_evaluator_does_not_show_are_computed_anew() -> None:
    worker = holding(WithBare(), BLOCKS)
    weights = np.ones((2, 3))
    assert np.array_equal(
        worker.ask(1, [0, 3], "losses", weights).losses, LocalEvaluator(Lowest(), [0, 1, 2, 7]).losses(weights)
    )
    assert worker.ask(1, [0, 3], "map_features", np.shape) == [(3, 20), (3, 21), (3, 22), (3, 27)]


def test_what_is_dropped_is_closed_and_forgotten() -> None:
    """The block can be held again, then with other instances; other owners keep theirs."""
    closed: list[str] = []

    class Closing(Lowest):
        def evaluator(self, instances: Sequence[Any]) -> Any:
            local = LocalEvaluator(Lowest(), instances)
            local.close = lambda: closed.append("closed")  # type: ignore[method-assign]
            return local

    worker = Worker(1)
    worker.hold(1, b"", {0: cloudpickle.dumps([1])})
    worker.hold(2, b"", {0: cloudpickle.dumps([2])})
    worker._problems = {1: Closing(), 2: Closing()}
    weights = np.ones((1, 3))
    before = worker.ask(2, [0], "losses", weights).losses
    worker.ask(1, [0], "losses", weights)
    worker.drop(1, [0, 5])  # 5 was never here
    assert closed == ["closed"]
    worker.hold(1, b"", {0: cloudpickle.dumps([4])})
    expected = LocalEvaluator(Lowest(), [4]).losses(weights)
    assert np.array_equal(worker.ask(1, [0], "losses", weights).losses, expected)
    assert np.array_equal(worker.ask(2, [0], "losses", weights).losses, before)


def test_exceptions_travel_back_as_answers() -> None:
    """As they are where they can be pickled, else in words."""
    answer = holding(Faulty(), {0: [1, 13]}).ask(1, [0], "losses", np.ones((1, 3)))
    error = cloudpickle.loads(answer)
    assert type(error).__name__ == ThirteenError.__name__
    assert str(error) == "thirteen"

    class Stubborn(Exception):  # noqa: N818 - the name is in the message
        def __reduce__(self) -> Any:
            raise TypeError("no pickles")

    class Broken(Lowest):
        def features(self, instance: Any) -> Any:
            raise Stubborn("the reason")

    worker = Worker(1)
    worker.hold(1, b"", {0: cloudpickle.dumps([1])})
    worker._problems[1] = Broken()
    said = cloudpickle.loads(worker.ask(1, [0], "losses", np.ones((1, 3))))
    assert isinstance(said, colayer.ColayerError)
    assert str(said) == "on a node of the cluster: Stubborn: the reason"


def test_a_worker_says_where_it_is_and_what_it_runs() -> None:
    about = Worker(1).about()
    assert about["pid"] == os.getpid()
    assert about["versions"] == versions()
    assert versions()["colayer"] == colayer.__version__
    assert versions()["numpy"] == np.__version__
