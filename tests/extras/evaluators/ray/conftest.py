"""Clusters of Ray for the tests: nodes are processes of this machine, all on the loopback address."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

# Before Ray is imported: on the loopback address, without a word to anyone, no token in the home folder, no warning.
os.environ.update(
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",
    RAY_USAGE_STATS_ENABLED="0",
    RAY_AUTH_MODE="disabled",
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0",
)

SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes, of one and of two processors; the tests of a file may add some, and take some away."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={**SMALL, "include_dashboard": False})
    nodes.add_node(**{**SMALL, "num_cpus": 2})
    yield nodes
    nodes.shutdown()


@pytest.fixture
def small_node() -> dict[str, Any]:
    """What a node of one processor is made of."""
    return dict(SMALL)


@pytest.fixture
def connection(cluster: Any) -> Iterator[str]:
    """Connected to the cluster, by its address."""
    import ray

    from colayer.evaluators.ray.connection import connected

    with connected(cluster.address):
        yield cluster.address
    assert not ray.is_initialized()
