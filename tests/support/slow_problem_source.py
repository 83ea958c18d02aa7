"""A slow problem of a user's, as files, and a run of the command line on it: for tests that send signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

#: A problem whose costs take as long as the environment says.
SLOW = """
import os, time
import numpy as np

class Slow:
    name = "slow"
    feature_names = ("one", "two")
    def features(self, instance): return np.array(instance, dtype=float)
    def layer(self, theta, instance): return int(np.argmin(theta))
    def decode(self, y, instance): return y
    def scale(self, instance): return 1.0
    def read(self, document): return document["rows"]
    def write(self, instance): return {"rows": instance}
    def cost(self, solution, instance):
        time.sleep(float(os.environ.get("SLOW", "0")))
        return float(sum(instance[solution]))
"""


def write_slow_problem(folder: Path, module: str) -> None:
    """The module with `Slow` in it, and a data set of four instances beside it."""
    (folder / f"{module}.py").write_text(SLOW)
    (folder / "data").mkdir()
    for k in range(4):
        rows = [[10 + (7 * i + 3 * k) % 11, 10 + (5 * i + k) % 7] for i in range(6)]
        (folder / f"data/{k:04d}.json").write_text(json.dumps({"format": 1, "problem": "slow", "rows": rows}))


def start(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """The command line in a group of processes of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "colayer.cli.app", *arguments],
        cwd=folder, env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # as in a terminal, also where the tests themselves run in the background, with SIGINT ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
