"""A problem of your own: five methods, a check of them, and `fit` does the rest (docs/add_a_problem.md has more).

The hard problem: sequence jobs on one machine so that the sum of squared tardiness is least. The easy problem: sort.
"""

import numpy as np

from colayer import BaseProblem, Pipeline, check_problem
from colayer.layers import sorting


class Tardiness(BaseProblem):
    """An instance is a pair (processing, due) of arrays; a solution is the jobs in the order they run."""

    name = "squared-tardiness"
    feature_names = ("processing", "due", "slack")
    homogeneous = True
    safe_weights = np.array([0.0, 1.0, 0.0])  # earliest due date first

    def features(self, instance):
        processing, due = instance
        total = processing.sum()
        return np.column_stack([processing / total, due / total, (due - processing) / total])

    def layer(self, theta, instance):
        return sorting.sort(theta)

    def cost(self, solution, instance):
        processing, due = instance
        completion = np.cumsum(processing[solution])
        return float((np.maximum(completion - due[solution], 0.0) ** 2).sum())

    def scale(self, instance):
        processing, _ = instance
        return float(processing.sum() ** 2)

    # From here on optional: what the layer minimises, for the check; and instances to try it all on.

    def embed(self, y, instance):
        return sorting.embed(y)

    def generate(self, seed, jobs=30):
        rng = np.random.default_rng(seed)
        processing = rng.integers(1, 100, jobs).astype(float)
        return processing, rng.uniform(0.2, 0.8, jobs) * processing.sum()


if __name__ == "__main__":
    problem = Tardiness()
    check_problem(problem, [problem.generate(seed, jobs=5) for seed in range(5)]).raise_for_failures()

    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    held_out = [problem.generate(1000 + seed) for seed in range(50)]
    before = np.mean([solved.cost for solved in pipeline.solve_many(held_out)])
    pipeline.fit([problem.generate(seed) for seed in range(50)], evaluations=300)
    after = np.mean([solved.cost for solved in pipeline.solve_many(held_out)])
    print(f"earliest due date {before:.0f}, learned {after:.0f}: {100 * (1 - after / before):.1f} % less")
