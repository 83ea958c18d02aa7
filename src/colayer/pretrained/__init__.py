"""Learned weights shipped with the package, each with its provenance."""

from __future__ import annotations

import importlib.resources
from dataclasses import replace
from importlib.resources.abc import Traversable

import numpy as np

from colayer.errors import InputError, OptionError
from colayer.models import ContextModel, Model, read_model
from colayer.problem.bind import bind
from colayer.problem.protocol import Problem, X, Y, Z


def pretrained(problem: Problem[X, Y, Z]) -> Model | None:
    """The weights shipped for this problem and its options, or None.

    Where none were learned through the problem's decoder, those for the same features through the plainest one.
    """
    return _shipped(problem)


def pretrained_network(problem: Problem[X, Y, Z], stages: int | None = None) -> ContextModel:
    """The network shipped for this problem and its features, for `Pipeline.from_model`; nothing takes it by itself.

    It has one or more stages, each of which looks at what those before it have made; the first `stages` of them, by
    default all, take less time.
    """
    found = _shipped(problem, "networks")
    if not isinstance(found, ContextModel):
        names = sorted(entry.name.removesuffix(".json") for entry in _folder("networks").iterdir())
        raise InputError(f"no network is shipped for {bind(problem).title}, expected one of {', '.join(names)}")
    if stages is None:
        return found
    most = found.stages
    if type(stages) is not int or not 1 <= stages <= most:
        raise OptionError(f"{stages!r} is out of range, expected 1 to {most}", where="stages")
    if stages == most:
        return found
    # σ and portfolio were chosen for all of them
    provenance = {**found.provenance, "stages": stages}
    then = found.then[: stages - most]
    return replace(found, then=then, sigma=None, portfolio=np.empty((0, 0)), provenance=provenance)


def _folder(*below: str) -> Traversable:
    return importlib.resources.files("colayer.pretrained").joinpath(*below)


def _shipped(problem: Problem[X, Y, Z], *below: str) -> Model | None:
    known = bind(problem)
    folder = _folder(*below)
    own = {key: value for key, value in known.options.items() if key not in known.budget_options}
    chosen = [own]
    if known.decoders and known.decoder is not None:
        chosen.append({**own, "decoder": known.decoders[0]})
    for options in chosen:
        shipped = folder.joinpath("-".join([known.name, *(str(value) for value in options.values())]) + ".json")
        if shipped.is_file():
            with importlib.resources.as_file(shipped) as path:
                return read_model(path)
    return None
