"""Ctrl-C and kill: the journal stays, the same command goes on from it, to the result of a run never stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from colayer.cli.app import main
from support.slow_problem_source import start, write_slow_problem

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

ARGUMENTS = ["train", "slow_problem:Slow", "data", "--evaluations", "60", "--validation", "0"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_slow_problem(tmp_path, "slow_problem")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def stopped(place: Path, number: signal.Signals, workers: int) -> tuple[int, str, str]:
    """Start the slow run, wait until some evaluations are in the journal, send the signal to the whole group."""
    command = [*ARGUMENTS, "-o", "m.json", "--workers", str(workers)]
    process = start(command, place, {**os.environ, "SLOW": "0.03"})
    journal = place / "m.json.journal"
    patience = time.monotonic() + 120
    while not (journal.exists() and journal.read_bytes().count(b"\n") > 5):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < patience, "no evaluation in the journal"
        time.sleep(0.01)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGINT, 2), (signal.SIGKILL, 1)])
def test_a_stopped_run_goes_on(
    number: signal.Signals, workers: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 130 for Ctrl-C, without a traceback; no model; then the journal is taken up and the model is the same."""
    status, out, err = stopped(place, number, workers)
    assert (status, out) == ((130 if number == signal.SIGINT else -number), "")
    if number == signal.SIGINT:
        assert err.endswith(" m.json.journal\ninterrupted\n")
    assert sorted(p.name for p in place.iterdir() if p.name != "__pycache__") == [
        "data",
        "m.json.journal",
        "slow_problem.py",
    ]
    known = (place / "m.json.journal").read_bytes().split(b"\n")[:-1]
    assert 6 <= len(known) < 61

    capsys.readouterr()
    assert main([*ARGUMENTS, "-o", "m.json", "--json", "--workers", "1"]) == 0
    resumed: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (place / "m.json.journal").read_bytes().split(b"\n")[: len(known)] == known
    assert main([*ARGUMENTS, "-o", "whole.json", "--json", "--workers", "1"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert (place / "m.json").read_bytes() == (place / "whole.json").read_bytes()
    assert (resumed["loss"], resumed["evaluations"]) == (whole["loss"], 60)


@pytest.mark.parametrize("seconds", [0.6, 2.4])
def test_ctrl_c_while_kernels_compile_ends_at_once(seconds: float, place: Path) -> None:
    """Status 130 and one line, though the compiler swallows exceptions; the signal comes once compiling has begun."""
    cache = place / "cache"
    cache.mkdir()
    code = (
        "import sys, threading, time, signal, os\n"
        "from colayer._runtime.clock import the_clock\n"
        "began, start = threading.Event(), the_clock.on_start\n"
        "the_clock.on_start = lambda event: (began.set(), start(event))[1]\n"
        "def press():\n"
        f"    began.wait(); time.sleep({seconds}); os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=press, daemon=True).start()\n"
        "from colayer.cli.app import run\n"
        "sys.exit(run())\n"
    )
    (place / "pressed.py").write_text(code)
    process = subprocess.Popen(
        [sys.executable, "pressed.py", "warmup", "vehicle-scheduling"],
        cwd=place, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert err.removeprefix("compiling kernels, once: about 10 s\n") == "interrupted\n"


def test_a_time_limit_ends_the_run_with_a_model(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Out of time is not a fault: the best so far is written, and the journal can be taken up again."""
    assert main([*ARGUMENTS, "-o", "m.json", "--time-limit", "0.000001", "--workers", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evaluations"] < 60
    assert main([*ARGUMENTS, "-o", "m.json", "--workers", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evaluations"] == 60
