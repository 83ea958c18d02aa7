"""What every model has: weights in model units, checked, and a file format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.models.linear import LinearModel
from colayer.models.model import Model, header
from support.errors import rejects


def model(**changes: Any) -> LinearModel:
    fields: dict[str, Any] = {"weights": [0.5, -3.0], "feature_scale": [2.0, 1.0], **changes}
    return LinearModel(feature_names=("a", "b"), problem="toy", **fields)


def test_raw_weights_are_divided_by_the_scale() -> None:
    """The model's own, or rows of others in model units."""
    assert model().raw().tolist() == [0.25, -3.0]
    assert model().raw(np.array([[2.0, 2.0], [4.0, 0.0]])).tolist() == [[1.0, 2.0], [2.0, 0.0]]


def test_theta_by_hand() -> None:
    """θ_i = Σ_k w_k·φ_k(i)/s_k: rows (4, 1) and (0, −1) under (0.25, −3)."""
    assert model().theta(np.array([[4.0, 1.0], [0.0, -1.0]])).tolist() == [-2.0, 3.0]


def test_theta_has_the_correction_in_it() -> None:
    """What a subclass adds for an instance, on top of the linear part."""

    class Shifted(LinearModel):
        def correction(self, features: Any, structure: Any = (), after: Any = None) -> Any:
            return np.arange(len(features), dtype=float)

    shifted = Shifted(("a",), np.array([1.0]), np.array([1.0]), "toy")
    assert shifted.theta(np.array([[5.0], [5.0], [5.0]])).tolist() == [5.0, 6.0, 7.0]


def test_is_not_made_without_a_kind() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Model(("a",), np.ones(1), np.ones(1), "toy")  # type: ignore[abstract]


def test_arrays_are_copies_that_nobody_changes() -> None:
    given = np.array([1.0, 2.0])
    made = model(weights=given)
    given[0] = 9.0
    assert made.weights.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        made.weights[0] = 3.0


def test_a_portfolio_is_an_array_of_its_own_that_nobody_changes() -> None:
    given = [[1.0, 2.0], [3.0, 4.0]]
    made = model(weights=[1.0, 2.0], portfolio=given)
    given[1][0] = 9.0
    assert made.portfolio.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(ValueError, match="read-only"):
        made.portfolio[1, 0] = 9.0
    assert model(weights=[1.0, 2.0], portfolio=[]).portfolio.shape == (0, 2)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"weights": [1.0]}, "weights"),
        ({"weights": np.ones((2, 1))}, "weights"),
        ({"weights": [1.0, np.nan]}, "weights[1]"),
        ({"weights": "ab"}, "weights"),
        ({"feature_scale": [1.0, 0.0]}, "feature_scale"),
        ({"feature_scale": [1.0, -2.0]}, "feature_scale"),
        ({"feature_scale": [np.inf, 1.0]}, "feature_scale[0]"),
    ],
)
def test_what_is_wrong_is_refused_by_name(changes: dict[str, Any], where: str) -> None:
    with rejects(InputError, where=where):
        model(**changes)


def test_header_is_everything_but_the_weights() -> None:
    document = model(options={"decoder": "ls"}, provenance={"seed": 3}).document()
    assert header(document) == {
        "feature_names": ("a", "b"),
        "feature_scale": [2.0, 1.0],
        "problem": "toy",
        "options": {"decoder": "ls"},
        "provenance": {"seed": 3},
    }
