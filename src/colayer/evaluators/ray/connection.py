"""The connection to a Ray cluster. Ray is an extra: it is imported when a cluster is asked for."""

from __future__ import annotations

import importlib
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from colayer._runtime.text import short, typed_line
from colayer._runtime.threads import cores
from colayer.errors import ColayerError, MissingExtraError, OptionError

_REACH = 5.0  # seconds to reach an address
_HEALTH = 20.0  # seconds for Ray to say that it is well

#: Ray on this machine alone listens on the loopback address and tells nobody that it is used.
_LOCAL = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
#: Ray warns of a change to come where this is not set.
_QUIET = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


def check_address(cluster: str) -> str:
    """`cluster`, refused where it is neither `auto` nor an address."""
    pattern = r"(ray://)?([\w.-]+|\[[\da-fA-F:]+\]):\d{1,5}"
    if cluster != "auto" and not (isinstance(cluster, str) and re.fullmatch(pattern, cluster)):
        expected = "expected auto, HOST:PORT or ray://HOST:PORT"
        raise OptionError(f"{short(cluster)} is no address, {expected}", where="--cluster")
    return cluster


@contextmanager
def connected(cluster: str | None) -> Iterator[None]:
    """Connected to the cluster: `auto` is the one that RAY_ADDRESS names, else Ray started on this machine.

    A connection that the process has already is used and left as it is; one made here is ended with the block, and with
    it the Ray that was started. None: no cluster, nothing is done.
    """
    if cluster is None:
        yield
        return
    address = check_address(cluster)
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or "local"
    try:
        # both are read as Ray is imported
        with _environment(**_QUIET, **(_LOCAL if address == "local" else {})):
            ray = ray_module()
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise MissingExtraError("a cluster needs Ray: pip install 'colayer[ray]'", where="--cluster") from None
    if ray.is_initialized():
        yield
        return
    try:
        _connect(ray, address)
        yield
    finally:
        ray.shutdown()


def ray_module(name: str = "ray") -> Any:
    """Ray, or a part of it, loaded now."""
    return importlib.import_module(name)


def _connect(ray: Any, address: str) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        try:
            with _environment(**_LOCAL), _uninterrupted():
                ray.init("local", num_cpus=cores(), include_dashboard=False, **options)
        except Exception as error:  # Ray raises a plain Exception where its processes do not come up
            raise ColayerError(f"Ray did not start here ({typed_line(error)})", where="--cluster") from error
        return
    try:
        _knock(address)
        if not address.startswith("ray://"):
            _ask_health(address)
        ray.init(address, **options)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        raise OptionError(f"no Ray cluster at {address} ({typed_line(error)})", where="--cluster") from None


def _knock(address: str) -> None:
    """Find out in seconds that nobody is there, or someone else: Ray itself would try for minutes.

    Ray speaks gRPC, that is HTTP/2, in which a server answers the first words with a frame of settings (RFC 9113, 3.4).
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH) as line:
        if os.environ.get("RAY_USE_TLS", "0") != "0":
            return  # nothing is said in the clear
        line.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        if line.recv(9)[3:4] != b"\x04":
            raise ConnectionError("whoever answers there is not Ray")


def _ask_health(address: str) -> None:
    """Ask, in a process that can be ended, whether Ray is well there: another server would keep us waiting."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        answer = subprocess.run(command, capture_output=True, timeout=_HEALTH, check=False)
    except subprocess.TimeoutExpired:
        raise ConnectionError(f"no answer within {_HEALTH:g} s") from None
    if answer.returncode != 0:
        raise ConnectionError("Ray is not well there, or it is not Ray")


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the end of the block: Ray stopped while it starts leaves processes behind."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Environment variables for the time of the block; what the user has set stays."""
    new = {key: value for key, value in values.items() if key not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for key in new:
            del os.environ[key]
