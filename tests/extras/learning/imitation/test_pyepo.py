"""Fenchel-Young and SPO+ against PyEPO on its shortest path problem: the same values and gradients for the same draws.

PyEPO (Tang and Khalil, 2024) solves its grid by linear programming here, we by dynamic programming. It runs in a
process of its own, so that torch and its threads stay out of the other tests.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCRIPT = '''
import json
import numpy as np
import pyepo
import torch
from pyepo.data.shortestpath import genData
from pyepo.model.bases import shortestPathBase
from scipy.optimize import linprog

from colayer.learning.imitation.fenchel_young import fenchel_young, multiplicative_fenchel_young
from colayer.learning.imitation.spo import spo_plus

GRID, SAMPLES, SIGMA, SEED = (4, 5), 8, 0.5, 135


class ByLinearProgram(shortestPathBase):
    """PyEPO's grid, its arcs and its losses."""

    def _getModel(self):
        nodes = self.grid[0] * self.grid[1]
        self.flow = np.zeros((nodes, len(self.arcs)))
        for k, (tail, head) in enumerate(self.arcs):
            self.flow[tail, k], self.flow[head, k] = -1.0, 1.0
        self.supply = np.zeros(nodes)
        self.supply[0], self.supply[-1] = -1.0, 1.0
        return None, list(range(len(self.arcs)))

    def setObj(self, c):
        self.c = np.asarray(c, dtype=np.float64)

    def solve(self):
        found = linprog(self.c, A_eq=self.flow, b_eq=self.supply, bounds=(0, 1))
        return np.round(found.x), float(found.fun)


def by_dynamic_program(theta):
    """The shortest path as an indicator of arcs, which all lead to a node of higher number."""
    label = np.full(GRID[0] * GRID[1], np.inf)
    label[0], before = 0.0, {}
    for k, (tail, head) in sorted(enumerate(model.arcs), key=lambda arc: arc[1]):
        if label[tail] + theta[k] < label[head]:
            label[head], before[head] = label[tail] + theta[k], k
    y, node = np.zeros(len(theta)), len(label) - 1
    while node:
        y[before[node]] = 1.0
        node = model.arcs[before[node]][0]
    return y


model = ByLinearProgram(GRID)
_, costs = genData(6, 5, GRID, deg=4, noise_width=0.5, seed=SEED)
true = costs.astype(np.float64)
theta = true * np.random.default_rng(0).uniform(0.3, 1.7, size=true.shape)
solved = np.array([by_dynamic_program(c) for c in true])
m, d = true.shape


def theirs(loss, *arguments):
    predicted = torch.tensor(theta, requires_grad=True)
    values = loss(predicted, *(torch.tensor(a) for a in arguments))
    values.sum().backward()
    return values.detach().numpy(), predicted.grad.numpy()


def error(ours, their_values, their_gradients):
    assert np.isfinite(their_values).all() and np.abs(their_gradients).sum() > 0
    assert np.abs(their_values).min() > 1e-3
    values, gradients = (np.array(part) for part in zip(*ours))
    return max(np.abs(values - their_values).max(), np.abs(gradients - their_gradients).max())


# PyEPO draws from a generator of its seed, all instances at once
Z = torch.randn((m, SAMPLES, d), dtype=torch.float64, generator=torch.Generator().manual_seed(SEED)).numpy()
settings = {"n_samples": SAMPLES, "sigma": SIGMA, "seed": SEED, "reduction": "none"}
objective = (true * solved).sum(axis=1, keepdims=True)
errors = {
    "fenchel-young": error(
        [fenchel_young(t, y, by_dynamic_program, z, SIGMA) for t, y, z in zip(theta, solved, Z)],
        *theirs(pyepo.func.perturbedFenchelYoung(model, **settings), solved),
    ),
    "multiplicative": error(
        [multiplicative_fenchel_young(t, y, by_dynamic_program, z, SIGMA) for t, y, z in zip(theta, solved, Z)],
        *theirs(pyepo.func.perturbedFenchelYoungMul(model, **settings), solved),
    ),
    "spo+": error(
        [spo_plus(t, c, y, by_dynamic_program) for t, c, y in zip(theta, true, solved)],
        *theirs(pyepo.func.SPOPlus(model, reduction="none"), true, solved, objective),
    ),
}
print(json.dumps({name: float(value) for name, value in errors.items()}))
'''


@pytest.fixture(scope="module")
def errors() -> dict[str, float]:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["fenchel-young", "multiplicative", "spo+"])
def test_same_values_and_gradients(name: str, errors: dict[str, float]) -> None:
    """The largest difference over six instances, of values and of all entries of the gradients."""
    assert errors[name] < 1e-6
