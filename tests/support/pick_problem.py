"""A problem of a user's with the seven required members and nothing else, not derived from anything."""

from __future__ import annotations

import numpy as np


class Pick:
    """Take the better half of the items: θ says how bad an item is. An instance is an array of (value, noise)."""

    name = "pick"
    feature_names = ("value", "noise")

    def features(self, instance):
        return np.array(instance)

    def layer(self, theta, instance):
        return np.sort(np.argsort(theta, kind="stable")[: len(theta) // 2])

    def decode(self, y, instance):
        return y

    def cost(self, solution, instance):
        return float(instance[solution, 0].sum()) + 100.0

    def scale(self, instance):
        return float(len(instance))


class Embedded(Pick):
    """What learning by demonstration needs as well."""

    def embed(self, y, instance):
        vector = np.zeros(len(instance))
        vector[y] = 1.0
        return vector

    def target(self, solution, instance):
        return self.embed(solution, instance)


def picks(count=20):
    """Instances of six items."""
    return [np.random.default_rng(k).normal(size=(6, 2)) for k in range(count)]
