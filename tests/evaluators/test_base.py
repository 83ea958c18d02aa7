"""Backends and their evaluators: one number for each (weights, instance), whatever the batch and the workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer._runtime.threads import allowed, cores
from colayer.errors import InputError, OptionError
from colayer.evaluators.base import Backend, compiled_evaluator, evaluator_for, rows_at_once
from colayer.evaluators.gpu import say_why
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.pool import PoolEvaluator
from colayer.evaluators.statistics import moments
from colayer.learning.portfolio.sigma import DRAWS, SHARES
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.pick_problem import Pick

DECODERS = SingleMachine.decoders


def instances(problem: SingleMachine) -> list[Any]:
    """Sizes and loads of every kind, whole numbers and others, one job."""
    cells = [(30, 0.2), (75, 1.0), (130, 3.0), (1, 1.0)]
    drawn = [problem.generate(seed=s, jobs=n, rho=rho) for s, (n, rho) in enumerate(cells)]
    rng = np.random.default_rng(5)
    drawn.append(problem.read({"release": rng.random(40) * 20, "processing": rng.random(40) + 0.1}))
    return drawn


#: Rows that choosing σ takes at the end.
CHOSEN = 1 + len(SHARES) * DRAWS


def picks(count: int = 4) -> list[Any]:
    return [np.random.default_rng(seed).normal(size=(6 + seed, 2)) for seed in range(count)]


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("features", ["27", "66"])
def test_fused_equals_generic_bit_for_bit(decoder: str, features: str) -> None:
    problem = SingleMachine(features=features, decoder=decoder)
    data = instances(problem)
    weights = np.random.default_rng(0).normal(size=(20, len(problem.feature_names)))
    expected = LocalEvaluator(bind(problem), data)
    losses = expected.losses(weights)
    scale = moments(bind(problem), data, expected).scale
    for workers in (1, 2, 4):
        fused = evaluator_for(bind(problem), data, workers)
        assert np.array_equal(fused.losses(weights), losses)
        assert np.array_equal(fused.losses(weights[3:4]), losses[3:4])
        assert np.array_equal(moments(bind(problem), data, fused).scale, scale)
        fused.close()


def test_losses_of_an_instance_do_not_depend_on_the_others() -> None:
    problem = SingleMachine(decoder="ls")
    data = instances(problem)
    weights = np.random.default_rng(1).normal(size=(3, 66))
    together = evaluator_for(bind(problem), data, workers=2).losses(weights)
    for x, instance in enumerate(data):
        assert np.array_equal(evaluator_for(bind(problem), [instance], workers=1).losses(weights)[:, 0], together[:, x])


class Own(Pick):
    """A problem with an evaluator of its own, which says how it was made."""

    def __init__(self, gives: bool = True) -> None:
        self.gives = gives
        self.asked: list[int | None] = []

    def evaluator(self, instances: Sequence[Any], workers: int | None = None) -> Any:
        self.asked.append(workers)
        return LocalEvaluator(bind(self), instances) if self.gives else None


class Plain(Pick):
    """The protocol's `evaluator(instances)`, without workers."""

    def evaluator(self, instances: Sequence[Any]) -> Any:
        return LocalEvaluator(bind(self), instances)


def test_the_compiled_evaluator_comes_first_and_is_told_the_workers() -> None:
    own = Own()
    assert isinstance(evaluator_for(bind(own), picks(), 3), LocalEvaluator)
    assert own.asked == [3]
    assert isinstance(evaluator_for(bind(Plain()), picks(), 3), LocalEvaluator)
    assert compiled_evaluator(bind(Pick()), picks(), 3) is None


@pytest.mark.parametrize("problem", [Pick(), Own(gives=False)], ids=["five methods", "gives none"])
def test_without_a_compiled_one_workers_are_processes(problem: Any) -> None:
    """One worker, one instance, or no word about workers: the plain loop."""
    assert isinstance(evaluator_for(bind(problem), picks()), LocalEvaluator)
    assert isinstance(evaluator_for(bind(problem), picks(), 1), LocalEvaluator)
    assert isinstance(evaluator_for(bind(problem), picks(1), 2), LocalEvaluator)
    pool = evaluator_for(bind(problem), picks(), 2)
    try:
        assert isinstance(pool, PoolEvaluator)
    finally:
        pool.close()


def test_evaluators_are_closed_with_the_block() -> None:
    """All of them, also where the block ends by an exception."""
    closed = []

    class Closing(Pick):
        def evaluator(self, instances: Sequence[Any]) -> Any:
            made = LocalEvaluator(bind(self), instances)
            made.close = lambda: closed.append(len(instances))  # type: ignore[method-assign]
            return made

    with Backend().evaluators(bind(Closing())) as evaluator_of:
        first, second = evaluator_of(picks(3)), evaluator_of(picks(1))
        assert (first.losses(np.ones((2, 2))).shape, second.losses(np.ones((2, 2))).shape) == ((2, 3), (2, 1))
        assert closed == []
    assert sorted(closed) == [1, 3]
    with pytest.raises(InputError, match="weights of shape"), Backend().evaluators(bind(Closing())) as evaluator_of:
        evaluator_of(picks(2)).losses(np.ones((1, 3)))
    assert sorted(closed) == [1, 2, 3]


@pytest.mark.parametrize(("said", "rows"), [(None, 1), (7, 7), (0, 1), (-3, 1)])
def test_rows_at_once_are_at_least_one(said: int | None, rows: int) -> None:
    """1 where the evaluator does not say."""
    evaluator = LocalEvaluator(bind(Pick()), picks())
    if said is not None:
        evaluator.rows_at_once = said  # type: ignore[attr-defined]
    assert rows_at_once(evaluator) == rows


@pytest.mark.parametrize("rows", [1, 10, 24])
def test_perturbed_learning_hands_over_batches_of_rows_at_once(rows: int) -> None:
    """An evaluator that likes many rows is given as many; weights and losses have the bits of one call per vector."""
    seen: list[int] = []

    class Liking(Pick):
        def evaluator(self, instances: Sequence[Any]) -> Any:
            made = LocalEvaluator(bind(self), instances)
            plain = made.losses
            made.losses = lambda weights: (seen.append(len(weights)), plain(weights))[1]  # type: ignore[method-assign]
            made.rows_at_once = rows  # type: ignore[attr-defined]
            return made

    options: dict[str, Any] = {
        "method": "cma-es",
        "evaluations": 25,
        "sigma": 0.5,
        "samples": 5,
        "validation": 0.0,
        "portfolio": 1,
    }
    batched = Pipeline(Liking()).fit(picks(), **options)
    single = Pipeline(Pick()).fit(picks(), **options)
    assert batched.weights_.tobytes() == single.weights_.tobytes()
    assert batched.history_ == single.history_
    assert sum(seen) == 25 * 5 + CHOSEN
    assert max(seen[:-1]) == 5 * max(1, rows // 5)  # the draws of as many weight vectors as fit


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers=0 is out of range, expected at least 1"),
        ({"workers": -2}, "workers=-2 is out of range, expected at least 1"),
        ({"workers": 1.5}, "workers=1.5 is not a whole number"),
        ({"workers": "two"}, "workers='two' is not a whole number"),
        ({"workers": True}, "workers=True is not a whole number"),
        ({"device": "tpu"}, "device: no device 'tpu', expected one of cpu, cuda, auto"),
        ({"device": None}, "device: no device None, expected one of cpu, cuda, auto"),
        ({"cluster": "nowhere"}, "cluster='nowhere' is no address, expected auto, HOST:PORT or ray://HOST:PORT"),
        ({"cluster": "http://host:1"}, "cluster='http://host:1' is no address, "),
        ({"cluster": ""}, "cluster='' is no address, "),
        ({"cluster": 6379}, "cluster=6379 is no address, "),
        ({"cluster": "host:6379", "device": "cuda"}, "device: a cluster evaluates on processors, expected cpu"),
    ],
)
def test_bad_backends_are_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Backend(**options)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_workers_must_be_positive() -> None:
    with pytest.raises(OptionError, match="workers=0 is out of range"):
        evaluator_for(bind(SingleMachine()), [SingleMachine().generate(seed=0)], workers=0)


@pytest.mark.parametrize("workers", [None, 1, 3, np.int64(2)])
def test_good_backends_are_taken(workers: Any) -> None:
    assert Backend(workers, "auto", None).workers == workers
    assert Backend(workers, "cpu", "10.0.0.1:6379").cluster == "10.0.0.1:6379"


def test_a_gpu_is_refused_in_one_line() -> None:
    """By the backend, and by `fit`, before anything is learned."""
    message = r"^device: pick has no evaluator for a GPU, expected cpu$"
    with pytest.raises(OptionError, match=message), Backend(device="cuda").evaluators(bind(Pick())) as evaluator_of:
        evaluator_of(picks())
    with pytest.raises(OptionError, match=message):
        Pipeline(Pick()).fit(picks(), evaluations=2, device="cuda")
    with pytest.raises(OptionError, match=r"^device: no device 'gpu', expected one of cpu, cuda, auto$"):
        Pipeline(Pick()).fit(picks(), evaluations=2, device="gpu")


def test_auto_is_the_processor_where_there_is_no_gpu() -> None:
    """And says why."""
    say_why.cache_clear()
    on_processor = Pipeline(Pick()).fit(picks(), evaluations=9, device="cpu").weights_
    with pytest.warns(UserWarning, match="^losses are computed on the processor: pick has no evaluator for a GPU"):
        chosen = Pipeline(Pick()).fit(picks(), evaluations=9, device="auto").weights_
    assert on_processor.tobytes() == chosen.tobytes()


class Counting(Pick):
    """Costs 1 where the layer may use one thread, 2 where it may use more."""

    def cost(self, solution: Any, instance: Any) -> float:
        return float(min(2, allowed()))

    def scale(self, instance: Any) -> float:
        return 1.0


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_bound_the_threads_of_the_layer(workers: int) -> None:
    """In the plain loop and in each of several processes: kernels that share their work do not multiply."""
    with Backend(workers).evaluators(bind(Counting())) as evaluator_of:
        assert (evaluator_of(picks()).losses(np.ones((1, 2))) == 1.0).all()
    assert allowed() == cores()
    assert Pipeline(Counting()).fit(picks(), evaluations=3, workers=workers).loss_ == 1.0
    assert allowed() == cores()
