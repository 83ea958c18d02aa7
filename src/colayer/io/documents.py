"""Instances and solutions made, read and written by the methods of a problem, each answer checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from colayer._runtime.text import typed_line
from colayer.errors import ColayerError, InputError
from colayer.problem import answers
from colayer.problem.abilities import (
    Generates,
    ReadsInstances,
    ReadsSolutions,
    WritesInstances,
    WritesSolutions,
    need,
)
from colayer.problem.faults import calling, title
from colayer.problem.protocol import Problem, X, Y, Z

#: What a reader of the user's raises where a document is not what it expects.
_NOT_ONE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


def generated(problem: Problem[X, Y, Z], seed: int | np.random.SeedSequence, **sizes: Any) -> X:
    """A random instance."""
    with calling(problem, "generate"):
        instance: X = need(problem, Generates).generate(seed, **sizes)
    return answers.given(instance, f"generate of {title(problem)}", "an instance")


def instance_of(problem: Problem[X, Y, Z], document: Mapping[str, Any]) -> X:
    """The instance of a document; a reader that raises says that it is none."""
    try:
        with calling(problem, "read"):
            instance: X = need(problem, ReadsInstances).read(document)
    except ColayerError:
        raise
    except _NOT_ONE as error:
        raise InputError(f"not an instance of {problem.name} ({typed_line(error)})") from None
    return answers.given(instance, f"read of {title(problem)}", "an instance")


def solution_of(problem: Problem[X, Y, Z], document: Mapping[str, Any], instance: X) -> Z:
    """The solution of a document."""
    with calling(problem, "read_solution"):
        solution: Z = need(problem, ReadsSolutions).read_solution(document, instance)
    return answers.given(solution, f"read_solution of {title(problem)}", "a solution")


def instance_document(problem: Problem[X, Y, Z], instance: X) -> dict[str, Any]:
    """The document of an instance."""
    with calling(problem, "write"):
        written = need(problem, WritesInstances).write(instance)
    return answers.document(written, f"write of {title(problem)}")


def solution_document(problem: Problem[X, Y, Z], solution: Z, instance: X) -> dict[str, Any]:
    """The document of a solution, which can be written as JSON."""
    with calling(problem, "write_solution"):
        written = need(problem, WritesSolutions).write_solution(solution, instance)
    what = f"write_solution of {title(problem)}"
    document = answers.document(written, what)
    answers.json_text(document, what)
    return document
