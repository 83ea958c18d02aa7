"""Places in a JSON text, for messages about it: where a number is not finite, which key comes twice."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from colayer._runtime.text import printable


def not_finite(data: bytes) -> str | None:
    """Return the place of the first NaN or infinity, as other writers leave them; None if the text has other faults."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    place = _first_not_finite(document, "")
    return None if place is None else printable(place.removeprefix(".")) or "document"


def twice(data: bytes) -> set[str]:
    """Return the keys of the outermost object that come twice."""
    keys: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> None:
        keys[:] = (key for key, _ in pairs)

    json.loads(data, object_pairs_hook=keep)  # of the outermost object last
    return {key for key, count in Counter(keys).items() if count > 1}


def _first_not_finite(value: Any, path: str) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return path
    parts: Any = ()
    if isinstance(value, dict):
        parts = ((f"{path}.{key}", item) for key, item in value.items())
    elif isinstance(value, list):
        parts = ((f"{path}[{i}]", item) for i, item in enumerate(value))
    return next((place for key, item in parts if (place := _first_not_finite(item, key)) is not None), None)
