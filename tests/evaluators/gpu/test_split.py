"""Instances that are too large for the device stay on this machine, and nobody sees the difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.evaluators.gpu import on_device
from colayer.evaluators.gpu.split import Split
from colayer.evaluators.statistics import moments
from colayer.evaluators.visit import LoadedInstance, Visits
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.gpu.reference import Reference


def number_and_jobs(held: LoadedInstance[Any, Any, Any]) -> tuple[int, int]:
    return held.number, held.instance.jobs


def test_large_instances_stay_on_this_machine() -> None:
    problem = SingleMachine(features="27", decoder="ls")
    sizes = [5, 80, 12, 90, 7]
    data = [problem.generate(seed=s, jobs=n) for s, n in enumerate(sizes)]
    weights = np.random.default_rng(0).normal(size=(3, 27))
    own, device = problem.evaluator(data), Reference()
    device.shared = 1024 + 16 * 60
    gpu = on_device(bind(problem), data, device)
    assert isinstance(gpu, Split)
    assert isinstance(gpu, Visits)
    assert gpu.shards == [[0, 2, 4], [1, 3]]
    assert np.array_equal(gpu.losses(weights), own.losses(weights))
    assert np.array_equal(moments(bind(problem), data, gpu).mean, moments(bind(problem), data, own).mean)
    assert gpu.visit(number_and_jobs, [3, 0, 4, 1]) == [(3, 90), (0, 5), (4, 7), (1, 80)]
    gpu.close()


def test_where_none_fits_all_stay() -> None:
    problem = SingleMachine(features="27")
    data = [problem.generate(seed=s, jobs=50) for s in range(2)]
    device = Reference()
    device.shared = 1100
    assert type(on_device(bind(problem), data, device)) is type(problem.evaluator(data))
