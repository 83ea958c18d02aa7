"""Checks that the methods are functions of their arguments alone: nothing is changed, drawn or remembered."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from colayer._runtime.snapshot import Snapshot, difference, snapshot
from colayer.problem.check.report import Mistake
from colayer.problem.check.trial import Trial, copied
from colayer.problem.protocol import Floats, SomeProblem

#: optional method → what a problem must have beside it for the check that calls it for its own sake.
_CHECKED_LATER = {
    "bound": (),
    "embed": (),
    "violation": (),
    "baseline": (),
    "target": ("embed",),
    "augmented": ("embed",),
    "solved": ("mixed",),
    "write": ("read",),
    "write_solution": ("read_solution",),
}


def inputs_unchanged(trial: Trial) -> None:
    """No method changes what it is given."""
    for index in trial.chosen:
        for method, arguments in _calls(trial, index, trial.thetas(index)[0]):
            given = copied(arguments)
            before = {name: snapshot(value) for name, value in given.items()}
            _asked(trial, index, method, given)
            for name, kept in before.items():
                place = difference(kept, snapshot(given[name]), name)
                if place is not None:
                    raise Mistake(
                        f"{trial.at(index)}{method} changes its input {place}: work on a copy "
                        f"(`.copy()`, or `np.array({name}, copy=True)`), since the same object is used again"
                    )


def fresh_answers(trial: Trial) -> None:
    """What one call returned is not changed by the next one."""
    problem = trial.problem
    kept: list[tuple[str, int, Any, Snapshot]] = []
    for index in trial.chosen:
        answers = {"features": trial.call("features", copied(trial.instances[index]), on=index)}
        for theta in trial.thetas(index)[:4]:
            instance = copied(trial.instances[index])
            answers["layer"] = trial.call("layer", theta.copy(), instance, on=index)
            answers["decode"] = trial.call("decode", copied(answers["layer"]), instance, on=index)
            kept += [(method, index, value, snapshot(value)) for method, value in answers.items()]
    for method, index, value, before in kept:
        if difference(before, snapshot(value), method) is not None:
            raise Mistake(
                f"{trial.at(index)}what {method} returned was changed by a later call: return a new object each time, "
                f"not a buffer that {problem.name} uses again (`.copy()`)"
            )


def global_random(trial: Trial) -> None:
    """No method draws from, or seeds, the global generators."""
    for index in trial.chosen:
        for method, arguments in _calls(trial, index, trial.thetas(index)[0]):
            given = copied(arguments)
            with _global_state() as changed:
                _asked(trial, index, method, given)
                who = changed()
            if who is not None:
                raise Mistake(
                    f"{trial.at(index)}{method} uses the global generator of {who}: results then depend on what ran "
                    "before. Draw from np.random.default_rng(seed), with a seed that is part of the problem or instance"
                )


def repeatable(trial: Trial) -> None:
    """The same call gives the same bits."""
    for index in trial.chosen:
        for theta in trial.thetas(index)[:4]:
            for method, arguments in _calls(trial, index, theta):
                first, *others = (snapshot(_asked(trial, index, method, copied(arguments))) for _ in range(3))
                if any(difference(first, other, method) is not None for other in others):
                    raise Mistake(
                        f"{trial.at(index)}{method} returned different answers to the same call: it must be a function "
                        "of its arguments alone. Look for random draws without a fixed seed, time limits, clocks"
                    )


def no_memory(trial: Trial) -> None:
    """An answer does not depend on what was asked before: other θ, other instances."""
    shared = copied(trial.untouched)
    for index in (*trial.chosen, *reversed(trial.chosen)):
        many = trial.thetas(index)[:5]
        for k in (*range(len(many)), 1, 0):
            answered = _answers(trial, index, shared, many[k])
            expected = _answers(trial, index, copied(trial.untouched), many[k])
            for method, answer in expected.items():
                if difference(answer, answered[method], method) is not None:
                    raise Mistake(
                        f"{trial.at(index)}{method} depends on earlier calls (for other θ or instances): the problem "
                        "remembers something it should not. Look for a cache with too small a key, or a solver that "
                        "starts from its last answer"
                    )


def _answers(trial: Trial, index: int, problem: SomeProblem, theta: Floats) -> dict[str, Snapshot]:
    """What the five methods of `problem` return, one after the other, each on a new copy of the instance."""
    instance = trial.instances[index]
    answers: dict[str, Snapshot] = {}

    def ask(method: str, *before: Any) -> Any:
        answer = trial.call(method, *before, copied(instance), on=index, of=problem)
        answers[method] = snapshot(answer)
        return answer

    ask("features")
    ask("scale")
    ask("cost", ask("decode", ask("layer", theta.copy())))
    return answers


def _asked(trial: Trial, index: int, method: str, arguments: dict[str, Any]) -> Any:
    """What the method returns; None where it raises and has a check of its own, which says so."""
    try:
        return trial.call(method, *arguments.values(), on=index)
    except Mistake:
        if method in _CHECKED_LATER and trial.has(*_CHECKED_LATER[method]):
            return None
        raise


def _calls(trial: Trial, index: int, theta: Floats) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every method with arguments by name, made of one θ of one instance."""
    instance = trial.instances[index]
    for method in ("features", "scale", "bound", "write"):
        if method in ("features", "scale") or trial.has(method):
            yield method, {"instance": instance}
    yield "layer", {"theta": theta, "instance": instance}
    y = trial.call("layer", theta.copy(), copied(instance), on=index)
    yield "decode", {"y": y, "instance": instance}
    if trial.has("embed"):
        yield "embed", {"y": y, "instance": instance}
    solution = trial.call("decode", copied(y), copied(instance), on=index)
    yield "cost", {"solution": solution, "instance": instance}
    for method in ("target", "write_solution", "violation"):
        if trial.has(method):
            yield method, {"solution": solution, "instance": instance}
    if trial.has("embed", "augmented"):
        try:
            target = trial.embed(index, copied(y))
        except Mistake:
            pass  # the check of embed says it
        else:
            yield "augmented", {"theta": theta, "target": target, "instance": instance}
    if trial.has("solved"):
        yield "solved", {"thetas": trial.thetas(index)[:3], "instance": instance}
    for rule in _rules(trial):
        yield "baseline", {"rule": rule, "instance": instance}


def _rules(trial: Trial) -> tuple[str, ...]:
    """The plain rules; none where what the problem says of them is wrong, which is told by the check of baselines."""
    try:
        return trial.words("baselines") if trial.has("baseline") else ()
    except Mistake:
        return ()


@contextmanager
def _global_state() -> Iterator[Callable[[], str | None]]:
    """Global generators in a state of their own, put back afterwards; asked, it says which one was used."""
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
