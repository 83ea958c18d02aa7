"""Members of a portfolio against as many draws: `python benchmarks/portfolio.py [--seeds 5]`.

On the columns of benchmarks/learners.py, `auto` learns weights and a portfolio; on instances that it has not seen, the
best of the first K members stands beside the best of the weights and K − 1 draws w + σZ. Of five σ, shares of the norm
of the weights, the one is taken that is best on the very instances it is measured on, so the draws are flattered. Gaps
are to the bound of the exact solver; the difference is paired over the instances, of costs that are means over the
seeds. Writes benchmarks/results/portfolio.json. About ten minutes on one core.
"""

from __future__ import annotations

import argparse

import msgspec
import numpy as np
from learners import PROBLEMS, RUNS, Data
from measure import write_results

from colayer import Pipeline
from colayer.comparison.paired import difference
from colayer.display.tables import percent, table
from colayer.learning.perturbation import draws
from colayer.learning.portfolio.sigma import SHARES
from colayer.models import norm

COUNTS = (1, 5, 10, 20, 32)


def best_costs(data: Data, model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Costs of the best of K: members (K, instances), and draws (σ, K, instances)."""
    length = norm(model.weights)
    Z = draws(seed, max(COUNTS) - 1, len(model.weights))
    members = model.portfolio[list(range(len(model.portfolio))) + [0] * (max(COUNTS) - len(model.portfolio))]
    drawn = [np.vstack([model.weights, model.weights + share * length * Z]) for share in SHARES]
    evaluator = data.problem.evaluator(data.test)
    scales = np.array([data.problem.scale(x) for x in data.test])
    costs = evaluator.losses(model.raw(np.vstack([members, *drawn]))) * scales
    evaluator.close()
    parts = np.minimum.accumulate(costs.reshape(1 + len(SHARES), max(COUNTS), -1), axis=1)
    return parts[0], parts[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problem", nargs="*", choices=PROBLEMS, default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=5)
    chosen = parser.parse_args()
    RUNS.mkdir(exist_ok=True)
    rows, cells = [], []
    for name in chosen.problem:
        data = Data(name)
        found = []
        for seed in range(chosen.seeds):
            pipeline = Pipeline(data.problem, data.problem.safe_weights, safe=False)
            pipeline.fit(data.train, seed=seed, validation=0.0)
            found.append(best_costs(data, pipeline.model, seed))
        members = np.mean([part for part, _ in found], axis=0)
        drawn = np.mean([part for _, part in found], axis=0)
        for count in COUNTS:
            ours, theirs = members[count - 1], drawn[:, count - 1]
            gaps = [data.mean(costs) for costs in theirs]
            k = int(np.argmin(gaps))
            apart = difference(ours.tolist(), theirs[k].tolist(), f"draws, σ {SHARES[k]:g} of the norm")
            rows.append({
                "problem": name, "candidates": count, "portfolio": data.mean(ours), "draws": gaps,
                "difference": msgspec.to_builtins(apart),
            })  # fmt: skip
            cells.append([name, count, percent(data.mean(ours), 3), percent(gaps[k], 3), f"{SHARES[k]:g}", apart.words])
            print(*cells[-1], flush=True)
    write_results("portfolio", {"shares": SHARES, "rows": rows})
    print(table(["problem", "best of", "portfolio", "draws", "at σ", "difference"], cells).text())


if __name__ == "__main__":
    main()
