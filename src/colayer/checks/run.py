"""`check_problem`: every check in the order in which mistakes are best mended."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from colayer.capabilities import Generates, need
from colayer.checks import declared, objective, optional, purity, roundtrip, values
from colayer.checks.report import FAILED, NOT_APPLICABLE, PASSED, CheckReport, Finding, Mistake, Skip
from colayer.checks.trial import MOST_INSTANCES, Trial, guarded
from colayer.errors import InputError
from colayer.problem import Problem, SomeProblem, X, Y, Z, check_members, sizes_of
from colayer.text import short

#: Whole-number sizes of the instances that `small_instances` makes.
SMALL = (4, 7, 12)

#: check → (what runs it, the checks before it without which it would say nothing of its own).
CHECKS: dict[str, tuple[Callable[[Trial], None], tuple[str, ...]]] = {
    "name": (declared.name, ()),
    "feature names": (declared.feature_names, ()),
    "options": (declared.options, ()),
    "features": (values.features, ("feature names",)),
    "scale": (values.scale, ()),
    "layer": (values.layer, ("features",)),
    "decode": (values.decode, ("layer",)),
    "cost": (values.cost, ("decode",)),
    "inputs unchanged": (purity.inputs_unchanged, ("cost",)),
    "global random numbers": (purity.global_random, ("cost",)),
    "repeatable": (purity.repeatable, ("global random numbers",)),
    "fresh answers": (purity.fresh_answers, ("repeatable",)),
    "no memory": (purity.no_memory, ("inputs unchanged", "fresh answers")),
    "theta matters": (values.theta_matters, ("no memory",)),
    "feasible": (values.feasible, ("no memory",)),
    "bound": (values.bound, ("feasible",)),
    "safe weights": (declared.safe_weights, ("no memory",)),
    "embed": (objective.embed, ("no memory",)),
    "sign": (objective.sign, ("embed", "theta matters")),
    "optimal": (objective.optimal, ("sign",)),
    "homogeneous": (objective.homogeneous, ("no memory",)),
    "target": (objective.target, ("optimal", "feasible")),
    "best of many": (optional.best, ("no memory",)),
    "baselines": (optional.baselines, ("bound",)),
    "exact": (optional.exact, ("bound",)),
    "shuffled": (optional.shuffled, ("optimal", "homogeneous", "bound", "scale")),
    "instance files": (roundtrip.instance_files, ("no memory",)),
    "solution files": (roundtrip.solution_files, ("feasible",)),
    "generate": (roundtrip.generate, ("features",)),
    "pickling": (roundtrip.pickling, ("no memory", "scale")),
    "evaluator": (optional.evaluator, ("no memory", "scale")),
}


def check_problem(problem: Problem[X, Y, Z], instances: Iterable[X], *, seed: int = 0) -> CheckReport:
    """Look for the mistakes that are easily made in a problem of one's own; each one found says what to fix.

    Small instances do best: on them the θ that are tried reach nearly every solution of the layer. Features and scale
    are checked on all instances, the rest on the first six. A check that would say nothing of its own, since an
    earlier one failed, is left out until that is mended. The findings depend on the arguments alone.

    >>> from colayer.problems import SingleMachine
    >>> problem = SingleMachine()
    >>> check_problem(problem, [problem.generate(seed, jobs=5) for seed in range(3)]).ok
    True
    """
    check_members(problem)
    sizes_of(problem)
    data = list(instances)
    if not data:
        raise InputError("no instances to check on, expected at least one", where=str(problem.name))
    trial = Trial(problem, data, _seed(seed))
    findings: dict[str, Finding] = {}
    blocked: set[str] = set()
    for check, (run, needs) in CHECKS.items():
        first = next((need for need in needs if need in blocked), None)
        if first is not None:
            blocked.add(check)
            findings[check] = Finding(check, NOT_APPLICABLE, f"once {_root(first, blocked, findings)!r} passes")
            continue
        try:
            run(trial)
        except Mistake as mistake:
            blocked.add(check)
            findings[check] = Finding(check, FAILED, str(mistake))
        except Skip as skip:
            findings[check] = Finding(check, NOT_APPLICABLE, str(skip))
        else:
            findings[check] = Finding(check, PASSED)
    return CheckReport(str(problem.name), len(data), tuple(findings.values()))


def small_instances(problem: SomeProblem, seed: int) -> list[Any]:
    """Instances to check on, from the problem's generator: whole-number sizes are small, the others as declared."""
    made, sizes = [], sizes_of(problem)
    generate = need(problem, Generates).generate
    for k, child in enumerate(np.random.SeedSequence(_seed(seed)).spawn(MOST_INSTANCES)):
        usual = {size.name: size.default for size in sizes}
        small = {
            size.name: min(size.default, max(int(size.minimum or 1), SMALL[k % len(SMALL)]))
            for size in sizes
            if size.kind is int and not size.choices
        }
        try:
            made.append(guarded("generate", generate, child, **{**usual, **small}))
        except Mistake:  # small sizes that do not go together are no mistake
            try:
                made.append(guarded("generate", generate, child, **usual))
            except Mistake as mistake:
                raise InputError(str(mistake), where=str(problem.name)) from None
    return made


def _seed(seed: int) -> int:
    try:
        value = operator.index(seed)
    except TypeError:
        raise InputError(f"{short(seed)} is not a whole number, expected 0 or more", where="seed") from None
    if value < 0:
        raise InputError(f"{value} is out of range, expected 0 or more", where="seed")
    return value


def _root(check: str, blocked: set[str], findings: dict[str, Finding]) -> str:
    """The check that failed, behind one that is left out for it."""
    while findings[check].result != FAILED:
        check = next(need for need in CHECKS[check][1] if need in blocked)
    return check
