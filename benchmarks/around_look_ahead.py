"""Why a network does not improve on the rule look-ahead: `python benchmarks/around_look_ahead.py`; needs torch.

What lies around its orders of 50 jobs, on instances of the paper's test set: the best of all single moves, again and
again; adjacent swaps and release date iteration after it; and descent of the smoothed cost, θ of each instance free,
from where a network starts. Writes benchmarks/results/around_look_ahead.json.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from measure import write_results

from colayer.comparison.paired import moments
from colayer.display.tables import table
from colayer.problems import SingleMachine
from colayer.problems.single_machine.kernels.schedule import completion_times
from colayer.problems.single_machine.structure import structure
from colayer_paper.network_jobs import Smoothing, completion, gradient
from colayer_paper.single_machine.datasets import paper_set

JOBS, WINDOW, STEPS = 50, 12, 150
#: σ at first and in the end, in mean processing times.
NOISE = ((0.3, 0.05), (0.8, 0.08))


class Orders:
    """Instances of one size, in mean processing times, and what orders of them cost."""

    def __init__(self, instances: list[Any]) -> None:
        self.instances = instances
        unit = np.array([x.arrays[1].mean() for x in instances])[:, None]
        self.r, self.p = (torch.tensor(np.array([x.arrays[k] for x in instances]) / unit) for k in (0, 1))
        self.bound = torch.tensor([SingleMachine.bound(x) for x in instances]) / torch.from_numpy(unit)[:, 0]

    def _costs(self, order: torch.Tensor) -> torch.Tensor:
        return completion(self.r.gather(1, order), self.p.gather(1, order)).sum(dim=1)

    def gaps(self, order: torch.Tensor) -> np.ndarray:
        """In percent."""
        return 100.0 * (self._costs(order) / self.bound - 1.0).numpy()

    def descended(self, order: torch.Tensor) -> torch.Tensor:
        """The orders after the best moves of single jobs by up to `WINDOW` places, till none is left."""
        order = order.clone()
        moves = [(a, b) for a in range(JOBS) for b in range(max(0, a - WINDOW), min(JOBS, a + WINDOW + 1)) if a != b]
        places = torch.tensor([_with(a, b) for a, b in moves])
        while True:
            costs = torch.stack([self._costs(order[:, row]) for row in places])
            best, which = (costs - self._costs(order)).min(dim=0)
            better = best < -1e-9
            if not better.any():
                return order
            order[better] = order.gather(1, places[which])[better]

    def smoothed(self, start: torch.Tensor, first: float, last: float) -> torch.Tensor:
        """The orders after Adam on the smoothed cost from `start`, its spread fixed."""
        theta, smoothing = start.clone(), Smoothing(first, last, 2, WINDOW)
        adam = torch.optim.Adam([theta])
        for step in range(STEPS):
            share = step / STEPS
            adam.param_groups[0]["lr"] = 0.06 * (1.0 - share)
            centred = theta - theta.mean(dim=1, keepdim=True)
            scaled = centred * (start.std(dim=1, keepdim=True) / centred.std(dim=1, keepdim=True))
            random = torch.Generator().manual_seed(step)
            theta.grad, _ = gradient(scaled, self.r, self.p, smoothing.sigma(share), smoothing, random)
            adam.step()
        return theta.argsort(dim=1)


def _with(a: int, b: int) -> list[int]:
    """The places of the jobs once that at place a is moved to place b."""
    places = [k for k in range(JOBS) if k != a]
    return [*places[:b], a, *places[b:]]


def _listed(instance: Any) -> np.ndarray:
    """The middle of each job's time in the order look-ahead, in mean processing times."""
    r, p = instance.arrays
    ends = completion_times(SingleMachine.baseline("look-ahead", instance), r, p)
    return (ends - 0.5 * p) / p.mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=10, help="instances for each of ten ρ")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    orders = Orders(paper_set("test", arguments.per_cell, (JOBS,)))
    rule = np.array([SingleMachine.baseline("look-ahead", x) for x in orders.instances])
    found = {"look-ahead": torch.from_numpy(rule)}
    for decoder in ("ls", "rdi"):
        problem = SingleMachine(decoder=decoder)  # type: ignore[arg-type]
        after = [problem.decode(order, x) for order, x in zip(rule, orders.instances, strict=True)]
        found[f"look-ahead, then {decoder}"] = torch.from_numpy(np.array(after))
    found["look-ahead, then single moves"] = orders.descended(found["look-ahead"])
    for name, middles in (("look-ahead", _listed), ("SRPT midpoints", lambda x: structure(x).positions[:, 0])):
        start = torch.tensor(np.array([middles(x) for x in orders.instances]))
        found.setdefault(name, start.argsort(dim=1))
        for first, last in NOISE:
            found[f"{name}, smoothed, σ {first:g} to {last:g}"] = orders.smoothed(start, first, last)
    gaps = {name: orders.gaps(order) for name, order in found.items()}
    rows = []
    for name, own in gaps.items():
        less = own - gaps["look-ahead"]
        mean, error = moments(less.tolist())
        rows.append(
            {"order": name, "mean_gap_percent": float(own.mean()), "minus_look_ahead": mean,
             "standard_error": error, "changed": float((np.abs(less) > 1e-9).mean())}
        )  # fmt: skip
    cells = [
        [row["order"], f"{row['mean_gap_percent']:.3f} %",
         f"{row['minus_look_ahead']:+.3f} ± {row['standard_error']:.3f}", f"{row['changed']:.2f}"]
        for row in rows
    ]  # fmt: skip
    print(table(["order", "gap", "− look-ahead, points", "changed"], cells).text())
    write_results("around_look_ahead", {"jobs": JOBS, "instances": len(rule), "rows": rows})


if __name__ == "__main__":
    main()
