"""CP-SAT by enumeration, as far as `comparison/cpsat_child.py` uses it: for tests without OR-Tools.

`install` puts it where a process that starts in the folder's path finds it as `ortools.sat.python.cp_model`.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path


def install(folder: Path) -> None:
    """A package `ortools` in this folder."""
    package = folder / "ortools" / "sat" / "python"
    package.mkdir(parents=True)
    shutil.copy(__file__, package / "cp_model.py")
    for part in (package, package.parent, package.parent.parent):
        (part / "__init__.py").touch()  # else OR-Tools itself would be found first, where it is installed


class LinearExpr:
    """A weighted sum of columns."""

    def __init__(self, columns, values):
        self.terms = list(zip(columns, values, strict=True))

    def at(self, x):
        return sum(value * x[column] for column, value in self.terms)

    @classmethod
    def weighted_sum(cls, columns, values):
        return cls(columns, values)


class Constraint:
    def __init__(self, holds):
        self.holds = holds

    def only_enforce_if(self, literal):
        always = self.holds
        self.holds = lambda x: x[literal] != 1 or always(x)


class CpModel:
    """Columns are their numbers."""

    def __init__(self):
        self.ranges, self.constraints, self.hints, self.objective = [], [], {}, None

    def new_int_var(self, low, high, name):
        self.ranges.append(range(low, high + 1))
        return len(self.ranges) - 1

    def new_fixed_size_interval_var(self, start, size, name):
        return start, size

    def add_exactly_one(self, literals):
        chosen = list(literals)
        self._add(lambda x: sum(x[k] for k in chosen) == 1)

    def add_no_overlap(self, intervals):
        spans = list(intervals)

        def holds(x):
            ordered = sorted((x[start], x[start] + size) for start, size in spans)
            return all(a[1] <= b[0] for a, b in itertools.pairwise(ordered))

        self._add(holds)

    def add_linear_constraint(self, terms, low, high):
        return self._add(lambda x: low <= terms.at(x) <= high)

    def add_hint(self, column, value):
        self.hints[column] = value

    def minimize(self, terms):
        self.objective = terms

    def _add(self, holds):
        self.constraints.append(Constraint(holds))
        return self.constraints[-1]


class Parameters:
    num_workers = random_seed = max_time_in_seconds = None


class CpSolverSolutionCallback:
    found = ()

    def value(self, column):
        return self.found[column]


class CpSolver:
    def __init__(self):
        self.parameters = Parameters()

    def solve(self, model, callback):
        """Every better solution in the order of the columns' values, that of the hint first."""
        hint = tuple(model.hints.get(k, span[0]) for k, span in enumerate(model.ranges))
        best = None
        for x in (*([hint] if model.hints else []), *itertools.product(*model.ranges)):
            better = best is None or model.objective.at(x) < best
            if better and all(constraint.holds(x) for constraint in model.constraints):
                best = model.objective.at(x)
                callback.found = x
                callback.on_solution_callback()
        return "INFEASIBLE" if best is None else "OPTIMAL"

    def status_name(self, status):
        return status
