"""How the loss is shared between instances: a `scale` that does not fit their sizes lets a few of them rule it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from colayer._runtime.text import percent

#: So many of the instances, but one at least, rule the loss if they make up more than this share of it.
_FEW, _MOST = 0.1, 0.5
#: Of fewer instances nothing is said.
_LEAST = 4


def loss_shares(losses: Sequence[float]) -> list[float]:
    """Return the share of each instance in the sum of the sizes of all losses; equal shares if all losses are 0."""
    sizes = [abs(loss) for loss in losses]
    total = math.fsum(sizes)
    return [size / total if total > 0.0 else 1.0 / len(sizes) for size in sizes]


def rulers(shares: Sequence[float]) -> list[int]:
    """Return the instances that rule the loss, largest share first; none if no tenth makes up over half of it."""
    order = sorted(range(len(shares)), key=lambda i: -shares[i])
    few = order[: max(1, int(_FEW * len(shares)))]
    taken = math.fsum(shares[i] for i in few)
    return few if len(shares) >= _LEAST and taken > _MOST else []


def ruled(shares: Sequence[float], names: Sequence[str]) -> str | None:
    """Return in a sentence that a few instances rule the loss, the first of them by its name; None if none do."""
    few = rulers(shares)
    if not few:
        return None
    others = f" and {len(few) - 1} more" if len(few) > 1 else ""
    taken = percent(math.fsum(shares[i] for i in few))
    return (
        f"{names[few[0]]}{others}, of {len(shares)} instances, makes up {taken} of "
        "the loss, and learning sees little else: let scale return about what a good solution of the instance costs"
    )


def range_of(shares: Sequence[float], names: Sequence[str]) -> str:
    """Return the least and the largest share in words, and whose that is; an empty word for no shares."""
    if not shares:
        return ""
    largest = max(range(len(shares)), key=shares.__getitem__)
    return f"{percent(min(shares))} to {percent(shares[largest])} by instance, the most {names[largest]}"
