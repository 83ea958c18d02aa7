"""`colayer train --cluster`: nodes that are there, a Ray of its own on this machine, and addresses of nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from colayer.cli.app import main
from support.slow_problem_source import start, write_slow_problem

ARGUMENTS = ["train", "slow_ray_problem:Slow", "data", "--evaluations", "60", "--validation", "0", "--json"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_slow_problem(tmp_path, "slow_ray_problem")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def started(place: Path, mark: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "SLOW": "0.03", "COLAYER_MARK": mark, "RAY_AUTH_MODE": "disabled"}
    environment.pop("RAY_ADDRESS", None)
    return start([*ARGUMENTS, "-o", "m.json", "--cluster", "auto"], place, environment)


def marked(mark: str) -> list[str]:
    """Processes with this mark in their environment: all that came of one command."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it ended meanwhile
            continue
    return found


def test_ctrl_c_ends_everything_and_the_journal_goes_on_without_ray(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 130, two lines, no process left; a run on this machine takes the journal up, to the same model."""
    mark = uuid.uuid4().hex
    process = started(place, mark)
    journal = place / "m.json.journal"
    patience = time.monotonic() + 120
    while not (journal.exists() and journal.read_bytes().count(b"\n") > 5):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < patience, "no evaluation in the journal"
        time.sleep(0.02)
    assert any("raylet" in command for command in marked(mark))
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.endswith(" m.json.journal\ninterrupted\n")
    patience = time.monotonic() + 30
    while marked(mark):
        assert time.monotonic() < patience, marked(mark)
        time.sleep(0.05)
    known = journal.read_bytes().split(b"\n")[:-1]
    assert 6 <= len(known) < 61

    assert main([*ARGUMENTS, "-o", "m.json", "--workers", "1"]) == 0
    assert journal.read_bytes().split(b"\n")[: len(known)] == known
    assert main([*ARGUMENTS, "-o", "whole.json", "--workers", "1"]) == 0
    assert (place / "m.json").read_bytes() == (place / "whole.json").read_bytes()


def test_nobody_at_the_address(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, status 2, nothing written: Ray itself would try for minutes."""
    assert main([*ARGUMENTS, "-o", "m.json", "--cluster", "127.0.0.1:9"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: --cluster: no Ray cluster at 127.0.0.1:9 (")
    assert err.count("\n") == 1
    assert not (place / "m.json").exists()
    assert not (place / "m.json.journal").exists()


def test_a_cluster_that_is_there_gives_the_same_model(tmp_path: Path) -> None:
    """One document, guarantees and all, and the bytes of a model learned without; another process starts the nodes."""
    code = """
import json, os, sys
from contextlib import redirect_stdout
from io import StringIO
from ray.cluster_utils import Cluster
from colayer.cli.app import main

def document(*arguments):
    with redirect_stdout(StringIO()) as out:
        assert main(list(arguments)) == 0
    return json.loads(out.getvalue()) if "--json" in arguments else None

small = {"num_cpus": 1, "object_store_memory": 80 << 20}
nodes = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
nodes.add_node(**small)
try:
    document("generate", "single-machine", "data", "--count", "8", "--jobs", "10")
    train = ("train", "single-machine", "data", "--evaluations", "15", "--decoder", "none", "--json", "-o")
    there = document(*train, "there.json", "--cluster", nodes.address)
    here = document(*train, "here.json", "--workers", "1")
finally:
    nodes.shutdown()
assert there["guarantees"] == here["guarantees"]
"""
    environment = {**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
                   "RAY_AUTH_MODE": "disabled", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()
