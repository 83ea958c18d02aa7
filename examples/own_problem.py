"""A problem of your own: five methods, a check of them, and `fit` does the rest (docs/add_a_problem.md has more).

The hard problem: sequence jobs on one machine so that the sum of squared tardiness is least. The easy problem: sort.
"""

import numpy as np

from colayer import BaseProblem, Pipeline, check_problem, evaluate
from colayer.comparison.contender import function_contender, pipeline_contender
from colayer.layers import sorting


class Tardiness(BaseProblem):
    """An instance is a pair (processing, due) of arrays; a solution is the jobs in the order they run."""

    name = "squared-tardiness"
    feature_names = ("processing", "due", "product", "work before")
    homogeneous = True
    safe_weights = np.array([2.5, 1.0, 0.0, 0.0])  # the best order by hand: due date + 2.5 × processing time

    def features(self, instance):
        processing, due = instance
        order = np.argsort(due)
        before = np.empty(len(due))
        before[order] = np.cumsum(processing[order])  # when a job would end, earliest due date first
        return np.column_stack([processing, due, processing * due / processing.mean(), before]) / processing.sum()

    def layer(self, theta, instance):
        return sorting.sort(theta)

    def cost(self, solution, instance):
        processing, due = instance
        completion = np.cumsum(processing[solution])
        return float((np.maximum(completion - due[solution], 0.0) ** 2).sum())

    def scale(self, instance):
        processing, _ = instance
        return float(processing.sum() ** 2)

    # From here on optional: what the layer minimises, for the check and for learning; and instances to try it all on.

    def embed(self, y, instance):
        return sorting.embed(y)

    def generate(self, seed, jobs=30):
        rng = np.random.default_rng(seed)
        processing = rng.integers(1, 100, jobs).astype(float)
        return processing, rng.uniform(0.2, 0.8, jobs) * processing.sum()


def dispatched(instance):
    """A rule by hand that does not sort: next the job that is latest, for its length, after 3/10 of the work left."""
    processing, due = instance
    left, order = np.arange(len(due)), []
    while len(left):
        late = processing[order].sum() + 0.3 * processing[left].sum() - due[left]
        order.append(left[np.argmax(np.where(late > 0.0, late / np.sqrt(processing[left]), late))])
        left = left[left != order[-1]]
    return np.array(order)


if __name__ == "__main__":
    problem = Tardiness()
    check_problem(problem, [problem.generate(seed, jobs=5) for seed in range(5)]).raise_for_failures()

    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    pipeline.fit([problem.generate(seed) for seed in range(100)], evaluations=300, seed=0)
    contenders = [
        pipeline_contender("learned", pipeline),
        pipeline_contender("learned", pipeline, candidates=20),
        function_contender("earliest due date", lambda x: np.argsort(x[1])),
        function_contender("due + 2.5 processing", lambda x: np.argsort(x[1] + 2.5 * x[0])),
        function_contender("dispatched", dispatched),
    ]
    compared = evaluate(problem, [problem.generate(1000 + seed) for seed in range(400)], contenders)
    for row in compared.summary():
        print(f"{row.contender}: {row.mean_cost:.0f}, {1000 * row.mean_seconds:.2f} ms")
    # One run of learning. With seeds 0 to 4 of `fit`, on instances 50000 to 50399, learned is better than the sort by
    # hand in four of five; 20 candidates are better than dispatched in three, and worse in one: cannot tell.
    print(*compared.conclusions(), sep="\n")
