"""`scheduling-seeds`: the claims about learners that draw random numbers, judged over many seeds of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Conclusion, Outcome, Sheet
from colayer.models import Model
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from colayer_paper.frame.config import Config
from colayer_paper.frame.judge import Apart, apart, apart_by_seed, tends
from colayer_paper.frame.outcome import outcome_of
from colayer_paper.frame.predict import kept_costs
from colayer_paper.frame.sheets import cells, columns, spread
from colayer_paper.frame.store import Run
from colayer_paper.single_machine import learners as scheduling
from colayer_paper.single_machine.by_size import subset
from colayer_paper.single_machine.tested import PIPELINES, RULES

#: Those that are compared: the perturbed one takes the best of many draws, which hides what was learned.
DECODERS = PIPELINES[:-1]
SIZES = ("large", "huge")
EXPERIENCE, SEARCHED, DEMONSTRATION = "experience", "experience, ls in the loss", "demonstration, 27 features"


def learnings(run: Run, config: Config) -> list[scheduling.Machine]:
    """Return what is learned."""
    return [one for by_seed in _learnings(run, config).values() for one in by_seed]


def _learnings(run: Run, config: Config) -> dict[str, list[scheduling.Machine]]:
    """Return the learners by name, each with its seeds."""
    found = {}
    for learner in scheduling.learners_of(config):
        found[SEARCHED if learner.decoder == "ls" else EXPERIENCE] = scheduling.by_experience(config, learner)
    cells, seeds = config["demonstration_per_cell"], range(config["demonstration_seeds"])
    for features in config["demonstrations"]:
        by_seed = [scheduling.by_demonstration(run, config, features, seed) for seed in seeds]
        # another experiment learns from more labels, by the same name
        named = [replace(one, what=f"{one.what}, {cells} labels a cell") for one in by_seed]
        found[f"demonstration, {features} features"] = named
    return found


@dataclass(frozen=True)
class Seeds:
    """Costs on the test instances by decoder and learner: rows are seeds, a rule has one."""

    costs: Mapping[str, Mapping[str, Floats]]
    #: Of each instance.
    jobs: NDArray[np.int64]

    @cached_property
    def _best(self) -> Floats:
        return np.asarray(
            np.min(np.vstack([costs for by_name in self.costs.values() for costs in by_name.values()]), axis=0)
        )

    def gaps(self, name: str, decoder: str, size: str | None = None) -> Floats:
        """Gaps in percent to the best cost that anything here found, on the instances of a subset."""
        found = np.asarray(100 * (self.costs[decoder][name] / self._best - 1))
        return found if size is None else found[:, subset(self.jobs, size)]


def experiment(run: Run, config: Config) -> Outcome:
    """Learn with every seed, cost through every decoder, judge."""
    models: dict[str, list[Model]] = {}
    features: dict[str, str] = {}
    for name, by_seed in _learnings(run, config).items():
        models[name] = [learning.learn(run).linear() for learning in by_seed]
        features[name] = bind(by_seed[0].problem).options["features"]
    for rule, feature in RULES.items():
        models[rule], features[rule] = [scheduling.one_feature(feature)], "66"
    data = scheduling.held_out(config)
    costs: dict[str, dict[str, Floats]] = {decoder: {} for decoder in DECODERS}
    for name, learned in models.items():
        weights = np.array([model.raw() for model in learned])
        for decoder in DECODERS:
            problem = SingleMachine().with_options(features=features[name], decoder=decoder)
            costs[decoder][name] = kept_costs(run, problem, weights, data, what=f"{decoder}, {name}")
    found = Seeds(costs, np.array([instance.jobs for instance in data.values]))
    return outcome_of(
        run,
        config,
        sheets=[_sheet(found, config["quantile"])],
        conclusions=conclusions(found, config["quantile"]),
        seeds=", ".join(f"{len(learned)} of {name}" for name, learned in models.items() if name not in RULES),
        instances=len(data.values),
    )


def _sheet(found: Seeds, quantile: float) -> Sheet:
    head = ["learner", "seeds"]
    for decoder in DECODERS:
        head += [f"{decoder}, mean gap (%)", f"{decoder}, spread over seeds (%)", f"{decoder}, {quantile} quantile (%)"]
    rows = []
    for name in found.costs["none"]:
        row: list[float | None] = []
        for decoder in DECODERS:
            gaps = found.gaps(name, decoder)
            row += [float(gaps.mean()), spread(gaps.mean(axis=1)), float(_quantiles(gaps, quantile).mean())]
        rows.append(cells(name, len(gaps), *row))
    caption = (
        f"Gaps over {len(found.jobs)} test instances to the best cost that any row found; means over the seeds. The "
        "66 features of learners by experience are without look-ahead."
    )
    return Sheet("seeds", "Gaps over seeds", columns(*head), tuple(rows), caption)


def _quantiles(gaps: Floats, quantile: float) -> Floats:
    return np.asarray(np.quantile(gaps, quantile, axis=1))


def conclusions(found: Seeds, quantile: float) -> list[Conclusion]:
    """Return the paper's claims: by experience against by demonstration, and what the local search in the loss does."""
    pairs = [(EXPERIENCE, d) for d in DECODERS] + [(SEARCHED, d) for d in DECODERS[1:]]
    if DEMONSTRATION not in found.costs["none"]:
        pairs = []
    least = [(name, decoder, size) for name, decoder in pairs for size in SIZES if subset(found.jobs, size).any()]

    def against(name: str, decoder: str, size: str | None = None) -> Apart:
        return apart(found.gaps(name, decoder, size), found.gaps(DEMONSTRATION, decoder, size))

    def worst(name: str, decoder: str) -> Apart:
        ours, theirs = (_quantiles(found.gaps(each, decoder), quantile) for each in (name, DEMONSTRATION))
        return apart_by_seed(theirs, ours)

    return [
        _tendency(
            "Learning by experience tends to outperform the Fenchel-Young loss on average",
            {f"{name}, {decoder}": against(name, decoder) for name, decoder in pairs},
        ),
        _tendency(
            f"Learning by experience tends to have a poorer worst case ({quantile} quantile) than the Fenchel-Young "
            "loss",
            {f"{name}, {decoder}": worst(name, decoder) for name, decoder in pairs},
        ),
        _tendency(
            "Learning by experience outperforms learning by demonstration on large and huge instances",
            {f"{name}, {decoder}, {size}": against(name, decoder, size) for name, decoder, size in least},
        ),
        _tendency(
            "The local search inside the loss tends to improve the pipelines that use it",
            {d: apart(found.gaps(SEARCHED, d), found.gaps(EXPERIENCE, d)) for d in DECODERS[1:]},
        ),
        _tendency(
            "The local search inside the loss worsens the pipeline that does not use it",
            {"none": apart(found.gaps(EXPERIENCE, "none"), found.gaps(SEARCHED, "none"))},
        ),
    ]


def _tendency(claim: str, told: Mapping[str, Apart]) -> Conclusion:
    """It holds where some comparison is decided and every one that is, is so for the claim."""
    if not told:
        return Conclusion(claim, None, "0 learners by demonstration at this scale")
    verdicts = [one.less for one in told.values()]
    numbers = "; ".join(f"{name}: difference {one.words} points" for name, one in told.items())
    count = f"{verdicts.count(True)} of {len(verdicts)} for it, {verdicts.count(False)} against"
    test = f"{count}; {', '.join(dict.fromkeys(one.test for one in told.values()))}"
    return Conclusion(claim, tends(*verdicts), numbers, test=test)
