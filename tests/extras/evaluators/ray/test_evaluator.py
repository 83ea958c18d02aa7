"""Learning on a Ray cluster: the weights of a local run, bit for bit, whatever happens to the nodes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray

from colayer import Pipeline
from colayer.errors import ColayerError, InputError
from colayer.evaluators.base import Backend
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.ray import evaluator as evaluator_module
from colayer.evaluators.ray.evaluator import ClusterEvaluator
from colayer.evaluators.statistics import moments, row_sums
from colayer.problem.bind import bind
from colayer.problems import VehicleScheduling
from support.crowd_problem import Crowd
from support.parcel_days import Parcels, days
from support.ray_problems import Faulty, Large, Lowest, ThirteenError, assert_gone, compiled, generic, pids, resident

CASES: dict[str, Callable[[], tuple[Any, list[Any]]]] = {"compiled": compiled, "generic": generic}
FIT: dict[str, Any] = {"method": "cma-es", "evaluations": 40}


def fitted(problem: Any, data: list[Any], **options: Any) -> Pipeline:
    return Pipeline(problem, weights=np.zeros(len(problem.feature_names)), safe=False).fit(data, **{**FIT, **options})


def same(ours: Pipeline, theirs: Pipeline) -> bool:
    """Weights, losses and the whole way there, bit for bit."""
    return ours.weights_.tobytes() == theirs.weights_.tobytes() and ours.history_ == theirs.history_


@pytest.fixture(scope="module")
def local() -> dict[str, Pipeline]:
    return {name: fitted(*case(), workers=1) for name, case in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_two_nodes_give_the_weights_of_a_local_run(case: str, cluster: Any, local: dict[str, Pipeline]) -> None:
    assert same(fitted(*CASES[case](), cluster=cluster.address), local[case])
    assert not ray.is_initialized()


@pytest.mark.parametrize("method", ["auto", "srl", "cma-es"])
@pytest.mark.parametrize("problem", [Crowd(), VehicleScheduling("rounds")], ids=["generic", "compiled"])
def test_rounds_are_learned_as_they_are_here(problem: Any, method: str, connection: str) -> None:
    """Losses, and the steps of searches that visit the instances, are those of so many rounds on the nodes too."""
    small = {} if problem.name == "crowd" else {"tasks": 12, "scenarios": 4}
    data = [problem.generate(seed, **small) for seed in range(8)]
    options: dict[str, Any] = {"method": method, "evaluations": 80, "rounds": 3}
    ours, theirs = fitted(problem, data, **options, workers=1), fitted(problem, data, **options, cluster=connection)
    assert same(ours, theirs)
    assert ours.model.document() == theirs.model.document()
    assert theirs.model.rounds == 3


@pytest.mark.parametrize("case", CASES)
def test_losses_and_moments_are_those_of_the_plain_loop(case: str, connection: str) -> None:
    """Through the backend, as `fit` asks for them; more weights than travel with a call, and in order."""
    problem, data = CASES[case]()
    weights = np.random.default_rng(0).normal(size=(5000, len(problem.feature_names)))
    expected = LocalEvaluator(bind(problem), data)
    with Backend(cluster=connection).evaluators(bind(problem)) as evaluator_of:
        evaluator = evaluator_of(data)
        assert isinstance(evaluator, ClusterEvaluator)
        assert np.array_equal(evaluator.losses(weights[:3]), expected.losses(weights[:3]))
        if case == "compiled":
            assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        ours, theirs = (moments(bind(problem), data, e) for e in (evaluator, expected))
        assert (ours.mean.tobytes(), ours.spread.tobytes()) == (theirs.mean.tobytes(), theirs.spread.tobytes())
        assert evaluator.map_features(np.shape) == [features.T.shape for features in expected.features]


def test_an_exception_of_the_problem_comes_back_as_it_is(connection: str) -> None:
    """The user's own class and words, at once; workers stay."""
    with (
        closing(ClusterEvaluator(bind(Faulty()), [1, 13, 2])) as evaluator,
        pytest.raises(ThirteenError, match="thirteen"),
    ):
        evaluator.map_features(row_sums)
    problem, data = compiled()
    with closing(ClusterEvaluator(bind(problem), data)) as evaluator:
        before = pids(evaluator, range(15))
        with pytest.raises(InputError, match="theta: not finite"):
            evaluator.losses(np.full((1, 66), 1e300))
        assert pids(evaluator, range(15)) == before


def test_one_worker_per_node_where_kernels_are_compiled_else_one_per_processor(connection: str) -> None:
    """The nodes have one and two processors, and hold as many instances for each; `threads` sets that number."""
    problem, data = compiled()
    for threads, sizes in (None, [5, 10]), (1, [7, 8]):
        with closing(ClusterEvaluator(bind(problem), data, threads)) as evaluator:
            assert sorted(len(shard) for shard in evaluator.shards) == sizes
            assert len(set(pids(evaluator, range(15)))) == 2
    with closing(ClusterEvaluator(bind(Lowest()), list(range(12)))) as evaluator:
        assert len(set(pids(evaluator, range(12)))) == 3
    with closing(ClusterEvaluator(bind(Lowest()), [1, 2])) as evaluator:  # no more workers than instances
        assert len(evaluator.shards) == 2


def test_each_node_holds_its_share_of_the_features_and_the_driver_none(connection: str) -> None:
    """64 MB of features: what each worker grows by is its share, what this process grows by is next to nothing."""
    count = 32
    total = count * Large.rows * 24
    with closing(ClusterEvaluator(bind(Lowest()), [1, 2, 3])) as small:
        small.map_features(row_sums)
        bare = max(resident(process) for process in pids(small, range(3)))
    with closing(ClusterEvaluator(bind(Large()), list(range(count)))) as evaluator:
        here = resident(os.getpid())
        evaluator.map_features(row_sums)
        grown = [resident(process) - bare for process in set(pids(evaluator, range(count)))]
        share = total / len(evaluator.shards)
        assert len(grown) == 3
        assert all(0.6 * share < more < 1.5 * share for more in grown), (share, grown)
        assert resident(os.getpid()) - here < 0.1 * total


def test_a_worker_killed_is_replaced(connection: str) -> None:
    """The process dies, its node does not: another one computes the same, and all end with the evaluator."""
    problem, data = compiled()
    weights = np.random.default_rng(0).normal(size=(200, 66))  # so many that they travel apart from the call
    expected = LocalEvaluator(bind(problem), data).losses(weights)
    with closing(ClusterEvaluator(bind(problem), data)) as evaluator:
        assert np.array_equal(evaluator.losses(weights), expected)
        victim = pids(evaluator, [0])[0]
        os.kill(victim, signal.SIGKILL)
        assert np.array_equal(evaluator.losses(weights), expected)
        workers = set(pids(evaluator, range(15)))
        assert len(workers) == 2
        assert victim not in workers
    assert_gone(lambda: [process for process in workers if Path(f"/proc/{process}").exists()])


def test_a_frozen_worker_is_replaced(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not answer, and nobody says that it is gone: patience has an end, and so has the process."""
    weights = np.ones((1, 3))
    expected = LocalEvaluator(bind(Lowest()), [1, 2, 3]).losses(weights)
    with closing(ClusterEvaluator(bind(Lowest()), [1, 2, 3])) as evaluator:
        for _ in range(2):  # the first one computes the features
            assert np.array_equal(evaluator.losses(weights), expected)
        monkeypatch.setattr(evaluator_module, "_PATIENT", 2.0)
        monkeypatch.setattr(evaluator_module, "_SLOW", 0.0)
        assert pids(evaluator, []) == []
        victim = pids(evaluator, [0])[0]
        os.kill(victim, signal.SIGSTOP)
        begin = time.monotonic()
        assert np.array_equal(evaluator.losses(weights), expected)
        assert time.monotonic() - begin < 60
        assert_gone(lambda: [victim] if Path(f"/proc/{victim}").exists() else [])


def test_a_problem_that_kills_its_workers_is_an_error_not_a_loop(
    connection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluator_module, "_RETRIES", 1)
    with (
        closing(ClusterEvaluator(bind(Faulty()), [1, 99, 2])) as evaluator,
        pytest.raises(ColayerError, match="died 2 times in a row"),
    ):
        evaluator.map_features(row_sums)


def test_other_versions_on_a_node_are_refused(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = evaluator_module.versions()
    monkeypatch.setattr(evaluator_module, "versions", lambda: {**here, "numpy": "0.1"})
    with (
        closing(ClusterEvaluator(bind(Lowest()), [1, 2])) as evaluator,
        pytest.raises(ColayerError, match=rf"numpy is {np.__version__} on .* and 0\.1 here"),
    ):
        evaluator.losses(np.ones((1, 3)))


def test_a_cluster_without_processors_is_an_error(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "nodes", lambda: [{"Alive": True, "NodeID": "head", "Resources": {}}])
    with pytest.raises(ColayerError, match="no node of the cluster has a processor"):
        ClusterEvaluator(bind(Lowest()), [1, 2])


def test_workers_that_do_not_come_up_are_an_error(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator_module, "_START", 0.001)
    with pytest.raises(ColayerError, match="no worker came up"):
        ClusterEvaluator(bind(Lowest()), [1, 2])


def test_a_journal_goes_on_from_one_backend_to_the_other(
    cluster: Any, local: dict[str, Pipeline], tmp_path: Path
) -> None:
    """Stopped here and taken up there, in both directions: the run of the weights is one."""

    def stop(evaluation: Any) -> None:
        if evaluation.number == 10:
            raise KeyboardInterrupt

    for first, second in ({}, {"cluster": cluster.address}), ({"cluster": cluster.address}, {}):
        journal = tmp_path / f"journal-{bool(first)}"
        with pytest.raises(KeyboardInterrupt):
            fitted(*generic(), journal=journal, callback=stop, **first)
        assert journal.read_bytes().count(b"\n") >= 11
        assert same(fitted(*generic(), journal=journal, **second), local["generic"])


def test_a_connection_of_the_users_own_stays(connection: str, local: dict[str, Pipeline]) -> None:
    assert same(fitted(*generic(), cluster=connection), local["generic"])
    assert ray.is_initialized()


# What follows changes the cluster, and stands last for that.


@pytest.fixture
def four_nodes(cluster: Any, small_node: dict[str, Any]) -> Any:
    """The head and three more, whatever the tests before have added or taken away."""
    while len(cluster.worker_nodes) < 3:
        cluster.add_node(**small_node)
    return cluster


@pytest.mark.parametrize("case", CASES)
def test_four_nodes_give_the_weights_of_a_local_run(case: str, four_nodes: Any, local: dict[str, Pipeline]) -> None:
    assert same(fitted(*CASES[case](), cluster=four_nodes.address), local[case])


def test_a_node_killed_while_learning_changes_nothing(four_nodes: Any, local: dict[str, Pipeline]) -> None:
    """Its processes end at once, without a word; the others compute what it held and go on."""

    def kill(evaluation: Any) -> None:
        if evaluation.number == 12:
            four_nodes.remove_node(next(iter(four_nodes.worker_nodes)), allow_graceful=False)

    assert same(fitted(*compiled(), cluster=four_nodes.address, callback=kill), local["compiled"])
    assert len(four_nodes.worker_nodes) == 2


def test_days_are_learned_on_with_the_bits_of_a_local_run(connection: str) -> None:
    data = days(8)
    for method in ("cma-es", "srl"):
        here, there = (
            Pipeline(Parcels()).fit(data, method=method, evaluations=30, cluster=cluster)
            for cluster in (None, connection)
        )
        assert same(here, there)
