"""The first `colayer solve`, with no kernel compiled: `python benchmarks/first_solve.py [--rounds N] [--other FOLDER]`.

Each run is a process of its own with an empty folder for compiled kernels. What counts is the CPU time of the process
and its children, user and system; the median of the rounds is reported, and what it is of the time of one small kernel
compiled by plain numba. Python's own bytecode is made anew too, as after an installation. Problems, and with `--other`
the two checkouts, take turns. The one instance of each problem is that of `colayer generate PROBLEM DIR --count 1
--seed 1`.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Bench, add_force

PROBLEMS = ("single-machine", "spanning-tree", "vehicle-scheduling")
ROOT = Path(__file__).parent.parent


#: What any program pays whose one kernel sorts and loops: importing numba, and compiling it.
SMALL = """
import numba, numpy
def inversions(x):
    order = numpy.argsort(x)
    count = 0
    for i in range(len(x)):
        for j in range(i):
            count += order[j] > order[i]
    return count
numba.njit(inversions)(numpy.ones(3))
"""


def cpu(checkout: Path, kernels: Path, *arguments: str) -> float:
    """CPU seconds of Python, children included, with this folder for compiled kernels and bytecode."""
    folders = {"NUMBA_CACHE_DIR": str(kernels), "PYTHONPYCACHEPREFIX": str(kernels)}
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), **folders}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--other", type=Path, metavar="FOLDER", help="another checkout, measured in turn; then nothing is written"
    )
    add_force(parser)
    arguments = parser.parse_args()
    bench = Bench("first_solve", arguments.force)
    checkouts = {"here": ROOT.resolve(), **({"other": arguments.other.resolve()} if arguments.other else {})}
    seconds: dict[str, dict[str, list[float]]] = {name: {p: [] for p in PROBLEMS} for name in checkouts}
    small: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data")
        for problem in PROBLEMS:
            cpu(
                ROOT,
                Path(folder, "kept"),
                "-m",
                "colayer",
                "generate",
                problem,
                str(data / problem),
                "--count",
                "1",
                "--seed",
                "1",
            )
        for _ in range(arguments.rounds):
            with tempfile.TemporaryDirectory() as empty:
                small.append(cpu(ROOT, Path(empty), "-c", SMALL))
            for problem in PROBLEMS:
                for name, checkout in checkouts.items():
                    with tempfile.TemporaryDirectory() as empty:
                        instance = str(data / problem / "0000.json")
                        took = cpu(checkout, Path(empty), "-m", "colayer", "solve", "-q", instance)
                        seconds[name][problem].append(took)
    one = statistics.median(small)
    print(f"one small kernel: {one:.2f} s of CPU")
    for name, problems in seconds.items():
        for problem, found in problems.items():
            median = statistics.median(found)
            print(f"{name:6} {problem:20} median {median:5.2f} s of CPU, {median / one:.2f} times one small kernel")
    if not arguments.other:
        medians = {problem: statistics.median(found) for problem, found in seconds["here"].items()}
        command = f"python benchmarks/first_solve.py --rounds {arguments.rounds}"
        bench.write({"command": command, "median_cpu_seconds": medians, "cpu_seconds": seconds["here"], "small": small})


if __name__ == "__main__":
    main()
