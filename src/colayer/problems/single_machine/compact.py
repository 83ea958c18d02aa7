"""Models for general solvers: positions for mixed-integer programs, intervals for CP-SAT."""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Ints
from colayer.problem.programs import CompactModel, ConstraintProgram, Rows, check_size, whole
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.schedule import completion_times


def compact(instance: Instance) -> CompactModel:
    """Return a mixed-integer program: x_jk says whether job j runs as the k-th, C_k when the k-th job ends.

        min Σ_k C_k   such that   C_k ≥ Σ_j (r_j + p_j) x_jk,   C_k ≥ C_{k−1} + Σ_j p_j x_jk,   x an assignment

    No big-M is needed (positional completion times: Lasserre and Queyranne, IPCO 1992).
    """
    n, r, p = instance.jobs, instance.release, instance.processing
    check_size(4 * n * n)
    jobs, places = np.divmod(np.arange(n * n), n)  # columns j·n + k, then C_k
    x, C, k = np.arange(n * n), n * n + np.arange(n), np.arange(n)
    rows = Rows()
    rows.add(np.ones(n), 1.0, (jobs, x, 1.0))
    rows.add(np.ones(n), 1.0, (places, x, 1.0))
    rows.add(np.zeros(n), np.inf, (k, C, 1.0), (places, x, -(r + p)[jobs]))
    rows.add(np.zeros(n), np.inf, (k, C, 1.0), (k[1:], C[:-1], -1.0), (places, x, -p[jobs]))
    horizon = float(r.max() + p.sum())
    return CompactModel(
        cost=np.concatenate([np.zeros(n * n), np.ones(n)]),
        rows=rows,
        lower=np.zeros(n * n + n),
        upper=np.concatenate([np.ones(n * n), np.full(n, horizon)]),
        integral=np.arange(n * n + n) < n * n,
        solution=lambda values: values[: n * n].reshape(n, n).argmax(axis=0),
        start=lambda sequence: (np.arange(n)[:, None] == sequence).astype(np.float64).ravel(),
    )


def constraint_program(instance: Instance) -> ConstraintProgram:
    """Return a program of non-overlapping intervals, least sum of starts; fractional times are scaled and rounded."""
    n = instance.jobs
    times, _ = whole(np.concatenate([instance.release, instance.processing]))
    r, p = times[:n], times[n:]

    def hint(sequence: Ints) -> Ints:
        scaled = completion_times(sequence, r.astype(np.float64), p.astype(np.float64))
        return np.asarray(scaled, dtype=np.int64) - p

    return ConstraintProgram(
        cost=np.ones(n, dtype=np.int64),
        lower=r,
        upper=np.full(n, r.max() + p.sum()) - p,
        reported=n,
        solution=lambda start: np.argsort(start, kind="stable"),
        hint=hint,
        no_overlap=[list(zip(range(n), p.tolist(), strict=True))],
    )
