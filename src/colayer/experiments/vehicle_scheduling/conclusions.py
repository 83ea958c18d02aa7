"""What the paper concludes from its test set, each beside the numbers of the run and those of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from colayer.experiments.frame.config import paper_table
from colayer.experiments.frame.judge import both, less, tendency
from colayer.experiments.vehicle_scheduling.learners import TRAINING
from colayer.report.outcome import Conclusion
from colayer.report.tables import significant

if TYPE_CHECKING:
    from colayer.experiments.vehicle_scheduling.gaps import Scores

Floats = NDArray[np.float64]
Key = tuple[str, str]
CRF, FENCHEL_YOUNG = ("crf", "small"), ("fenchel_young", "small")


class _Gaps:
    """Gaps in percent to the best of the paper's learners, of the run and (means) of the paper."""

    def __init__(self, scores: Scores, labels: dict[Key, str]) -> None:
        self._scores, self._labels = scores, labels
        self._paper = {(line["learner"], line["train"], line["subset"]): float(line["gap_avg_percent"])
                       for line in paper_table("vsp_test")}  # fmt: skip

    def of(self, key: Key, group: str = "all") -> Floats:
        gaps = self._scores.gaps(self._labels[key], tuple(self._labels.values()))
        return 100 * gaps[self._scores.inside(group)]

    def less(self, a: Key, b: Key, group: str = "all") -> bool | None:
        return less(self.of(a, group), self.of(b, group))

    def words(self, *keys: Key, group: str = "all") -> str:
        """`mean gap plain, small 1.2 % (paper 3.88 %), …`"""
        return "mean gap " + ", ".join(
            f"{loss.replace('_', '-')}, {train} {significant(float(self.of((loss, train), group).mean()))} % "
            f"(paper {self._paper[loss, train, group]} %)"
            for loss, train in keys
        )


def conclusions(scores: Scores, labels: dict[Key, str]) -> list[Conclusion]:
    """`labels`: (loss, training set) of the paper's table → the contender's name.

    A mean is less than another where it is so by more than two standard errors of the paired difference.
    """
    gaps = _Gaps(scores, labels)
    plain = [("plain", train) for train in TRAINING]
    perturbed = [("perturbed", train) for train in TRAINING]
    means = [(float(gaps.of(p).mean()), float(gaps.of(q).mean())) for p, q in zip(plain, perturbed, strict=True)]
    drawn = [
        Conclusion(
            "By demonstration, the Fenchel-Young loss leads to better performance than the CRF loss.",
            gaps.less(FENCHEL_YOUNG, CRF),
            gaps.words(FENCHEL_YOUNG, CRF),
        ),
        Conclusion(
            "On the same training set (small), experience is weaker than demonstration with the Fenchel-Young loss.",
            both(gaps.less(FENCHEL_YOUNG, plain[0]), gaps.less(FENCHEL_YOUNG, perturbed[0])),
            gaps.words(plain[0], perturbed[0], FENCHEL_YOUNG),
        ),
        Conclusion(
            "On the same training set (small), experience beats demonstration with the CRF loss.",
            gaps.less(plain[0], CRF),
            gaps.words(plain[0], CRF),
        ),
        Conclusion(
            "The more diversified the training set, the better the performance (small, moderate, all; plain loss).",
            both(gaps.less(plain[1], plain[0]), gaps.less(plain[2], plain[1])),
            gaps.words(*plain),
        ),
        Conclusion(
            "With the diversified training set, experience outperforms the learners by demonstration.",
            both(gaps.less(plain[2], FENCHEL_YOUNG), gaps.less(plain[2], CRF)),
            gaps.words(plain[2], FENCHEL_YOUNG, CRF),
        ),
        tendency(
            "The perturbation tends to decrease the performance, whatever the training set.",
            means,
            gaps.words(*plain, *perturbed),
        ),
        Conclusion(
            "On the small training set, the perturbation increases the performance.",
            gaps.less(perturbed[0], plain[0]),
            gaps.words(perturbed[0], plain[0]),
        ),
    ]
    drawn += [
        Conclusion(
            f"On {group} instances, learning on instances of all sizes beats learning on small ones (plain loss).",
            gaps.less(plain[2], plain[0], group),
            gaps.words(plain[2], plain[0], group=group),
        )
        for group in ("large", "huge")
        if scores.inside(group).any()
    ]
    return [*drawn, _ours(scores, labels)]


def _ours(scores: Scores, labels: dict[Key, str]) -> Conclusion:
    """Whether what we add is better than the best learner of the paper's table."""
    gaps = {name: 100 * scores.gaps(name) for name in scores.names}
    others = [name for name in gaps if name not in labels.values() and not name.endswith(", ls")]
    theirs, ours = (min(names, key=lambda name: float(gaps[name].mean())) for names in (labels.values(), others))
    words = ", ".join(f"{name} {significant(float(gaps[name].mean()))} %" for name in (ours, theirs))
    return Conclusion(
        "The best of our own learners, without local search, beats the best of the paper's table.",
        less(gaps[ours], gaps[theirs]),
        f"mean gap to the best of all contenders: {words}",
    )
