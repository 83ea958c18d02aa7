"""What an experiment is run with: one TOML file each, in `configs/`, with parameters for every scale.

    title = "…"
    source = "Table 6 of the paper"     # what it stands beside
    summary = "…"
    shared = "scheduling"                # configs/shared/scheduling.toml, laid under the parameters here
    differences = ["…"]                  # from the paper, at every scale

    [every]                              # parameters of all scales
    [smoke]                              # and of each
    [small]
    [paper]
    differences = ["…"]                  # from the paper, at this scale

A parameter of the scale goes before one of `every`, and one of the experiment's file before one of the shared file.
"""

from __future__ import annotations

import csv
import importlib.resources
import io
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from colayer.errors import InputError

SCALES = ("smoke", "small", "paper")

_HEAD = ("title", "source", "summary", "shared", "differences", "every", *SCALES)


@dataclass(frozen=True)
class Config:
    """Name, words and parameters of one experiment at one scale; `config["per_cell"]` is a parameter."""

    name: str
    scale: str
    title: str
    source: str
    summary: str
    #: What differs from the paper whatever the numbers turn out to be, in words.
    differences: tuple[str, ...]
    parameters: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        if key not in self.parameters:
            raise InputError(f"no parameter {key!r}", where=f"configs/{self.name}.toml: {self.scale}")
        return self.parameters[key]


def read_config(name: str, scale: str) -> Config:
    """The config of an experiment at one of the `SCALES`."""
    own = _document(f"{name}.toml")
    shared = _document(f"shared/{own['shared']}.toml") if "shared" in own else {}
    parameters: dict[str, Any] = {}
    differences: list[str] = []
    for document in (shared, own):
        differences += document.get("differences", [])
        for part in ("every", scale):
            chosen = dict(document.get(part, {}))
            differences += chosen.pop("differences", [])
            parameters |= chosen
    words = {key: own[key] for key in ("title", "source", "summary")}
    return Config(name, scale, **words, differences=tuple(differences), parameters=parameters)


def paper_table(name: str) -> list[dict[str, str]]:
    """The rows of one of the paper's tables, `paper/NAME.csv`, as text by column."""
    text = importlib.resources.files("colayer_paper").joinpath(f"paper/{name}.csv").read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def paper_seconds(text: str) -> float:
    """A time of the paper's tables, h:mm:ss, in seconds."""
    hours, minutes, seconds = (float(part) for part in text.split(":"))
    return 3600 * hours + 60 * minutes + seconds


def _document(path: str) -> dict[str, Any]:
    document = tomllib.loads(importlib.resources.files("colayer_paper").joinpath(f"configs/{path}").read_text("utf-8"))
    for key in document:
        if key not in _HEAD:
            raise InputError(f"unknown key, expected one of {', '.join(_HEAD)}", where=f"configs/{path}: {key}")
    return document
