"""The story in words: what learning costs, everyone in one table, and who is better than whom."""

from __future__ import annotations

from typing import Any

from colayer._runtime.text import counted
from colayer.cli.demos.contenders import LEARNED
from colayer.cli.demos.exact import HINDSIGHT
from colayer.comparison.contender import SAFE
from colayer.comparison.paired import difference, verdicts_in_words
from colayer.comparison.table import Comparison, summary_table, value
from colayer.display.tables import Table, duration, percent, significant
from colayer.learning.curve import kept_evaluation
from colayer.models import Model
from colayer.pipeline import Pipeline


def story(comparison: Comparison, learner: Pipeline[Any, Any, Any], cost: str, what: str) -> list[str | Table]:
    """Return the story: what learning cost, the table of all contenders, and what it says in words."""
    kinds = dict(zip(comparison.contenders, comparison.kinds, strict=True))
    rows, measure = comparison.summary(), comparison.measure
    learned = [row for row in rows if kinds[row.contender] == "learned"]
    reached = min(mean for row in learned if (mean := value(row, measure)) is not None)
    ahead = [
        f"still ahead: {row.contender}, {percent(mean) if measure == 'gap' else significant(mean, 5)} in "
        f"{duration(row.mean_seconds)}"
        for row in rows
        if kinds[row.contender] != "learned" and row.contender != HINDSIGHT
        if (mean := value(row, measure)) is not None and mean < reached
    ]
    alone = [(row.contender, row.difference, row.instances) for row in learned if row.difference is not None]
    said = [*verdicts_in_words(alone[:1]), *like_for_like(comparison), *ahead]
    return [
        f"learned: {cost}\n{kept(learner)}\n{heaviest(learner.model)}\n\n"
        f"On {counted(len(comparison.rows), what)} that nobody learned from:\n\n",
        summary_table(rows),
        "".join(f"\n{line}" for line in said) + "\n",
    ]


def like_for_like(comparison: Comparison) -> list[str]:
    """Say how learned weights with many candidates compare with the best plain way that tries as many."""
    costs = {name: [row[c].cost for row in comparison.rows] for c, name in enumerate(comparison.contenders)}
    said = []
    for name in costs:
        count = name.removeprefix(f"{LEARNED}, ").removesuffix(" candidates")
        rivals = [other for other in costs if other == f"{SAFE}, {count} candidates" or f", best of {count} " in other]
        if count.isdigit() and rivals:
            rival = min(rivals, key=lambda other: sum(costs[other]))
            found = difference(costs[name], costs[rival], rival)
            said += verdicts_in_words([(name, found, len(costs[name]))])
    return said


def kept(learner: Pipeline[Any, Any, Any]) -> str:
    """Say which evaluation the learned weights are of, as the learning curve shows it."""
    chosen = kept_evaluation(learner.history_, learner.weights_)
    if chosen is None:
        return f"mean loss on the training instances: {significant(learner.loss_)}"
    number, loss = chosen
    return f"kept: evaluation {number}, with mean loss {significant(loss)} on the training instances"


def heaviest(model: Model, most: int = 3) -> str:
    """Name the largest weights, since a table alone hides a learner that found a plain rule."""
    order = sorted((k for k, w in enumerate(model.weights) if w != 0.0), key=lambda k: -abs(model.weights[k]))
    names = ", ".join(f"{model.feature_names[k]} {model.weights[k]:.3g}" for k in order[:most])
    return f"{len(order)} of {len(model.weights)} weights are not zero" + (f", the largest: {names}" if names else "")
