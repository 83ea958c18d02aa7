"""A problem of your own: five methods, and `fit` does the rest.

The hard problem: sequence jobs on one machine so that the sum of squared tardiness is least. The easy problem: sort.
"""

import numpy as np

from colayer import BaseProblem, Pipeline
from colayer.layers.sorting import sort


class Tardiness(BaseProblem):
    """An instance is a pair (processing, due) of arrays."""

    name = "squared-tardiness"
    feature_names = ("processing", "due", "slack")
    homogeneous = True
    safe_weights = np.array([0.0, 1.0, 0.0])  # earliest due date first

    def features(self, instance):
        processing, due = instance
        total = processing.sum()
        return np.column_stack([processing / total, due / total, (due - processing) / total])

    def layer(self, theta, instance):
        return sort(theta)

    def cost(self, solution, instance):
        processing, due = instance
        completion = np.cumsum(processing[solution])
        return float((np.maximum(completion - due[solution], 0.0) ** 2).sum())

    def scale(self, instance):
        processing, _ = instance
        return float(processing.sum() ** 2)

    def content(self, instance):
        return b"".join(part.tobytes() for part in instance)


def generate(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    processing = rng.integers(1, 100, 30).astype(float)
    return processing, rng.uniform(0.2, 0.8, 30) * processing.sum()


if __name__ == "__main__":
    problem = Tardiness()
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    held_out = [generate(1000 + s) for s in range(50)]
    before = np.mean([solved.cost for solved in pipeline.solve_many(held_out)])
    pipeline.fit([generate(s) for s in range(50)], evaluations=300)
    after = np.mean([solved.cost for solved in pipeline.solve_many(held_out)])
    print(f"earliest due date {before:.0f}, learned {after:.0f}: {100 * (1 - after / before):.1f} % less")
