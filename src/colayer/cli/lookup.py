"""Problems and models that the command line names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from colayer._runtime.text import one_of, short
from colayer.errors import ColayerError, InputError, OptionError

if TYPE_CHECKING:
    from colayer.models import Model
    from colayer.pipeline import Pipeline
    from colayer.problem.bind import BoundProblem

    SomeProblem = BoundProblem[Any, Any, Any]
    SomePipeline = Pipeline[Any, Any, Any]


def find(name: str, mistakes: list[InputError] | None = None, **options: str | None) -> SomeProblem:
    """Return the problem called `name`, bound, with the options that are not None.

    Of MODULE:NAME, the name is a class or a function that makes a problem without arguments, or a problem itself.
    With `mistakes`, wrong attributes are collected there (see `bind`).
    """
    from colayer.problem.bind import bind
    from colayer.problems import problem_names

    if name not in problem_names() and not re.fullmatch(r"[^\W\d][\w.]*(?<!\.):[^\W\d]\w*", name):
        expected = one_of(name, problem_names())
        raise OptionError(f"no problem {short(name)}, expected {expected}, or MODULE:NAME", where="PROBLEM")
    try:
        problem = bind(_made(name), mistakes)
    except InputError as error:
        raise error.at("PROBLEM") from None
    return problem.variant(**options)


def load_model(path: Path, problem: SomeProblem | None, decoder: str | None) -> tuple[SomeProblem, Model]:
    """Return the problem a model is for, through another decoder if one is given, and the model.

    Without `problem` it is the registered one the model names. A file never makes us import a module of its choice.
    """
    from colayer.models import read_model
    from colayer.pipeline import Pipeline
    from colayer.solving.compatibility import problem_of_model

    model = read_model(path)
    try:
        base = problem_of_model(model, problem)
        Pipeline.from_model(base, model)
    except InputError as error:
        raise error.at(str(path)) from None
    return base.variant(decoder=decoder), model


def load_pipelines(
    problem: SomeProblem, files: Sequence[Path], decoder: str | None, taken: Sequence[str] = ()
) -> dict[str, SomePipeline]:
    """Return the pipelines of the given models by file name; without models, that of the shipped weights.

    Names that are `taken`, or that two files share, become whole paths. They run without the safe weights.
    """
    from colayer.pipeline import Pipeline
    from colayer.pretrained import pretrained

    if len({os.path.realpath(path) for path in files}) < len(files):  # unlike `resolve`, no fault where links go round
        raise OptionError("the same model twice, expected different ones", where="--model")
    pipelines: dict[str, SomePipeline] = {}
    stems = [path.stem for path in files]
    for path in files:
        name = path.stem if stems.count(path.stem) == 1 and path.stem not in taken else str(path)
        pipelines[name] = Pipeline.from_model(*load_model(path, problem, decoder), safe=False)
    shipped = pretrained(problem) if not files else None
    if shipped is not None:
        pipelines["pretrained"] = Pipeline.from_model(problem, shipped, safe=False)
    return pipelines


def _made(name: str) -> Any:
    """Return what a registered name or MODULE:NAME stands for; an error in the user's file names its line."""
    from colayer.problem.guard import place_of, raised
    from colayer.problems import find_problem

    try:
        found = find_problem(name)
        return found() if isinstance(found, FunctionType) else found
    except OptionError as error:
        if error.__cause__ is None:
            raise
        place = place_of(error.__cause__)
        said = error.message if place in error.message else f"{error.message}, {place}"
        raise OptionError(said, where=error.where) from None
    except ColayerError:
        raise
    except (Exception, SystemExit) as error:
        raise OptionError(f"{name} cannot be made ({raised(error)})", where="PROBLEM") from None
