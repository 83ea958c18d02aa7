"""`vsp-test`: gaps and times on the test set, for every way to learn the weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from colayer.comparison.table import Comparison, Result
from colayer.compose import features_of
from colayer.experiments.frame.config import Config, paper_table
from colayer.experiments.frame.outcome import outcome_of, picture
from colayer.experiments.frame.sheets import against, beside, cells, columns, compared
from colayer.experiments.frame.store import Clock, Run
from colayer.experiments.vehicle_scheduling.conclusions import conclusions
from colayer.experiments.vehicle_scheduling.data import held_out, instance_at
from colayer.experiments.vehicle_scheduling.learners import (
    SUBSETS,
    absent,
    demonstrations,
    experiences,
    reductions,
    subset,
    trained,
)
from colayer.models import thetas
from colayer.pretrained import pretrained
from colayer.problem import variant
from colayer.problems import VehicleScheduling
from colayer.report.figures import gap_by
from colayer.report.outcome import Outcome, Sheet

Floats = NDArray[np.float64]

#: In the first table, from the paper's names.
_STATISTICS = ("t_avg_s", "t_max_over_avg", "gap_avg_percent", "gap_max_percent")
#: Contenders that the figure shows beside the paper's learners without perturbation: one per colour.
_SHOWN = ("safe weights", "shipped, extended")
_BASELINE = "deterministic"


@dataclass(frozen=True)
class Weights:
    """A contender: weights in raw feature units, the features they are for, and the decoder after the layer."""

    features: str
    decoder: str
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Scores:
    """Costs and times (rows: instances) of the contenders (columns)."""

    names: tuple[str, ...]
    tasks: NDArray[np.int64]
    costs: Floats
    bounds: Floats
    seconds: Floats
    cpu: Floats

    def gaps(self, name: str, among: tuple[str, ...] | None = None) -> Floats:
        """(c − c_best)/c_best on each instance, the best being that of all contenders, or of those `among` them."""
        columns = [self.names.index(other) for other in among or self.names]
        best = self.costs[:, columns].min(axis=1)
        return np.asarray(self.costs[:, self.names.index(name)] / best - 1)

    def inside(self, group: str) -> NDArray[np.bool_]:
        """Which instances are in a subset; "all" is all of them."""
        return np.array([group in ("all", subset(int(n))) for n in self.tasks])

    def relative_time(self, name: str) -> Floats:
        """The time on each instance over the mean of the instances with as many tasks."""
        seconds = self.cpu[:, self.names.index(name)]
        means = {n: seconds[self.tasks == n].mean() for n in np.unique(self.tasks)}
        return np.asarray(seconds / np.array([means[n] for n in self.tasks]))


def experiment(run: Run, config: Config) -> Outcome:
    """The paper's table, a table of all contenders, and a figure by size."""
    learners = demonstrations(config) + experiences(config)
    learned = trained(run, config, learners)
    contenders = {learner.label: _weights(learner.features, "none", model.linear().raw())
                  for learner, model in learned.items()} | _others()  # fmt: skip
    cells = held_out(config)
    identity = {"cells": cells, "contenders": {name: asdict(chosen) for name, chosen in contenders.items()}}
    warm: list[Any] = []

    def solve(cell: tuple[int, int, int]) -> dict[str, Any]:
        if not warm:
            warm.append(_solve(contenders, cells[0]))  # compile
        return _solve(contenders, cell)

    items = run.items("evaluate", identity, cells, solve, what="evaluate: test instances", threads=1)
    scores = _scores((*contenders, _BASELINE), items)
    in_paper = {learner.label: learner for learner in learned if learner.in_paper}
    shown = [label for label, learner in in_paper.items() if learner.loss != "perturbed"]
    missing = [words.replace("are empty", "are absent") for words in absent()]
    caption = "Mean gap to the best solution that any contender found."
    paper_rows = {(learner.loss, learner.train): label for label, learner in in_paper.items()}
    return outcome_of(
        run,
        config,
        sheets=[_paper_sheet(scores, paper_rows), _every_sheet(scores, " ".join(missing))],
        pictures=[picture(run, config, _figure(scores, (*shown, *_SHOWN)), "gaps.svg", "Gap by size", caption)],
        conclusions=conclusions(scores, paper_rows),
        differences=[*reductions(config, learners), *missing],
        instances=len(cells),
        seed=config["seed"],
    )


def _weights(features: str, decoder: str, weights: Floats) -> Weights:
    return Weights(features, decoder, tuple(weights.tolist()))


def _others() -> dict[str, Weights]:
    """What needs no learning here: the weights that are shipped, and the safe ones."""
    found = {"safe weights": _weights("23", "none", np.array(VehicleScheduling("23").safe_weights))}
    for features in ("23", "extended"):
        model = pretrained(VehicleScheduling(features))
        if model is not None:
            found[f"shipped, {features}"] = _weights(features, "none", model.raw())
            if features == "extended":
                found[f"shipped, {features}, ls"] = _weights(features, "ls", model.raw())
    return found


def _solve(contenders: dict[str, Weights], cell: tuple[int, int, int]) -> dict[str, Any]:
    """All contenders on one instance; the features of a set are made once, and count in the time of each."""
    instance = instance_at(cell)
    costs, times = {}, {}
    features = {}
    for which in sorted({chosen.features for chosen in contenders.values()}):
        clock = Clock()
        features[which] = (
            features_of(variant(VehicleScheduling(), features=which), instance),
            clock.seconds,
            clock.cpu,
        )
    for name, chosen in contenders.items():
        problem = variant(VehicleScheduling(), features=chosen.features, decoder=chosen.decoder)
        matrix, seconds, cpu = features[chosen.features]
        clock = Clock()
        theta = thetas(matrix, np.array([chosen.weights]))[0]
        solution = problem.decode(problem.layer(theta, instance), instance)
        times[name] = (seconds + clock.seconds, cpu + clock.cpu)
        costs[name] = problem.cost(solution, instance)
    problem, clock = VehicleScheduling("23"), Clock()
    solution = problem.baseline(_BASELINE, instance)
    times[_BASELINE] = (clock.seconds, clock.cpu)
    costs[_BASELINE] = problem.cost(solution, instance)
    return {"tasks": instance.tasks, "bound": problem.bound(instance), "costs": costs, "times": times}


def _scores(names: tuple[str, ...], items: list[dict[str, Any]]) -> Scores:
    costs = np.array([[item["costs"][name] for name in names] for item in items])
    times = np.array([[item["times"][name] for name in names] for item in items])
    tasks, bounds = np.array([item["tasks"] for item in items]), np.array([item["bound"] for item in items])
    return Scores(names, tasks, costs, bounds, times[:, :, 0], times[:, :, 1])


def _paper_sheet(scores: Scores, labels: dict[tuple[str, str], str]) -> Sheet:
    """The paper's table: one row per learner and subset."""
    among = tuple(labels.values())
    rows = []
    for line in paper_table("vsp_test"):
        label, inside = labels[line["learner"], line["train"]], scores.inside(line["subset"])
        ours: tuple[float | None, ...] = (None,) * len(_STATISTICS)
        if inside.any():
            gaps = 100 * scores.gaps(label, among)[inside]
            seconds = scores.cpu[inside, scores.names.index(label)]
            ratio = scores.relative_time(label)[inside]
            ours = (float(seconds.mean()), float(ratio.max()), float(gaps.mean()), float(gaps.max()))
        numbers = [beside(mine, line, key) for key, mine in zip(_STATISTICS, ours, strict=True)]
        rows.append((*cells(line["learner"], line["train"], line["subset"], int(inside.sum())), *numbers))
    head = columns("learner", "training set", "subset", "instances", "mean CPU time (s)", "largest / mean time",
                   "mean gap (%)", "largest gap (%)")  # fmt: skip
    caption = "plain and perturbed are learned by experience, with DIRECT. Gaps are to the best of these learners."
    return Sheet("test", "The learners of the paper's table", head, tuple(rows), caption)


def _every_sheet(scores: Scores, missing: str) -> Sheet:
    """All contenders: mean gap by subset, and to the bound."""
    groups = [group for group in (*SUBSETS, "all") if scores.inside(group).any()]
    rows = []
    plain = [name for name in scores.names if name in ("safe weights", _BASELINE)]
    to = min(plain, key=lambda name: float(scores.gaps(name).mean()))
    known = scores.costs[:, scores.names.index(to)]
    for c, name in enumerate(scores.names):
        gaps = 100 * scores.gaps(name)
        apart = (None, None, "reference") if name == to else compared(scores.costs[:, c], known, to)
        means = [float(gaps[scores.inside(group)].mean()) for group in groups]
        times = (float(scores.seconds[:, c].mean()), float(scores.cpu[:, c].mean()))
        to_bound = 100 * float((scores.costs[:, c] / scores.bounds - 1).mean())
        rows.append(cells(name, *means, float(gaps.max()), to_bound, *times, *apart))
    rows.sort(key=lambda row: float(row[len(groups)].value or 0.0))
    by_group = [f"mean gap, {group} (%)" for group in groups]
    head = columns("contender", *by_group, "largest gap (%)", "mean gap to the bound (%)", "mean time (s)",
                   "mean CPU time (s)", *against(to))  # fmt: skip
    caption = (
        "Gaps are to the best solution that any of these found; the bound is the layer's value under the safe weights. "
        "shipped: the weights that come with colayer; ls: local search after the layer. Safe weights are no fallback. "
        "Differences are means of paired, relative differences of the cost."
    )
    return Sheet("contenders", "All contenders", head, tuple(rows), " ".join([caption, missing]).strip())


def _figure(scores: Scores, names: tuple[str, ...]) -> Axes:
    """Mean gap by number of tasks."""
    best = scores.costs.min(axis=1)
    chosen = [name for name in names if name in scores.names]
    results = [
        Result(name, i, float(scores.costs[i, scores.names.index(name)]), float(best[i]), float(n),
               float(scores.seconds[i, scores.names.index(name)]), {"tasks": float(n)})
        for i, n in enumerate(scores.tasks)
        for name in chosen
    ]  # fmt: skip
    ax = gap_by(Comparison("vehicle-scheduling", tuple(chosen), tuple(results)), "tasks")
    ax.set_ylabel("mean gap to the best solution found (%)")
    return ax
