"""The best constants of a rule on training instances: every combination of a grid is tried, and journalled."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.text import one_of, short
from colayer._runtime.threads import Threads
from colayer.comparison.tuned import Tuned, in_words
from colayer.errors import InputError, JournalError, OptionError
from colayer.evaluators.base import check_workers
from colayer.io.hashing import content_hash
from colayer.learning.journal import Journal, Record
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.feasibility import refusal
from colayer.problem.guard import described, finite
from colayer.problem.protocol import Problem, X, Y, Z
from colayer.problem.returned import CHECKS

#: The combinations of a grid, at most.
MOST = 100_000


def tune(
    problem: Problem[X, Y, Z],
    rule: str | Callable[..., Z],
    instances: Sequence[X],
    grid: Mapping[str, Iterable[float]],
    *,
    journal: str | Path | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tuned[X, Z]:
    """Return the rule with the constants, of the grid or its own default, of least mean loss.

    Infeasible solutions are refused.

    Parameters
    ----------
    problem
        The problem.
    rule
        A function `rule(instance, **constants)` that returns a solution, or the name of one of the problem's
        `baselines`, which is called as `problem.baseline(name, instance, **constants)`.
    instances
        The training instances.
    grid
        The values of each constant: all combinations are tried. Of equals the first wins.
    journal
        A file in which combinations are recorded; a run that was stopped goes on from it.
    workers
        Threads, 1 by default: compiled rules run side by side.
    progress
        Called with (combinations done, combinations in all).

    Returns
    -------
    Tuned
        The rule with its best constants, to be called with an instance, and the losses of all combinations.
    """
    bound: BoundProblem[X, Y, Z] = bind(problem)
    check_workers(workers)
    training = bound.check_instances(instances)
    if not training:
        raise InputError("none, expected at least one", where="instances")
    columns = checked_grid(grid)
    combinations = [dict(zip(columns, row, strict=True)) for row in itertools.product(*columns.values())]
    name, solve = _named(bound, rule)
    default = _default(name, solve, list(columns), named=isinstance(rule, str))
    if default and default not in combinations:
        combinations.append(default)
    measure = _Losses(bound, name, solve, training)
    with ExitStack() as stack:
        threads = stack.enter_context(Threads(workers or 1))
        book: Journal | None = None
        losses: list[Floats] = []
        if journal is not None:
            identity = {
                "problem": bound.name, "options": bound.options, "data": content_hash(bound, training),
                "instances": len(training), "rule": name, "grid": list(columns.items()),
                "default": default,
            }  # fmt: skip
            book = stack.enter_context(Journal(journal, identity, len(columns)))
            losses = _recalled(book, combinations, measure, threads)
        # a default of unknown constants is no record of a journal
        own = np.array(measure({}, threads)) if default == {} else None
        recalled = len(losses)
        for number, constants in enumerate(combinations[recalled:], recalled + 1):
            row = measure(constants, threads)
            if book is not None:
                weights = [float(value) for value in constants.values()]
                book.append([Record(number, weights, math.fsum(row) / len(row), None, state=row)])
            losses.append(np.array(row))
            if progress is not None:
                progress(number, len(combinations))
        if book is not None and not book.finished:
            book.finish()
    if default:
        own = losses[combinations.index(default)]
    return Tuned(bound.name, name, solve, tuple(combinations), np.array(losses), own, default or None, recalled)


def checked_grid(grid: Mapping[str, Iterable[float]]) -> dict[str, list[float]]:
    """Return the values of each constant: whole numbers where all of them are, else floats; refuse what is no grid."""
    if not isinstance(grid, Mapping) or not grid:
        raise OptionError(f"{described(grid)} is no grid, expected constants with their values", where="grid")
    columns = {name: _values(name, values) for name, values in grid.items()}
    count = math.prod(map(len, columns.values()))
    if count > MOST:
        raise OptionError(f"{count:,} combinations, expected at most {MOST:,}", where="grid")
    return columns


def _values(name: str, values: Iterable[float]) -> list[float]:
    """Return the values of one constant."""
    if not isinstance(name, str) or not name.isidentifier():
        raise OptionError(f"{short(name)} is not the name of a constant", where="grid")
    try:
        given = [] if isinstance(values, str) else list(itertools.islice(values, MOST + 1))
    except TypeError:
        given = []
    if not given:
        raise OptionError(f"{name} is {described(values)}, expected a list of numbers", where="grid")
    found = [value.item() if isinstance(value, np.generic) else value for value in given]
    for value in found:
        if not is_number(value):
            raise OptionError(f"{name} has the value {short(value)}, expected finite numbers", where="grid")
    if len(set(found)) < len(found):
        twice = next(value for value in found if found.count(value) > 1)
        raise OptionError(f"{name} has the value {twice} twice, expected different ones", where="grid")
    return found if all(isinstance(value, int) for value in found) else [float(value) for value in found]


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a value is a finite float, or a whole number that a float holds exactly."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53


def _named(problem: BoundProblem[X, Y, Z], rule: str | Callable[..., Z]) -> tuple[str, Callable[..., Z]]:
    """Return a rule with its name, under the guard of the problem."""
    if isinstance(rule, str):
        if rule not in problem.baselines:
            known = one_of(rule, problem.baselines) if problem.baselines else "a function"
            raise OptionError(f"{problem.name} has no rule {short(rule)}, expected {known}", where="--rule")
        return rule, partial(problem.need("baseline"), rule)
    if not callable(rule):
        raise OptionError(f"{described(rule)} is no rule, expected a function or a name", where="--rule")
    name = getattr(rule, "__name__", type(rule).__name__)
    return name, problem.guard.wrap(f"rule {name}", rule, CHECKS["baseline"])


def _default(name: str, solve: Callable[..., Any], constants: Sequence[str], *, named: bool) -> dict[str, float] | None:
    """Return the constants that the rule has by default, {} if it keeps them to itself, None if it has none.

    Refuse a constant that it does not take, and one that is missing. What a rule of the problem's takes by `**` has a
    default, since tables call it without constants.
    """
    try:
        parameters = list(inspect.signature(solve).parameters.values())[1:]
    except (TypeError, ValueError):  # of a builtin
        return None
    taken = {p.name: p.default for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    others = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for key in constants:
        if key not in taken and not others:
            expected = f", expected {one_of(key, list(taken))}" if taken else ""
            raise OptionError(f"{name} takes no constant {key}{expected}", where="grid")
    for key, value in taken.items():
        if value is inspect.Parameter.empty and key not in constants:
            raise OptionError(f"{name} needs the constant {key} as well", where="grid")
    found = {key: taken.get(key, None if named else inspect.Parameter.empty) for key in constants}
    if inspect.Parameter.empty in found.values():
        return None
    numbers = {key: value for key, value in found.items() if is_number(value)}
    return numbers if len(numbers) == len(found) else {}


class _Losses:
    """The losses of a rule on the training instances, by its constants."""

    def __init__(self, problem: BoundProblem[X, Y, Z], name: str, solve: Callable[..., Z], instances: list[X]) -> None:
        self.problem, self.name, self.solve, self.instances = problem, name, solve, instances
        self.scales = [float(problem.scale(instance)) for instance in instances]
        self.bounds = [problem.lower_bound(instance) for instance in instances]

    def __call__(self, constants: Mapping[str, float], threads: Threads) -> list[float]:
        """Return cost/scale on each instance."""
        return threads.map(partial(self._loss, constants), range(len(self.instances)))

    def _loss(self, constants: Mapping[str, float], i: int) -> float:
        instance = self.instances[i]
        solution = self.solve(instance, **constants)
        cost = finite(self.problem.cost(solution, instance), f"cost of {self.problem.name}")
        said = refusal(self.problem, solution, instance, cost=cost, bound=self.bounds[i])
        if said is not None:
            own = f"{self.name} with {in_words(constants)}" if constants else self.name
            raise InputError(f"{own} returned an infeasible solution: {said}", where=f"instance {i}")
        return cost / self.scales[i]


def _recalled(
    book: Journal, combinations: Sequence[Mapping[str, float]], measure: _Losses, threads: Threads
) -> list[Floats]:
    """Return the losses that the journal knows; refuse it if its best combination has others now."""
    for record in book.records:
        fits = record.evaluation <= len(combinations) and len(record.state) == len(measure.instances)
        if not fits or record.weights != list(combinations[record.evaluation - 1].values()):
            raise book.refuse("another evaluation than the grid asks for here", book.line(record.evaluation))
    best = min(book.records, key=lambda record: record.loss, default=None)
    if best is not None and measure(combinations[best.evaluation - 1], threads) != best.state:
        raise JournalError(
            f"evaluation {best.evaluation} has other losses now: the rule or the problem has changed, or is not "
            "deterministic; remove the journal, or choose another, to start again",
            where=str(book.path),
        )
    return [np.array(record.state) for record in book.records]
