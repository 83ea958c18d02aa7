"""Workers on the nodes of a cluster: started, replaced when they die, refused where versions differ, ended."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import ColayerError
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.ray import workers as workers_module
from colayer.evaluators.ray.evaluator import ClusterEvaluator
from colayer.evaluators.ray.workers import Workers
from colayer.evaluators.statistics import moments, row_sums
from support.ray_problems import Faulty, Lowest, assert_gone, compiled, workers_for


def test_one_worker_per_node_where_kernels_are_compiled_else_one_per_processor(connection: str) -> None:
    """The nodes have one and two processors. No more workers than instances, and the threads that are asked for."""
    problem, data = compiled()
    with workers_for(problem, len(data)) as workers:
        assert sorted(member.threads for member in workers.members) == [1, 2]
    with workers_for(Lowest(), 12) as workers:
        assert [member.threads for member in workers.members] == [1, 1, 1]
    with workers_for(Lowest(), 2) as workers:
        assert len({member.node for member in workers.members}) == 2  # the first place of every node comes first
    limited = Workers(problem, len(data), threads=1)
    assert [member.threads for member in limited.members] == [1, 1]
    limited.close()
    assert limited.members == []


def test_evaluators_are_told_apart(connection: str) -> None:
    """Training and validation are on the same workers: neither sees the blocks of the other."""
    with workers_for(Lowest(), 6) as workers:
        first, second = (ClusterEvaluator(workers, Lowest(), data) for data in ([1, 2, 3], [4, 5, 6]))
        weights = np.ones((1, 3))
        for evaluator, data in ((first, [1, 2, 3]), (second, [4, 5, 6]), (first, [1, 2, 3])):
            assert np.array_equal(evaluator.losses(weights), LocalEvaluator(Lowest(), data).losses(weights))
        first.close()
        assert np.array_equal(second.losses(weights), LocalEvaluator(Lowest(), [4, 5, 6]).losses(weights))


def test_a_worker_killed_is_replaced(connection: str) -> None:
    """The process dies, its node does not: another worker comes up there and holds a share again."""
    problem, data = compiled()
    weights = np.random.default_rng(0).normal(size=(200, 66))  # so many that they travel apart from the call
    expected = LocalEvaluator(problem, data)
    with workers_for(problem, len(data)) as workers:
        evaluator = ClusterEvaluator(workers, problem, data)
        assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        places = {(member.node, member.place) for member in workers.members}
        victim = workers.members[0]
        os.kill(victim.pid, signal.SIGKILL)
        assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        patience = time.monotonic() + 60
        while {(member.node, member.place) for member in workers.members} != places:
            assert time.monotonic() < patience
            assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        assert victim not in workers.members
        assert set(evaluator.held) == set(workers.members)
        ours, theirs = (moments(problem, data, e) for e in (evaluator, expected))
        assert np.array_equal(ours.scale, theirs.scale)
        pids = [member.pid for member in workers.members]
    assert_gone(lambda: [pid for pid in pids if Path(f"/proc/{pid}").exists()])


def test_a_problem_that_kills_its_workers_is_an_error_not_a_loop(
    connection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers_module, "_ROUNDS", 1)
    with workers_for(Faulty(), 3) as workers, pytest.raises(ColayerError, match="died 2 times in a row"):
        ClusterEvaluator(workers, Faulty(), [1, 99, 2]).map_features(row_sums)


def test_other_versions_on_a_node_are_refused(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = workers_module.versions()
    monkeypatch.setattr(workers_module, "versions", lambda: {**here, "numpy": "0.1"})
    with pytest.raises(ColayerError, match=rf"cluster: numpy is {np.__version__} on .* and 0\.1 here"):
        Workers(Lowest(), 2)


def test_a_cluster_without_processors_is_an_error(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_self: Any) -> list[Any]:
        return []

    monkeypatch.setattr(Workers, "_places", none)
    monkeypatch.setattr(workers_module, "_START", 0.1)
    with pytest.raises(ColayerError, match="cluster: no worker came up on the cluster"):
        Workers(Lowest(), 2)
