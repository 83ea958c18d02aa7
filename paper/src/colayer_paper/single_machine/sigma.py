"""`scheduling-sigma`: how strong a perturbation of the loss, chosen on instances that nobody learns or tests on."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Conclusion, Outcome, Sheet
from colayer.problems import SingleMachine
from colayer_paper.frame.config import Config
from colayer_paper.frame.figures import line_figure
from colayer_paper.frame.judge import apart_by_seed, both
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.predict import gaps, kept_costs
from colayer_paper.frame.sheets import cells, columns, spread
from colayer_paper.frame.store import Run
from colayer_paper.single_machine import learners as scheduling
from colayer_paper.single_machine.learners import Learner, Machine


def experiment(run: Run, config: Config) -> Outcome:
    """The mean gap on the validation set, for each σ over the seeds."""
    data = scheduling.validation(config)
    bounds = np.array([SingleMachine().bound(instance) for instance in data.values])
    found = {}
    for learner in _learners(config):
        models = [learning.learn(run).linear() for learning in scheduling.by_experience(config, learner)]
        problem = SingleMachine().with_options(features=learner.features, decoder=learner.decoder)
        weights = np.array([model.raw() for model in models])
        costs = kept_costs(run, problem, weights, data, what=f"validation set, σ = {learner.sigma:g}")
        found[learner.sigma] = gaps(costs, bounds).mean(axis=1)
    means = {sigma: float(by_seed.mean()) for sigma, by_seed in found.items()}
    series = {"colayer": ([*means], [*means.values()])}
    axes = line_figure(
        series, x="strength of the perturbation σ", y="mean gap to the bound (%)", log_x=True, log_y=True
    )
    axes.set_title("Gap on the validation set")
    caption = "Means over the seeds; both axes are logarithmic."
    return outcome_of(
        run,
        config,
        sheets=[_sheet(found, len(bounds))],
        pictures=[picture(run, config, axes, "sigma.svg", "Gap by strength of the perturbation", caption)],
        conclusions=[conclusion(found, config["chosen_sigma"])],
        seeds=f"{len(next(iter(found.values())))} for each σ",
        instances=f"{len(bounds)} to validate on",
    )


def learnings(run: Run, config: Config) -> list[Machine]:
    """What is learned: with every σ and every seed."""
    return [learning for learner in _learners(config) for learning in scheduling.by_experience(config, learner)]


def _learners(config: Config) -> list[Learner]:
    return [scheduling.learner({**config["tried"], "sigma": sigma}) for sigma in config["sigmas"]]


def _sheet(found: dict[float, Floats], count: int) -> Sheet:
    head = columns("σ", "mean gap (%)", "spread over seeds (%)", "best seed (%)")
    rows = tuple(
        cells(sigma, float(by_seed.mean()), spread(by_seed), float(by_seed.min())) for sigma, by_seed in found.items()
    )
    caption = f"Gaps to the SRPT bound over {count} validation instances; σ is in units of standardised features."
    return Sheet("sigma", "Gap by strength of the perturbation", head, rows, caption)


def conclusion(found: dict[float, Floats], chosen: float) -> Conclusion:
    """Whether the σ of the perturbed rows is measurably better than the others; mean gaps by seed."""
    told = {sigma: apart_by_seed(found[chosen], by_seed) for sigma, by_seed in found.items() if sigma != chosen}
    words = ", ".join(f"σ = {sigma:g}: {by_seed.mean():.3f} %" for sigma, by_seed in found.items())
    apart = "; ".join(f"to σ = {sigma:g} {one.words}" for sigma, one in told.items())
    claim = f"σ = {chosen:g}, with which the perturbed rows are learned, is the best of those tried"
    holds = both(*(one.less for one in told.values()))
    test = next(iter(told.values())).test
    return Conclusion(claim, holds, f"mean gaps on the validation set: {words}; {apart}", of="colayer", test=test)
