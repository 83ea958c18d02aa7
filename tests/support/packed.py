"""Items of the training set of a network, small."""

from __future__ import annotations

from typing import Any

import numpy as np

from colayer.learning.network.items import Item
from colayer.models.inputs import inputs_of, sequence_of
from colayer.problem.bind import bind
from colayer.problem.structure import Order


def item(problem: Any, instance: Any, solution: Any = None, *, answered: bool = False) -> Item[Any]:
    """The item of an instance, θ starting from where rows stand, else from 0; or in the answer to the safe weights."""
    bound = bind(problem)
    features = bound.features(instance)
    answer = bound.layer(features @ problem.safe_weights, instance) if answered else None
    structure = bound.structure_of(instance, len(features), answer)
    d, sequence = features.shape[1], sequence_of(structure)
    start = np.zeros(len(features))
    for relation in structure:
        if isinstance(relation, Order):
            start = relation.positions[sequence, 0]
    target, cost = None, float(problem.bound(instance))
    if solution is not None:
        target, cost = problem.target(solution, instance), problem.cost(solution, instance)
        target = target if sequence is None else target[sequence]
    return Item(instance, inputs_of(features, structure, np.ones(d), np.zeros(d)), structure, start, target, cost)
