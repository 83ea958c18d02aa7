"""`vsp-learning`: objectives and times of the learning problems, by DIRECT, Bayesian optimisation and our method."""

from __future__ import annotations

from colayer.experiments.frame.config import Config, paper_seconds, paper_table
from colayer.experiments.frame.judge import below, sign_test
from colayer.experiments.frame.learned import Learned
from colayer.experiments.frame.outcome import outcome_of
from colayer.experiments.frame.sheets import cells, columns
from colayer.experiments.frame.store import Run
from colayer.experiments.vehicle_scheduling.learners import (
    NO_BAYES,
    TRAINING,
    Learner,
    absent,
    experiences,
    reductions,
    trained,
)
from colayer.report.outcome import Cell, Conclusion, Outcome, Sheet
from colayer.report.tables import percent, significant

Found = dict[Learner, Learned]

#: So many times slower is much slower.
_MUCH = 2.0

_COLUMNS = columns(
    "loss", "training set", "method", "features", "samples", "evaluations", "objective", "against direct (%)",
    "time (s)", "CPU time (s)",
)  # fmt: skip
_CAPTION = (
    "Objective: the mean over the training set of cost / |V|, plain or perturbed (mean over the samples), at the "
    "weights that the search returns. Against direct: its change against that of DIRECT for the same learning problem, "
    "which does not depend on how the instances are priced."
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
        line = paper[learner.loss, learner.train]
        objective = change = seconds = budget = None  # the paper's
        if learner.method in ("direct", "bayes"):
            objective = float(line[f"{learner.method}_objective"])
            change = 100 * (objective / float(line["direct_objective"]) - 1)
            seconds = paper_seconds(line[f"{learner.method}_time"])
            budget = evaluations
        mine = found.get(learner)
        direct = _same(found, learner, "direct")
        note = "" if mine else "extra bayes not installed"
        against = 100 * (mine.loss / direct.loss - 1) if mine and direct else None
        rows.append(
            (
                *cells(learner.loss, learner.train, learner.method, learner.features),
                Cell(learner.samples, int(line["samples"]) if budget else None),
                Cell(learner.evaluations, budget),
                Cell(mine.loss if mine else None, objective, note),
                Cell(against, change),
                Cell(mine.seconds if mine else None, seconds),
                Cell(mine.cpu if mine else None),
            )
        )
    return tuple(rows)


def _same(found: Found, learner: Learner, method: str, features: str = "23") -> Learned | None:
    """What another method reached on the same learning problem."""
    for other, learned in found.items():
        if (other.loss, other.train, other.method, other.features) == (learner.loss, learner.train, method, features):
            return learned
    return None


def conclusions(found: Found) -> list[Conclusion]:
    """What the paper concludes from its table, and what we do from ours, by the numbers of this run."""
    pairs = [
        (f"{learner.loss}, {learner.train}", learned, bayes)
        for learner, learned in found.items()
        if learner.method == "direct" and (bayes := _same(found, learner, "bayes")) is not None
    ]
    drawn = [_slower(found), _not_better(pairs), _small_budget(pairs)]
    for train in TRAINING:
        drawn += _ours(found, train)
    return drawn


def _slower(found: Found) -> Conclusion:
    claim = "Where the loss is cheap (plain, small), Bayesian optimisation is much slower than DIRECT."
    direct = _same(found, Learner("plain", "small", "", "23", 0), "direct")
    bayes = _same(found, Learner("plain", "small", "", "23", 0), "bayes")
    if direct is None or bayes is None:
        return Conclusion(claim, None, NO_BAYES)
    ratio = bayes.cpu / direct.cpu
    line = paper_table("vsp_learning")[0]
    paper = paper_seconds(line["bayes_time"]) / paper_seconds(line["direct_time"])
    words = (
        f"{significant(bayes.cpu)} against {significant(direct.cpu)} CPU seconds, {significant(ratio)} times as much"
    )
    return Conclusion(claim, ratio >= _MUCH, f"{words} (paper: {significant(paper)} times)")


def _not_better(pairs: list[tuple[str, Learned, Learned]]) -> Conclusion:
    claim = "Bayesian optimisation does not find better weights than DIRECT with as many evaluations, in most cases."
    if not pairs:
        return Conclusion(claim, None, NO_BAYES)
    words, told = [], []
    for name, direct, bayes in pairs:
        count = min(len(direct.losses), len(bayes.losses))
        ours, theirs = min(direct.losses[:count]), min(bayes.losses[:count])
        told.append(below(theirs, ours, _printed))
        words.append(f"{name}: {significant(theirs, 5)} against {significant(ours, 5)} after {count}")
    lines = paper_table("vsp_learning")
    paper = sum(float(line["bayes_objective"]) < float(line["direct_objective"]) for line in lines)
    wins, losses = told.count(True), told.count(False)
    said = f"bayes better in {wins} of {len(pairs)}, worse in {losses} (paper: {paper} of {len(lines)})"
    return Conclusion(claim, sign_test(losses, wins), f"{said}: {'; '.join(words)}")


def _small_budget(pairs: list[tuple[str, Learned, Learned]], count: int = 100) -> Conclusion:
    claim = f"Bayesian optimisation is useful with a small budget ({count} evaluations): its objective is lower there."
    known = [(name, min(d.losses[:count]), min(b.losses[:count])) for name, d, b in pairs if len(b.losses) >= count]
    if not known:
        return Conclusion(claim, None, f"no search with {count} evaluations of both" if pairs else NO_BAYES)
    told = [below(bayes, direct, _printed) for _, direct, bayes in known]
    wins, losses = told.count(True), told.count(False)
    words = "; ".join(f"{name}: {significant(b, 5)} against {significant(d, 5)}" for name, d, b in known)
    said = f"bayes better in {wins} of {len(known)}, worse in {losses}"
    return Conclusion(claim, sign_test(wins, losses), f"{said}: {words}")


def _printed(loss: float) -> str:
    return significant(loss, 5)


def _ours(found: Found, train: str) -> list[Conclusion]:
    direct = _same(found, Learner("plain", train, "", "23", 0), "direct")
    drawn = []
    for features in ("23", "extended"):
        auto = _same(found, Learner("plain", train, "", "23", 0), "auto", features)
        if direct is not None and auto is not None:
            claim = (
                f"In this run, auto, from the safe weights, ends below DIRECT on the training set {train} "
                f"({features} features)."
            )
            numbers = f"{significant(auto.loss, 5)} against {significant(direct.loss, 5)}, "
            numbers += f"{percent(auto.loss / direct.loss - 1)}"
            drawn.append(Conclusion(claim, below(auto.loss, direct.loss, _printed), numbers))
    return drawn
