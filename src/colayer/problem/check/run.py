"""`check_problem`: every check in the order in which mistakes are best mended."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from colayer._runtime.text import short
from colayer.errors import ColayerError, InputError
from colayer.problem.abilities import Generates, need
from colayer.problem.attributes import check_members, sizes_of
from colayer.problem.check import (
    batches,
    declared,
    objective,
    optional,
    programs,
    purity,
    rounds,
    roundtrip,
    tables,
    values,
)
from colayer.problem.check.report import FAILED, NOT_APPLICABLE, PASSED, CheckReport, Finding, Mistake, Skip
from colayer.problem.check.trial import MOST_INSTANCES, Trial, guarded
from colayer.problem.check.variants import variants
from colayer.problem.protocol import Problem, SomeProblem, X, Y, Z

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
    "rounds": (rounds.rounds, ("no memory",)),
    "theta matters": (values.theta_matters, ("no memory",)),
    "feasible": (values.feasible, ("no memory",)),
    "bound": (values.bound, ("feasible",)),
    "safe weights": (declared.safe_weights, ("no memory",)),
    "embed": (objective.embed, ("no memory",)),
    "sign": (objective.sign, ("embed", "theta matters")),
    "optimal": (objective.optimal, ("sign",)),
    "homogeneous": (objective.homogeneous, ("no memory",)),
    "target": (objective.target, ("optimal", "feasible")),
    "augmented": (objective.augmented, ("optimal",)),
    "best of many": (optional.best, ("no memory",)),
    "structure": (optional.structure, ("no memory",)),
    "baselines": (optional.baselines, ("bound",)),
    "exact": (optional.exact, ("bound",)),
    "compact": (programs.compact, ("exact",)),
    "constraint program": (programs.constraint_program, ("exact",)),
    "shuffled": (optional.shuffled, ("optimal", "homogeneous", "bound", "scale")),
    "instance files": (roundtrip.instance_files, ("no memory",)),
    "solution files": (roundtrip.solution_files, ("feasible",)),
    "instance table": (tables.instance_table, ("instance files",)),
    "solution table": (tables.solution_table, ("feasible",)),
    "generate": (roundtrip.generate, ("features",)),
    "pickling": (roundtrip.pickling, ("no memory", "scale")),
    "evaluator": (batches.evaluator, ("no memory", "scale")),
    "solves many": (batches.solves_many, ("no memory", "embed")),
}


def check_problem(
    problem: Problem[X, Y, Z], instances: Iterable[X], *, seed: int = 0, decoder: str | None = None
) -> CheckReport:
    """Look for the mistakes that are easily made in a problem of one's own; each one found says what to fix.

    The problem is tried as it is given, then with every decoder and every other value of an option that it declares
    (`checks/variants.py`), one changed at a time; with `decoder`, through that one alone. Small instances do best: on
    them the θ that are tried reach nearly every solution of the layer. Features and scale are checked on all
    instances, the rest on the first six. A check that would say nothing of its own, since an earlier one failed, is
    left out until that is mended. The findings depend on the arguments alone.

    >>> from colayer.problems import SingleMachine
    >>> problem = SingleMachine()
    >>> check_problem(problem, [problem.generate(seed, jobs=5) for seed in range(3)]).ok
    True
    """
    check_members(problem)
    data, chosen = list(instances), _seed(seed)
    if not data:
        raise InputError("no instances to check on, expected at least one", where=str(problem.name))
    tried = variants(problem, decoder)
    findings: dict[str, Finding] = {}
    looked_at: list[str] = []
    for words, one in tried.items():
        judge(Trial(one, data, chosen), f"with {words}: " if looked_at else "", findings)
        looked_at.append(words)
        if _waits("no memory", findings):  # what all that follows is made of is wrong: other options show no more
            break
    return CheckReport(str(problem.name), len(data), tuple(findings.values()), tuple(looked_at))


def judge(trial: Trial, words: str, findings: dict[str, Finding]) -> None:
    """Every check on one variant of the problem; what failed on an earlier one is known, and so is what waits for it.

    A check that applies to one variant alone has the result that it has there.
    """
    for check, (run, needs) in CHECKS.items():
        if check in findings and (findings[check].result == FAILED or _waits(check, findings)):
            continue
        first = next((need for need in needs if findings[need].result == FAILED or _waits(need, findings)), None)
        if first is not None:
            findings[check] = Finding(check, NOT_APPLICABLE, f"once {_root(first, findings)!r} passes")
            continue
        try:
            run(trial)
        except (Mistake, ColayerError) as mistake:
            findings[check] = Finding(check, FAILED, f"{words}{mistake}")
        except Skip as skip:
            findings.setdefault(check, Finding(check, NOT_APPLICABLE, str(skip)))
        else:
            findings[check] = Finding(check, PASSED)


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


def _waits(check: str, findings: dict[str, Finding]) -> bool:
    """Whether a check is left out because one before it failed."""
    return any(findings[need].result == FAILED or _waits(need, findings) for need in CHECKS[check][1])


def _root(check: str, findings: dict[str, Finding]) -> str:
    """The check that failed, behind one that is left out for it."""
    while findings[check].result != FAILED:
        check = next(need for need in CHECKS[check][1] if findings[need].result == FAILED or _waits(need, findings))
    return check
