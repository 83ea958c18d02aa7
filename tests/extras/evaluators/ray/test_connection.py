"""The connection to a cluster: made for a block, or that of the user, which stays."""

from __future__ import annotations

from typing import Any

import pytest
import ray

from colayer.errors import OptionError
from colayer.evaluators.ray.connection import connected


def test_a_connection_made_here_ends_with_the_block(cluster: Any) -> None:
    with connected(cluster.address):
        assert ray.is_initialized()
        assert sum(node["Alive"] for node in ray.nodes()) == 2
    assert not ray.is_initialized()


def test_it_ends_with_an_exception_as_well(cluster: Any) -> None:
    with pytest.raises(KeyboardInterrupt), connected(cluster.address):
        raise KeyboardInterrupt
    assert not ray.is_initialized()


def test_a_connection_of_the_users_own_stays(connection: str) -> None:
    """Whatever address is asked for: the process is connected already."""
    with connected("127.0.0.1:9"):
        assert ray.is_initialized()
    assert ray.is_initialized()


def test_auto_is_the_cluster_that_the_environment_names(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    with connected("auto"):
        assert ray.get_runtime_context().gcs_address == cluster.address


def test_nobody_at_the_address() -> None:
    with pytest.raises(OptionError, match=r"^cluster: no Ray cluster at 127\.0\.0\.1:9 \("), connected("127.0.0.1:9"):
        pass
    assert not ray.is_initialized()
