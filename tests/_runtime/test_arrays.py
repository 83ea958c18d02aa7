"""The types of arrays are defined in one place."""

from __future__ import annotations

import re
from pathlib import Path

import colayer
from colayer._runtime import arrays
from colayer.problem import protocol as problem


def test_they_are_defined_once() -> None:
    """Other modules import them; `colayer.problem.protocol` hands on those that its protocol names."""
    again = re.compile(r"^(Floats|Singles|Ints) = ", re.MULTILINE)
    sources = Path(colayer.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if again.search(path.read_text())] == ["arrays.py"]
    assert problem.Floats is arrays.Floats
    assert problem.Features is arrays.Features
