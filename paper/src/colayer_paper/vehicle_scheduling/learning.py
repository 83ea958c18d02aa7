"""`vsp-learning`: objectives and times of the learning problems, by DIRECT, Bayesian optimisation and our method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from colayer.display.outcome import Cell, Conclusion, Outcome, Sheet
from colayer.display.tables import percent, significant
from colayer_paper.frame.config import Config, paper_seconds, paper_table
from colayer_paper.frame.learned import Learned
from colayer_paper.frame.outcome import outcome_of
from colayer_paper.frame.sheets import cells, columns, spread
from colayer_paper.frame.store import Run
from colayer_paper.vehicle_scheduling.learners import (
    NO_BAYES,
    STANDARDISED,
    TRAINING,
    Learner,
    absent,
    experiences,
    reductions,
    trained,
)

Found = dict[Learner, Learned]

#: Why the paper's claims about Bayesian optimisation are moot.
_ANOTHER = "Ours is another algorithm (TuRBO) than the paper's: the claim is about that one."

_COLUMNS = columns(
    "loss", "training set", "method", "features", "units", "seeds", "samples", "evaluations", "objective",
    "spread over seeds", "best seed", "against direct (%)", "time (s)", "CPU time (s)",
)  # fmt: skip
_CAPTION = (
    "Objective: the mean over the training set of cost / |V|, plain or perturbed (mean over the samples), at the "
    "weights that the search returns, mean over seeds. direct draws random numbers, deterministic is DIRECT that does "
    "not. Against direct: the change against that of direct for the same learning problem, which does not depend on "
    "how the instances are priced."
)


def experiment(run: Run, config: Config) -> Outcome:
    """The paper's table, a row for each method, and our learners below."""
    learners = experiences(config)
    found = trained(run, config, learners)
    missing = absent()
    sheet = Sheet(
        "learning",
        "Objective and time",
        _COLUMNS,
        _rows(learners, found, config["paper_evaluations"]),
        " ".join([_CAPTION, *missing]),
    )
    return outcome_of(
        run,
        config,
        sheets=[sheet],
        conclusions=conclusions(found),
        differences=[*reductions(config, learners), *missing],
        seed=config["seed"],
    )


def _rows(learners: list[Learner], found: Found, evaluations: int) -> tuple[tuple[Cell, ...], ...]:
    paper = {(line["loss"], line["train"]): line for line in paper_table("vsp_learning")}
    rows = []
    for learner in learners:
        if learner.seed > 0:
            continue  # all seeds are in one row
        line = paper[learner.loss, learner.train]
        objective = change = seconds = budget = None  # the paper's
        if learner.method in ("direct", "bayes"):
            objective = float(line[f"{learner.method}_objective"])
            change = 100 * (objective / float(line["direct_objective"]) - 1)
            seconds = paper_seconds(line[f"{learner.method}_time"])
            budget = evaluations
        mine = _seeds(found, learner)
        direct = _seeds(found, learner, method="direct", features="23", units=STANDARDISED)
        note = "" if mine else "extra bayes not installed"
        mean = _mean(mine) if mine else None
        against = 100 * (mean / _mean(direct) - 1) if mean and direct else None
        rows.append(
            (
                *cells(learner.loss, learner.train, learner.method, learner.features, learner.units, len(mine) or None),
                Cell(learner.samples, int(line["samples"]) if budget else None),
                Cell(learner.evaluations, budget),
                Cell(mean, objective, note),
                *cells(spread([one.loss for one in mine]), min((one.loss for one in mine), default=None)),
                Cell(against, change),
                Cell(float(np.mean([one.seconds for one in mine])) if mine else None, seconds),
                Cell(float(np.mean([one.cpu for one in mine])) if mine else None),
            )
        )
    return tuple(rows)


def _seeds(found: Found, like: Learner, **other: Any) -> list[Learned]:
    """What the seeds of a learner reached, or of that with some fields replaced, on the same learning problem."""
    wanted = replace(like, **other)
    keys = ("loss", "train", "method", "features", "units")
    return [one for learner, one in found.items() if all(getattr(learner, k) == getattr(wanted, k) for k in keys)]


def _mean(learned: Sequence[Learned], count: int | None = None) -> float:
    """The objective, or the best after `count` evaluations: mean over the seeds."""
    return float(np.mean([one.loss if count is None else min(one.losses[:count]) for one in learned]))


def conclusions(found: Found) -> list[Conclusion]:
    """What the paper concludes from its table, and what we do from ours, by the numbers of this run."""
    pairs = []
    for loss in ("plain", "perturbed"):
        for train in TRAINING:
            once = Learner(loss, train, "direct", "23", 0)
            direct, bayes = _seeds(found, once), _seeds(found, once, method="bayes")
            if direct and bayes:
                pairs.append((f"{loss}, {train}", direct, bayes[0]))
    drawn = [_slower(found), _not_better(pairs), _small_budget(pairs)]
    for train in TRAINING:
        drawn += _ours(found, train)
    return drawn


def _moot(claim: str, numbers: str) -> Conclusion:
    """A claim about the paper's Bayesian optimisation, beside what ours does."""
    return Conclusion(claim, None, numbers, moot=numbers != NO_BAYES, reason=_ANOTHER if numbers != NO_BAYES else "")


def _slower(found: Found) -> Conclusion:
    once = Learner("plain", "small", "direct", "23", 0)
    direct, bayes = _seeds(found, once), _seeds(found, once, method="bayes")
    words = NO_BAYES
    if direct and bayes:
        cpu = float(np.mean([one.cpu for one in direct]))
        line = paper_table("vsp_learning")[0]
        paper = paper_seconds(line["bayes_time"]) / paper_seconds(line["direct_time"])
        ours = significant(bayes[0].cpu / cpu)
        words = f"{significant(bayes[0].cpu)} against {significant(cpu)} CPU seconds, {ours} times as much"
        words += f" (paper: {significant(paper)} times)"
    return _moot("Where the loss is cheap (plain, small), Bayesian optimisation is much slower than DIRECT.", words)


#: Name, the seeds of DIRECT, and Bayesian optimisation, on one learning problem.
Pairs = list[tuple[str, list[Learned], Learned]]


def _not_better(pairs: Pairs) -> Conclusion:
    words = []
    for name, direct, bayes in pairs:
        count = min(len(direct[0].losses), len(bayes.losses))
        ours, theirs = _mean(direct, count), _mean([bayes], count)
        words.append(f"{name}: {significant(theirs, 5)} against {significant(ours, 5)} after {count}")
    return _moot(
        "Bayesian optimisation does not find better weights than DIRECT with as many evaluations, in most cases.",
        f"one seed of it against the means over DIRECT's seeds: {'; '.join(words)}" if words else NO_BAYES,
    )


def _small_budget(pairs: Pairs, count: int = 100) -> Conclusion:
    known = [(name, _mean(d, count), _mean([b], count)) for name, d, b in pairs if len(b.losses) >= count]
    words = "; ".join(f"{name}: {significant(b, 5)} against {significant(d, 5)}" for name, d, b in known)
    claim = f"Bayesian optimisation is useful with a small budget ({count} evaluations): its objective is lower there."
    return _moot(claim, words or (f"no search with {count} evaluations of both" if pairs else NO_BAYES))


def _ours(found: Found, train: str) -> list[Conclusion]:
    once = Learner("plain", train, "direct", "23", 0)
    direct = _seeds(found, once)
    drawn = []
    for features in ("23", "extended"):
        auto = _seeds(found, once, method="auto", features=features)
        if direct and auto:
            claim = (
                "In this run, auto, from the safe weights, ends below every seed of DIRECT on the training set "
                f"{train} ({features} features)."
            )
            mine, best = auto[0].loss, min(one.loss for one in direct)
            numbers = f"{significant(mine, 5)} against {significant(best, 5)}, {percent(mine / best - 1)}"
            drawn.append(Conclusion(claim, mine < best, numbers, of="colayer", test=f"one run, {len(direct)} seeds"))
    return drawn
