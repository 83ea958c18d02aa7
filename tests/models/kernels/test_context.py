"""Products by tiles of rows: those of numpy, for any shape, and the same bits for any number of rows."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.models.kernels.context import product_into
from colayer.models.stage import _fours


@pytest.mark.parametrize(("outputs", "inputs"), [(1, 1), (4, 4), (6, 7), (16, 82)])
@pytest.mark.parametrize("rows", [1, 63, 64, 65, 200])
def test_products_are_those_of_numpy(outputs: int, inputs: int, rows: int) -> None:
    random = np.random.default_rng(outputs + rows)
    matrix, bias, x = (
        random.normal(size=shape).astype(np.float32) for shape in ((outputs, inputs), (outputs,), (inputs, rows))
    )
    expected = matrix.astype(np.float64) @ x + bias[:, None]
    for positive in (False, True):
        out = np.empty((outputs, rows), np.float32)
        product_into(*_fours(matrix, bias), x, out, positive)
        assert np.allclose(out, np.maximum(expected, 0.0) if positive else expected, atol=1e-5)


def test_a_row_has_the_same_bits_wherever_it_stands() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(9, 150)).astype(np.float32)
    layer = _fours(random.normal(size=(5, 9)).astype(np.float32), random.normal(size=5).astype(np.float32))
    whole, part = np.empty((5, 150), np.float32), np.empty((5, 1), np.float32)
    product_into(*layer, x, whole, False)
    for i in (0, 63, 64, 149):
        product_into(*layer, np.ascontiguousarray(x[:, i : i + 1]), part, False)
        assert part[:, 0].tolist() == whole[:, i].tolist()
