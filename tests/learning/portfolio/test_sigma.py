"""The σ of a model: by hand, and that a solve without one takes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.learning.portfolio.sigma import DRAWS, SHARES, choose_sigma
from colayer.models.model import SHARE
from support.selection_problem import Selection, instances

WEIGHTS, SCALE = np.array([3.0, 4.0]), np.array([1.0, 2.0])


class Told:
    """Losses of two instances as a function of the distance to the weights, in model units; it keeps what it saw."""

    def __init__(self, loss: Any) -> None:
        self.loss, self.rows = loss, np.empty((0, 2))

    def losses(self, weights: np.ndarray) -> np.ndarray:
        self.rows = weights * SCALE
        apart = np.sqrt(((self.rows - WEIGHTS) ** 2).sum(axis=1)) / 5.0
        return np.column_stack([self.loss(apart)] * 2)


def chosen(loss: Any, seed: int = 0) -> tuple[float, Told]:
    told = Told(loss)
    found = choose_sigma(told, WEIGHTS, SCALE, seed)  # type: ignore[arg-type]
    assert found is not None
    return found, told


def test_the_best_of_some_draws_decides_and_not_their_mean() -> None:
    """One draw that is good is enough: at 30 % of the norm the mean is the worst, and the best is best."""
    share, told = chosen(lambda apart: np.where(apart > 0.5, -1.0, 1.0 + apart))
    assert share == pytest.approx(0.3 * 5.0)
    assert len(told.rows) == 1 + len(SHARES) * DRAWS
    assert told.rows[0].tolist() == WEIGHTS.tolist()


@pytest.mark.parametrize("place", range(len(SHARES)))
def test_the_share_with_the_best_draw_is_found(place: int) -> None:
    """The loss falls up to the distance of the farthest draw of a share, and is bad beyond."""
    rows = chosen(np.zeros_like)[1].rows[1:].reshape(len(SHARES), DRAWS, 2)
    farthest = float(np.sqrt(((rows[place] - WEIGHTS) ** 2).sum(axis=1)).max()) / 5.0
    found, _ = chosen(lambda apart: np.where(apart <= farthest * (1 + 1e-9), -apart, 1.0))
    assert found == pytest.approx(5.0 * SHARES[place])


@pytest.mark.parametrize("place", range(len(SHARES)))
def test_one_good_draw_among_bad_ones_decides(place: int) -> None:
    good = chosen(np.zeros_like)[1].rows[1:].reshape(len(SHARES), DRAWS, 2)[place, 3]
    distance = float(np.sqrt(((good - WEIGHTS) ** 2).sum())) / 5.0
    found, _ = chosen(lambda apart: np.where(np.isclose(apart, distance, rtol=1e-9), -1.0, apart))
    assert found == pytest.approx(5.0 * SHARES[place])


def test_the_shares_fall() -> None:
    """So that the first of equals is the largest."""
    assert list(SHARES) == sorted(SHARES, reverse=True)


def test_of_equals_the_largest_is_taken_and_zero_weights_have_none() -> None:
    assert chosen(np.zeros_like)[0] == pytest.approx(0.3 * 5.0)
    assert choose_sigma(Told(np.zeros_like), np.zeros(2), SCALE, 0) is None  # type: ignore[arg-type]


def test_the_seed_decides_the_draws() -> None:
    a, b, c = (chosen(np.zeros_like, seed)[1].rows for seed in (1, 1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_a_model_knows_its_sigma_and_a_solve_without_one_takes_it(tmp_path: Any) -> None:
    fitted = Pipeline(Selection()).fit(instances(6), evaluations=20, seed=1)
    sigma = fitted.model.sigma
    norm = float(np.sqrt((fitted.model.weights**2).sum()))
    assert sigma is not None
    assert any(sigma == pytest.approx(share * norm) for share in SHARES)
    fitted.save(tmp_path / "m.json")
    loaded = Pipeline.load(tmp_path / "m.json", problem=Selection())
    assert loaded.model.sigma == sigma
    x = Selection().generate(50, projects=15)
    assert loaded.solve(x, samples=9, seed=2).cost == loaded.solve(x, samples=9, sigma=sigma, seed=2).cost


def test_weights_that_know_no_sigma_take_a_tenth_of_their_norm() -> None:
    pipeline = Pipeline(Selection(), [3.0, 4.0, 0.0])
    assert pipeline.model.sigma is None
    assert pipeline.model.default_sigma == pytest.approx(SHARE * 5.0)
