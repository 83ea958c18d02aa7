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
_ANSWER = 22.0  # seconds for Ray to answer there

#: Ray on this machine alone listens on the loopback address and tells nobody that it is used.
_LOCAL = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
#: Ray warns of a change to come where this is not set.
_QUIET = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


def check_address(cluster: str) -> str:
    """Return `cluster`, or refuse it where it is neither `auto` nor an address."""
    pattern = r"(ray://)?([\w.-]+|\[[\da-fA-F:]+\]):\d{1,5}"
    if cluster != "auto" and not (isinstance(cluster, str) and re.fullmatch(pattern, cluster)):
        expected = "expected auto, HOST:PORT or ray://HOST:PORT"
        raise OptionError(f"{short(cluster)} is no address, {expected}", where="--cluster")
    return cluster


@contextmanager
def connected(cluster: str | None) -> Iterator[None]:
    """Connect to the cluster for a block: `auto` is the one that RAY_ADDRESS names, else Ray started on this machine.

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
    """Import Ray, or a part of it."""
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
        _try(address)
        ray.init(address, **options)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        raise OptionError(f"no Ray cluster at {address} ({typed_line(error)})", where="--cluster") from None


def _try(address: str) -> None:
    """Connect in a process that can be ended: Ray itself would try for minutes, or for ever at another server."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH).close()
    code = "import ray, sys; ray.init(sys.argv[1], log_to_driver=False)"
    try:
        tried = subprocess.run(
            [sys.executable, "-c", code, address], capture_output=True, text=True, timeout=_ANSWER, check=False
        )
    except subprocess.TimeoutExpired:
        raise ConnectionError(f"no answer from Ray within {_ANSWER:g} s") from None
    if tried.returncode != 0:
        raise ConnectionError(tried.stderr.strip().rpartition("\n")[2] or "it is not Ray")


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C to the end of the block: Ray stopped while it starts leaves processes behind."""
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
    """Set environment variables for a block; what the user has set stays."""
    new = {key: value for key, value in values.items() if key not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for key in new:
            del os.environ[key]
