"""Kill and resume: `python benchmarks/kill_and_resume.py [--kills 20] [--seed 0] [train] [label] [reproduce]`.

Each command runs once undisturbed. Then it is started again and again, and killed (SIGKILL, its own process alone) at a
random moment of that time, until it was killed as often as asked; wherever it comes to its end before the kill, its
result is compared, and it begins afresh. The last start is left alone. Every result must equal the undisturbed one:
weights, labels, and tables without their times. Exit status 1 where one does not.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import machine

from colayer.display.tables import duration, table

COLAYER = [sys.executable, "-m", "colayer.cli.app"]


@dataclass(frozen=True)
class Work:
    """A command line, how its folder is made ready, and what of its result must be the same."""

    words: str
    prepare: Callable[[Path], object]
    result: Callable[[Path], Any]


def generate(*words: str) -> Callable[[Path], object]:
    """A data set, `data`."""
    return lambda place: subprocess.run(
        [*COLAYER, "generate", "single-machine", "data", *words], cwd=place, check=True, stdout=subprocess.DEVNULL
    )


def model(place: Path) -> Any:
    """The model without what tells of the run."""
    document = json.loads((place / "model.json").read_text())
    return {key: value for key, value in document.items() if key != "provenance"}


def labels(place: Path) -> Any:
    """Every label, to the byte."""
    return {path.name: path.read_bytes() for path in sorted(place.glob("data/*.solution.json"))}


def tables(place: Path) -> Any:
    """Every table without its columns of seconds."""
    found = {}
    for path in sorted(place.glob("run/*/*.csv")):
        with path.open(newline="") as file:
            head, *rows = csv.reader(file)
        kept = [k for k, name in enumerate(head) if "(s)" not in name]
        found[path.name] = [[row[k] for k in kept] for row in (head, *rows)]
    return found


WORK = {
    "train": Work(
        "train single-machine data -o model.json --evaluations 1000 --workers 2",
        generate("--count", "20", "--jobs", "400"),
        model,
    ),
    "label": Work("label single-machine data --workers 2", generate("--count", "200", "--jobs", "60"), labels),
    "reproduce": Work("reproduce tree-epsilon --scale smoke -o run --workers 2", lambda place: None, tables),
}


def start(work: Work, place: Path) -> subprocess.Popen[bytes]:
    """The command in its folder; what it says is kept for a complaint."""
    with (place / "said.txt").open("wb") as said:
        return subprocess.Popen([*COLAYER, *work.words.split()], cwd=place, stdout=said, stderr=said)


def finish(process: subprocess.Popen[bytes], place: Path) -> None:
    """Wait for the end, which must be a good one."""
    if process.wait() != 0:
        raise SystemExit(f"status {process.returncode}: {(place / 'said.txt').read_text()}")


def torment(work: Work, kills: int, rng: random.Random, folder: Path) -> tuple[float, int, int, int]:
    """Seconds of the undisturbed run, kills, results compared, and how many of them differ."""
    fresh = folder / "fresh"
    fresh.mkdir()
    work.prepare(fresh)
    shutil.copytree(fresh, folder / "undisturbed")
    begin = time.perf_counter()
    finish(start(work, folder / "undisturbed"), folder / "undisturbed")
    seconds = time.perf_counter() - begin
    expected = work.result(folder / "undisturbed")
    if not expected:
        raise SystemExit(f"{work.words}: nothing to compare")
    place = folder / "killed"
    shutil.copytree(fresh, place)
    killed = compared = different = 0
    while killed < kills:
        process = start(work, place)
        try:
            process.wait(rng.uniform(0.0, seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed += 1
            continue
        finish(process, place)
        compared, different = compared + 1, different + (work.result(place) != expected)
        shutil.rmtree(place)
        shutil.copytree(fresh, place)
    finish(start(work, place), place)
    return seconds, killed, compared + 1, different + (work.result(place) != expected)


def main() -> int:
    """Torment every command; 1 where a result differs."""
    parser = argparse.ArgumentParser(description="Kill commands at random moments, resume them, compare the results.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORK))
    parser.add_argument("--kills", type=int, default=20, help="of each command")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    options = parser.parse_args()
    rows = []
    for name in options.names or WORK:
        with tempfile.TemporaryDirectory() as folder:
            seconds, *counts = torment(WORK[name], options.kills, random.Random(options.seed), Path(folder))
        rows.append((name, duration(seconds), *counts))
    print(machine())
    print(table(("command", "undisturbed", "kills", "results compared", "different"), rows).text())
    return 1 if any(row[-1] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
