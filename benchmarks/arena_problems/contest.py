"""A contest: one problem, what is learned from, the public instances it is judged on, and the rules of specialists."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from colayer import BaseProblem

#: instance → solution.
Rule = Callable[[Any], Any]


@dataclass(frozen=True)
class Contest:
    """What the contenders of one problem share. Instances are frozen dataclasses of arrays."""

    title: str
    problem: BaseProblem
    train: Sequence[Any]
    test: Sequence[Any]
    #: Best known cost of each test instance, and what its gap is a share of.
    best: np.ndarray
    unit: np.ndarray
    #: Solves of the second column.
    candidates: int
    #: The rules that a specialist would name.
    rules: Mapping[str, Rule]
    #: More plain rules, for the best of them together; every single feature is one as well.
    more_rules: Mapping[str, Rule] = field(default_factory=dict)
    #: (instance, seed) → solution, of searches that take as long as the candidates.
    searches: Mapping[str, Callable[[Any, int], Any]] = field(default_factory=dict)

    def gaps(self, costs: np.ndarray) -> np.ndarray:
        """Return the gap of each test instance to its best known cost."""
        return (costs - self.best) / self.unit

    def content(self) -> str:
        """Return a hash of the instances."""
        found = hashlib.sha256()
        for instance in (*self.train, *self.test):
            for part in fields(instance):
                found.update(np.ascontiguousarray(getattr(instance, part.name)).tobytes())
        return found.hexdigest()


def numbers(path: Any) -> np.ndarray:
    """Return all the numbers of a text file, in one row."""
    return np.array(path.read_text("utf-8").split(), dtype=float)
