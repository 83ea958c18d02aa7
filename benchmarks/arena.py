"""Rules, draws and learners on public instances: `python benchmarks/arena.py DIR [--problems …] [--part K/N]`.

Weighted tardiness (a sort, and ATC as the layer), the multidimensional knapsack and the permutation flow shop, each
problem written as a user would (benchmarks/arena_problems). DIR holds the public files: `wt`, `mkp` and
`taillard/pfsp/instances`; see paper/docs/arena.md. All contenders meet on the same test instances, none learned on;
what has a choice makes it on training instances. Gaps are to the best known values, differences are paired, in points
of gap, to one reference in each column: with one solve the best rule; with K solves the better of K draws around the
safe weights or the best single feature, and of the K best rules and features together.

Every finished run is a line of `arena.runs.jsonl` beside the results, and is not run again while code and instances
stay the same. `--part K/N` does the K-th of N parts of the runs, alone or beside others, and writes no results. Writes
benchmarks/results/arena.json; `python benchmarks/arena_page.py` then writes the tables of paper/docs/arena.md.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import arena_contenders
import arena_problems
import measure
import msgspec
from arena_contenders import Contender, Stand, measured
from arena_page import tables
from arena_problems.contest import Contest
from arena_standings import standings

import colayer

METHODS = ("auto", "srl", "cma-es")


class Journal:
    """The finished runs, a line each, by what they depend on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_bytes() if path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if whole != text:  # killed within a line
            path.write_bytes(whole)
        self._known = {tuple(run["key"]): run for run in map(msgspec.json.decode, whole.splitlines())}

    def find(self, key: Sequence[Any]) -> dict[str, Any] | None:
        return self._known.get(tuple(key))

    def add(self, key: Sequence[Any], run: dict[str, Any]) -> None:
        self._known[tuple(key)] = whole = {"key": list(key), **run}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab", buffering=0) as out:  # one write a line: parts may run side by side
            out.write(msgspec.json.encode(whole) + b"\n")


def state_of_code() -> str:
    """Return a hash of colayer, the contenders and the problems: runs of another state do not count."""
    folders = [Path(module.__file__).parent for module in (colayer, arena_problems)]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    found = hashlib.sha256()
    for file in [*files, Path(arena_contenders.__file__)]:
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def run(contest: Contest, contender: Contender, seed: int) -> dict[str, Any]:
    """Make a contender from a seed and let it solve the test instances."""
    made = contender.make(seed)
    columns = {str(count): measured(contest, solve) for count, solve in made.solvers.items()}
    return {
        "costs": {count: costs for count, (costs, _) in columns.items()},
        "ms": {count: ms for count, (_, ms) in columns.items()},
        "chosen": made.chosen, "seconds": made.seconds,
    }  # fmt: skip


def arguments() -> argparse.Namespace:
    listed = lambda text: text.split(",")  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--problems", type=listed, default=list(arena_problems.CONTESTS))
    parser.add_argument("--methods", type=listed, default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--evaluations", type=int, default=600)
    parser.add_argument("--part", type=lambda text: tuple(map(int, text.split("/"))), metavar="K/N")
    chosen = parser.parse_args()
    for name in set(chosen.problems) - set(arena_problems.CONTESTS) | set(chosen.methods) - set(METHODS):
        parser.error(f"{name} is neither a problem nor a method of the arena")
    return chosen


def main() -> None:
    options, code = arguments(), state_of_code()
    part, parts = options.part or (1, 1)
    journal = Journal(measure.RESULTS / "arena.runs.jsonl")
    number, found = 0, []
    for name in options.problems:
        contest = arena_problems.CONTESTS[name](options.folder)
        stand, content = Stand(contest), contest.content()[:16]
        # at half and twice the budget as well: more evaluations must not make a portfolio worse
        budgets = [options.evaluations, *([options.evaluations // 2, 2 * options.evaluations] if name == "wt" else [])]
        rows = []
        for contender in stand.contenders(options.methods, budgets):
            runs = []
            for seed in range(options.seeds) if contender.seeded else (0,):
                number += 1
                key = (code, content, name, contender.name, seed, options.evaluations)
                if journal.find(key) is None and number % parts == part % parts:
                    begin = time.process_time()
                    journal.add(key, run(contest, contender, seed))
                    print(f"{name}, {contender.name}, seed {seed}: {time.process_time() - begin:.1f} s", flush=True)
                runs.append(journal.find(key))
            rows.append((contender, runs))
        if options.part is None:
            found.append({"problem": name, "title": contest.title, **standings(contest, rows)})
    if options.part is None:
        document = {"seeds": options.seeds, "evaluations": options.evaluations, "problems": found}
        measure.write_results("arena", document)
        print(tables(document, text=True))


if __name__ == "__main__":
    main()
