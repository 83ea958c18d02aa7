"""The decoders h: "none", the identity; "ls", adjacent-swap descent; "rdi", release date iteration after it."""

from __future__ import annotations

import numpy as np

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats, Ints
from colayer._runtime.threads import share
from colayer.errors import InputError, OptionError
from colayer.layers.sorting import sort
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.descent import descend
from colayer.problems.single_machine.kernels.losses import rows_into
from colayer.problems.single_machine.kernels.rdi import rdi
from colayer.problems.single_machine.kernels.recombine import combine_rows, decode_rdi, decode_rows
from colayer.problems.single_machine.kernels.schedule import sequence_cost
from colayer.problems.single_machine.solution import checked

DECODERS = ("none", "ls", "rdi")

#: Scales of the date jitter over the mean processing time, row by row in turn: none is best for all instances.
_JITTER = (0.03, 0.1, 0.3, 0.6, 1.0)
_WINDOW = 12  # places by which a job is moved at most
_SMALL = 20_000  # jobs in all rows: below, threads cost more than they save


def decode(sequence: Ints, instance: Instance, decoder: str) -> Ints:
    """Return a new sequence: `sequence` itself, improved by LS, or improved by LS and RDI."""
    if decoder not in DECODERS:
        raise OptionError(f"no decoder {decoder!r}, expected one of {', '.join(DECODERS)}", where="--decoder")
    order = checked(sequence, instance)
    r, p = instance.arrays
    if decoder == "ls":
        descend(order, r, p, instance.integral)
    elif decoder == "rdi":
        decode_rdi(order, r, p, instance.integral, rdi(r, r, p))
    return order


def best(
    orders: Ints, instance: Instance, decoder: str, seed: int, workers: int | None = None
) -> tuple[int, Ints, float]:
    """Return the best sequence over the (K, n) rows of `orders` as (row, sequence, cost), the first row at equal cost.

    With "rdi", row 0 is `decode`; later rows run RDI from jittered dates, d_j + c·p̄·max(0, N(0, 1)), drawn from
    `seed`; the draws of a row do not depend on K. If the best stretches of several rows together cost less than any
    row, that sequence is returned, with −1 for the row. More rows never cost more. The result is the same for any
    number of `workers` (threads; all processors if None).
    """
    rows = np.array(orders, dtype=np.int64, order="C", ndmin=2)
    if len(rows) == 0:
        raise InputError("no sequence given")
    r, p = instance.arrays
    costs = np.empty(len(rows))
    if decoder == "rdi":
        costs[0] = decode_rdi(rows[0], r, p, instance.integral, rdi(r, r, p))
        shifts = _jitter(len(rows), instance.jobs, float(p.mean()), seed)

        def work(low: int, high: int) -> None:
            decode_rows(rows, r, p, instance.integral, shifts, low + 1, high + 1, costs)

        share(work, instance.jobs * np.arange(len(rows)), least=_SMALL, workers=workers)
    else:
        for k in range(len(rows)):
            if decoder == "ls":
                descend(rows[k], r, p, instance.integral)
            costs[k] = sequence_cost(rows[k], r, p)
    row = int(np.argmin(costs))
    if decoder == "rdi" and len(rows) > 1:
        order = combine_rows(rows, r, p)
        combined = float(sequence_cost(order, r, p))
        if combined < costs[row]:
            return -1, order, combined
    return row, rows[row].copy(), float(costs[row])


def _jitter(rows: int, jobs: int, mean: float, seed: int) -> Floats:
    """Shifts ≥ 0 of the dates by row and job."""
    rng = seeds.generator(seed, seeds.JITTER)
    shifts = np.maximum(rng.standard_normal((rows, jobs)), 0.0)
    shifts *= (np.resize(_JITTER, rows) * mean)[:, np.newaxis]
    return shifts


def solved(thetas: Floats, instance: Instance, decoder: str) -> tuple[Ints, Floats]:
    """Return the (K, n) sequences of the layer, one per row of `thetas`, and their costs after the decoder."""
    rows = np.ascontiguousarray(thetas, dtype=np.float64)
    r, p = instance.arrays
    orders, costs = np.empty(rows.shape, dtype=np.int64), np.empty(len(rows))
    rows_into(rows, r, p, instance.integral, decoder == "ls", orders, costs)
    if decoder == "rdi":
        costs = np.array([sequence_cost(decode(order, instance, decoder), r, p) for order in orders])
    return orders, costs


def smoothed(theta: Floats, noise: Floats, sigma: float, instance: Instance, decoder: str) -> Floats | None:
    """Return the gradient of the smoothed cost (see `Smooths`) by job; None with a decoder, which moves jobs itself."""
    if decoder != "none":
        return None
    from colayer.problems.single_machine.kernels.moves import slopes_into  # few need it

    r, p = instance.arrays
    width = sigma * (float(theta.max() - theta.min()) or 1.0) / len(theta)
    drawn = theta + width * noise
    found = np.empty(len(theta))
    slopes_into(sort(drawn), np.ascontiguousarray(theta), drawn, r, p, width, _WINDOW, found)
    return found
