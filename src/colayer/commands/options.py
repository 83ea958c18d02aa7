"""Option values, checked before any work is done. What is wrong is an `OptionError` that names the option."""

from __future__ import annotations

import difflib
import math
import re
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from colayer.errors import ColayerError, InputError, OptionError
from colayer.files import check_writable, first_line, short, unwritable

if TYPE_CHECKING:
    from colayer.models import LinearModel

#: What pictures are written as, by the ending of the name.
PICTURES = (".png", ".svg", ".pdf")
#: Seconds that an exact solver gets for an instance where nothing else is said.
TIME_LIMIT = "60"


def whole(text: str, option: str, minimum: int = 0, maximum: int = 2**31 - 1) -> int:
    """A whole number between `minimum` and `maximum`."""
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", text.strip()):
        raise OptionError(f"{short(text)} is not a whole number, expected {minimum} or more", where=option)
    value = int(text)
    if not minimum <= value <= maximum:
        limit = f"at least {minimum}" if value < minimum else f"at most {maximum}"
        raise OptionError(f"{value} is out of range, expected {limit}", where=option)
    return value


def number(text: str, option: str, *, zero: bool = False) -> float:
    """A finite number > 0 (or >= 0 with `zero`)."""
    expected = f"expected a number {'>=' if zero else '>'} 0"
    try:
        value = float(text)
    except ValueError:
        raise OptionError(f"{short(text)} is not a number, {expected}", where=option) from None
    if not math.isfinite(value):
        raise OptionError(f"{value} is not finite, {expected}", where=option)
    if value < 0 or (value == 0 and not zero):
        raise OptionError(f"{value:g} is out of range, {expected}", where=option)
    return value


def share(text: str, option: str) -> float:
    """A number >= 0 and < 1."""
    value = number(text, option, zero=True)
    if value >= 1:
        raise OptionError(f"{value:g} is out of range, expected a share >= 0 and < 1", where=option)
    return value


def limit(text: str | None, needed: str, given: bool) -> float | None:
    """`--time-limit` of the exact solver, which only works with the flag `needed`."""
    if text is not None and not given:
        raise OptionError(f"works with {needed} only", where="--time-limit")
    return number(text or TIME_LIMIT, "--time-limit") if given else None


def choice(text: str, option: str, known: Sequence[str]) -> str:
    """One of `known`."""
    if text not in known:
        raise OptionError(f"no {short(text)}, expected {one_of(text, known)}", where=option)
    return text


def one_of(text: str, known: Sequence[str]) -> str:
    """The names to choose from, the near match first where there is one."""
    near = difflib.get_close_matches(text, known, 1)
    return (
        f"{near[0]} (or {', '.join(k for k in known if k != near[0])})" if near and len(known) > 1 else ", ".join(known)
    )


def find(name: str, **options: str | None) -> Any:
    """The problem called `name`, complete with defaults, with the options that are not None.

    Of MODULE:NAME, the name is a class or a function that makes a problem without arguments, or a problem itself.
    """
    from colayer.problem import completed
    from colayer.problems import problem_names

    if name not in problem_names() and not re.fullmatch(r"[^\W\d][\w.]*(?<!\.):[^\W\d]\w*", name):
        known = one_of(name, problem_names())
        raise OptionError(f"no problem {short(name)}, expected {known}, or MODULE:NAME", where="PROBLEM")
    try:
        problem = completed(_found(name))
    except InputError as error:
        raise error.at("PROBLEM") from None
    return variant(problem, **options)


def _found(name: str) -> Any:
    """What MODULE:NAME (or a registered name) stands for; what fails in the user's file is said with its line."""
    from colayer.checks.trial import place_of, raised
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


def own_fault(error: BaseException) -> str | None:
    """What was raised in a file of the user's, in one line with its place; None where no such file is involved."""
    from colayer.problems import OWN_FOLDERS

    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = Path(frame.f_code.co_filename)
        if str(path.parent) in OWN_FOLDERS:
            said = f"{type(error).__name__}: {first_line(error)}"
            return f"{OWN_FOLDERS[str(path.parent)]}: {said} ({path.name}, line {line})"
    return None


def variant(problem: Any, **options: str | None) -> Any:
    """The problem with the options that are not None (`decoder=`, `features=`)."""
    changes = {key: value for key, value in options.items() if value is not None}
    if "decoder" in changes:
        check_decoder(problem, str(changes["decoder"]), "--decoder")
    return problem.with_options(**changes) if changes else problem


def check_decoder(problem: Any, name: str, option: str) -> None:
    """Refuse a decoder that the problem does not have."""
    if not problem.decoders:
        raise OptionError(f"{problem.name} has no decoders to choose from", where=option)
    choice(name, option, problem.decoders)


def load_model(path: Path, problem: Any, decoder: str | None) -> tuple[Any, LinearModel]:
    """A model and the problem as the model knows it, through another decoder where one is given.

    Without `problem` it is the registered one the model names. A file never makes us import a module of its choice.
    """
    from colayer.models import read_model
    from colayer.pipeline import Pipeline
    from colayer.problems import find_problem, problem_names

    model = read_model(path)
    if problem is None and model.problem not in problem_names():
        raise unknown_problem(model.problem, path)
    base = find_problem(model.problem) if problem is None else problem
    if model.problem == base.name and model.options:
        try:
            base = base.with_options(**model.options)
        except (ColayerError, TypeError) as error:
            raise InputError(f"not options of {base.name} ({error})", where=f"{path}: options") from None
    try:
        Pipeline.from_model(base, model)
    except InputError as error:
        raise error.at(str(path)) from None
    return variant(base, decoder=decoder), model


def unknown_problem(name: Any, path: Path) -> InputError:
    """The error of a file whose problem is not a registered one."""
    from colayer.problems import problem_names

    known = ", ".join(problem_names())
    message = f"no problem {short(name)}, expected one of {known}, or --problem MODULE:NAME"
    return InputError(message, where=f"{path}: problem")


def provides(problem: Any, method: str) -> bool:
    """Whether the problem has an optional method of its own, rather than the default that refuses."""
    from colayer.problem import provides

    return provides(problem, method)


def need(problem: Any, method: str, what: str, option: str) -> None:
    """Refuse an option that needs an optional method which the problem does not have."""
    if not provides(problem, method):
        raise OptionError(f"{problem.name} has no {what}", where=option)


def output(text: str | None, option: str, inputs: Iterable[Path] = (), folder: Path | None = None) -> Path | None:
    """An output file that can be written, that is none of the inputs, and no stranger in the data set `folder`."""
    if text is None:
        return None
    if not text.strip():
        raise OptionError("empty, expected a file name", where=option)
    path = Path(text)
    try:
        check_writable(path)
    except ColayerError as error:
        raise error.at(option) from None
    if any(path.resolve() == other.resolve() for other in inputs):
        raise OptionError(f"{path} is an input as well, expected another file", where=option)
    if folder is not None and path.absolute().parent.resolve() == folder.resolve():
        raise OptionError(f"{path} lies in the data set, expected another folder", where=option)
    return path


def new_folder(text: str, option: str) -> Path:
    """A folder that is there, or that can be made in one that is."""
    if not text.strip():
        raise OptionError("empty, expected a folder", where=option)
    path = Path(text)
    try:
        there = path.absolute().parent.is_dir()
    except OSError as error:  # a name too long, for one
        raise unwritable(path, error).at(option) from None
    if not there:
        raise OptionError(f"{path}: the folder to make it in does not exist", where=option)
    return path


def picture(text: str | None, option: str, inputs: Iterable[Path] = ()) -> Path | None:
    """An output file for a picture."""
    if text is not None and Path(text).suffix not in PICTURES:
        raise OptionError(f"{short(text)} is not a picture, expected a name with {', '.join(PICTURES)}", where=option)
    return output(text, option, inputs)
