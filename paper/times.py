"""What every stage of a run took: `python paper/times.py RUN [--scale paper]`.

Writes paper/src/colayer_paper/paper/times.csv, from which `colayer reproduce --list` says how long a stage takes.
"""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

from colayer_paper.frame.config import SCALES
from colayer_paper.frame.store import Run
from colayer_paper.registry import EXPERIMENTS, learnings

TIMES = Path(__file__).parent / "src/colayer_paper/paper/times.csv"
HEAD = ("scale", "stage", "evaluations", "seconds", "cpu", "device")


def main() -> None:
    """Read the cache of the run; keep the rows of other scales."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--scale", choices=SCALES, default="paper")
    arguments = parser.parse_args()
    run = Run(arguments.run, arguments.scale)
    found = {}
    for name in EXPERIMENTS:
        for learning in learnings(run, name):
            kept = run.kept("train", learning.identity)
            if kept is not None:
                times = (f"{kept['seconds']:.1f}", f"{kept['cpu']:.1f}", kept["value"].get("device", "cpu"))
                found[learning.what] = (arguments.scale, learning.what, learning.evaluations, *times)
    with TIMES.open(encoding="utf-8") as file:
        others = [row for row in csv.reader(file) if row and row[0] not in (arguments.scale, HEAD[0])]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *others, *found.values()])
    TIMES.write_text(text.getvalue(), "utf-8")
    print(f"{len(found)} stages in {TIMES}")


if __name__ == "__main__":
    main()
