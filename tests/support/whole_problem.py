"""The problem of `selection_problem` with what it leaves out: tables, models for solvers, many θ at once, a margin."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from colayer.problem.programs import LEAST_INT, CompactModel, ConstraintProgram, Rows, whole
from colayer.problem.structure import Groups
from support.selection_problem import Projects, Tables


class Whole(Tables):
    """Whatever a problem can have and the check looks at."""

    name = "whole"

    def augmented(self, theta: np.ndarray, target: np.ndarray, instance: Projects) -> tuple[np.ndarray, float]:
        """The Hamming distance."""
        return theta - (1.0 - 2.0 * target), float(target.sum())

    def solved(self, thetas: np.ndarray, instance: Projects) -> tuple[list[np.ndarray], np.ndarray]:
        ys = [self.layer(theta, instance) for theta in thetas]
        return ys, np.array([self.cost(self.decode(y, instance), instance) for y in ys])

    def mixed(self, ys: list[np.ndarray], coefficients: np.ndarray, instance: Projects) -> np.ndarray:
        total = np.zeros(len(instance.price))
        for y, factor in zip(ys, coefficients, strict=True):
            total[y] += factor
        return total

    def structure(self, instance: Projects, y: np.ndarray | None = None) -> Groups:
        """All projects, and those that were taken."""
        labels = np.zeros(len(instance.price), dtype=np.int64)
        labels[[] if y is None else y] = 1
        return Groups(labels)

    def compact(self, instance: Projects) -> CompactModel:
        """x_i takes a project, z_ij ≥ x_i + x_j − 1 pays 2·risk_i·risk_j for two of them."""
        costs, pairs = self._costs(instance)
        return CompactModel(
            cost=costs,
            rows=self._rows(instance, pairs, -np.inf),
            lower=np.zeros(len(costs)),
            upper=np.ones(len(costs)),
            integral=np.arange(len(costs)) < len(instance.price),
            solution=lambda values: np.flatnonzero(values[: len(instance.price)] > 0.5),
        )

    def constraint_program(self, instance: Projects) -> ConstraintProgram:
        """The same with whole prices."""
        costs, pairs = self._costs(instance)
        prices, _ = whole(costs)
        n = len(instance.price)

        def hint(solution: np.ndarray) -> np.ndarray:
            x = np.zeros(n, dtype=np.int64)
            x[solution] = 1
            return np.concatenate([x, x[pairs[:, 0]] * x[pairs[:, 1]]])

        rows = self._rows(instance, pairs, LEAST_INT)
        return ConstraintProgram(
            cost=prices,
            lower=np.zeros(len(prices), dtype=np.int64),
            upper=np.ones(len(prices), dtype=np.int64),
            reported=n,
            solution=lambda values: np.flatnonzero(values),
            hint=hint,
            rows=rows,
            conditions=[np.full(rows.count, -1)],
        )

    def _costs(self, instance: Projects) -> tuple[np.ndarray, np.ndarray]:
        pairs = np.array(list(itertools.combinations(range(len(instance.price)), 2)))
        both = 2.0 * instance.risk[pairs[:, 0]] * instance.risk[pairs[:, 1]]
        return np.concatenate([instance.price + instance.risk**2, both]), pairs

    def _rows(self, instance: Projects, pairs: np.ndarray, none: Any) -> Rows:
        n, each, rows = len(instance.price), np.arange(len(pairs)), Rows()
        rows.add([instance.choose], instance.choose, (0, np.arange(n), 1))
        rows.add(np.full(len(pairs), none), 1, (each[:, None], pairs, 1), (each, n + each, -1))
        return rows
