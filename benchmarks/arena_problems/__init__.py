"""The problems of the arena, written as a user would from the docs, each with its public instances and its rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arena_problems import flow_shop, knapsack, tardiness
from arena_problems.contest import Contest

#: name → folder of the public files → the contest.
CONTESTS: dict[str, Callable[[Path], Contest]] = {
    "wt": lambda folder: tardiness.contest(folder, tardiness.SortedJobs(), "weighted tardiness, sort"),
    "atc": lambda folder: tardiness.contest(folder, tardiness.BoostedATC(), "weighted tardiness, ATC as layer"),
    "mkp": knapsack.contest,
    "pfsp": flow_shop.contest,
}
