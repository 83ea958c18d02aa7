"""The connection to a cluster: made for a block, or that of the user, which stays."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time
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


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_that_does_not_answer_ends_with_one_line_in_time(scheme: str) -> None:
    """Nobody there is found out at once; someone who takes the call and says nothing, within 30 s."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for address in ("127.0.0.1:9", f"127.0.0.1:{silent.getsockname()[1]}"):
            begin = time.monotonic()
            with pytest.raises(OptionError) as caught, connected(scheme + address):
                pass
            assert time.monotonic() - begin < 30
            assert f"no Ray cluster at {scheme}{address} (" in str(caught.value)
            assert "\n" not in str(caught.value)
            assert not ray.is_initialized()


def test_ray_that_is_started_here_listens_on_the_loopback_address() -> None:
    """In a process of its own, where no test has set the environment."""
    code = """
        from colayer.evaluators.ray.connection import connected
        with connected("auto"):
            import ray, psutil  # Ray brings it
            processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
            sockets = [line for process in processes for line in process.net_connections("inet")]
            listening = [line.laddr.ip for line in sockets if line.status == psutil.CONN_LISTEN]
            found = {address.removeprefix("::ffff:") for address in listening}
            print(sorted(found), [node["NodeManagerAddress"] for node in ray.nodes()])
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, env=kept, capture_output=True, text=True, timeout=120, check=True)
    addresses, nodes = done.stdout.strip().splitlines()[-1].split("] [")
    assert nodes == "'127.0.0.1']"
    assert set(addresses.strip("[").split(", ")) <= {"'127.0.0.1'", "'::1'"}, addresses
