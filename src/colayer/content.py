"""What an instance is, as bytes: data sets are told apart by the hash of their contents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from colayer.capabilities import Hashes, WritesInstances
from colayer.compose import features_of, scale_of
from colayer.files import plain
from colayer.problem import Problem, X, Y, Z


def content_of(problem: Problem[X, Y, Z], instance: X) -> bytes:
    """The bytes of an instance: the problem's own `content`, else the document of its file format.

    For a problem with neither, what learning sees of it: features and scale.
    """
    if isinstance(problem, Hashes):
        return bytes(problem.content(instance))
    if isinstance(problem, WritesInstances):
        return msgspec.json.encode(problem.write(instance), order="deterministic", enc_hook=plain)
    features = np.ascontiguousarray(features_of(problem, instance))
    return features.tobytes() + np.float64(scale_of(problem, instance)).tobytes()


def content_hash(problem: Problem[X, Y, Z], instances: Sequence[X]) -> str:
    """SHA-256 over the contents of the instances, in order."""
    digest = hashlib.sha256()
    for instance in instances:
        content = content_of(problem, instance)
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()
