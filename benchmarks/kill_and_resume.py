"""Kill and resume: `python benchmarks/kill_and_resume.py [--kills 20] [--seed 0] [NAME…]`.

Each command runs undisturbed, once to compile kernels and once to be timed. Then it is started again and again, and
killed (SIGKILL, its own process alone) at a random moment of that time, until it was killed as often as asked; wherever
it comes to its end before the kill, its result is compared, and it begins afresh. The last start is left alone. Every
result must equal the undisturbed one: weights, labels, instances, and tables without their times; and no temporary file
may be left. Exit status 1 where one does not.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
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


def generate(words: str) -> Callable[[Path], object]:
    """A data set, `data`."""
    problem, *sizes = words.split()
    return lambda place: subprocess.run(
        [*COLAYER, "generate", problem, "data", *sizes], cwd=place, check=True, stdout=subprocess.DEVNULL
    )


def timetable(place: Path) -> None:
    """A feed of 300 trips between two stops, `feed.zip`."""
    hours = [(5 * 60 + 3 * k, k % 2) for k in range(300)]
    times = [
        f"t{k},{m // 60}:{m % 60:02d}:00,{m // 60}:{m % 60:02d}:00,{('a', 'b')[back]},1\n"
        f"t{k},{(m + 20) // 60}:{(m + 20) % 60:02d}:00,{(m + 20) // 60}:{(m + 20) % 60:02d}:00,{('b', 'a')[back]},2\n"
        for k, (m, back) in enumerate(hours)
    ]
    files = {
        "agency.txt": "agency_id,agency_name,agency_url,agency_timezone\nA,Town,https://example.org,Europe/Oslo\n",
        "routes.txt": "route_id,route_short_name,route_type\nred,1,3\n",
        "calendar.txt": "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
        "week,1,1,1,1,1,0,0,20251201,20260331\n",
        "stops.txt": "stop_id,stop_name,stop_lat,stop_lon\na,North,60.00,10.00\nb,South,59.91,10.00\n",
        "trips.txt": "route_id,service_id,trip_id,block_id\n"
        + "".join(f"red,week,t{k},B{k % 20}\n" for k in range(len(hours))),
        "stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n" + "".join(times),
    }
    with zipfile.ZipFile(place / "feed.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def model(place: Path) -> Any:
    """The model without what tells of the run."""
    document = json.loads((place / "model.json").read_text())
    return {key: value for key, value in document.items() if key != "provenance"}


def labels(place: Path) -> Any:
    """Every label, to the byte."""
    return {path.name: path.read_bytes() for path in sorted(place.glob("data/*.solution.json"))}


def data_set(place: Path) -> Any:
    """Every file of a data set, to the byte."""
    return {path.name: path.read_bytes() for path in sorted(place.glob("new/*"))}


def results(place: Path) -> Any:
    """What `evaluate` or `tune` wrote, without its times."""
    return re.sub(r'"[a-z_]*seconds":[-0-9.e]+', "", (place / "new.json").read_text())


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
        "train single-machine data -o model.json --evaluations 400 --workers 1",
        generate("single-machine --count 10 --jobs 100"),
        model,
    ),
    "train, days": Work(
        "train dynamic-vehicle-scheduling data -o model.json --evaluations 60 --workers 1",
        generate("dynamic-vehicle-scheduling --count 4 --customers 20 --per-epoch 3"),
        model,
    ),
    "train, network": Work(
        "train single-machine data -o model.json --method neural --evaluations 4 --workers 1",
        generate("single-machine --count 6 --jobs 15"),
        model,
    ),
    "label": Work("label single-machine data --workers 1", generate("single-machine --count 60 --jobs 25"), labels),
    "generate": Work(
        "generate vehicle-scheduling new --count 60 --tasks 60 --scenarios 10 --format npz",
        lambda place: None,
        data_set,
    ),
    "import": Work("import gtfs feed.zip --date 2026-01-06 -o new --scenarios 20 --count 8", timetable, data_set),
    "evaluate": Work(
        "evaluate single-machine data -o new.json", generate("single-machine --count 60 --jobs 200"), results
    ),
    "tune": Work(
        "tune vehicle-scheduling data --rule 'delay x3' --set factor=1,2,3 -o new.json",
        generate("vehicle-scheduling --count 8 --tasks 40"),
        results,
    ),
    "reproduce": Work("reproduce tree-epsilon --scale smoke -o run --workers 2", lambda place: None, tables),
}


def start(work: Work, place: Path) -> subprocess.Popen[bytes]:
    """The command in its folder; what it says is kept for a complaint."""
    with (place / "said.txt").open("wb") as said:
        return subprocess.Popen([*COLAYER, *shlex.split(work.words)], cwd=place, stdout=said, stderr=said)


def finish(process: subprocess.Popen[bytes], place: Path) -> None:
    """Wait for the end, which must be a good one."""
    if process.wait() != 0:
        raise SystemExit(f"status {process.returncode}: {(place / 'said.txt').read_text()}")


def litter(place: Path) -> int:
    """How many temporary files are left."""
    return sum(1 for path in place.rglob(".*") if path.name.endswith(".tmp"))


def torment(work: Work, kills: int, rng: random.Random, folder: Path) -> tuple[float, int, int, int, int]:
    """Seconds of the undisturbed run, kills, results compared, how many of them differ, and files left behind."""
    fresh = folder / "fresh"
    fresh.mkdir()
    work.prepare(fresh)
    shutil.copytree(fresh, folder / "first")
    finish(start(work, folder / "first"), folder / "first")
    shutil.copytree(fresh, folder / "undisturbed")
    begin = time.perf_counter()
    finish(start(work, folder / "undisturbed"), folder / "undisturbed")
    seconds = time.perf_counter() - begin
    expected = work.result(folder / "undisturbed")
    if not expected:
        raise SystemExit(f"{work.words}: nothing to compare")
    place = folder / "killed"
    shutil.copytree(fresh, place)
    killed = compared = different = left = 0
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
        left += litter(place)
        shutil.rmtree(place)
        shutil.copytree(fresh, place)
    finish(start(work, place), place)
    return seconds, killed, compared + 1, different + (work.result(place) != expected), left + litter(place)


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
        print(*rows[-1], file=sys.stderr, flush=True)
    print(machine())
    print(table(("command", "undisturbed", "kills", "results compared", "different", "left behind"), rows).text())
    return 1 if any(row[-1] or row[-2] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
