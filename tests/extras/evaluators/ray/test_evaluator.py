"""Learning on a Ray cluster: the weights of a local run, bit for bit, whatever happens to the nodes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray

from colayer import Pipeline
from colayer.errors import InputError
from colayer.evaluators.base import Backend
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.ray.evaluator import ClusterEvaluator
from colayer.evaluators.statistics import moments, row_sums
from colayer.problems import VehicleScheduling
from support.crowd_problem import Crowd
from support.ray_problems import (
    Faulty,
    Large,
    Lowest,
    ThirteenError,
    Uneven,
    compiled,
    generic,
    resident,
    workers_for,
)

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
    expected = LocalEvaluator(problem, data)
    with Backend(cluster=connection).evaluators(problem, len(data)) as evaluator_of:
        evaluator = evaluator_of(data)
        assert isinstance(evaluator, ClusterEvaluator)
        assert np.array_equal(evaluator.losses(weights[:3]), expected.losses(weights[:3]))
        if case == "compiled":
            assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        ours, theirs = (moments(problem, data, e) for e in (evaluator, expected))
        assert (ours.mean.tobytes(), ours.spread.tobytes()) == (theirs.mean.tobytes(), theirs.spread.tobytes())
        assert evaluator.map_features(np.shape) == [features.T.shape for features in expected.features]


def test_an_exception_of_the_problem_comes_back_as_it_is(connection: str) -> None:
    """The user's own class and words, at once; workers stay."""
    with workers_for(Faulty(), 3) as workers:
        members = list(workers.members)
        with pytest.raises(ThirteenError, match="thirteen"):
            ClusterEvaluator(workers, Faulty(), [1, 13, 2]).map_features(row_sums)
        with pytest.raises(InputError, match="theta: not finite"):
            ClusterEvaluator(workers, *compiled()).losses(np.full((1, 66), 1e300))
        assert workers.members == members


def test_uneven_instances_are_balanced_by_what_they_cost(connection: str) -> None:
    """All are of one size, half of them are twenty times as slow, and they come in turn: sizes tell nothing."""
    with workers_for(Uneven(), 16) as workers:
        evaluator = ClusterEvaluator(workers, Uneven(), list(range(16)))
        slow = np.array([block[0] % 2 == 0 for block in evaluator.blocks])
        weights = np.zeros((1, 3))
        expected = LocalEvaluator(Lowest(), list(range(16))).losses(weights)

        def shares() -> list[int]:
            held = [sum(slow[b] for b, owner in enumerate(evaluator.held) if owner is m) for m in workers.members]
            return sorted(held)

        evaluator.losses(weights)
        # put all of the slow ones together, as a bad guess would
        members = workers.members
        evaluator._move([members[0] if slow[b] else members[1] for b in range(len(slow))])
        assert shares()[-1] == 8
        for _ in range(2):
            assert np.array_equal(evaluator.losses(weights), expected)
        assert max(shares()) <= -(-8 // len(members)) + 1
        assert np.array_equal(evaluator.losses(weights), expected)


def test_each_node_holds_its_share_of_the_features_and_the_driver_none(connection: str) -> None:
    """64 MB of features: what each worker grows by is its share, what this process grows by is next to nothing."""
    count = 32
    total = count * Large.rows * 24
    with workers_for(Large(), count) as workers:
        evaluator = ClusterEvaluator(workers, Large(), list(range(count)))
        small = ClusterEvaluator(workers, Lowest(), [1, 2, 3, 4])
        small.map_features(row_sums)  # whatever a first call loads is loaded
        before, here = [resident(member.pid) for member in workers.members], resident(os.getpid())
        evaluator.map_features(row_sums)
        grown = [resident(member.pid) - was for member, was in zip(workers.members, before, strict=True)]
        share = total / len(workers.members)
        assert all(0.8 * share < more < 1.5 * share for more in grown), (share, grown)
        assert resident(os.getpid()) - here < 0.1 * total


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
