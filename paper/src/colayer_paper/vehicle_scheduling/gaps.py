"""`vsp-test`: gaps and times on the test set, for every way to learn the weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.comparison.charts import gap_by
from colayer.comparison.table import Comparison, Result
from colayer.display.outcome import Outcome, Sheet
from colayer.models import thetas
from colayer.pretrained import pretrained
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.solvers import BASELINES
from colayer_paper.frame.config import Config, paper_table
from colayer_paper.frame.learned import Learned
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.sharing import Items, shared
from colayer_paper.frame.sheets import against, beside, cells, columns, compared_unless, spread
from colayer_paper.frame.store import Clock, Run
from colayer_paper.vehicle_scheduling.conclusions import Key, conclusions
from colayer_paper.vehicle_scheduling.data import Cell3, held_out, instance_at
from colayer_paper.vehicle_scheduling.learners import (
    RAW,
    STANDARDISED,
    SUBSETS,
    Learner,
    absent,
    demonstrations,
    experiences,
    reductions,
    subset,
    trained,
)

#: In the first table, from the paper's names.
_STATISTICS = ("t_avg_s", "t_max_over_avg", "gap_avg_percent", "gap_max_percent")
#: Contenders that the figure shows beside the paper's learners without perturbation: one per colour.
_SHOWN = ("safe weights", "shipped, extended")


@dataclass(frozen=True)
class Weights:
    """A contender: weights in raw feature units, the features they are for, and the decoder after the layer."""

    features: str
    decoder: str
    weights: tuple[float, ...]


#: By name; None is the rule of that name.
Contenders = dict[str, Weights | None]


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
    cells = held_out(config)
    scores = _scores([_solved(run, group, cells) for group in _groups(learned)])
    rows = {units: _by_seed(learned, units) for units in (STANDARDISED, RAW)}
    shown = [names[0] for (loss, _), names in rows[STANDARDISED].items() if loss != "perturbed"]
    missing = [words.replace("are empty", "are absent") for words in absent()]
    caption = "Mean gap to the best solution that any contender found; of learners with several seeds, seed 0."
    return outcome_of(
        run,
        config,
        sheets=[
            _paper_sheet(scores, rows[STANDARDISED], "test", "The learners of the paper's table"),
            _paper_sheet(scores, {**rows[STANDARDISED], **rows[RAW]}, "test_raw",
                         "The same, plain loss in raw units", only=set(rows[RAW])),
            _every_sheet(scores, learned, " ".join(missing)),
        ],
        pictures=[picture(run, config, _figure(scores, (*shown, *_SHOWN)), "gaps.svg", "Gap by size", caption)],
        conclusions=conclusions(scores, rows[STANDARDISED], rows[RAW]),
        differences=[*reductions(config, learners), *missing],
        instances=len(cells),
        seed=config["seed"],
    )  # fmt: skip


def _by_seed(learned: Iterable[Learner], units: str) -> dict[Key, list[str]]:
    """(loss, training set) of the paper's table → the names of its contenders, one per seed."""
    found: dict[Key, list[str]] = {}
    for learner in learned:
        if learner.in_paper and learner.units == units:
            found.setdefault((learner.loss, learner.train), []).append(learner.name)
    return found


def _groups(learned: Mapping[Learner, Learned]) -> list[Contenders]:
    """What was learned with one loss is evaluated together, apart from the others: to learn it anew leaves these."""
    by_loss: dict[str, Contenders] = {}
    for learner, model in learned.items():
        weights = _weights(learner.features, "none", model.linear().raw())
        by_loss.setdefault(learner.loss, {})[learner.name] = weights
    return [*by_loss.values(), _others(learned)]


def _solved(run: Run, contenders: Contenders, cells: list[Cell3]) -> list[dict[str, Any]]:
    """These contenders on all instances: a stage for each number of tasks and of scenarios."""
    warm: list[Any] = []

    def solve(cell: Cell3) -> dict[str, Any]:
        if not warm:
            warm.append(_solve(contenders, cells[0]))  # compile
        return _solve(contenders, cell)

    known = {name: chosen and asdict(chosen) for name, chosen in contenders.items()}
    stages = []
    for (tasks, scenarios), group in groupby(cells, key=lambda cell: cell[:2]):
        part = list(group)
        # not how many there are: more instances of a cell go on where fewer ended
        identity = {"tasks": tasks, "scenarios": scenarios, "contenders": known}
        stages.append(Items(f"evaluate: {tasks} tasks, {scenarios} scenarios", "evaluate", identity, part, solve))
    return [item for part in shared(run, stages) for item in part]


def _weights(features: str, decoder: str, weights: Floats) -> Weights:
    return Weights(features, decoder, tuple(weights.tolist()))


def _others(learned: Mapping[Learner, Learned]) -> Contenders:
    """What needs no learning here: the weights that are shipped, the safe ones, one feature alone, and the rules."""
    plain, extended = VehicleScheduling("23"), VehicleScheduling("extended")
    found: Contenders = {}
    for decoder in ("none", "ls"):
        after = "" if decoder == "none" else f", {decoder}"
        safe = np.array(plain.safe_weights)
        found[f"safe weights{after}"] = _weights("23", decoder, safe)
        for features in ("23", "extended"):
            model = pretrained(VehicleScheduling(features))
            if model is not None:
                found[f"shipped, {features}{after}"] = _weights(features, decoder, model.raw())
    for learner, mine in learned.items():
        if (learner.train, learner.method, learner.features) == ("all", "auto", "23"):
            found[f"{learner.name}, ls"] = _weights("23", "ls", mine.linear().raw())
    alone = np.array([-1.0 * (name == "reference_arc") for name in extended.feature_names])
    found["reference feature alone"] = _weights("extended", "none", alone)
    return found | dict.fromkeys(BASELINES)


def _solve(contenders: Contenders, cell: Cell3) -> dict[str, Any]:
    """Contenders on one instance; the features of a set are made once, and count in the time of each."""
    instance = instance_at(cell)
    costs, times = {}, {}
    features = {}
    for which in sorted({chosen.features for chosen in contenders.values() if chosen}):
        clock = Clock()
        features[which] = (
            VehicleScheduling().with_options(features=which).features(instance),
            clock.seconds,
            clock.cpu,
        )
    for name, chosen in contenders.items():
        seconds = cpu = 0.0
        if chosen is None:
            problem = VehicleScheduling("23")
            clock = Clock()
            solution = problem.baseline(name, instance)
        else:
            problem = VehicleScheduling().with_options(features=chosen.features, decoder=chosen.decoder)
            matrix, seconds, cpu = features[chosen.features]
            clock = Clock()
            theta = thetas(matrix, np.array([chosen.weights]))[0]
            solution = problem.decode(problem.layer(theta, instance), instance)
        times[name] = (seconds + clock.seconds, cpu + clock.cpu)
        costs[name] = problem.cost(solution, instance)
    bound = VehicleScheduling("23").bound(instance)
    return {"tasks": instance.tasks, "bound": bound, "costs": costs, "times": times}


def _scores(groups: list[list[dict[str, Any]]]) -> Scores:
    """Of what each group of contenders found on the instances."""
    costs, times = (
        np.concatenate([[list(item[what].values()) for item in items] for items in groups], axis=1)
        for what in ("costs", "times")
    )
    first = groups[0]
    names = tuple(name for items in groups for name in items[0]["costs"])
    tasks, bounds = np.array([item["tasks"] for item in first]), np.array([item["bound"] for item in first])
    return Scores(names, tasks, costs, bounds, times[:, :, 0], times[:, :, 1])


def _paper_sheet(
    scores: Scores, labels: Mapping[Key, list[str]], name: str, title: str, only: set[Key] | None = None
) -> Sheet:
    """The paper's table: one row per learner and subset; means over seeds, and their spread."""
    among = tuple(each for names in labels.values() for each in names)
    rows = []
    for line in paper_table("vsp_test"):
        key, inside = (line["learner"], line["train"]), scores.inside(line["subset"])
        if only is not None and key not in only:
            continue
        ours: tuple[float | None, ...] = (None,) * len(_STATISTICS)
        over_seeds = None
        if inside.any():
            gaps = np.array([100 * scores.gaps(each, among)[inside] for each in labels[key]])
            seconds = [scores.cpu[inside, scores.names.index(each)].mean() for each in labels[key]]
            ratio = max(float(scores.relative_time(each)[inside].max()) for each in labels[key])
            ours = (float(np.mean(seconds)), ratio, float(gaps.mean()), float(gaps.max()))
            over_seeds = spread(gaps.mean(axis=1))
        numbers = [beside(mine, line, column) for column, mine in zip(_STATISTICS, ours, strict=True)]
        head = cells(line["learner"], line["train"], line["subset"], int(inside.sum()), len(labels[key]))
        rows.append((*head, *numbers[:3], *cells(over_seeds), numbers[3]))
    head_row = columns("learner", "training set", "subset", "instances", "seeds", "mean CPU time (s)",
                       "largest / mean time", "mean gap (%)", "spread over seeds (%)", "largest gap (%)")  # fmt: skip
    caption = (
        "plain and perturbed are learned by experience, with randomised DIRECT. Gaps are to the best of these "
        "learners, means over instances and seeds; the spread is the standard deviation of the seeds' means."
    )
    return Sheet(name, title, head_row, tuple(rows), caption)


def _every_sheet(scores: Scores, learned: Iterable[Learner], missing: str) -> Sheet:
    """All contenders, several seeds of one learner in one row: mean gap by subset, and to the bound."""
    groups = [group for group in (*SUBSETS, "all") if scores.inside(group).any()]
    labels = {learner.name: learner.label for learner in learned}
    rows_of: dict[str, list[int]] = {}
    for c, name in enumerate(scores.names):
        rows_of.setdefault(labels.get(name, name), []).append(c)
    plain = [name for name in scores.names if name == "safe weights" or name in BASELINES]
    to = min(plain, key=lambda name: float(scores.gaps(name).mean()))
    known = scores.costs[:, scores.names.index(to)]
    rows = []
    for name, members in rows_of.items():
        gaps = np.array([100 * scores.gaps(scores.names[c]) for c in members])
        apart = compared_unless(name == to, scores.costs[:, members].mean(axis=1), known, to)
        means = [float(gaps[:, scores.inside(group)].mean()) for group in groups]
        times = (float(scores.seconds[:, members].mean()), float(scores.cpu[:, members].mean()))
        to_bound = 100 * float((scores.costs[:, members] / scores.bounds[:, None] - 1).mean())
        rows.append(
            cells(name, len(members), *means, spread(gaps.mean(axis=1)), float(gaps.max()), to_bound, *times, *apart)
        )
    rows.sort(key=lambda row: float(row[1 + len(groups)].value or 0.0))
    by_group = [f"mean gap, {group} (%)" for group in groups]
    head = columns("contender", "seeds", *by_group, "spread over seeds (%)", "largest gap (%)",
                   "mean gap to the bound (%)", "mean time (s)", "mean CPU time (s)", *against(to))  # fmt: skip
    caption = (
        "Gaps are to the best solution that any of these found; the bound is the layer's value under the safe weights. "
        "shipped: the weights that come with colayer; ls: local search after the layer. Safe weights are no fallback. "
        "Differences are means of paired, relative differences of the cost, which is the mean over seeds; their error "
        "is that of the instances."
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
