"""What an instance is, as bytes: data sets are told apart by the hash of their contents."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

import numpy as np

from colayer._runtime.snapshot import Snapshot, snapshot
from colayer.io.documents import instance_document
from colayer.models.model import Model
from colayer.problem import answers
from colayer.problem.abilities import Hashes, WritesInstances
from colayer.problem.compose import features_of, scale_of
from colayer.problem.faults import calling
from colayer.problem.protocol import Problem, X, Y, Z


def content_of(problem: Problem[X, Y, Z], instance: X) -> bytes:
    """The bytes of an instance: the problem's own `content`, else the document of its file format.

    For a problem with neither, all that the object holds, and what learning sees of it: features and scale.
    """
    if isinstance(problem, Hashes):
        with calling(problem, "content"):
            content = problem.content(instance)
        if not isinstance(content, bytes | bytearray):
            raise answers.refused(f"content of {problem.name}", content, "bytes")
        return bytes(content)
    if isinstance(problem, WritesInstances):
        return answers.json_text(instance_document(problem, instance), f"write of {problem.name}", ordered=True)
    held = b"".join(_parts(snapshot(instance)))
    features = np.ascontiguousarray(features_of(problem, instance))
    return held + features.tobytes() + np.float64(scale_of(problem, instance)).tobytes()


def content_hash(problem: Problem[X, Y, Z], instances: Sequence[X]) -> str:
    """SHA-256 over the contents of the instances, in order."""
    return hashed(problem, instances)[0]


def hashed(problem: Problem[X, Y, Z], instances: Sequence[X]) -> tuple[str, str]:
    """The hash of a data set, and short hashes of its instances in one word, by which `trained_on` knows them."""
    whole, each = hashlib.sha256(), []
    for instance in instances:
        content = content_of(problem, instance)
        whole.update(len(content).to_bytes(8, "little"))
        whole.update(content)
        each.append(_short_hash(content))
    return whole.hexdigest(), base64.b64encode(b"".join(each)).decode()


def trained_on(model: Model, problem: Problem[X, Y, Z], instances: Sequence[X]) -> int:
    """How many of the instances a model was trained on, by its own account; 0 of a model that does not know."""
    known = model.provenance.get(SEEN)
    try:
        data = base64.b64decode(known, validate=True) if isinstance(known, str) else b""
    except ValueError:
        data = b""
    seen = {data[i : i + _BYTES] for i in range(0, len(data), _BYTES)}
    return sum(_short_hash(content_of(problem, instance)) in seen for instance in instances) if seen else 0


#: The key of a model's provenance with the short hashes, and their length: two are equal by chance once in 10¹².
SEEN = "instances_seen"
_BYTES = 5


def _short_hash(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()[:_BYTES]


def _parts(held: Snapshot) -> list[bytes]:
    """A snapshot as bytes, each part with its name; what objects cache for themselves, attributes `_x`, is left out."""
    if held.array is not None:
        array = np.ascontiguousarray(held.array)
        return [f"{array.dtype.str}{array.shape}".encode(), array.tobytes()]
    found = [f"{held.kind}({held.atom})".encode()]
    for name, part in sorted((held.parts or {}).items()):
        if not (held.grows and name.startswith("._")):
            found += [name.encode(), *_parts(part)]
    return found
