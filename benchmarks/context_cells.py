"""The cells of `context.py`: PyEPO's data, the layers that both sides solve by, and PyEPO's own training.

PyEPO predicts by `torch.nn.Linear` and trains by Adam on batches of 32, 20 epochs, as on its page of training loops
(PFYL with 10 samples and σ = 0.5), at that page's rate, 1e-3, and at ten times that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyepo
import torch
from numba import njit
from pyepo.data import knapsack as knapsack_data
from pyepo.data import shortestpath as path_data
from pyepo.data import tsp as tour_data
from pyepo.model.opt import optModel
from torch.utils.data import DataLoader

from colayer.layers import Knapsack, ShortestPath

FEATURES, NOISE, TEST = 5, 0.5, 1000
NODES = 10
EPOCHS, BATCH = 20, 32
#: What PyEPO's tuning tries: rates, and epochs at which the validation is looked at.
RATES, LOOKS = (1e-2, 1e-1), (10, 20, 40)


class Cell(NamedTuple):
    """One data set: a problem, the degree of its costs, and how many samples to learn from."""

    problem: str
    degree: int
    samples: int
    seed: int

    def __str__(self) -> str:
        return f"{self.problem} {self.degree} {self.samples}"


class Data(NamedTuple):
    """Contexts and costs to learn from and to test on, and the layer, which minimises."""

    contexts: np.ndarray
    costs: np.ndarray
    test_contexts: np.ndarray
    test_costs: np.ndarray
    layer: Callable[[np.ndarray], np.ndarray]


@cache
def data_of(cell: Cell) -> Data:
    """Return PyEPO's data of the cell; values of a knapsack are negative costs."""
    count, options = cell.samples + TEST, {"deg": cell.degree, "noise_width": NOISE, "seed": 135 + cell.seed}
    layer: Any
    if cell.problem == "path":
        contexts, costs = path_data.genData(count, FEATURES, (5, 5), **options)
        arcs = [(5 * i + j, 5 * i + j + 1) for i in range(5) for j in range(4)]
        arcs += [(5 * i + j, 5 * i + j + 5) for i in range(4) for j in range(5)]
        layer = ShortestPath(25, arcs, 0, 24)
    elif cell.problem == "knapsack":
        weights, contexts, values = knapsack_data.genData(count, FEATURES, 32, dim=1, **options)
        layer, costs = Knapsack(np.round(100 * weights[0]).astype(int), capacity=2000), -values
    else:
        contexts, costs = tour_data.genData(count, FEATURES, NODES, **options)
        layer = tour
    costs = costs.astype(np.float64)
    m = cell.samples
    return Data(contexts[:m], costs[:m], contexts[m:], costs[m:], layer)


def tour(theta: np.ndarray) -> np.ndarray:
    """Return a shortest tour through ten places as 0/1 for each pair: a solver of the user's."""
    return held_karp(theta, NODES)


@njit(cache=True)
def held_karp(theta: np.ndarray, nodes: int) -> np.ndarray:
    """best(S, j) = min_i best(S − j, i) + θ_ij over the ways from place 0 through S that end in j. O(2ⁿ·n²)."""
    pair = np.zeros((nodes, nodes), np.int64)
    k = 0
    for i in range(nodes):
        for j in range(i + 1, nodes):
            pair[i, j] = pair[j, i] = k
            k += 1
    others = nodes - 1
    best = np.full((1 << others, others), np.inf)
    before = np.zeros((1 << others, others), np.int64)
    for j in range(others):
        best[1 << j, j] = theta[pair[0, j + 1]]
    for s in range(1 << others):
        for j in range(others):
            if not s >> j & 1 or s == 1 << j:
                continue
            rest = s ^ (1 << j)
            for i in range(others):
                if rest >> i & 1:
                    length = best[rest, i] + theta[pair[i + 1, j + 1]]
                    if length < best[s, j]:
                        best[s, j] = length
                        before[s, j] = i
    s = (1 << others) - 1
    last = 0
    for j in range(1, others):
        if best[s, j] + theta[pair[0, j + 1]] < best[s, last] + theta[pair[0, last + 1]]:
            last = j
    y = np.zeros(len(theta))
    y[pair[0, last + 1]] = 1.0
    while s != 1 << last:
        i = before[s, last]
        y[pair[i + 1, last + 1]] = 1.0
        s ^= 1 << last
        last = i
    y[pair[0, last + 1]] += 1.0
    return y


class ByLayer(optModel):
    """A model of PyEPO that solves by our layer, so that both sides have the same solver."""

    def __init__(self, layer: Any, size: int) -> None:
        self.layer, self.size = layer, size
        super().__init__()

    @property
    def num_cost(self) -> int:
        return self.size

    def _getModel(self) -> tuple[Any, Any]:  # noqa: N802  PyEPO's name
        return None, list(range(self.size))

    def setObj(self, c: Any) -> None:  # noqa: N802  PyEPO's name
        self.c = np.asarray(c, dtype=np.float64)

    def solve(self) -> tuple[np.ndarray, float]:
        y = self.layer(self.c)
        return y, float(self.c @ y)


def trained(cell: Cell, loss: str, looks: Sequence[int], rate: float, held_out: int = 0) -> list[tuple[Any, float]]:
    """Return, at each of the epochs `looks`, the predictor's (W, b) and its regret on the samples held out."""
    data = data_of(cell)
    torch.manual_seed(cell.seed)
    m = cell.samples - held_out
    model = ByLayer(data.layer, data.costs.shape[1])
    dataset = pyepo.data.dataset.optDataset(model, data.contexts[:m], data.costs[:m])
    loader = DataLoader(dataset, batch_size=BATCH, shuffle=True)
    predictor = torch.nn.Linear(FEATURES, data.costs.shape[1])
    optimizer = torch.optim.Adam(predictor.parameters(), lr=rate)
    spo, pfy = pyepo.func.SPOPlus(model), pyepo.func.perturbedFenchelYoung(model, n_samples=10, sigma=0.5)
    found = []
    for epoch in range(1, max(looks) + 1):
        for x, c, w, z in loader:
            predicted = predictor(x)
            value = spo(predicted, c, w, z) if loss == "spo+" else pfy(predicted, w)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
        if epoch in looks:
            W, b = (part.detach().numpy().astype(np.float64).copy() for part in (predictor.weight, predictor.bias))
            score = regret_of(data, data.contexts[m:] @ W.T + b, data.costs[m:]) if held_out else 0.0
            found.append(((W, b), score))
    return found


def pyepo_default(cell: Cell, loss: str, rate: float) -> tuple[float, float]:
    """Return PyEPO's (regret, CPU seconds) at the settings of its page, but for the rate."""
    start = time.process_time()
    ((W, b), _), *_ = trained(cell, loss, [EPOCHS], rate)
    seconds = time.process_time() - start
    data = data_of(cell)
    return regret_of(data, data.test_contexts @ W.T + b, data.test_costs), seconds


def pyepo_tuned(cell: Cell, loss: str) -> tuple[float, float]:
    """Return PyEPO's (regret, CPU seconds): rate and epochs chosen on a fifth of the samples, then all of them."""
    start = time.process_time()
    fifth = cell.samples // 5
    runs = {rate: trained(cell, loss, LOOKS, rate, fifth) for rate in RATES}
    scores = {(rate, LOOKS[k]): score for rate, run in runs.items() for k, (_, score) in enumerate(run)}
    rate, epochs = min(scores, key=lambda key: scores[key])
    ((W, b), _), *_ = trained(cell, loss, [epochs], rate)
    seconds = time.process_time() - start
    data = data_of(cell)
    return regret_of(data, data.test_contexts @ W.T + b, data.test_costs), seconds


def regret_of(data: Data, predicted: np.ndarray, true: np.ndarray) -> float:
    """Return Σ ⟨c, y(ĉ) − y(c)⟩ / Σ |⟨c, y(c)⟩|, as `pyepo.metric.regret` does."""
    least = np.array([c @ data.layer(c) for c in true])
    found = np.array([c @ data.layer(p) for p, c in zip(predicted, true, strict=True)])
    return float((found - least).sum() / np.abs(least).sum())
