"""`vsp-seeds`: the claims about learners that draw random numbers, judged over many seeds of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import msgspec
import numpy as np

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Conclusion, Outcome, Sheet
from colayer.display.tables import significant
from colayer.pretrained import pretrained
from colayer.problems import VehicleScheduling
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.solvers import BASELINES
from colayer_paper.frame.config import Config
from colayer_paper.frame.judge import Apart, apart, apart_by_seed, tends
from colayer_paper.frame.learned import Data, Learned
from colayer_paper.frame.outcome import outcome_of
from colayer_paper.frame.predict import kept_costs
from colayer_paper.frame.sheets import cells, columns, spread
from colayer_paper.frame.store import Run
from colayer_paper.vehicle_scheduling.datasets import paper_set
from colayer_paper.vehicle_scheduling.learners import NO_BAYES, Learner, Vehicles, learnings_of

#: (loss, training set, method) of a learner.
Key = tuple[str, str, str]
CRF, FENCHEL_YOUNG = ("crf", "small", "crf"), ("fenchel_young", "small", "fenchel-young")
SMALL, MODERATE = ("plain", "small", "direct"), ("plain", "moderate", "direct")
#: The paper's remedy for seeds that differ: the best of so many by training loss.
_OF = 5


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A learner and how many seeds of it there are, as the config has them."""

    loss: str
    train: str
    method: str
    evaluations: int
    seeds: int
    samples: int = 0

    @property
    def key(self) -> Key:
        """Which learner it is, whatever the seed."""
        return self.loss, self.train, self.method

    def learners(self) -> list[Learner]:
        """Return the learner with each of its seeds."""
        once = Learner(self.loss, self.train, self.method, "23", self.evaluations, self.samples)
        return [replace(once, seed=seed) for seed in range(self.seeds)]


class Seeds:
    """What the seeds of each learner learned, and its gaps in percent on the test instances."""

    def __init__(
        self, learned: Mapping[Key, list[Learned]], costs: Mapping[Key, Floats], rules: Mapping[str, Floats]
    ) -> None:
        self.learned, self.costs, self.rules = learned, costs, rules

    @cached_property
    def _best(self) -> Floats:
        return np.asarray(np.min(np.vstack([*self.costs.values(), *self.rules.values()]), axis=0))

    def gaps(self, key: Key | str) -> Floats:
        """Rows: seeds, a rule has one; columns: instances."""
        costs = np.atleast_2d(self.rules[key] if isinstance(key, str) else self.costs[key])
        return np.asarray(100 * (costs / self._best - 1))

    def remedy(self, key: Key, of: int = _OF) -> Floats:
        """The mean gaps of the best by training loss of the first `of` seeds, of the next ones, and so on."""
        losses, means = np.array([one.loss for one in self.learned[key]]), self.gaps(key).mean(axis=1)
        starts = range(0, max(1, len(losses) - of + 1), of)
        return np.array([means[start + int(np.argmin(losses[start : start + of]))] for start in starts])


def learnings(run: Run, config: Config) -> list[Vehicles]:
    """Return what is learned."""
    return [learning for by_seed in _learnings(run, config).values() for learning in by_seed]


def _learnings(run: Run, config: Config) -> dict[Key, list[Vehicles]]:
    """Return every learner of the config with its seeds; without those that need an extra that is not installed."""
    found = {}
    for entry in msgspec.convert(config["learners"], list[Entry]):
        by_seed = learnings_of(run, config, entry.learners()).values()
        # the stages of other experiments that have another budget go by another name
        found[entry.key] = [replace(one, what=f"{one.what}, {entry.evaluations} evaluations") for one in by_seed]
    return {key: by_seed for key, by_seed in found.items() if by_seed}


def experiment(run: Run, config: Config) -> Outcome:
    """Learn with every seed, cost on the test instances, judge."""
    learned = {key: [one.learn(run) for one in by_seed] for key, by_seed in _learnings(run, config).items()}
    chosen = config["tested"]
    data = Data({"set": "test", **chosen}, lambda: list(paper_set("test", **chosen)))
    problem = VehicleScheduling("23")
    costs: dict[Key, Floats] = {}
    for key, by_seed in learned.items():
        if key[2] != "bayes":  # judged by its training loss
            weights = np.array([one.linear().raw() for one in by_seed])
            costs[key] = kept_costs(run, problem, weights, data, what=", ".join(key))
    found = Seeds(learned, costs, _rules(run, data))
    return outcome_of(
        run,
        config,
        sheets=[_sheet(found, len(data.values)), _budget_sheet(learned, config["budget"])],
        conclusions=conclusions(found, config["budget"]),
        seeds=", ".join(f"{len(by_seed)} of {', '.join(key)}" for key, by_seed in learned.items()),
        instances=len(data.values),
    )


def _rules(run: Run, data: Data[Instance]) -> dict[str, Floats]:
    """Return the costs of the rules, of the safe weights and of the shipped ones."""
    problem = VehicleScheduling("23")
    weights = {"safe weights": np.array(problem.safe_weights)}
    shipped = pretrained(problem)
    if shipped is not None:
        weights["shipped, 23"] = shipped.raw()
    vectors = kept_costs(run, problem, np.array(list(weights.values())), data, what="safe and shipped weights")

    def solve(instance: Instance) -> list[float]:
        return [problem.cost(problem.baseline(name, instance), instance) for name in BASELINES]

    costs = run.items("evaluate", {"rules": list(BASELINES), "data": data.identity}, data.values, solve, what="rules")
    return dict(zip([*weights, *BASELINES], [*vectors, *np.array(costs).T], strict=True))


def _sheet(found: Seeds, count: int) -> Sheet:
    rows = []
    everyone: list[Key | str] = [*found.costs, *found.rules]
    for key in everyone:
        gaps = found.gaps(key)
        means = gaps.mean(axis=1)
        name = key if isinstance(key, str) else f"{key[0].replace('_', '-')}, {key[1]}"
        best = None if isinstance(key, str) else float(found.remedy(key).mean())
        middle = (float(means.mean()), float(np.median(means)), spread(means), float(means.min()), float(means.max()))
        rows.append(cells(name, len(means), *middle, best))
    head = columns("learner", "seeds", "mean gap (%)", "median over seeds (%)", "spread over seeds (%)",
                   "best seed (%)", "worst seed (%)", f"best of {_OF} by training loss (%)")  # fmt: skip
    caption = (
        f"Gaps over {count} test instances to the best solution that any row found. Best of {_OF} by training loss: "
        "the mean over as many disjoint groups of seeds as there are."
    )
    return Sheet("seeds", "Gaps over seeds", head, tuple(rows), caption)


def _budget_sheet(learned: Mapping[Key, list[Learned]], count: int) -> Sheet:
    rows = []
    for (loss, train, method), by_seed in learned.items():
        if method in ("direct", "bayes"):
            losses = _after(by_seed, count)
            rows.append(cells(loss, train, method, len(losses), float(losses.mean()), spread(losses)))
    head = columns("loss", "training set", "method", "seeds", f"objective after {count}", "spread over seeds")
    return Sheet("budget", f"Objectives after {count} evaluations", head, tuple(rows))


def _after(by_seed: list[Learned], count: int) -> Floats:
    """Return the best training loss of every seed after so many evaluations."""
    return np.array([min(one.losses[:count]) for one in by_seed])


def conclusions(found: Seeds, budget: int) -> list[Conclusion]:
    """Return the paper's claims about these learners, and one of ours about small budgets."""
    drawn = [
        _claim(found, "By demonstration, the Fenchel-Young loss leads to better performance than the CRF loss.",
               FENCHEL_YOUNG, CRF),
        _claim(found, "On the same training set (small), experience (plain loss) is weaker than demonstration with the "
               "Fenchel-Young loss.", FENCHEL_YOUNG, SMALL),
        _claim(found, "On the same training set (small), experience (plain loss) beats demonstration with the CRF "
               "loss.", SMALL, CRF),
    ]  # fmt: skip
    if MODERATE in found.costs:
        words = "Learning on the training set moderate beats learning on small (plain loss)."
        drawn.append(_claim(found, words, MODERATE, SMALL))
    return [*drawn, _small_budget(found.learned, budget)]


def _claim(found: Seeds, claim: str, first: Key, second: Key) -> Conclusion:
    """That the first has the smaller gaps; the best of five seeds, the paper's remedy, stands beside."""
    told = apart(found.gaps(first), found.gaps(second))
    numbers = f"mean gaps {_words(found, first)}, {_words(found, second)}; difference {told.words} points"
    return Conclusion(claim, told.less, numbers, test=told.test)


def _words(found: Seeds, key: Key) -> str:
    means = found.gaps(key).mean(axis=1)
    said = f"{key[0].replace('_', '-')}, {key[1]} {significant(float(means.mean()))}"
    if len(means) < 2:
        return f"{said} %"
    middle, each = significant(float(np.median(means))), significant(float(means.std(ddof=1)))
    best = significant(float(found.remedy(key).mean()))
    return f"{said} ± {each} [median {middle}, best of {_OF} by training loss {best}] %"


def _small_budget(learned: Mapping[Key, list[Learned]], count: int) -> Conclusion:
    claim = f"The training loss is lower after {count} evaluations with our Bayesian optimisation than with DIRECT."
    told: dict[str, Apart] = {}
    for train in ("small", "moderate"):
        bayes, direct = learned.get(("plain", train, "bayes")), learned.get(("plain", train, "direct"))
        if bayes and direct:
            told[train] = apart_by_seed(_after(bayes, count), _after(direct, count))
    if not told:
        return Conclusion(claim, None, NO_BAYES, of="colayer")
    numbers = "; ".join(f"{train}: difference {one.words}" for train, one in told.items())
    test = "; ".join(one.test for one in told.values())
    return Conclusion(claim, tends(*(one.less for one in told.values())), numbers, of="colayer", test=test)
