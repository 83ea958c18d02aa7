"""Hashes of data sets: each instance as bytes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

import numpy as np

from colayer._runtime.snapshot import Snapshot, snapshot
from colayer.models.model import Model
from colayer.problem.bind import BoundProblem
from colayer.problem.guard import json_text
from colayer.problem.protocol import X, Y, Z


def content_of(problem: BoundProblem[X, Y, Z], instance: X) -> bytes:
    """Return the bytes of an instance: the problem's `content`, else the document of its file format.

    For a problem with neither, all that the object holds, and what learning sees of it: features and scale.
    """
    if problem.content is not None:
        return bytes(problem.content(instance))
    if problem.write is not None:
        return json_text(problem.write(instance), f"write of {problem.name}", ordered=True)
    parts = b"".join(_parts(snapshot(instance)))
    features = np.ascontiguousarray(problem.features(instance))
    return parts + features.tobytes() + np.float64(problem.scale(instance)).tobytes()


def content_hash(problem: BoundProblem[X, Y, Z], instances: Sequence[X]) -> str:
    """Return the SHA-256 of the instances, in order."""
    return hashed(problem, instances)[0]


def hashed(problem: BoundProblem[X, Y, Z], instances: Sequence[X]) -> tuple[str, str]:
    """Return the hash of a data set, and short hashes of its instances joined in one word, for `trained_on`."""
    whole, each = hashlib.sha256(), []
    for instance in instances:
        content = content_of(problem, instance)
        whole.update(len(content).to_bytes(8, "little"))
        whole.update(content)
        each.append(_short_hash(content))
    return whole.hexdigest(), base64.b64encode(b"".join(each)).decode()


def trained_on(model: Model, problem: BoundProblem[X, Y, Z], instances: Sequence[X]) -> int:
    """Count the instances a model was trained on, by its provenance; 0 if that does not say."""
    encoded = model.provenance.get(SEEN)
    try:
        data = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else b""
    except ValueError:
        data = b""
    seen = {data[i : i + _BYTES] for i in range(0, len(data), _BYTES)}
    return sum(_short_hash(content_of(problem, instance)) in seen for instance in instances) if seen else 0


#: The key of a model's provenance with the short hashes, and their length: two are equal by chance once in 10¹².
SEEN = "instances_seen"
_BYTES = 5


def _short_hash(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()[:_BYTES]


def _parts(node: Snapshot) -> list[bytes]:
    """Return a snapshot as bytes, each part with its name; private caches `_x` are left out."""
    if node.array is not None:
        array = np.ascontiguousarray(node.array)
        return [f"{array.dtype.str}{array.shape}".encode(), array.tobytes()]
    found = [f"{node.kind}({node.atom})".encode()]
    for name, part in sorted((node.parts or {}).items()):
        if not (node.grows and name.startswith("._")):
            found += [name.encode(), *_parts(part)]
    return found
