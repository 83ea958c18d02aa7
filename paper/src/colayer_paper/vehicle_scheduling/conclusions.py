"""What the paper concludes from its test set, each beside the numbers of the run and those of the paper.

Claims that many seeds can be learned for are judged in `seeds`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Conclusion
from colayer.display.tables import significant
from colayer_paper.frame.config import paper_table
from colayer_paper.frame.judge import Apart, apart, both, tends
from colayer_paper.vehicle_scheduling.learners import TRAINING

if TYPE_CHECKING:
    from colayer_paper.vehicle_scheduling.gaps import Scores

Key = tuple[str, str]
#: (loss, training set) of the paper's table → the names of the contenders, one per seed.
Labels = Mapping[Key, Sequence[str]]
#: From the verdicts on pairs to that on the claim.
Judge = Callable[..., bool | None]
CRF, FENCHEL_YOUNG = ("crf", "small"), ("fenchel_young", "small")


class _Gaps:
    """Gaps in percent to the best of the paper's learners, of the run and (means) of the paper."""

    def __init__(self, scores: Scores, labels: Labels) -> None:
        self._scores, self._labels = scores, labels
        self._among = tuple(name for names in labels.values() for name in names)
        self._paper = {(line["learner"], line["train"], line["subset"]): float(line["gap_avg_percent"])
                       for line in paper_table("vsp_test")}  # fmt: skip

    def has(self, *keys: Key) -> bool:
        return all(key in self._labels for key in keys)

    def of(self, key: Key, group: str = "all") -> Floats:
        """Rows: seeds; columns: instances."""
        gaps = np.array([self._scores.gaps(name, self._among) for name in self._labels[key]])
        return np.asarray(100 * gaps[:, self._scores.inside(group)])

    def apart(self, a: Key, b: Key, group: str = "all") -> Apart:
        return apart(self.of(a, group), self.of(b, group))

    def words(self, *keys: Key, group: str = "all") -> str:
        """`mean gap plain, small 1.2 ± 0.4 [seeds 0.8 to 1.5] % (paper 3.88 %), …`; ±: the spread over seeds."""
        return "mean gap " + ", ".join(
            f"{loss.replace('_', '-')}, {train} {_spread(self.of((loss, train), group).mean(axis=1))} % "
            f"(paper {self._paper[loss, train, group]} %)"
            for loss, train in keys
        )


def _spread(means: Floats) -> str:
    mean = significant(float(means.mean()))
    if len(means) == 1:
        return mean
    each = f"seeds {significant(float(means.min()))} to {significant(float(means.max()))}"
    return f"{mean} ± {significant(float(means.std(ddof=1)))} [{each}]"


def conclusions(scores: Scores, labels: Labels, raw: Labels | None = None) -> list[Conclusion]:
    """`labels`: (loss, training set) of the paper's table → the contenders' names, one per seed; `raw` the same of
    those in raw units.

    A mean is less than another where it is so by more than two standard errors, of instances and seeds together. The
    verdict is that of standardised units; what raw units say stands in the numbers.
    """
    drawn = _judged(scores, labels)
    others = {} if raw is None else {each.claim: each for each in _judged(scores, {**labels, **raw}, of=set(raw))}
    return [*(_with_raw(each, others.get(each.claim)) for each in drawn), _ours(scores, labels)]


def _with_raw(drawn: Conclusion, raw: Conclusion | None) -> Conclusion:
    if raw is None:
        return drawn
    return msgspec.structs.replace(drawn, numbers=f"{drawn.numbers}. In raw units it {_SAID[raw.holds]}: {raw.numbers}")


_SAID = {True: "holds", False: "does not hold", None: "cannot be told"}


def _judged(scores: Scores, labels: Labels, of: set[Key] | None = None) -> list[Conclusion]:
    """The paper's claims; of those alone that compare learners `of`, where these are given, and no perturbed ones."""
    gaps = _Gaps(scores, labels)
    plain: list[Key] = [("plain", train) for train in TRAINING]
    perturbed: list[Key] = [("perturbed", train) for train in TRAINING]
    drawn: list[Conclusion] = []

    def claim(
        words: str, *pairs: tuple[Key, Key], shown: Sequence[Key], group: str = "all", judge: Judge = both
    ) -> None:
        """That the first of each pair is less than the second."""
        keys = {key for pair in pairs for key in pair}
        if of is None or (keys & of and not keys & set(perturbed)):
            told = [gaps.apart(a, b, group) for a, b in pairs]
            numbers = f"{gaps.words(*shown, group=group)}; {_differences(told)}"
            test = "; ".join(dict.fromkeys(one.test for one in told))
            drawn.append(Conclusion(words, judge(*(one.less for one in told)), numbers, test=test))

    claim("On the same training set (small), experience (perturbed loss) is weaker than demonstration with the "
          "Fenchel-Young loss.", (FENCHEL_YOUNG, perturbed[0]), shown=(perturbed[0], FENCHEL_YOUNG))  # fmt: skip
    claim("The more diversified the training set, the better the performance (small, moderate, all; plain loss).",
          (plain[1], plain[0]), (plain[2], plain[1]), shown=plain)  # fmt: skip
    claim("With the diversified training set, experience outperforms the learners by demonstration.",
          (plain[2], FENCHEL_YOUNG), (plain[2], CRF), shown=(plain[2], FENCHEL_YOUNG, CRF))  # fmt: skip
    claim("The perturbation tends to decrease the performance, whatever the training set.",
          *zip(plain, perturbed, strict=True), shown=(*plain, *perturbed), judge=tends)  # fmt: skip
    claim("On the small training set, the perturbation increases the performance.",
          (perturbed[0], plain[0]), shown=(perturbed[0], plain[0]))  # fmt: skip
    for group in ("large", "huge"):
        if scores.inside(group).any():
            words = (
                f"On {group} instances, learning on instances of all sizes beats learning on small ones (plain loss)."
            )
            claim(words, (plain[2], plain[0]), shown=(plain[2], plain[0]), group=group)
    return drawn


def _differences(told: Sequence[Apart]) -> str:
    """`difference −1.2 ± 0.4 points`."""
    return f"difference{'s' * (len(told) > 1)} {'; '.join(one.words for one in told)} points"


def _ours(scores: Scores, labels: Labels) -> Conclusion:
    """Whether what we add is better than the best learner of the paper's table."""
    theirs = {key: np.array([100 * scores.gaps(name) for name in names]) for key, names in labels.items()}
    others = {name: 100 * scores.gaps(name) for name in scores.names if _of_ours(name)}
    best = min(theirs, key=lambda key: float(theirs[key].mean()))
    ours = min(others, key=lambda name: float(others[name].mean()))
    words = (
        f"{ours} {significant(float(others[ours].mean()))} %, {', '.join(best)} {_spread(theirs[best].mean(axis=1))} %"
    )
    told = apart(others[ours], theirs[best])
    return Conclusion(
        "The best of our own learners, without local search, beats the best of the paper's table.",
        told.less,
        f"mean gap to the best of all contenders: {words}",
        of="colayer",
        test=told.test,
    )


def _of_ours(name: str) -> bool:
    """Whether a contender has weights that a learner of ours found, and no decoder follows."""
    return (name.startswith("shipped, ") or ", auto" in name) and not name.endswith(", ls")
