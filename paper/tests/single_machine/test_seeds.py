"""`scheduling-seeds`: claims by many seeds, from costs that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from colayer._runtime.arrays import Floats
from colayer_paper.single_machine.seeds import DECODERS, DEMONSTRATION, EXPERIENCE, SEARCHED, Seeds, conclusions

JOBS = np.array([100] * 10 + [500] * 10 + [1000] * 10)


def costs(means: list[float], worst: float = 0.0) -> Floats:
    """A row per seed with this gap in percent, to the rule that costs 100; one instance is worse."""
    rows = np.array([np.full(30, 100.0 + mean) for mean in means])
    rows += 0.01 * np.random.default_rng(0).uniform(-1, 1, 30)
    rows[:, 0] += worst
    return rows


def seeds(experience: list[float], searched: list[float], by_search: list[float]) -> Seeds:
    """Gaps by experience, and with the search in the loss through none and through the others."""
    found = {}
    for decoder in DECODERS:
        mine = searched if decoder == "none" else by_search
        found[decoder] = {
            DEMONSTRATION: costs([2.0, 2.1, 2.05]),
            EXPERIENCE: costs(experience, 20.0 * (decoder == "none")),
            SEARCHED: costs(mine),
            "rule": np.full((1, 30), 99.0),
        }
    return Seeds(found, JOBS)


def test_verdicts_are_those_of_the_seeds() -> None:
    better, worst, large, improves, worsens = conclusions(
        seeds([1.0, 1.1, 1.2], [9.0, 9.5, 10.0], [0.5, 0.6, 0.55]), 0.99
    )
    assert [c.holds for c in (better, large, improves, worsens)] == [True] * 4
    assert better.test == "4 of 5 for it, 0 against; 3 and 3 seeds, 30 instances"
    assert large.test == "10 of 10 for it, 0 against; 3 and 3 seeds, 10 instances"
    assert worst.holds is None  # poorer without the search in the loss, better with it
    assert "experience, none: difference" in worst.numbers
    assert {c.of for c in (better, worst, large, improves, worsens)} == {"paper"}


@pytest.mark.parametrize(("experience", "holds"), [([3.0, 3.1, 3.2], False), ([0.1, 2.0, 4.0], None)])
def test_what_seeds_do_not_decide_is_not_told(experience: list[float], holds: bool | None) -> None:
    better = conclusions(seeds(experience, experience, experience), 0.99)[0]
    assert better.holds is holds


def test_gaps_are_to_the_best_of_all_on_the_instances_of_a_subset() -> None:
    found = seeds([1.0, 1.1], [1.0, 1.1], [1.0, 1.1])
    assert found.gaps("rule", "ls").tolist() == [[0.0] * 30]
    assert found.gaps(EXPERIENCE, "none", "huge").shape == (2, 10)


def test_without_learners_by_demonstration_only_the_search_is_judged() -> None:
    whole = seeds([1.0, 1.1, 1.2], [9.0, 9.5, 10.0], [0.5, 0.6, 0.55])
    costs_without = {
        decoder: {name: rows for name, rows in by_name.items() if name != DEMONSTRATION}
        for decoder, by_name in whole.costs.items()
    }
    drawn = conclusions(Seeds(costs_without, JOBS), 0.99)
    assert [c.holds for c in drawn] == [None, None, None, True, True]
    assert drawn[0].numbers == "0 learners by demonstration at this scale"
