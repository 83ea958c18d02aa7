"""Models for general solvers that are not the problem: the check of its kind finds each mistake, alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from colayer.problem.check import check_problem
from colayer.problem.programs import Rows, TooLargeError
from support.planted import assert_found
from support.selection_problem import instances
from support.whole_problem import Whole


class CompactForgetsRisk(Whole):
    def compact(self, instance):
        model = super().compact(instance)
        return replace(model, cost=np.where(np.arange(len(model.cost)) < len(instance.price), model.cost, 0.0))


class CompactWithoutTheCount(Whole):
    """Any number of projects."""

    def _rows(self, instance, pairs, none):
        rows = super()._rows(instance, pairs, none)
        if none != -np.inf:
            return rows
        rows.lower[0] = np.array([1])
        return rows


class CompactTooTight(Whole):
    """The cheapest project of all is not for sale."""

    def compact(self, instance):
        model = super().compact(instance)
        upper = model.upper.copy()
        upper[self.exact(instance)[0][0]] = 0.0
        return replace(model, upper=upper)


class CompactInfeasible(Whole):
    def compact(self, instance):
        model = super().compact(instance)
        return replace(model, upper=np.zeros(len(model.upper)))


class CompactInOtherUnits(Whole):
    def compact(self, instance):
        model = super().compact(instance)
        return replace(model, cost=model.cost / 100.0)


class CompactReadsTheOthers(Whole):
    def compact(self, instance):
        model = super().compact(instance)
        return replace(model, solution=lambda values: np.flatnonzero(values[: len(instance.price)] < 0.5))


class CompactOfAPair(Whole):
    def compact(self, instance):
        model = super().compact(instance)
        return model.cost, model.rows


class CompactRaises(Whole):
    def compact(self, instance):
        raise KeyError("travel")


class CompactWithoutExact(CompactForgetsRisk):
    exact = None


class ProgramToMaximise(Whole):
    def constraint_program(self, instance):
        program = super().constraint_program(instance)
        return replace(program, cost=-program.cost)


class ProgramForgetsRisk(Whole):
    def constraint_program(self, instance):
        program = super().constraint_program(instance)
        return replace(program, cost=np.where(np.arange(len(program.cost)) < len(instance.price), program.cost, 0))


class ProgramWithoutPairs(Whole):
    """Nobody says that two projects make a pair."""

    def constraint_program(self, instance):
        program, n = super().constraint_program(instance), len(instance.price)
        rows = Rows()
        rows.add([instance.choose], instance.choose, (0, np.arange(n), 1))
        return replace(program, rows=rows, conditions=[np.array([-1])])


class ProgramWithoutTheCount(Whole):
    def constraint_program(self, instance):
        program = super().constraint_program(instance)
        program.rows.lower[0] = np.array([0])
        return program


class ProgramTooTight(Whole):
    def constraint_program(self, instance):
        program = super().constraint_program(instance)
        upper = program.upper.copy()
        upper[self.exact(instance)[0][0]] = 0
        return replace(program, upper=upper)


class ProgramHintsAtNothing(Whole):
    def constraint_program(self, instance):
        program = super().constraint_program(instance)
        return replace(program, hint=lambda solution: np.zeros(len(program.cost), dtype=np.int64))


class ProgramHintOfFloats(Whole):
    def constraint_program(self, instance):
        program = super().constraint_program(instance)
        return replace(program, hint=lambda solution: program.hint(solution) / 2)


class ProgramReportsTooLittle(Whole):
    """The last project is not told."""

    def constraint_program(self, instance):
        return replace(super().constraint_program(instance), reported=len(instance.price) - 1)

    violation = write_solution = read_solution = None


class ProgramForgetsToReturn(Whole):
    def constraint_program(self, instance):
        super().constraint_program(instance)


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    CompactForgetsRisk: ("compact", "its objective is not the cost, or a constraint is too tight"),
    CompactWithoutTheCount: ("compact", "compact has an optimum that is infeasible (violation says: "),
    CompactTooTight: ("compact", "its objective is not the cost, or a constraint is too tight"),
    CompactInfeasible: ("compact", "compact: its program raised ValueError: HiGHS says: "),
    CompactInOtherUnits: ("compact", "let cost·x be the cost of the solution"),
    CompactReadsTheOthers: ("compact", "its objective is not the cost, or a constraint is too tight"),
    CompactOfAPair: ("compact", "compact returned a tuple of 2, "),
    CompactRaises: ("compact", "compact raised KeyError: 'travel' (test_programs.py, line"),
    CompactWithoutExact: ("compact", "its objective is not the cost, or a constraint is too tight"),
    ProgramToMaximise: ("constraint program", "let it grow with the cost"),
    ProgramForgetsRisk: ("constraint program", "let it grow with the cost"),
    ProgramWithoutPairs: ("constraint program", "its objective is not the cost, or"),
    ProgramWithoutTheCount: ("constraint program", "constraint_program has an optimum that is infeasible"),
    ProgramTooTight: ("constraint program", "does not allow the hint for a decoded solution: column"),
    ProgramHintsAtNothing: ("constraint program", "does not allow the hint for a decoded solution: row 0 is 0, beyond"),
    ProgramHintOfFloats: ("constraint program", "its hint returned an array of float64"),
    ProgramReportsTooLittle: ("constraint program", "after hint and solution"),
    ProgramForgetsToReturn: ("constraint program", "constraint_program returned None: return a ConstraintProgram"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: mistake.__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])


class TooLarge(Whole):
    def compact(self, instance):
        raise TooLargeError("too many rows")


def test_a_model_that_is_refused_as_too_large_is_no_mistake() -> None:
    finding = next(f for f in check_problem(TooLarge(), instances(2)).findings if f.check == "compact")
    assert (finding.result, finding.detail) == (
        "not applicable", "compact refuses even the smallest instances as too large",
    )  # fmt: skip
