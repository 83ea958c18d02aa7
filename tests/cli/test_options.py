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
    ("parse", "text", "said"),
    [
        (whole(), "", "'' is not a whole number, expected 0 or more"),
        (whole(), "1.5", "'1.5' is not a whole number, expected 0 or more"),
        (whole(), "1e3", "'1e3' is not a whole number, expected 0 or more"),
        (whole(), "1_000", "'1_000' is not a whole number, expected 0 or more"),
        (whole(), "٣", "'٣' is not a whole number, expected 0 or more"),  # a digit, but not one of ours
        (whole(), "9" * 30, f"'{'9' * 30}' is not a whole number, expected 0 or more"),
        (whole(1), "0", "0 is out of range, expected at least 1"),
        (whole(), "-1", "-1 is out of range, expected at least 0"),
        (whole(), str(2**31), "2147483648 is out of range, expected at most 2147483647"),
        (number, "x", "'x' is not a number, expected a number >= 0"),
        (number, "nan", "nan is not finite, expected a number >= 0"),
        (number, "-inf", "-inf is not finite, expected a number >= 0"),
        (number, "-0.5", "-0.5 is out of range, expected a number >= 0"),
        (positive, "0", "0 is out of range, expected a number > 0"),
        (positive, "-3", "-3 is out of range, expected a number > 0"),
        (positive, "soon", "'soon' is not a number, expected a number > 0"),
        (share, "1", "1 is out of range, expected a share >= 0 and < 1"),
        (file_name, "", "empty, expected a file name"),
        (file_name, " \t", "empty, expected a file name"),
        (folder_name, "", "empty, expected a folder"),
    ],
)
def test_what_does_not(parse: Callable[[Any], Any], text: Any, said: str) -> None:
    with pytest.raises(typer.BadParameter) as caught:
        parse(text)
    assert caught.value.message == said
