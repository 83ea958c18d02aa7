"""Prints what must not depend on the processor: hashes of weights of linear learners, and of θ of networks."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from colayer import Pipeline
from colayer.models import AffineModel
from colayer.models.inputs import inputs_of, scaled_features
from colayer.models.stage import Stage
from colayer.problem.structure import Graph, Groups, Order, checked_structure
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from support.stages import drawn_arrays

ROWS = 37


def digest(*arrays: np.ndarray) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[:16]


def learned(method: str) -> str:
    """Weights and losses of a learner by experience on a small data set of each problem."""
    found = []
    for problem, sizes in (
        (SingleMachine(features="27"), {"jobs": 12}),
        (SpanningTree(), {"width": 3, "scenarios": 3}),
        (VehicleScheduling(), {"tasks": 8, "scenarios": 3}),
    ):
        data = [problem.generate(seed=seed, **sizes) for seed in range(6)]
        pipeline = Pipeline(problem).fit(data, method=method, evaluations=60, workers=1)
        found += [pipeline.weights_, np.array([pipeline.loss_, pipeline.validation_loss_ or 0.0])]
    return digest(*found)


def theta(name: str) -> str:
    """What a drawn network adds to θ."""
    random = np.random.default_rng(7)
    ends = random.integers(9, size=(2, ROWS))
    relation = {
        "order": Order(random.permutation(ROWS), random.normal(size=(ROWS, 3)), random.random((ROWS, 1))),
        "graph": Graph(9, *ends),
        "arcs": Graph(9, *ends, directed=True),
        "groups": Groups(random.integers(5, size=ROWS)),
    }[name]
    structure = checked_structure(relation, ROWS, name)
    features = 4.0 * random.normal(size=(ROWS, 3))
    scaled = scaled_features(features, np.ones(3), np.zeros(3))
    inputs = len(inputs_of(features, structure, np.ones(3), np.zeros(3)))
    heads = 3 if name == "order" else 1
    stage = Stage.of((name,), (1, 2), drawn_arrays((name,), inputs, heads=heads, channels=6), "")
    return digest(stage.added(scaled, structure))


def of_contexts() -> str:
    """θ of drawn contexts under drawn weights; weights that are learned go through linear algebra."""
    random = np.random.default_rng(3)
    header = (), np.empty(0), np.empty(0), "pick", {}, {}
    model = AffineModel(*header, matrix=random.normal(size=(ROWS, 11)), offset=random.normal(size=ROWS))
    return digest(*(model.from_context(row) for row in random.normal(size=(50, 11))))


if __name__ == "__main__":
    told = {method: learned(method) for method in ("direct", "sgd", "srl")}
    told["contexts"] = of_contexts()
    told |= {f"network, {name}": theta(name) for name in ("order", "graph", "arcs", "groups")}
    print(json.dumps(told))
