"""The table of learned weights, computed anew, against the one that is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from learning.weights_table import FIXED, SEEDS

Table = dict[str, dict[str, list[str]]]

FOLDER = Path(__file__).parents[1] / "learning"


def kept(name: str) -> Table:
    """The table in a file beside `weights_table.py`."""
    table: Table = json.loads((FOLDER / name).read_text())
    return table


def computed(*arguments: str) -> Table:
    """What `weights_table.py` prints, in a process that keeps to the instructions of `FIXED`."""
    command = [sys.executable, str(FOLDER / "weights_table.py"), *arguments]
    done = subprocess.run(command, env={**os.environ, **FIXED}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table: Table = json.loads(done.stdout)
    return table


def differences(expected: Table, found: Table) -> list[str]:
    """Every learner × problem × seed whose bits are not the ones expected; one that is in one table alone as well."""
    cells = [{(case, learner) for case, rows in table.items() for learner in rows} for table in (expected, found)]
    lines = [f"{learner} on {case}: not computed" for case, learner in sorted(cells[0] - cells[1])]
    lines += [f"{learner} on {case}: not in the file" for case, learner in sorted(cells[1] - cells[0])]
    for case, learner in sorted(cells[0] & cells[1]):
        pairs = zip(SEEDS, expected[case][learner], found[case][learner], strict=True)
        lines += [f"{learner} on {case}, seed {seed}: {new}, expected {old}" for seed, old, new in pairs if old != new]
    return lines
