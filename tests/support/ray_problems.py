"""Problems in plain Python that are not installed on the nodes of a cluster, and what is seen of its workers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from colayer.evaluators.visit import Visits
from colayer.problem.protocol import BaseProblem
from colayer.problems import SingleMachine


class Lowest(BaseProblem):
    """Choose the row of lowest θ; an instance is a number."""

    name = "lowest"
    feature_names = ("one", "two", "three")

    def features(self, instance: Any) -> np.ndarray:
        return np.random.default_rng(instance).normal(size=(20 + instance, 3))

    def layer(self, theta: np.ndarray, instance: Any) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Any) -> float:
        return float(np.random.default_rng((instance, solution)).normal())


class ThirteenError(Exception):
    """An exception of the user's own."""


class Faulty(Lowest):
    """Raises, or ends the process, where the instance says so."""

    def features(self, instance: Any) -> np.ndarray:
        if instance == 13:
            raise ThirteenError("thirteen")
        if instance == 99:
            os._exit(1)
        return super().features(instance)


class Large(Lowest):
    """2 MB of features per instance, from an instance that is a number."""

    rows = 2_000_000 // 24

    def features(self, instance: Any) -> np.ndarray:
        return np.random.default_rng(instance).normal(size=(self.rows, 3))


def compiled() -> tuple[Any, list[Any]]:
    """A problem with compiled kernels, and instances of several sizes."""
    problem = SingleMachine(decoder="none")
    return problem, [problem.generate(seed=s, jobs=(8, 20, 40)[s % 3], rho=1.0) for s in range(15)]


def generic() -> tuple[Any, list[Any]]:
    """A problem in plain Python."""
    return Lowest(), list(range(12))


def pids(evaluator: Visits, chosen: Iterable[int]) -> list[int]:
    """The processes that hold some instances."""
    return evaluator.visit(lambda _: os.getpid(), list(chosen))


def assert_gone(left: Callable[[], list[Any]]) -> None:
    """Nothing is left, after a while."""
    patience = time.monotonic() + 30
    while left():
        assert time.monotonic() < patience, left()
        time.sleep(0.05)


def resident(pid: int) -> int:
    """The bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
