"""Checks of the models that a problem gives to general solvers, against its own solutions on the smallest instances.

Both kinds are solved by HiGHS here; a constraint program is written as a mixed-integer one first (`checks/linear.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.problem.check.linear import Solution, as_mixed_integer, broken, minimised
from colayer.problem.check.objective import pool
from colayer.problem.check.report import Mistake, Skip
from colayer.problem.check.trial import Sample, Trial, guarded, named
from colayer.problem.programs import CompactModel, ConstraintProgram, TooLargeError

#: Relative: between a cost and what a general solver says, whose rows hold to 1e-6.
TOLERANCE = 1e-5
#: Relative: a constraint program has whole numbers alone, and may round what it is made of.
WHOLE = 1e-3
#: In the place of a model that is too large.
_REFUSED = object()


def compact(trial: Trial) -> None:
    """The optimum of the mixed-integer program is a solution, costs what it says, and is the least there is."""
    trial.need("compact")
    _on_the_smallest(trial, "compact", CompactModel, _compact)


def constraint_program(trial: Trial) -> None:
    """Every solution is one of the constraint program at a cost that keeps the order, and so is its optimum."""
    trial.need("constraint_program")
    _on_the_smallest(trial, "constraint_program", ConstraintProgram, _constraint_program)


def _on_the_smallest(trial: Trial, method: str, kind: type, judge: Any) -> None:
    built = 0
    for index in trial.smallest:
        program = guarded(f"{trial.at(index)}{method}", _built, trial, method, index)
        if program is _REFUSED:
            continue
        if not isinstance(program, kind):
            raise Mistake(f"{trial.at(index)}{method} returned {named(program)}: return a {kind.__name__}")
        built += 1
        judge(trial, index, program)
    if not built:
        raise Skip(f"{method} refuses even the smallest instances as too large")


def _built(trial: Trial, method: str, index: int) -> Any:
    try:
        return getattr(trial.problem, method)(trial.instances[index])
    except TooLargeError:
        return _REFUSED


def _compact(trial: Trial, index: int, model: CompactModel) -> None:
    where = f"{trial.at(index)}compact"
    found: Solution | None = guarded(f"{where}: its program", minimised, model)
    if found is None:
        return
    cost = _judged(
        trial, index, guarded(f"{where}: its solution", model.solution, found.values), found, "compact", TOLERANCE
    )
    if _apart(found.value, cost, TOLERANCE):
        raise Mistake(
            f"{where} says that its optimum costs {found.value:.10g}, cost(solution) is {cost:.10g}: let cost·x be the "
            "cost of the solution (a constant is a column with equal bounds)"
        )


def _constraint_program(trial: Trial, index: int, program: ConstraintProgram) -> None:
    where = f"{trial.at(index)}constraint_program"
    mine = [sample for sample in trial.samples if sample.index == index]
    points: list[tuple[float, float]] = [_hinted(trial, index, program, sample) for sample in mine]
    scale = max(1.0, *(abs(value) for _, value in points))
    for one, two in zip(sorted(points), sorted(points)[1:], strict=False):
        if one[1] > two[1] + WHOLE * scale:
            raise Mistake(
                f"{where}: cost·x is {one[1]:.10g} for a solution that costs {one[0]:.10g}, and less, {two[1]:.10g}, "
                f"for one that costs {two[0]:.10g}: let it grow with the cost"
            )
    model = guarded(f"{where}: its program", as_mixed_integer, program)
    found: Solution | None = guarded(f"{where}: its program", minimised, model)
    if found is None:
        return
    values = np.rint(model.solution(found.values)[: program.reported]).astype(np.int64)
    solution = guarded(f"{where}: its solution", program.solution, values)
    _judged(trial, index, solution, found, "constraint_program", WHOLE)
    stands = float(program.cost @ np.asarray(guarded(f"{where}: its hint", program.hint, solution)))
    if stands - found.value > WHOLE * max(scale, abs(stands)):
        raise Mistake(
            f"{where} lets a solution have cost·x = {found.value:.10g} where its hint for it has {stands:.10g}: a "
            "constraint is missing"
        )


def _hinted(trial: Trial, index: int, program: ConstraintProgram, sample: Sample) -> tuple[float, float]:
    """(cost, cost·x) of a solution that the program must allow: `hint` gives x, `solution` leads back."""
    where = f"{trial.at(index)}constraint_program"
    values = np.asarray(guarded(f"{where}: its hint", program.hint, sample.solution))
    if values.shape != program.cost.shape or values.dtype.kind not in "iub":
        raise Mistake(
            f"{where}: its hint returned {named(values)}: return a whole number for each of {len(program.cost)} columns"
        )
    said = guarded(f"{where}: its program", broken, program, values.astype(np.int64))
    if said is not None:
        raise Mistake(f"{where} does not allow the hint for a decoded solution: {said}. One of the two is wrong")
    back = guarded(f"{where}: its solution", program.solution, values[: program.reported].astype(np.int64))
    cost = trial.cost(index, back, "the solution of constraint_program")
    if _apart(cost, sample.cost, TOLERANCE):
        raise Mistake(
            f"{where}: a solution that costs {sample.cost:.10g} costs {cost:.10g} after hint and solution: let "
            "solution read from the first `reported` columns what hint writes there"
        )
    return sample.cost, float(program.cost @ values)


def _judged(trial: Trial, index: int, solution: Any, found: Solution, method: str, tolerance: float) -> float:
    """The cost of an optimum: it is feasible, no cheaper than what is proved, no dearer than any solution known."""
    where = f"{trial.at(index)}{method}"
    cost = trial.cost(index, solution, f"the solution of {method}")
    said = trial.infeasible(index, solution)
    if said is not None:
        raise Mistake(f"{where} has an optimum that is infeasible ({said}): a constraint is missing")
    least, of = _least(trial, index)
    if found.proved and cost > least + tolerance * max(abs(cost), abs(least)):
        raise Mistake(
            f"{where} has an optimum of cost {cost:.10g}, but {of} costs {least:.10g}: its objective is not the cost, "
            "or a constraint is too tight"
        )
    proved = trial.solved(index).cost if trial.has("exact") and trial.solved(index).proved else None
    if proved is not None and cost < proved - tolerance * max(abs(cost), abs(proved)):
        raise Mistake(
            f"{where} has a solution of cost {cost:.10g}, but exact says that {proved:.10g} is optimal: a constraint "
            "is missing, or exact is wrong"
        )
    return cost


def _least(trial: Trial, index: int) -> tuple[float, str]:
    """The least cost known, of the exact solver or, in its place, of every y that the layer returned."""
    known = [(trial.best_sample(index).cost, "a decoded solution")]
    if trial.has("exact"):
        known.append((trial.solved(index).cost, "the solution of exact"))
    else:
        tried = pool(trial, index).thetas if trial.has("embed") else trial.thetas(index, 60, 2)
        known += [(trial.sample(index, theta).cost, "a decoded solution") for theta in tried]
    return min(known)


def _apart(one: float, two: float, tolerance: float) -> bool:
    return abs(one - two) > tolerance * max(abs(one), abs(two), 1e-9)
