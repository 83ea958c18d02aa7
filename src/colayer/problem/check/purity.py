"""Checks that the methods are functions of their arguments alone: nothing is changed, drawn or remembered."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer._runtime.snapshot import Snapshot, difference, snapshot
from colayer.errors import InputError
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.check.trial import Trial, copied


def inputs_unchanged(trial: Trial) -> None:
    """Check that no method changes its arguments."""
    for index in trial.each():
        for method, arguments in _calls(trial, index, trial.thetas(index)[0]):
            given = copied(arguments)
            before = {name: snapshot(value) for name, value in given.items()}
            _asked(trial.problem, method, *given.values())
            for name, kept in before.items():
                place = difference(kept, snapshot(given[name]), name)
                if place is not None:
                    raise InputError(f"{method} changes its input {place}: work on a copy, `{name}.copy()`")


def repeatable(trial: Trial) -> None:
    """Check that the same call returns the same bits, whatever was drawn or called before."""
    _no_global_random(trial)
    _same_answers(trial)
    _fresh_answers(trial)
    _no_memory(trial)


def _no_global_random(trial: Trial) -> None:
    for index in trial.each():
        for method, arguments in _calls(trial, index, trial.thetas(index)[0]):
            given = copied(arguments)
            with _global_state() as changed:
                _asked(trial.problem, method, *given.values())
                who = changed()
            if who is not None:
                raise InputError(
                    f"{method} uses the global generator of {who}: draw from np.random.default_rng(seed), with a seed "
                    "that is part of the problem or instance"
                )


def _same_answers(trial: Trial) -> None:
    for index in trial.each():
        for theta in trial.thetas(index)[:4]:
            for method, arguments in _calls(trial, index, theta):
                first, *others = (
                    snapshot(_asked(trial.problem, method, *copied(arguments).values())) for _ in range(3)
                )
                if any(difference(first, other, method) is not None for other in others):
                    raise InputError(
                        f"{method} returned different answers to the same call: use its arguments alone. Look for "
                        "random draws without a fixed seed, time limits, clocks"
                    )


def _fresh_answers(trial: Trial) -> None:
    """Check that a call does not change what an earlier one returned."""
    kept: list[tuple[str, int, Any, Snapshot]] = []
    for index in trial.each():
        for theta in trial.thetas(index)[:4]:
            instance = copied(trial.instances[index])
            answers = {"features": trial.problem.features(instance), "layer": trial.layer(index, theta)}
            answers["decode"] = trial.decode(index, copied(answers["layer"]))
            kept += [(method, index, value, snapshot(value)) for method, value in answers.items()]
    for method, index, value, before in kept:
        trial.current = index
        if difference(before, snapshot(value), method) is not None:
            raise InputError(f"{method} changes what it returned earlier: return a new object each time, `.copy()`")


def _no_memory(trial: Trial) -> None:
    """Check that an answer does not depend on earlier calls for other θ or instances."""
    shared = bind(copied(trial.untouched), [])
    for index in trial.each([*trial.chosen, *reversed(trial.chosen)]):
        many = trial.thetas(index)[:5]
        for k in (*range(len(many)), 1, 0):
            answered = _answers(trial, index, shared, many[k])
            expected = _answers(trial, index, bind(copied(trial.untouched), []), many[k])
            for method, answer in expected.items():
                if difference(answer, answered[method], method) is not None:
                    raise InputError(
                        f"{method} depends on earlier calls, for other θ or instances: forget them. Look for a cache "
                        "with too small a key, or a solver that starts from its last answer"
                    )


def _answers(trial: Trial, index: int, problem: BoundProblem[Any, Any, Any], theta: Floats) -> dict[str, Snapshot]:
    """Return what the five methods of `problem` return, one after the other, each on a new copy of the instance."""
    answers: dict[str, Snapshot] = {}

    def ask(method: str, *before: Any) -> Any:
        answer = _asked(problem, method, *before, copied(trial.instances[index]))
        answers[method] = snapshot(answer)
        return answer

    ask("features")
    ask("scale")
    ask("cost", ask("decode", ask("layer", theta.copy())))
    return answers


def _asked(problem: BoundProblem[Any, Any, Any], method: str, *arguments: Any) -> Any:
    """Return what the method returns; None if it raises, which another check reports."""
    try:
        return getattr(problem, method)(*arguments)
    except InputError:
        return None


def _calls(trial: Trial, index: int, theta: Floats) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every method with arguments by name, made of one θ of one instance."""
    instance = trial.instances[index]
    y = trial.layer(index, theta)
    solution = trial.decode(index, copied(y))
    of_instance, of_y = {"instance": instance}, {"y": y, "instance": instance}
    of_solution = {"solution": solution, "instance": instance}
    yield "features", of_instance
    yield "scale", of_instance
    yield "layer", {"theta": theta, "instance": instance}
    yield "decode", of_y
    yield "cost", of_solution
    optional = {"bound": of_instance, "write": of_instance, "embed": of_y, "target": of_solution}
    for method, arguments in {**optional, "write_solution": of_solution, "violation": of_solution}.items():
        if trial.has(method):
            yield method, arguments


@contextmanager
def _global_state() -> Iterator[Callable[[], str | None]]:
    """Give the global generators a state of their own in the block; yield a function that names the one used."""
    numpy_before, python_before = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        np.random.seed(20071)  # noqa: NPY002  not what a user would seed with, so that seeding shows as well
        random.seed(20071)
        numpy_then, python_then = _numpy_state(), random.getstate()

        def changed() -> str | None:
            if _numpy_state() != numpy_then:
                return "numpy (np.random.…)"
            return "random" if random.getstate() != python_then else None

        yield changed
    finally:
        np.random.set_state(numpy_before)  # noqa: NPY002
        random.setstate(python_before)


def _numpy_state() -> bytes:
    _, keys, place, *_ = np.random.get_state()  # noqa: NPY002
    return np.asarray(keys).tobytes() + str(place).encode()
