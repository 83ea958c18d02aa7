"""Context in, decisions out, from tables: which of thirty orders to take today, in 24 hours of work.

What an order earns is known in the evening; in the morning there are the weather, the weekday and the price of fuel.
"""

import numpy as np
import pandas as pd

from colayer import ContextProblem, Pipeline, regret
from colayer.layers import Knapsack


def days(count, seed):
    """Draw a table of mornings and one of evenings: earnings by order, in euros."""
    rng = np.random.default_rng(seed)
    mornings = pd.DataFrame(
        {"rain": rng.gamma(1.0, 2.0, count), "weekend": rng.random(count) < 2 / 7, "fuel": rng.normal(1.7, 0.1, count)}
    )
    truth = np.random.default_rng(0)
    pull = mornings.to_numpy(float) @ truth.normal(0.0, [[0.15], [0.6], [0.5]], (3, 30))
    earned = 40.0 * np.exp(pull + truth.normal(0.0, 0.3, 30)) * rng.uniform(0.6, 1.4, (count, 30))
    return mornings, pd.DataFrame(earned, columns=[f"order {k}" for k in range(30)]).round(2)


hours = np.random.default_rng(1).integers(1, 6, 30)
mornings, evenings = days(300, seed=1)
problem = ContextProblem(Knapsack(weights=hours, capacity=24), name="orders")
pipeline = Pipeline(problem).fit(mornings.to_numpy(float), thetas=-evenings.to_numpy())  # θ is minimised

tomorrow, later = days(200, seed=2)
chosen = pd.DataFrame(pipeline.decide(tomorrow.to_numpy(float)).astype(bool), columns=evenings.columns)
print("tomorrow:", ", ".join(chosen.columns[chosen.iloc[0]]))

model = pipeline.model
predicted = tomorrow.to_numpy(float) @ model.matrix.T + model.offset
means = np.tile(-evenings.to_numpy().mean(axis=0), (200, 1))
for name, theta in {"learned": predicted, "mean of each order": means}.items():
    lost = regret(theta, -later.to_numpy(), problem.solve)
    print(f"{name}: {100 * lost:.1f} % below what hindsight earns, on 200 days nobody learned from")
