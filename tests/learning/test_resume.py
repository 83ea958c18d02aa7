"""A run that is broken off and taken up again ends with the weights of a run that never was."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import colayer
from colayer.learning.search.auto import Auto
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.direct import Direct
from colayer.learning.search.optimizer import Task
from support.searching import search

TASK = Task(3, evaluations=70, seed=4, safe=np.array([2.0, -1.0, 0.5]))
METHODS = [Auto(), CmaEs(), Direct(), Direct(seeds=2)]


def train(W):
    return np.floor(5 * np.abs(W - [0.3, -1.7, 2.2])).sum(axis=1) / 7


def validation(W):
    return np.abs(W - [0.5, -1.5, 2.0]).sum(axis=1)


def run(method, path):
    return search(train, validation, task=TASK, method=method, journal=path, identity={"data": "x"})


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_cut_at_random_bytes(method, tmp_path):
    """Wherever the file ends, the same weights, history and journal come out."""
    path = tmp_path / "j"
    unbroken = run(method, path)
    whole = path.read_bytes()
    for cut in random.Random(0).sample(range(len(whole)), 25):
        path.write_bytes(whole[:cut])
        resumed = run(method, path)
        assert resumed.history == unbroken.history
        assert resumed.weights.tobytes() == unbroken.weights.tobytes()
        assert path.read_bytes() == whole


def test_cut_at_every_byte_of_the_last_lines(tmp_path):
    """The end mark, the last evaluation, and the one before."""
    path = tmp_path / "j"
    unbroken = run(Direct(), path)
    whole = path.read_bytes()
    begin = len(whole) - sum(len(line) for line in whole.splitlines(keepends=True)[-3:])
    for cut in range(begin, len(whole)):
        path.write_bytes(whole[:cut])
        assert run(Direct(), path).weights.tobytes() == unbroken.weights.tobytes()
        assert path.read_bytes() == whole


def test_only_what_is_missing_is_evaluated(tmp_path):
    """The known part of a population is replayed, the rest of it is evaluated."""
    path = tmp_path / "j"
    run(CmaEs(), path)
    lines = path.read_bytes().splitlines(keepends=True)
    for known in (0, 1, 12, 13, 40, 70):
        path.write_bytes(b"".join(lines[: 1 + known]))
        asked = []
        search(
            lambda W, asked=asked: (asked.extend(W), train(W))[1],
            validation,
            task=TASK,
            method=CmaEs(),
            journal=path,
            identity={"data": "x"},
        )
        assert len(asked) == 70 - known


SCRIPT = """
import sys, time
import numpy as np
from colayer.learning.search.optimizer import Task
from support.searching import search

class Walk:
    "A population method that needs no slow import: Gaussian steps from the best point of the last population."
    name = "walk"

    def options(self):
        return {}

    def minimize(self, evaluate, task):
        random, mean = np.random.default_rng(task.seed), np.zeros(task.dimension)
        while True:
            W = mean + random.standard_normal((7, task.dimension))
            mean = W[np.argmin(evaluate(W))]

def objective(W):
    time.sleep(0.004 * len(W))
    return np.floor(5 * np.abs(W - np.arange(4))).sum(axis=1) / 7

task = Task(4, evaluations=150, seed=1)
run = search(objective, lambda W: np.abs(W).sum(axis=1), task=task, method=Walk(), journal=sys.argv[1])
sys.stdout.write(run.weights.tobytes().hex() + f" {len(run.history)}")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a POSIX signal")
def test_killed_at_any_moment(tmp_path):
    """Three kills at random moments while evaluations are being written; the end is that of an unkilled run."""
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    source, tests = Path(colayer.__file__).parents[1], Path(__file__).parents[1]
    environment = {"PYTHONPATH": f"{source}{os.pathsep}{tests}", "PATH": ""}

    def command(journal):
        return [sys.executable, str(script), str(tmp_path / journal)]

    unkilled = subprocess.run(command("a"), env=environment, capture_output=True, text=True, check=True)
    moments = random.Random(0)
    journal = tmp_path / "b"
    kills = 0
    for lines in (1, 45, 120):
        process = subprocess.Popen(command("b"), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None:
            if journal.exists() and journal.read_bytes().count(b"\n") >= lines:
                time.sleep(moments.uniform(0, 0.03))
                process.kill()
                break
            time.sleep(0.001)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
    assert kills == 3
    final = subprocess.run(command("b"), env=environment, capture_output=True, text=True, check=True)
    assert final.stdout == unkilled.stdout
    assert journal.read_bytes() == (tmp_path / "a").read_bytes()
