"""Words of the command line as numbers and paths: what passes, and what is said of what does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from colayer.cli.options import file_name, folder_name, number, positive, share, whole


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (whole(), "0", 0),
        (whole(), " +7 ", 7),
        (whole(1, 10), "10", 10),
        (whole(maximum=2**63), str(2**63), 2**63),
        (whole(3), 5, 5),  # a default passes as well
        (number, "0", 0.0),
        (number, "1e-3", 0.001),
        (positive, "0.5", 0.5),
        (positive, 60.0, 60.0),
        (share, "0", 0.0),
        (share, "0.999", 0.999),
        (file_name, "a/b.json", Path("a/b.json")),
        (file_name, " .json", Path(" .json")),
        (folder_name, ".", Path()),
        (folder_name, Path("demo"), Path("demo")),
    ],
)
def test_what_passes(parse: Callable[[Any], Any], text: Any, value: Any) -> None:
    assert parse(text) == value
    assert type(parse(text)) is type(value)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (whole(), ""),
        (whole(), "1.5"),
        (whole(), "1e3"),
        (whole(), "1_000"),
        (whole(), "٣"),  # a digit, but not one of ours
        (whole(), "9" * 30),
        (whole(1), "0"),
        (whole(), "-1"),
        (whole(), str(2**31)),
        (number, "x"),
        (number, "nan"),
        (number, "-inf"),
        (number, "-0.5"),
        (positive, "0"),
        (positive, "-3"),
        (positive, "soon"),
        (share, "1"),
        (file_name, ""),
        (file_name, " \t"),
        (folder_name, ""),
    ],
)
def test_what_does_not(parse: Callable[[Any], Any], text: Any) -> None:
    with pytest.raises(typer.BadParameter) as caught:
        parse(text)
    assert len(caught.value.message.splitlines()) == 1
