"""What an instance is, as bytes: data sets are told apart by the hash of their contents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from colayer.capabilities import Hashes, WritesInstances
from colayer.compose import features_of, scale_of
from colayer.errors import InputError
from colayer.files import plain
from colayer.problem import Problem, X, Y, Z
from colayer.snapshot import Snapshot, snapshot
from colayer.text import short


def content_of(problem: Problem[X, Y, Z], instance: X) -> bytes:
    """The bytes of an instance: the problem's own `content`, else the document of its file format.

    For a problem with neither, all that the object holds, and what learning sees of it: features and scale.
    """
    if isinstance(problem, Hashes):
        content = problem.content(instance)
        if not isinstance(content, bytes | bytearray):
            raise InputError(f"content of {problem.name} returned {short(content)}, expected bytes")
        return bytes(content)
    if isinstance(problem, WritesInstances):
        return msgspec.json.encode(problem.write(instance), order="deterministic", enc_hook=plain)
    held = b"".join(_parts(snapshot(instance)))
    features = np.ascontiguousarray(features_of(problem, instance))
    return held + features.tobytes() + np.float64(scale_of(problem, instance)).tobytes()


def content_hash(problem: Problem[X, Y, Z], instances: Sequence[X]) -> str:
    """SHA-256 over the contents of the instances, in order."""
    digest = hashlib.sha256()
    for instance in instances:
        content = content_of(problem, instance)
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


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
