"""How many answers a layer can give on a sample over all weights: a bound that needs neither a perturbation nor a ball.

H comparisons of linear functions of θ = ⟨w, φ⟩ are H hyperplanes in the space of weights, R^d, and have at most
Σ_{k ≤ d} C(H, k) outcomes, ties included. Derived in paper/docs/proofs.md, which also says for which layers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from colayer.problem.bind import BoundProblem
from colayer.problem.protocol import X, Y, Z


def log_outcomes(log_comparisons: float, d: int) -> float:
    """Return log Σ_{k ≤ d} C(H, k) for H = exp(log_comparisons), at most d·log(e·H/d) from H = d on."""
    if log_comparisons == -math.inf:
        return 0.0
    count = math.exp(log_comparisons) if log_comparisons < 700.0 else math.inf
    k = np.arange(min(d, round(count)) if count < math.inf else d)
    # C(H, k+1)/C(H, k) = (H − k)/(k + 1)
    terms = np.cumsum(log_comparisons + np.log1p(-k / count) - np.log(k + 1.0))
    return float(np.logaddexp.reduce(np.concatenate([[0.0], terms])))


def log_comparisons(problem: BoundProblem[X, Y, Z], instances: Sequence[X], draws: int = 1) -> float | None:
    """Return log H over a sample, those of every instance under every draw; None where one has no such number."""
    method = problem.log_comparisons
    each = [None] if method is None else [method(instance) for instance in instances]
    known = [number for number in each if number is not None]
    return None if len(known) < len(each) else float(np.logaddexp.reduce(known)) + math.log(draws)


def counted_error(n: int, d: int, log_comparisons: float, loss_range: float = 1.0) -> float:
    """Return 4·R_n ≤ 2·R·√(2·log N/n) for N outcomes on n instances: Massart, losses centred in their range R."""
    return 2.0 * loss_range * math.sqrt(2.0 * log_outcomes(log_comparisons, d) / n)
