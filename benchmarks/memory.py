"""Memory and time of the largest inputs, and memory over many solves: `python benchmarks/memory.py [--megabytes 200]`.

1. `colayer bound` on a JSON instance of 200 MB whose last number is NaN, then 1e999, on the same without a fault, and
   on an npz instance with as many jobs: time and peak memory of the process, beside the size of the file.
2. 1000 solves in one process: resident memory after 100 of them, and after all.

Memory is the highest resident set of the process less that of `colayer bound` on an instance of three jobs. Exit
status 1 where the refusal of NaN takes more than three times the file, or the solves leave more than 5 MB.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import machine

from colayer import Pipeline
from colayer.display.tables import duration, table
from colayer.io.npz import npz_bytes
from colayer.problems import SingleMachine

SOLVES, FIRST = 1000, 100
#: Runs a command and prints its peak memory, in kB, as the last line.
CHILD = """
import resource, sys
from colayer.cli.app import main
status = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
sys.exit(status)
"""


def bound(path: Path) -> tuple[int, float, float, str]:
    """Status, seconds, peak memory in MB, and what was said on stderr."""
    begin = time.perf_counter()
    command = [sys.executable, "-c", CHILD, "bound", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    return done.returncode, seconds, int(done.stdout.split()[-1]) / 1000, done.stderr.strip()


def large_json(path: Path, megabytes: float, end: str) -> int:
    """An instance of about that size with `end` as its last number; how many jobs it has."""
    jobs = int(megabytes * 1e6 / 12)  # "12345," twice
    numbers = ",".join(["12345"] * jobs)
    head = json.dumps({"format": 1, "problem": "single-machine"})[:-1]
    last = numbers[: -len("12345")] + end
    path.write_text(f'{head}, "release": [{numbers}], "processing": [{last}]}}\n')
    return jobs


def files(folder: Path, megabytes: float) -> tuple[list[tuple[object, ...]], bool]:
    """One row per file, and whether all is as it should be."""
    small = folder / "small.json"
    small.write_text('{"format": 1, "problem": "single-machine", "release": [0, 1, 2], "processing": [3, 1, 2]}')
    _, start, base, _ = bound(small)
    rows: list[tuple[object, ...]] = [("three jobs", "-", 0, duration(start), f"{base:.0f} MB in all", "-")]
    fine = True
    path = folder / "large.json"
    jobs = 0
    for name, end in (("JSON, NaN at its end", "NaN"), ("JSON, 1e999 at its end", "1e999"), ("JSON", "12345")):
        jobs = large_json(path, megabytes, end)
        status, seconds, peak, said = bound(path)
        size = path.stat().st_size / 1e6
        share = (peak - base) / size
        fine &= status == (0 if end == "12345" else 2) and ("not finite" in said) == (status == 2)
        fine &= end != "NaN" or share <= 3.0
        rows.append((name, f"{size:.0f} MB", status, duration(seconds), f"{peak - base:.0f} MB", f"{share:.1f}"))
    rng = np.random.default_rng(0)
    numbers = {"release": rng.integers(0, 10**6, jobs), "processing": rng.integers(1, 10**6, jobs)}
    path = folder / "large.npz"
    path.write_bytes(npz_bytes({"format": 1, "problem": "single-machine", **numbers}, path))
    status, seconds, peak, _ = bound(path)
    size = path.stat().st_size / 1e6
    share = (peak - base) / size
    rows.append(("npz", f"{size:.0f} MB", status, duration(seconds), f"{peak - base:.0f} MB", f"{share:.1f}"))
    return rows, fine and status == 0


def solves() -> tuple[list[tuple[object, ...]], bool]:
    """Resident memory of this process while it solves, and whether it stays."""
    problem = SingleMachine()
    pipeline = Pipeline(problem)
    instances = [problem.generate(seed=seed, jobs=200) for seed in range(20)]
    seen = {}
    for k in range(1, SOLVES + 1):
        pipeline.solve(instances[k % len(instances)], samples=5, seed=k)
        if k in (FIRST, SOLVES):
            gc.collect()
            seen[k] = resident()
    growth = seen[SOLVES] - seen[FIRST]
    rows = [(f"after {k} solves", f"{memory:.1f} MB") for k, memory in seen.items()]
    return [*rows, ("growth", f"{growth:+.1f} MB")], growth < 5.0


def resident() -> float:
    """The resident set of this process in MB."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not Linux: the highest one so far
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    """Measure; 1 where memory is more than promised."""
    parser = argparse.ArgumentParser(description="Memory and time of large inputs, and memory over many solves.")
    parser.add_argument("--megabytes", type=float, default=200.0, help="size of the JSON files")
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        rows, fine = files(Path(folder), options.megabytes)
    print(table(("file", "size", "status", "time", "memory", "memory / file"), rows).text())
    grown, steady = solves()
    print(table(("in one process", "resident memory"), grown).text())
    return 0 if fine and steady else 1


if __name__ == "__main__":
    sys.exit(main())
