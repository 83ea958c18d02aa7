"""`check_problem`: every check in the order in which mistakes are best mended."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from colayer._runtime.text import short
from colayer.errors import ColayerError, InputError
from colayer.problem.bind import BoundProblem, bind
from colayer.problem.check import methods, purity, roundtrip
from colayer.problem.check.days import DAY_CHECKS, DayTrial
from colayer.problem.check.evaluator import evaluator
from colayer.problem.check.report import DOUBTFUL, FAILED, NOT_APPLICABLE, PASSED, CheckReport, Doubt, Finding, Skip
from colayer.problem.check.trial import MOST_INSTANCES, Trial
from colayer.problem.check.variants import declarations, variants
from colayer.problem.declarations import is_dynamic
from colayer.problem.guard import raised
from colayer.problem.protocol import Problem, SomeProblem, X, Y, Z

#: Whole-number sizes of the instances that `small_instances` makes.
SMALL = (4, 7, 12)

#: check → (what runs it, the checks before it without which it would say nothing of its own).
CHECKS: dict[str, tuple[Callable[[Trial], None], tuple[str, ...]]] = {
    "declarations": (declarations, ()),
    "features": (methods.features, ()),
    "scale": (methods.scale, ()),
    "layer": (methods.layer, ("features",)),
    "decode": (methods.decode, ("layer",)),
    "cost": (methods.cost, ("decode",)),
    "loss shares": (methods.shares, ("cost", "scale")),
    "inputs unchanged": (purity.inputs_unchanged, ("cost",)),
    "repeatable": (purity.repeatable, ("inputs unchanged",)),
    "rounds": (methods.rounds, ("repeatable",)),
    "theta": (methods.theta, ("repeatable",)),
    "feasible": (methods.feasible, ("repeatable",)),
    "bound": (methods.bound, ("feasible",)),
    "safe weights": (methods.safe_weights, ("repeatable",)),
    "objective": (methods.objective, ("theta",)),
    "target": (methods.target, ("objective", "feasible")),
    "exact": (methods.exact, ("bound",)),
    "files": (roundtrip.files, ("feasible",)),
    "generate": (roundtrip.generate, ("features",)),
    "pickling": (roundtrip.pickling, ("repeatable", "scale")),
    "evaluator": (evaluator, ("declarations", "repeatable", "scale")),
}


def check_problem(
    problem: Problem[X, Y, Z] | BoundProblem[X, Y, Z],
    instances: Iterable[X],
    *,
    seed: int = 0,
    decoder: str | None = None,
) -> CheckReport:
    """Look for common mistakes in a problem; each finding says what to fix.

    The problem is checked as given, then with one option changed at a time (`variants.py`). A check that depends on
    a failed one is skipped. The findings depend on the arguments alone.

    Parameters
    ----------
    problem
        The problem to check.
    instances
        Small instances do best: on them the θ that are tried reach nearly every solution of the layer. Features and
        scale are checked on all, the rest on the first six.
    seed
        Seed of all random choices.
    decoder
        The only decoder to check; by default all of them.

    Returns
    -------
    CheckReport
        One finding per check.

    >>> from colayer.problems import SingleMachine
    >>> problem = SingleMachine()
    >>> check_problem(problem, [problem.generate(seed, jobs=5) for seed in range(3)]).ok
    True
    """
    given = problem.problem if isinstance(problem, BoundProblem) else problem
    data, chosen = list(instances), _seed(seed)
    name = bind(given, []).guard.name
    if not data:
        raise InputError("no instances to check on, expected at least one", where=name)
    tried = variants(given, decoder)
    findings: dict[str, Finding] = {}
    looked_at: list[str] = []
    dynamic = is_dynamic(given)
    checks = DAY_CHECKS if dynamic else CHECKS
    for words, one in tried.items():
        trial = (DayTrial if dynamic else Trial)(one, data, chosen)
        judge(trial, f"with {words}: " if looked_at else "", findings, checks)
        looked_at.append(words)
        if (
            _root("repeatable", findings, checks) is not None
        ):  # what all that follows is made of: other options show no more
            break
    return CheckReport(name, len(data), tuple(findings.values()), tuple(looked_at))


def judge(
    trial: Trial,
    words: str,
    findings: dict[str, Finding],
    checks: Mapping[str, tuple[Callable[[Any], None], tuple[str, ...]]] = CHECKS,
) -> None:
    """Run the checks on one variant, except those that failed before and those that depend on them.

    A check that applies to one variant alone has the result that it has there.
    """
    for check, (run, _) in checks.items():
        root = "declarations" if trial.unnamed and check != "declarations" else _root(check, findings, checks)
        if root is not None:
            findings.setdefault(check, Finding(check, NOT_APPLICABLE, f"once {root!r} passes"))
            continue
        trial.current = None
        try:
            with np.errstate(all="ignore"):  # what comes out is checked
                run(trial)
        except Skip as skip:
            findings.setdefault(check, Finding(check, NOT_APPLICABLE, str(skip)))
        except Doubt as doubt:
            findings[check] = Finding(check, DOUBTFUL, str(doubt))
        except Exception as error:  # beside ours, what runs of the user's outside of methods: a copy, a comparison
            where = "" if trial.current is None else f"instance {trial.current}: "
            said = str(error) if isinstance(error, ColayerError) else raised(error)
            findings[check] = Finding(check, FAILED, f"{words}{where}{said}")
        else:
            findings[check] = Finding(check, PASSED)


def small_instances(problem: SomeProblem | BoundProblem[Any, Any, Any], seed: int) -> list[Any]:
    """Return instances made by the problem: whole-number sizes small, others as declared."""
    bound = bind(problem, [])
    made, sizes, generate = [], bound.sizes, bound.need("generate")
    for k, child in enumerate(np.random.SeedSequence(_seed(seed)).spawn(MOST_INSTANCES)):
        usual = {size.name: size.default for size in sizes}
        small = {
            size.name: min(size.default, max(int(size.minimum or 1), SMALL[k % len(SMALL)]))
            for size in sizes
            if size.kind is int and not size.choices
        }
        try:
            made.append(generate(child, **{**usual, **small}))
        except InputError:  # small sizes that do not go together are no mistake
            made.append(generate(child, **usual))
    return made


def _seed(seed: int) -> int:
    try:
        value = operator.index(seed)
    except TypeError:
        raise InputError(f"{short(seed)} is not a whole number, expected 0 or more", where="seed") from None
    if value < 0:
        raise InputError(f"{value} is out of range, expected 0 or more", where="seed")
    return value


def _root(check: str, findings: dict[str, Finding], checks: Mapping[str, tuple[Any, tuple[str, ...]]]) -> str | None:
    """Return the failed check: this one, or one it depends on; None if there is none."""
    if check in findings and findings[check].result == FAILED:
        return check
    return next((root for need in checks[check][1] if (root := _root(need, findings, checks)) is not None), None)
