"""Feature sets as tables: the name, the group and the formula of each column, and the safe weights on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import OptionError


@dataclass(frozen=True)
class Feature:
    """One column of the feature matrix; the documentation of the problem explains the notation of `formula`."""

    name: str
    group: str
    formula: str


@dataclass(frozen=True)
class FeatureTable:
    """A feature set: its columns, in the order of the kernel that fills them, and those with a safe weight of 1."""

    columns: tuple[Feature, ...]
    safe: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return one name per column."""
        return tuple(feature.name for feature in self.columns)

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the features by group."""
        names = dict.fromkeys(feature.group for feature in self.columns)
        return {group: tuple(f.name for f in self.columns if f.group == group) for group in names}

    @property
    def safe_weights(self) -> Floats:
        """Return w̃: 1 on the features named `safe`, 0 on all others."""
        return np.array([1.0 if name in self.safe else 0.0 for name in self.names])


def feature_set(which: str, sets: Mapping[str, FeatureTable]) -> FeatureTable:
    """Return the feature set called `which`."""
    if which not in sets:
        raise OptionError(f"no feature set {which!r}, expected one of {', '.join(sets)}", where="--features")
    return sets[which]
