"""`vsp-seeds`: claims by many seeds, from costs and losses that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from colayer._runtime.arrays import Floats
from colayer_paper.frame.learned import Learned
from colayer_paper.vehicle_scheduling.learners import NO_BAYES
from colayer_paper.vehicle_scheduling.seeds import CRF, FENCHEL_YOUNG, MODERATE, SMALL, Key, Seeds, conclusions

BAYES: Key = ("plain", "small", "bayes")


def learned(losses: list[float]) -> Learned:
    return Learned({}, min(losses), None, losses, [], 0.0, 0.0)


def costs(means: list[float]) -> Floats:
    """A row per seed with this mean gap in percent over 20 instances, to the rule that costs 100."""
    noise = np.random.default_rng(0).normal(size=20)
    return np.array([100 + mean + 0.01 * (noise - noise.mean()) for mean in means])


def seeds(plain: list[float]) -> Seeds:
    found = {CRF: costs([3.0, 3.1, 2.9]), FENCHEL_YOUNG: costs([0.5, 0.6]), SMALL: costs(plain)}
    losses = {key: [learned([500.0, float(mean)]) for mean in rows.mean(axis=1)] for key, rows in found.items()}
    return Seeds(losses, found, {"delay x3": np.full(20, 100.0)})


def test_verdicts_are_those_of_the_seeds() -> None:
    drawn = {c.claim.split(",")[0] + c.claim[-12:]: c for c in conclusions(seeds([7.0, 8.0, 6.0, 7.5, 6.5]), 2)}
    demonstration, weaker, beats, budget = drawn.values()
    assert [c.holds for c in (demonstration, weaker, beats)] == [True, True, False]
    assert weaker.test == "2 and 5 seeds, 20 instances"
    assert "plain, small 7.00 ± 0.791 [median 7.00, best of 5 by training loss 6.00] %" in weaker.numbers
    assert (budget.holds, budget.numbers, budget.of) == (None, NO_BAYES, "colayer")
    scattered = conclusions(seeds([0.5, 16.0, 1.0, 12.0, 0.6]), 2)
    assert [c.holds for c in scattered[:3]] == [True, None, None]
    assert "seeds would tell points" in scattered[1].numbers


def test_the_remedy_takes_the_best_of_each_group_by_training_loss() -> None:
    found = seeds([7.0, 8.0, 6.0, 7.5, 6.5, 1.0, 9.0, 9.0, 9.0, 9.0, 0.1])
    assert found.remedy(SMALL) == pytest.approx([6.0, 1.0], abs=1e-9)
    assert found.remedy(FENCHEL_YOUNG) == pytest.approx([0.5], abs=1e-9)


def test_small_budgets_and_the_moderate_set_are_judged_where_they_were_learned() -> None:
    found = seeds([7.0, 8.0, 6.0, 7.5, 6.5])
    both = {**found.learned, BAYES: [learned([5.0 + k / 10, 1.0]) for k in range(4)]}
    both[MODERATE] = [learned([9.0, 2.0 + k / 10]) for k in range(3)]
    more = {**found.costs, MODERATE: costs([2.0, 2.1, 2.2])}
    drawn = conclusions(Seeds(both, more, found.rules), 1)
    assert [c.holds for c in drawn[-2:]] == [True, True]
    assert drawn[-2].claim.startswith("Learning on the training set moderate beats")
    assert drawn[-1].numbers == "small: difference -495 ± 0.0645"
    assert drawn[-1].test == "4 and 5 seeds"
