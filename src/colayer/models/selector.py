"""Which members of a portfolio first, for this instance: those that did best on the training instances most like it.

An instance is described by the mean and the spread of every feature over its rows, and by how many rows there are.
With standardised descriptors u and a relevance r_k of each, training instance i has the weight

    a_i(x) ∝ exp(−½ Σ_k r_k (u_k(x) − u_k(i))²) + a little,

and members are taken greedily: the next one is that which most lowers Σ_i a_i·(least loss on i of those taken).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats
from colayer._runtime.text import printable
from colayer.errors import InputError
from colayer.io.validate import table, whole

#: Of the weight of all training instances: what instances unlike this one share evenly.
UNLIKE = 0.02
#: Standardised descriptors that differ by less are those of the same instance, rounded.
_SAME = 1e-4
#: Standardised descriptors are cut here: an instance unlike all others is like the outermost of them.
FARTHEST = 4.0


@dataclass(frozen=True, eq=False)
class Selector:
    """Descriptors and losses of training instances, by which members are ordered.

    `columns` are the numbers of the descriptors in use, `center` and `spread` standardise them; `relevance` holds r,
    the bandwidth included. `descriptors` (instances, columns) are standardised, `losses` (members, instances) are
    those of the members.
    """

    columns: tuple[int, ...]
    center: Floats
    spread: Floats
    relevance: Floats
    descriptors: Floats
    losses: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(whole(k, "selector.columns") for k in self.columns))
        count = len(self.columns)
        for name in ("center", "spread", "relevance"):
            object.__setattr__(self, name, table(getattr(self, name), f"selector.{name}", (count,)))
        object.__setattr__(
            self, "descriptors", table(self.descriptors, "selector.descriptors", (None, count), largest=FARTHEST)
        )
        shape = (None, len(self.descriptors))
        object.__setattr__(self, "losses", table(self.losses, "selector.losses", shape))
        if (self.spread <= 0.0).any() or (self.relevance < 0.0).any():
            raise InputError("expected positive spreads and no negative relevance", where="selector")

    def order(self, features: NDArray[Any], scale: Floats, count: int) -> list[int]:
        """Return `count` members for the instance of these (rows, d) features, the most promising first."""
        return self.order_of(describe(features.T, scale), count)

    def order_of(self, descriptors: Floats, count: int) -> list[int]:
        """Return `count` members for an instance of these descriptors.

        A training instance does not speak for itself, so that what is measured on it is as honest as on others: the
        first one with the same descriptors is left out.
        """
        own = standardised(descriptors[list(self.columns)], self.center, self.spread)
        same = np.flatnonzero(np.abs(self.descriptors - own).max(axis=1) <= _SAME)[:1]
        if len(same) == len(self.descriptors):
            return list(range(min(count, len(self.losses))))
        descriptors, losses = self.descriptors, self.losses
        if len(same):
            descriptors, losses = np.delete(descriptors, same, axis=0), np.delete(losses, same, axis=1)
        near = similarity(own[None, :], descriptors, self.relevance)[0]
        return greedy_order(losses, near, count)

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the model file."""
        arrays = {key: getattr(self, key).tolist() for key in _ARRAYS}
        return {"columns": list(self.columns), **arrays}

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """Return the selector of a decoded JSON object."""
        if not isinstance(document, Mapping):
            raise InputError("expected a JSON object", where="selector")
        keys = ("columns", *_ARRAYS)
        for key in document:
            if key not in keys:
                raise InputError("unknown key", where=f"selector.{printable(str(key))}")
        for key in keys:
            if key not in document:
                raise InputError("missing key", where=f"selector.{key}")
        if not isinstance(document["columns"], list):
            raise InputError("expected a list of whole numbers", where="selector.columns")
        return cls(tuple(document["columns"]), *(document[key] for key in _ARRAYS))


_ARRAYS = ("center", "spread", "relevance", "descriptors", "losses")


def describe(matrix: NDArray[Any], scale: Floats) -> Floats:
    """Return mean and spread of each feature, in model units, of a (d, rows) matrix, and the logarithm of its rows."""
    rows = np.ascontiguousarray(matrix, dtype=np.float64)
    mean = rows.mean(axis=1)
    spread = np.sqrt(((rows - mean[:, None]) ** 2).mean(axis=1))
    return np.concatenate([mean / scale, spread / scale, [np.log(rows.shape[1])]])


def standardised(descriptors: Floats, center: Floats, spread: Floats) -> Floats:
    """Return (u − center)/spread, cut at ± `FARTHEST`."""
    with np.errstate(over="ignore"):  # what is too large is cut
        return np.asarray(np.clip((descriptors - center) / spread, -FARTHEST, FARTHEST))


def similarity(these: Floats, those: Floats, relevance: Floats, *, leave_out: bool = False) -> Floats:
    """Return the weights a (these, those), which sum to 1 + `UNLIKE` in each row; with `leave_out`, none of itself."""
    distance = (((these[:, None, :] - those[None, :, :]) ** 2) * relevance).sum(axis=2)
    if leave_out:
        np.fill_diagonal(distance, np.inf)
    near = np.exp(-0.5 * (distance - distance.min(axis=1, keepdims=True)))
    return np.asarray(near / near.sum(axis=1, keepdims=True) + UNLIKE / len(those))


def greedy_order(losses: Floats, weights: Floats, count: int) -> list[int]:
    """Return members in the order in which each most lowers the weighted mean of the least loss; of equals the first.

    `losses` (members, instances), `weights` (instances,). It takes count·members·instances operations.
    """
    chosen: list[int] = []
    least = np.full(losses.shape[1], np.inf)
    taken = np.zeros(len(losses), dtype=np.bool_)
    for _ in range(min(count, len(losses))):
        means = (np.minimum(losses, least) * weights).sum(axis=1)
        means[taken] = np.inf
        best = int(np.argmin(means))
        chosen.append(best)
        taken[best] = True
        least = np.minimum(least, losses[best])
    return chosen
