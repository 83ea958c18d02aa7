"""Instances of CSV files: which problem a table is of, and the instance that the problem makes of it."""

from __future__ import annotations

from pathlib import Path

from colayer._runtime.text import printable, typed_line
from colayer.errors import ColayerError, InputError
from colayer.io.columns import TakesTables
from colayer.io.csv_tables import companions, read_csv
from colayer.io.tables import Table
from colayer.problem import answers
from colayer.problem.attributes import words_of
from colayer.problem.faults import calling, title
from colayer.problem.protocol import Problem, SomeProblem, X, Y, Z

#: What a method of the user's raises where a table is not what it expects.
_NOT_ONE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


def csv_instance(path: Path, problem: Problem[X, Y, Z] | None = None) -> tuple[Problem[X, Y, Z], X]:
    """The instance that `instance` of the problem makes of a CSV file and of the further tables beside it.

    The problem is the registered one that has the columns of the file, where none is given.
    """
    if problem is not None and not isinstance(problem, TakesTables):
        said = f"{title(problem)} has no instance(table), which makes an instance of a table"
        raise InputError(said, where=str(path))
    table = read_csv(path)
    if problem is None:
        problem = _problem_of(table, path)
    more = companions(path, words_of(problem, "tables"))
    try:
        with calling(problem, "instance"):
            instance: X = problem.instance(table, **more)  # type: ignore[attr-defined]
    except ColayerError as error:
        placed = any((error.where or "").startswith(f"{one.source}: ") for one in (table, *more.values()))
        raise (error if placed else error.at(str(path))) from None
    except _NOT_ONE as error:
        raise InputError(f"not an instance of {title(problem)} ({typed_line(error)})", where=str(path)) from None
    return problem, answers.given(instance, f"instance of {title(problem)}", "an instance")


def _problem_of(table: Table, path: Path) -> SomeProblem:
    """The registered problem whose columns a table has."""
    from colayer.problems import COLUMNS, find_problem

    for name, columns in COLUMNS.items():
        if set(columns) <= set(table):
            return find_problem(name)
    known = "; ".join(f"{', '.join(columns)} ({name})" for name, columns in COLUMNS.items())
    there = ", ".join(printable(name) for name in table)
    raise InputError(f"the columns {there} are those of no problem, expected {known}, or --problem", where=str(path))
