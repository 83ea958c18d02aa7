"""A problem that has the five methods and little else, as a file of a user's, and a data set of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

SOURCE = '''
import numpy as np

class Toy:
    """Pick the cheapest of a few numbers."""

    name = "toy"
    feature_names = ("value",)
    def features(self, instance): return np.array(instance, dtype=float)[:, None]
    def layer(self, theta, instance): return int(np.argmin(theta))
    def decode(self, y, instance): return y
    def cost(self, solution, instance): return float(instance[solution])
    def scale(self, instance): return 1.0
    def read(self, document): return list(document["values"])
    def write(self, instance): return {"values": instance}
    def write_solution(self, solution, instance): return {"pick": solution}
'''

#: Toy with the weight 1 for its one feature.
MODEL = {
    "format": 1, "model": "linear", "problem": "toy", "options": {}, "feature_names": ["value"],
    "feature_scale": [1.0], "weights": [1.0], "provenance": {},
}  # fmt: skip


def write_toy(folder: Path, instances: Sequence[Sequence[float]] = ((3, 1, 2),), more: str = "") -> None:
    """`toy_problem.py` with the class Toy (and what `more` adds to it), `data` and `toy.json`, a model."""
    (folder / "toy_problem.py").write_text(SOURCE + more)
    sys.modules.pop("toy_problem", None)
    (folder / "data").mkdir()
    for k, values in enumerate(instances):
        (folder / f"data/{k:04d}.json").write_text(json.dumps({"format": 1, "problem": "toy", "values": values}))
    (folder / "toy.json").write_text(json.dumps(MODEL))
