"""The paper's conclusions about the test set, drawn from numbers that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from colayer_paper.vehicle_scheduling.conclusions import conclusions
from colayer_paper.vehicle_scheduling.gaps import Scores
from colayer_paper.vehicle_scheduling.learners import TRAINING


def scores(costs: dict[str, list[float]], tasks: list[int]) -> Scores:
    matrix = np.array(list(costs.values())).T
    return Scores(tuple(costs), np.array(tasks), matrix, np.full(len(tasks), 50.0), matrix / 10, matrix / 10)


KEYS = [("crf", "small"), ("fenchel_young", "small")]
KEYS += [(loss, train) for loss in ("plain", "perturbed") for train in TRAINING]
LABELS = {key: [f"{key[0]}, {key[1]}"] for key in KEYS}
NAMES = [name for names in LABELS.values() for name in names]


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
    found = scores({**costs, "shipped, 23": [99.0] * 12}, [50] * 6 + [1000] * 6)
    drawn = conclusions(found, LABELS)
    holds = {c.claim.split(",")[0] + c.claim[-25:]: c.holds for c in drawn}
    left = ("On the small training set", "our own")
    told = [c.holds for c in drawn if not any(words in c.claim for words in left)]
    assert told == [sign > 0] * len(told), holds
    assert {c.test for c in drawn} <= {"paired, 12 instances", "paired, 6 instances"}
    assert drawn[-1].holds is True
    assert "(paper 1.01 %)" in drawn[0].numbers


def test_of_sizes_that_are_not_there_nothing_is_said() -> None:
    """On moderate instances alone; and numbers that are all equal decide nothing."""
    costs = {label: [100.0, 110.0] for label in NAMES}
    drawn = conclusions(scores({**costs, "shipped, 23": [100.0, 110.0]}, [50, 75]), LABELS)
    assert not any(c.claim.startswith(("On large", "On huge")) for c in drawn)
    assert {c.holds for c in drawn} == {None}


def test_local_search_is_no_learner_of_ours() -> None:
    """The last conclusion is about weights: a contender with a decoder of its own does not count."""
    costs = {label: [100.0, 101.0, 102.0] for label in NAMES}
    found = scores({**costs, "shipped, 23": [105.0, 106.0, 108.0], "shipped, 23, ls": [90.0, 91.0, 92.0]}, [50] * 3)
    last = conclusions(found, LABELS)[-1]
    assert last.holds is False
    assert "shipped, 23, ls" not in last.numbers


@pytest.mark.parametrize(
    "name",
    [
        *(f"plain, all, {method}" for method in ("direct", "direct, raw units", "deterministic", "bayes")),
        *("safe weights", "deterministic", "delay x3", "reference feature alone"),
    ],
)
def test_what_is_not_learned_by_us_is_no_learner_of_ours(name: str) -> None:
    """Neither the paper's methods, whatever their units and seeds, nor rules and weights that nobody learned."""
    costs = {label: [100.0, 101.0, 102.0] for label in NAMES}
    found = scores({**costs, "shipped, 23": [105.0, 106.0, 108.0], name: [90.0, 91.0, 92.0]}, [50] * 3)
    last = conclusions(found, LABELS)[-1]
    assert (last.holds, last.of) == (False, "colayer")
    assert last.numbers.startswith("mean gap to the best of all contenders: shipped, 23 ")
    better = scores({**costs, "shipped, 23": [105.0] * 3, "plain, all, auto": [90.0, 91.0, 92.0]}, [50] * 3)
    assert conclusions(better, LABELS)[-1].holds is True


def seeded(spread: float, raw: float = 0.0) -> tuple[Scores, dict[tuple[str, str], list[str]]]:
    """plain, all 10 % better than plain, small on average over five seeds, which differ by up to `spread`."""
    noise = np.random.default_rng(0).uniform(0, 0.01, (12, 50))
    costs, labels, column = {}, {}, 0
    for loss, train in KEYS:
        names = [f"{loss}, {train}, seed {k}" for k in range(5)] if loss == "plain" else [f"{loss}, {train}"]
        for k, name in enumerate(names):
            excess = 0.0 if (loss, train) == ("plain", "all") else 0.1
            costs[name] = (100 * (1.2 + excess + spread * (k - 2) + noise[:, column])).tolist()
            column += 1
        labels[loss, train] = names
    for train in TRAINING:
        costs[f"plain, {train}, direct, raw units"] = (130 - raw * (train == "all") + noise[:, column]).tolist()
    return scores({**costs, "shipped, 23": [120.0] * 12}, [1000] * 12), labels


def test_seeds_that_differ_more_than_the_sets_decide_nothing() -> None:
    for spread, holds in ((0.001, True), (0.1, None)):
        drawn = conclusions(*seeded(spread))
        (told,) = (c for c in drawn if c.claim.startswith("On huge instances"))
        assert told.holds is holds
        assert " ± " in told.numbers


@pytest.mark.parametrize(("raw", "words"), [(10.0, "holds"), (-10.0, "does not hold"), (0.0, "cannot be told")])
def test_what_raw_units_say_stands_beside(raw: float, words: str) -> None:
    """In the numbers of the claims about plain learners; the verdict is that of standardised units."""
    found, labels = seeded(0.001, raw)
    other = {("plain", train): [f"plain, {train}, direct, raw units"] for train in TRAINING}
    alone, both = conclusions(found, labels), conclusions(found, labels, other)
    assert [(c.claim, c.holds) for c in both] == [(c.claim, c.holds) for c in alone]
    added = [c for c in both if "In raw units" in c.numbers]
    assert all("plain" in c.numbers and "perturbed" not in c.numbers for c in added)
    (told,) = (c for c in both if c.claim.startswith("On huge instances"))
    assert f". In raw units it {words}: mean gap plain, all " in told.numbers
    assert "In raw units" not in both[0].numbers  # of demonstrations
    assert not any("In raw units" in c.numbers for c in alone)


def test_claims_are_the_papers_but_the_last() -> None:
    drawn = conclusions(*seeded(0.01))
    assert [c.of for c in drawn] == ["paper"] * (len(drawn) - 1) + ["colayer"]
