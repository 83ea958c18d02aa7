"""The paper's conclusions about the test set, drawn from numbers that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.experiments.vehicle_scheduling.conclusions import conclusions
from colayer.experiments.vehicle_scheduling.gaps import Scores
from colayer.experiments.vehicle_scheduling.learners import TRAINING


def scores(costs: dict[str, list[float]], tasks: list[int]) -> Scores:
    matrix = np.array(list(costs.values())).T
    return Scores(tuple(costs), np.array(tasks), matrix, np.full(len(tasks), 50.0), matrix / 10, matrix / 10)


KEYS = [("crf", "small"), ("fenchel_young", "small")]
KEYS += [(loss, train) for loss in ("plain", "perturbed") for train in TRAINING]
LABELS = {key: f"{key[0]}, {key[1]}" for key in KEYS}


@pytest.mark.parametrize("sign", [1, -1])
def test_conclusions_follow_the_numbers(sign: int) -> None:
    """Turned round, the numbers turn the conclusions round: nothing is written down beforehand."""
    order = ["plain, all", "plain, moderate", "fenchel-young", "plain, small", "crf"][::sign]
    excess = {name: k / 10 for k, name in enumerate(order)}
    noise = np.random.default_rng(0).uniform(0, 0.01, (12, 8))
    costs = {}
    for k, (loss, train) in enumerate(KEYS):
        base = {"crf": "crf", "fenchel_young": "fenchel-young"}.get(loss, f"plain, {train}")
        extra = excess[base] + 0.05 * sign * (loss == "perturbed")
        costs[f"{loss}, {train}"] = (100 * (1 + extra + noise[:, k])).tolist()
    found = scores({**costs, "ours": [99.0] * 12}, [50] * 6 + [1000] * 6)
    drawn = conclusions(found, LABELS)
    holds = {c.claim.split(",")[0] + c.claim[-25:]: c.holds for c in drawn}
    left = ("On the small training set", "our own", "tends")
    told = [c.holds for c in drawn if not any(words in c.claim for words in left)]
    assert told == [sign > 0] * len(told), holds
    (tends,) = (c for c in drawn if "tends" in c.claim)
    assert tends.holds is None  # three comparisons are too few for a sign test
    assert f"in {3 if sign > 0 else 0} of 3 comparisons" in tends.numbers
    assert drawn[-1].holds is True
    assert "(paper 5.13 %)" in drawn[0].numbers


def test_of_sizes_that_are_not_there_nothing_is_said() -> None:
    """On moderate instances alone; and numbers that are all equal decide nothing."""
    costs = {label: [100.0, 110.0] for label in LABELS.values()}
    drawn = conclusions(scores({**costs, "ours": [100.0, 110.0]}, [50, 75]), LABELS)
    assert not any(c.claim.startswith(("On large", "On huge")) for c in drawn)
    assert {c.holds for c in drawn} == {None}


def test_local_search_is_no_learner_of_ours() -> None:
    """The last conclusion is about weights: a contender with a decoder of its own does not count."""
    costs = {label: [100.0, 101.0, 102.0] for label in LABELS.values()}
    found = scores({**costs, "ours": [105.0, 106.0, 108.0], "ours, ls": [90.0, 91.0, 92.0]}, [50] * 3)
    last = conclusions(found, LABELS)[-1]
    assert last.holds is False
    assert "ours, ls" not in last.numbers
