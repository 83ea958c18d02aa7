"""The plain and the perturbed mean loss, against their definitions."""

import numpy as np
import pytest

from colayer.learning.perturbation import draws
from colayer.learning.search.objective import mean_loss

RNG = np.random.default_rng(0)
CENTRES = RNG.normal(size=(13, 4))


def losses(W):
    """(k, 13) losses of 13 toy instances, each row computed on its own."""
    return np.array([np.floor(10 * np.abs(w - CENTRES).sum(axis=1)) / 7 for w in W])


def test_plain_loss_is_the_mean_over_instances():
    W = RNG.normal(size=(6, 4))
    assert mean_loss(losses)(W) == pytest.approx(losses(W).mean(axis=1), rel=1e-15)


def test_perturbed_loss_is_the_mean_over_draws_and_instances():
    W = RNG.normal(size=(3, 4))
    Z = draws(0, 9, 4)
    expected = [np.mean([losses((w + 0.5 * z)[None, :]).mean() for z in Z]) for w in W]
    assert mean_loss(losses, 0.5, Z)(W) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("sigma", [0.0, 0.7])
def test_a_row_has_the_same_loss_alone_and_in_a_batch(sigma):
    """Bit for bit: otherwise a resumed run, which evaluates part of a population, would drift from an unbroken one."""
    objective = mean_loss(losses, sigma, draws(1, 8, 4))
    W = RNG.normal(size=(20, 4))
    alone = np.concatenate([objective(W[i : i + 1]) for i in range(len(W))])
    assert np.array_equal(objective(W), alone)
    assert np.array_equal(objective(W[::-1]), alone[::-1])


def test_loss_does_not_depend_on_the_order_of_instances():
    """Sums are exactly rounded, so that it cannot matter how instances are split between workers."""
    W = RNG.normal(size=(5, 4))
    order = RNG.permutation(13)
    assert np.array_equal(mean_loss(losses)(W), mean_loss(lambda V: losses(V)[:, order])(W))


def test_all_draws_of_one_weight_vector_are_handed_over_at_once():
    """The evaluator then reads the features once for all K; two weight vectors never add up in memory."""
    sizes = []
    mean_loss(lambda W: (sizes.append(len(W)), losses(W))[1], 1.0, draws(0, 6, 4))(RNG.normal(size=(2, 4)))
    assert sizes == [6, 6]


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [(1, [6] * 5), (6, [6] * 5), (11, [6] * 5), (12, [12, 12, 6]), (18, [18, 12]), (1000, [30])],
)
def test_weight_vectors_go_together_as_far_as_the_evaluator_likes(rows, sizes):
    """6 draws of 5 weight vectors, in calls of at most `rows_at_once` rows (never less than one w): the same bits."""
    W, Z, seen = RNG.normal(size=(5, 4)), draws(0, 6, 4), []
    asked = []

    def watched(V):
        seen.append(len(V))
        asked.extend(V)
        return losses(V)

    together = mean_loss(watched, 0.7, Z, rows_at_once=rows)(W)
    assert seen == sizes
    assert together.tobytes() == mean_loss(losses, 0.7, Z)(W).tobytes()
    assert np.array_equal(asked, [w + 0.7 * z for w in W for z in Z])


def test_without_perturbation_all_weight_vectors_go_together():
    seen = []
    mean_loss(lambda W: (seen.append(len(W)), losses(W))[1], rows_at_once=2)(RNG.normal(size=(5, 4)))
    assert seen == [5]


def test_inputs_are_not_changed():
    W, Z = RNG.normal(size=(2, 4)), draws(0, 3, 4)
    kept = W.copy(), Z.copy()
    mean_loss(losses, 1.0, Z)(W)
    assert np.array_equal(W, kept[0])
    assert np.array_equal(Z, kept[1])
