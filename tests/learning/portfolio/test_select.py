"""Learning a selector: kept where it gains on instances left out, and not where there is nothing to tell."""

from __future__ import annotations

import numpy as np
import pytest

from colayer import BaseProblem, Pipeline
from colayer.learning.portfolio.select import _left_out, choose_selector


def known(seed: int, count: int, relevant: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Descriptors of which one, or none, says which of three members is the best, and their losses."""
    random = np.random.default_rng(seed)
    descriptors = random.normal(size=(count, 5))
    kinds = np.digitize(descriptors[:, 2], [-0.5, 0.5]) if relevant else random.integers(3, size=count)
    losses = 1.0 + 0.05 * random.normal(size=(3, count))
    losses[kinds, np.arange(count)] -= 0.5
    return descriptors, losses


def test_it_finds_the_descriptor_that_tells() -> None:
    descriptors, losses = known(0, 80)
    selector = choose_selector(losses, descriptors)
    assert selector is not None
    assert selector.columns[int(np.argmax(selector.relevance))] == 2
    others, costs = known(1, 500)
    first = [selector.order_of(one, 1)[0] for one in others]
    assert costs[first, np.arange(500)].mean() < 0.6
    assert costs[0].mean() > 0.75


@pytest.mark.parametrize("seed", range(20))
def test_there_is_none_where_nothing_tells(seed: int) -> None:
    descriptors, losses = known(seed, 80, relevant=False)
    assert choose_selector(losses, descriptors) is None


def test_instances_held_out_have_a_say() -> None:
    """Kept, with all instances, where its first choice does well on them; dropped where it does not."""
    descriptors, losses = known(0, 60)
    held, more = known(1, 20)
    kept = choose_selector(np.hstack([losses, more]), descriptors, held)
    assert kept is not None
    assert kept.losses.shape == (3, 80)
    assert kept.descriptors.shape[0] == 80
    against = np.vstack([np.zeros(20), np.ones((2, 20))])
    assert choose_selector(np.hstack([losses, against]), descriptors, held) is None


def test_too_few_instances_or_members_or_constant_descriptors_give_none() -> None:
    descriptors, losses = known(0, 80)
    assert choose_selector(losses[:, :19], descriptors[:19]) is None
    assert choose_selector(losses[:1], descriptors) is None
    assert choose_selector(losses, np.ones((80, 5))) is None


def test_there_is_none_where_members_are_alike_or_a_descriptor_varies_by_rounding() -> None:
    descriptors, losses = known(0, 80)
    assert choose_selector(np.ones((3, 80)), descriptors) is None
    assert choose_selector(losses, 1e6 + 1e-5 * descriptors) is None


def test_a_selector_that_gains_with_the_second_member_alone_is_kept() -> None:
    """The first is the best alone in both kinds; what mends it on every other instance is another member in each."""
    kinds, lucky = np.arange(80) // 2 % 2, np.arange(80) % 2 == 0
    losses = np.array([np.full(80, 0.3), *(np.where((kinds == k) & lucky, 0.0, 1.0) for k in (0, 1))])
    selector = choose_selector(losses, kinds[:, None].astype(np.float64))
    assert selector is not None
    assert [selector.order_of(np.array([kind]), 2) for kind in (0.0, 1.0)] == [[0, 1], [0, 2]]


def test_an_instance_left_out_is_told_by_the_nearest_however_far_that_is() -> None:
    """Member 0 is good near 0, and member 1 everywhere else, where most instances are."""
    own = np.array([[0.0], [1.0], [2.5], [3.0], [3.5]])
    losses = np.array([[0.0, 0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0, 0.0]])
    assert _left_out(own, losses, np.array([100.0]))[0].tolist() == [0.0] * 5


class Kinds(BaseProblem):
    """Take the better half of the items, by the first column or by the second: the third says which."""

    name = "kinds"
    feature_names = ("one", "other", "kind")
    homogeneous = True
    safe_weights = np.array([1.0, 0.0, 0.0])

    def generate(self, seed: int) -> np.ndarray:
        random = np.random.default_rng(seed)
        return np.column_stack([random.normal(size=(20, 2)), np.full(20, float(seed % 2))])

    def features(self, instance: np.ndarray) -> np.ndarray:
        return instance

    def layer(self, theta: np.ndarray, instance: np.ndarray) -> np.ndarray:
        return np.argsort(theta, kind="stable")[:10]

    def decode(self, y: np.ndarray, instance: np.ndarray) -> np.ndarray:
        return y

    def cost(self, solution: np.ndarray, instance: np.ndarray) -> float:
        return 20.0 + float(instance[solution, int(instance[0, 2])].sum())


def test_fit_learns_one_and_one_solve_gains() -> None:
    problem = Kinds()
    pipeline = Pipeline(problem, safe=False).fit([problem.generate(k) for k in range(80)], evaluations=200)
    test = [problem.generate(k) for k in range(1000, 1200)]
    fixed = Pipeline(problem, pipeline.model.raw(), safe=False)
    losses = np.array([[one.solve(x).cost for x in test] for one in (pipeline, fixed)])
    assert pipeline.model.selector is not None
    difference = losses[0] - losses[1]
    assert difference.mean() < -4.0 * difference.std() / np.sqrt(len(test))
