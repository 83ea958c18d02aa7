"""Products, blocks and answers: those of numpy, for any shape, and the same bits for any number of rows."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.models.kernels.context import blocks_add, product_into, theta_into
from colayer.models.stage import _pad_to_fours


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
        product_into(*_pad_to_fours(matrix, bias), x, out, positive)
        assert np.allclose(out, np.maximum(expected, 0.0) if positive else expected, atol=1e-5)


def test_a_row_has_the_same_bits_wherever_it_stands() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(9, 150)).astype(np.float32)
    layer = _pad_to_fours(random.normal(size=(5, 9)).astype(np.float32), random.normal(size=5).astype(np.float32))
    whole, part = np.empty((5, 150), np.float32), np.empty((5, 1), np.float32)
    product_into(*layer, x, whole, False)
    for i in (0, 63, 64, 149):
        product_into(*layer, np.ascontiguousarray(x[:, i : i + 1]), part, False)
        assert part[:, 0].tolist() == whole[:, i].tolist()


def plain_blocks(
    matrices: np.ndarray, biases: np.ndarray, taps: np.ndarray, dilations: tuple[int, ...], h: np.ndarray
) -> np.ndarray:
    """The blocks in plain numpy, float64, rows beyond an end 0."""
    h = h.astype(np.float64)
    for matrix, bias, tap, step in zip(matrices, biases, taps, dilations, strict=True):
        wide = np.pad(h, ((0, 0), (step, step)))
        n = h.shape[1]
        x = h.copy()
        if len(tap):
            x += tap[:, [0]] * wide[:, :n] + tap[:, [1]] * h + tap[:, [2]] * wide[:, 2 * step :]
        a, b = np.split(matrix.astype(np.float64) @ x + bias[:, None], 2)
        h += a * 0.5 * (1.0 + b / (1.0 + np.abs(b)))
    return h


@pytest.mark.parametrize("order", [True, False])
@pytest.mark.parametrize("channels", [3, 4, 24])
@pytest.mark.parametrize("rows", [1, 5, 64, 150])
def test_blocks_are_those_of_numpy(rows: int, channels: int, order: bool) -> None:
    """With dilations beyond the rows, too; what relations beside the order say is added to x."""
    random, dilations = np.random.default_rng(rows + channels), (1, 3, 70)
    shapes = ((3, 2 * channels, channels), (3, 2 * channels), (3, channels if order else 0, 3), (channels, rows))
    matrices, biases, taps, h = (0.4 * random.normal(size=shape).astype(np.float32) for shape in shapes)
    packed = [_pad_to_fours(matrix, bias, 2) for matrix, bias in zip(matrices, biases, strict=True)]
    together = [np.array(part) for part in zip(*packed, strict=True)]
    expected, spare, single = plain_blocks(matrices, biases, taps, dilations, h), np.empty_like(h), h.copy()
    blocks_add(*together, taps, np.array(dilations), h, h, spare)
    assert np.allclose(h, expected, rtol=1e-4, atol=1e-4)
    for k in range(3):
        parts = (part[k : k + 1] for part in (*together, taps, np.array(dilations)))
        blocks_add(*parts, single.copy(), single, spare)
    assert single.tobytes() == h.tobytes()


def test_answers_by_hand() -> None:
    """Rows 1 and 0 stand in this order; positions 5 and 7, 2 and 1; θ offsets 4 and 3."""
    positions, theta_offsets = np.array([[5.0, 2.0], [7.0, 1.0]]), np.array([[4.0, 3.0]])
    said = np.array([[1.0, 2.0], [10.0, 20.0], [0.5, 0.25]], np.float32)
    order, none, out = np.array([1, 0]), np.empty((0, 0)), np.empty(2)
    for arguments, expected in (
        ((said, positions, theta_offsets, order), [5 + 2 + 20 * 2 + 0.25 * 4, 2 + 1 - 10 * 1 + 0.5 * 3]),
        ((said[:2], positions, none, order), [5 + 2 + 20 * 2, 2 + 1 - 10 * 1]),
        ((said[:1], positions, theta_offsets, order), [5 + 2, 2 + 1]),
        ((said[:2], none, theta_offsets, order[:0]), [1 + 10 * 4, 2 + 20 * 3]),
        ((said[:1], none, none, order), [2, 1]),
    ):
        theta_into(*arguments, out)
        assert out.tolist() == expected
