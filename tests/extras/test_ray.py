"""Learning on a Ray cluster: the weights of a local run, bit for bit, whatever happens to the nodes.

Nodes are those of `ray.cluster_utils.Cluster`: processes of this machine, all on the loopback address.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# Before Ray is imported: on the loopback address, without a word to anyone, no token in the home folder, no warning.
os.environ.update(
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",
    RAY_USAGE_STATS_ENABLED="0",
    RAY_AUTH_MODE="disabled",
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0",
)

import ray
from ray.cluster_utils import Cluster

from colayer import Pipeline
from colayer.cli import main
from colayer.errors import ColayerError, InputError
from colayer.evaluators import crew as crew_module
from colayer.evaluators import feature_scale
from colayer.evaluators.base import evaluator_for
from colayer.evaluators.local import LocalEvaluator
from colayer.evaluators.ray.connection import connected
from colayer.evaluators.ray.evaluator import ClusterEvaluator
from colayer.evaluators.ray.workers import Crew, crew_at
from colayer.problem import BaseProblem
from colayer.problems import SingleMachine

SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}


class Pick(BaseProblem):
    """A problem of the user's, in plain Python, not installed on the nodes: choose the row of lowest θ."""

    name = "pick"
    feature_names = ("one", "two", "three")

    def features(self, instance: Any) -> np.ndarray:
        return np.random.default_rng(instance).normal(size=(20 + instance, 3))

    def layer(self, theta: np.ndarray, instance: Any) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Any) -> float:
        return float(np.random.default_rng((instance, solution)).normal())


class ThirteenError(Exception):
    """An exception of the user's own."""


class Faulty(Pick):
    """Raises, or ends the process, where the instance says so."""

    def features(self, instance: Any) -> np.ndarray:
        if instance == 13:
            raise ThirteenError("thirteen")
        if instance == 99:
            os._exit(1)
        return super().features(instance)


class Uneven(Pick):
    """Instances of one size whose costs take very different times: only a clock can tell."""

    def cost(self, solution: int, instance: Any) -> float:
        time.sleep(0.04 if instance % 2 == 0 else 0.002)
        return super().cost(solution, instance)


class Large(Pick):
    """2 MB of features an instance, from an instance that is a number."""

    rows = 2_000_000 // 24

    def features(self, instance: Any) -> np.ndarray:
        return np.random.default_rng(instance).normal(size=(self.rows, 3))


def compiled() -> tuple[Any, list[Any]]:
    problem = SingleMachine(decoder="none")
    return problem, [problem.generate(seed=s, jobs=(8, 20, 40)[s % 3], rho=1.0) for s in range(15)]


def generic() -> tuple[Any, list[Any]]:
    return Pick(), list(range(12))


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


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Two nodes, of one and of two processors; tests may add some, and take some away."""
    nodes = Cluster(initialize_head=True, head_node_args={**SMALL, "include_dashboard": False})
    nodes.add_node(**{**SMALL, "num_cpus": 2})
    yield nodes
    nodes.shutdown()


@pytest.fixture
def connection(cluster: Cluster) -> Iterator[str]:
    with connected(cluster.address):
        yield cluster.address
    assert not ray.is_initialized()


def assert_gone(left: Callable[[], list[Any]]) -> None:
    """Nothing is left, after a while."""
    patience = time.monotonic() + 30
    while left():
        assert time.monotonic() < patience, left()
        time.sleep(0.05)


@pytest.mark.parametrize("case", CASES)
def test_two_nodes_give_the_weights_of_a_local_run(case: str, cluster: Cluster, local: dict[str, Pipeline]) -> None:
    assert same(fitted(*CASES[case](), cluster=cluster.address), local[case])
    assert not ray.is_initialized()


def test_a_worker_killed_is_replaced(connection: str) -> None:
    """The process dies, its node does not: another worker comes up there and holds a share again."""
    problem, data = compiled()
    weights = np.random.default_rng(0).normal(size=(200, 66))  # so many that they travel apart from the call
    expected = LocalEvaluator(problem, data)
    with crew_at(connection, problem, len(data), None) as crew:
        assert crew is not None
        evaluator = evaluator_for(problem, data, None, crew)
        assert isinstance(evaluator, ClusterEvaluator)
        assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        places = {(member.node, member.place) for member in crew.members}
        victim = crew.members[0]
        os.kill(victim.pid, signal.SIGKILL)
        assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        patience = time.monotonic() + 60
        while {(member.node, member.place) for member in crew.members} != places:
            assert time.monotonic() < patience
            assert np.array_equal(evaluator.losses(weights), expected.losses(weights))
        assert victim not in crew.members
        assert set(evaluator.held) == set(crew.members)
        assert np.array_equal(feature_scale(evaluator), feature_scale(expected))
        pids = [member.pid for member in crew.members]
    assert_gone(lambda: [pid for pid in pids if Path(f"/proc/{pid}").exists()])


def test_a_problem_that_kills_its_workers_is_an_error_not_a_loop(
    connection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew_module, "_ROUNDS", 1)
    with crew_at(connection, Faulty(), 3, None) as crew, pytest.raises(ColayerError, match="died 2 times in a row"):
        evaluator_for(Faulty(), [1, 99, 2], None, crew).feature_sums()


def test_an_exception_of_the_problem_comes_back_as_it_is(connection: str) -> None:
    """The user's own class and words, at once; workers stay."""
    with crew_at(connection, Faulty(), 3, None) as crew:
        assert crew is not None
        members = list(crew.members)
        with pytest.raises(ThirteenError, match="thirteen"):
            evaluator_for(Faulty(), [1, 13, 2], None, crew).feature_sums()
        with pytest.raises(InputError, match="theta: not finite"):
            evaluator_for(*compiled(), None, crew).losses(np.full((1, 66), 1e300))
        assert crew.members == members


def test_uneven_instances_are_balanced_by_what_they_cost(connection: str) -> None:
    """All are of one size, half of them are twenty times as slow, and they come in turn: sizes tell nothing."""
    with crew_at(connection, Uneven(), 16, None) as crew:
        assert crew is not None
        evaluator = ClusterEvaluator(crew, Uneven(), list(range(16)))
        slow = np.array([block[0] % 2 == 0 for block in evaluator.blocks])
        weights = np.zeros((1, 3))
        expected = LocalEvaluator(Pick(), list(range(16))).losses(weights)

        def shares() -> list[int]:
            held = [sum(slow[b] for b, owner in enumerate(evaluator.held) if owner is m) for m in crew.members]
            return sorted(held)

        evaluator.losses(weights)
        # put all of the slow ones together, as a bad guess would
        members = crew.members
        evaluator._move([members[0] if slow[b] else members[1] for b in range(len(slow))])
        assert shares()[-1] == 8
        for _ in range(2):
            assert np.array_equal(evaluator.losses(weights), expected)
        assert max(shares()) <= -(-8 // len(members)) + 1
        assert np.array_equal(evaluator.losses(weights), expected)


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_each_node_holds_its_share_of_the_features_and_the_driver_none(connection: str) -> None:
    """64 MB of features: what each worker grows by is its share, what this process grows by is next to nothing."""
    count = 32
    total = count * Large.rows * 24
    with crew_at(connection, Large(), count, None) as crew:
        assert crew is not None
        evaluator = ClusterEvaluator(crew, Large(), list(range(count)))
        small = evaluator_for(Pick(), [1, 2, 3, 4], None, crew)
        small.feature_sums()  # whatever a first call loads is loaded
        before, here = [resident(member.pid) for member in crew.members], resident(os.getpid())
        evaluator.feature_sums()
        grown = [resident(member.pid) - was for member, was in zip(crew.members, before, strict=True)]
        share = total / len(crew.members)
        assert all(0.8 * share < more < 1.5 * share for more in grown), (share, grown)
        assert resident(os.getpid()) - here < 0.1 * total


def test_other_versions_on_a_node_are_refused(connection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = crew_module.versions()
    monkeypatch.setattr(crew_module, "versions", lambda: {**here, "numpy": "0.1"})
    with pytest.raises(ColayerError, match=rf"--cluster: numpy is {np.__version__} on .* and 0\.1 here"):
        Crew(Pick(), 2)


def test_a_journal_goes_on_from_one_backend_to_the_other(
    cluster: Cluster, local: dict[str, Pipeline], tmp_path: Path
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


def test_the_command_prints_one_document(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model is the one of a local run, guarantees and all."""
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "single-machine", "data", "--count", "8", "--jobs", "10"]) == 0
    capsys.readouterr()
    arguments = ["train", "single-machine", "data", "--evaluations", "15", "--decoder", "none", "--json", "-o"]
    assert main([*arguments, "there.json", "--cluster", cluster.address]) == 0
    there = json.loads(capsys.readouterr().out)
    assert main([*arguments, "here.json", "--workers", "1"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert there["guarantees"] == here["guarantees"]
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()


# What follows changes the cluster, and stands last for that.


@pytest.mark.parametrize("case", CASES)
def test_four_nodes_give_the_weights_of_a_local_run(case: str, cluster: Cluster, local: dict[str, Pipeline]) -> None:
    while len(cluster.worker_nodes) < 3:
        cluster.add_node(**SMALL)
    assert same(fitted(*CASES[case](), cluster=cluster.address), local[case])


def test_a_node_killed_while_learning_changes_nothing(cluster: Cluster, local: dict[str, Pipeline]) -> None:
    """Its processes end at once, without a word; the others compute what it held and go on."""
    assert len(cluster.worker_nodes) == 3

    def kill(evaluation: Any) -> None:
        if evaluation.number == 12:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    assert same(fitted(*compiled(), cluster=cluster.address, callback=kill), local["compiled"])
    assert len(cluster.worker_nodes) == 2
