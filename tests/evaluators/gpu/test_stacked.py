"""Chunks of weight vectors and spans of instances: no number depends on them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from colayer.evaluators.base import rows_at_once
from colayer.evaluators.gpu import on_device
from colayer.evaluators.gpu.stacked import Span, _spans, largest, sorting
from colayer.evaluators.statistics import moments
from colayer.evaluators.visit import LoadedInstance
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.gpu.reference import Reference

SIZES = [5, 40, 12, 41, 40, 3]


def machines(problem: SingleMachine) -> list[Any]:
    return [problem.generate(seed=s, jobs=n) for s, n in enumerate(SIZES)]


def number(held: LoadedInstance[Any, Any, Any]) -> int:
    return held.number


def test_as_many_vectors_at_once_as_fit_the_memory() -> None:
    """10 bytes per job and vector, 8 per loss, of half the free memory."""
    problem = SingleMachine(features="27")
    data = machines(problem)
    weights = np.random.default_rng(0).normal(size=(7, 27))
    expected = problem.evaluator(data, workers=1).losses(weights)
    for memory, rows in ((1, 1), (2 * 3 * (10 * sum(SIZES) + 8 * len(SIZES)), 3), (1 << 22, None)):
        device = Reference()
        device.memory = memory
        gpu = on_device(bind(problem), data, device)
        assert rows is None or rows_at_once(gpu) == rows
        assert np.array_equal(gpu.losses(weights), expected)


def test_features_and_visits_are_those_of_this_machine() -> None:
    problem = SingleMachine(features="27")
    data = machines(problem)
    own, gpu = problem.evaluator(data), on_device(bind(problem), data, Reference())
    assert np.array_equal(moments(bind(problem), data, own).scale, moments(bind(problem), data, gpu).scale)
    assert gpu.visit(number, [3, 1]) == [3, 1]  # type: ignore[attr-defined]
    gpu.close()


def test_several_threads_may_ask_at_once() -> None:
    problem = SingleMachine(features="27")
    data = machines(problem)
    weights = np.random.default_rng(0).normal(size=(6, 27))
    gpu = on_device(bind(problem), data, Reference())
    expected = problem.evaluator(data).losses(weights)
    found: dict[int, Any] = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: gpu.losses(weights[k:])})) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(found[k], expected[k:]) for k in range(4))


def test_a_span_has_instances_of_one_kind_and_about_one_size() -> None:
    sizes, kinds = np.array([100, 90, 80, 79, 10, 50, 50]), np.array([0, 0, 0, 0, 0, 1, 1])
    assert list(_spans(sizes, kinds)) == [
        Span(0, 3, 100, 0), Span(3, 4, 79, 0), Span(4, 5, 10, 0), Span(5, 7, 50, 1),
    ]  # fmt: skip


def test_what_a_block_sorts_fits_its_memory() -> None:
    for shared in (49152, 101376, 232448):
        most = largest(shared)
        assert sorting(most)[1] <= shared < sorting(most + 1)[1]
    assert largest(1 << 30) == 65535  # places are kept in 16 bits
    assert [sorting(n)[0] for n in (1, 400, 1000, 3000, 9000)] == [64, 128, 256, 512, 512]
