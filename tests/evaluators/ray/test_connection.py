"""Addresses of clusters, and whoever answers there; what needs Ray itself is tested with the extra."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import sys

import pytest

from colayer.errors import MissingExtraError, OptionError
from colayer.evaluators.ray import connection
from colayer.evaluators.ray.connection import check_address, connected


@pytest.mark.parametrize(
    "address", ["auto", "host:6379", "10.0.0.1:1", "ray://head.example.org:10001", "[::1]:6379", "ray://[fe80::1]:5"]
)
def test_addresses_are_taken(address: str) -> None:
    assert check_address(address) == address


@pytest.mark.parametrize("address", ["", "host", "host:", ":6379", "host:port", "host:123456", "http://h:1", "a b:1"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(OptionError) as caught:
        check_address(address)
    assert str(caught.value) == f"cluster={address!r} is no address, expected auto, HOST:PORT or ray://HOST:PORT"


def test_no_cluster_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with connected(None):
        pass


def test_without_ray_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"^cluster: a cluster needs Ray: pip install 'colayer\[ray\]'$"):
        connected("host:6379").__enter__()


def test_a_module_missing_inside_ray_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation that is broken says so itself."""

    def broken(name: str) -> None:
        raise ModuleNotFoundError("No module named 'grpc'", name="grpc")

    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="grpc"):
        connected("auto").__enter__()


def test_nobody_there_is_found_out_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        connection._try(f"127.0.0.1:{port}")


def test_ctrl_c_waits_for_the_end_of_the_block() -> None:
    done, before = [], signal.getsignal(signal.SIGINT)

    def pressed() -> None:
        with connection._uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("after the signal")

    with pytest.raises(KeyboardInterrupt):
        pressed()
    assert done == ["after the signal"]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_environment_is_put_back_and_the_users_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLAYER_GIVEN", "mine")
    with connection._environment(COLAYER_GIVEN="ours", COLAYER_NEW="new"):
        assert (os.environ["COLAYER_GIVEN"], os.environ["COLAYER_NEW"]) == ("mine", "new")
    assert os.environ["COLAYER_GIVEN"] == "mine"
    assert "COLAYER_NEW" not in os.environ
