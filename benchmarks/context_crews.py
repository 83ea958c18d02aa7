"""Crews for regions whose demand is known by scenarios alone: a contextual stochastic problem for `context.py`.

Eight crews go to six regions, at most four to each. Demand depends on the context and may surge; a crew serves one
unit, and what is not served is lost. The recorded samples hold ten outcomes each. The deterministic rule predicts mean
demands by least squares and plans for them, exactly. We learn θ of the 24 places from the costs of decisions alone. A
specialist sees that what the k-th crew serves can be regressed as well: his rule stands beside both.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from colayer import ContextProblem, Pipeline
from colayer.layers import TopK

REGIONS, EACH, CREWS, OUTCOMES, TRAIN, TEST = 6, 4, 8, 10, 200, 500


def demands(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return contexts (count, 4) and demands (count, outcomes, regions)."""
    truth, random = np.random.default_rng(12345), np.random.default_rng(seed)
    base, lean = truth.uniform(0.5, 1.2, REGIONS), truth.normal(0.0, 0.3, (REGIONS, 4))
    surge, often = truth.uniform(1.0, 5.0, REGIONS), truth.normal(0.0, 1.0, (REGIONS, 4))
    contexts = random.normal(size=(count, 4))
    calm = base + np.abs(contexts @ lean.T)
    chance = 1.0 / (1.0 + np.exp(2.0 - contexts @ often.T))
    surges = random.random((count, OUTCOMES, REGIONS)) < chance[:, None, :]
    noise = random.uniform(0.7, 1.3, (count, OUTCOMES, REGIONS))
    return contexts, calm[:, None, :] * noise + surge * surges


def lost(y: np.ndarray, demand: np.ndarray) -> float:
    """Return the demand that the crews of y, places by region, do not serve."""
    return float(np.maximum(demand - y.reshape(REGIONS, EACH).sum(axis=1), 0.0).sum())


def plan(demand: np.ndarray) -> np.ndarray:
    """Return where crews serve most of one demand: a crew serves min(1, what the crews before it left)."""
    served = np.clip(demand[:, None] - np.arange(EACH), 0.0, 1.0)
    return TopK(CREWS)(-served.ravel())


def crews(seeds: Iterable[int]) -> dict[str, Any]:
    """Return the mean loss of the rule and of what was learned, and the paired difference over test samples."""
    contexts, outcomes = demands(10_000, TEST)
    rule, special, learned, seconds = [], [], [], []
    for seed in seeds:
        seen, known = demands(seed, TRAIN)
        problem = ContextProblem(TopK(CREWS), size=REGIONS * EACH, outcome_cost=lost, name="crews")
        start = time.process_time()
        pipeline = Pipeline(problem).fit(problem.samples(seen, [list(rows) for rows in known]), seed=seed)
        seconds.append(time.process_time() - start)
        inputs = np.column_stack([seen, np.ones(TRAIN)])
        W, *_ = np.linalg.lstsq(inputs, known.mean(axis=1), rcond=None)
        plans = [plan(row) for row in contexts @ W[:-1] + W[-1]]
        marginal = np.clip(known[..., None] - np.arange(EACH), 0.0, 1.0).mean(axis=1).reshape(TRAIN, -1)
        V, *_ = np.linalg.lstsq(inputs, -marginal, rcond=None)
        places = [TopK(CREWS)(row) for row in contexts @ V[:-1] + V[-1]]
        test = problem.samples(contexts, [list(rows) for rows in outcomes])
        rule.append([problem.cost(y, one) for y, one in zip(plans, test, strict=True)])
        special.append([problem.cost(y, one) for y, one in zip(places, test, strict=True)])
        learned.append([problem.cost(y, one) for y, one in zip(pipeline.decide(contexts), test, strict=True)])
    costs, ours = np.array(rule), np.array(learned)
    away = (ours - costs).mean(axis=0)
    return {
        "rule": costs.mean(), "specialist": np.mean(special), "colayer": ours.mean(), "difference": away.mean(),
        "standard_error": away.std(ddof=1) / np.sqrt(TEST), "seconds": float(np.median(seconds)),
    }  # fmt: skip
