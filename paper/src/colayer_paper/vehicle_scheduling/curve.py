"""`vsp-curve`: the best objective along the search, by evaluations and by time."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from colayer.display.charts import PALETTE
from colayer.display.outcome import Conclusion, Outcome, Sheet
from colayer.display.tables import significant
from colayer_paper.frame.config import Config
from colayer_paper.frame.figures import new_axes, zoom
from colayer_paper.frame.learned import Learned
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.sheets import cells, columns
from colayer_paper.frame.store import Run
from colayer_paper.vehicle_scheduling.learners import (
    STANDARDISED,
    TRAINING,
    Learner,
    absent,
    experiences,
    trained,
)

Found = dict[Learner, Learned]

_METHODS = ("direct", "bayes", "auto", "deterministic")
_MARKS = (1, 2, 5, 10, 20, 50, 100, 200, 300, 500, 1000)


def experiment(run: Run, config: Config) -> Outcome:
    """Figures of the perturbed loss by time, as in the paper, and of the plain loss by evaluations."""
    found = trained(run, config, experiences(config))
    found = {
        learner: learned
        for learner, learned in found.items()
        if learner.features == "23" and learner.units == STANDARDISED and learner.seed == 0
    }
    last = {learner: learned for learner, learned in found.items() if learner.loss == "perturbed"}
    plain = {learner: learned for learner, learned in found.items() if learner.loss == "plain"}
    samples = ", ".join(f"{learner.train} {learner.samples}" for learner in last if learner.method == "direct")
    return outcome_of(
        run,
        config,
        sheets=[_sheet(found)],
        pictures=[
            picture(run, config, _panels(last, by_time=True), "perturbed.svg", "Perturbed loss by CPU time",
                    f"Best objective so far; the panel on the right is the paper's figure. Samples: {samples}."),
            picture(run, config, _panels(plain, by_time=False), "plain.svg", "Plain loss by evaluations",
                    "Best objective so far, on each training set."),
        ],
        conclusions=[early(learner.train, learned) for learner, learned in plain.items() if learner.method == "direct"],
        differences=absent(),
        seed=config["seed"],
    )  # fmt: skip


def best_so_far(learned: Learned) -> NDArray[np.float64]:
    """The least loss up to each evaluation."""
    return np.asarray(np.minimum.accumulate(learned.losses))


def cpu_at(learned: Learned) -> NDArray[np.float64]:
    """The CPU seconds up to each evaluation, if all took the same."""
    count = len(learned.losses)
    return np.asarray(learned.cpu * np.arange(1, count + 1) / count)


def _sheet(found: Found) -> Sheet:
    rows = []
    for learner, learned in found.items():
        best, cpu = best_so_far(learned), cpu_at(learned)
        for mark in sorted({m for m in _MARKS if m < len(best)} | {len(best)}):
            words = (learner.loss, learner.train, learner.method)
            rows.append(cells(*words, learner.samples, mark, float(cpu[mark - 1]), float(best[mark - 1])))
    head = columns("loss", "training set", "method", "samples", "evaluations", "CPU time (s)", "best objective")
    caption = "Seed 0 of each search. The paper gives no numbers with its figure."
    return Sheet("curve", "Best objective along the search", head, tuple(rows), caption)


def early(train: str, direct: Learned) -> Conclusion:
    """Which share of what DIRECT gains in all it has after a tenth of its evaluations."""
    claim = f"After a tenth of its evaluations DIRECT has most of its gain on the training set {train} (plain loss)."
    best = best_so_far(direct)
    tenth = float(best[max(1, len(best) // 10) - 1])
    gain = float(best[0] - best[-1])
    share = (float(best[0]) - tenth) / gain if gain > 0 else 1.0
    numbers = (
        f"{significant(float(best[0]), 5)} at w = 0, {significant(tenth, 5)} after a tenth of {len(best)} evaluations, "
        f"{significant(float(best[-1]), 5)} after all: {significant(100 * share)} % of the gain"
    )
    return Conclusion(claim, share > 0.5, numbers, of="colayer", test="one search")


def _panels(found: Found, *, by_time: bool) -> Axes:
    """A panel per training set, a step line per method."""
    panels = new_axes((9.6, 3.2), columns=len(TRAINING))
    for train, ax in zip(TRAINING, panels, strict=True):
        here = {learner.method: learned for learner, learned in found.items() if learner.train == train}
        for k, method in enumerate(_METHODS):
            if method in here:
                learned = here[method]
                x = cpu_at(learned) if by_time else np.arange(1, len(learned.losses) + 1)
                ax.step(x, best_so_far(learned), where="post", color=PALETTE[k], lw=1.6, label=method)
        zoom(ax, [best_so_far(learned) for learned in here.values()], 0.08)
        ax.set_xscale("log")
        ax.set(title=train, xlabel="CPU time (s)" if by_time else "loss evaluation")
    panels[0].set_ylabel("best objective: mean cost per task")
    panels[-1].legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return panels[0]
