"""Output files and folders, checked before any work is done; nothing is left behind by that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from colayer.cli.outputs import output_file, output_folder, picture_file
from colayer.errors import ColayerError
from support.errors import rejects


@pytest.fixture(autouse=True)
def _here(place: Path) -> None:
    (place / "in.json").write_text("{}")
    (place / "data").mkdir()


def said(call: object, *arguments: object, **options: object) -> str:
    """The option and the file that are named."""
    with rejects(ColayerError) as caught:
        call(*arguments, **options)  # type: ignore[operator]
    option, name = re.match(r"(-\S+): '?([^:' ]*)", caught.value.line).groups()  # type: ignore[union-attr]
    return f"{option}: {name}"


def test_a_file_that_can_be_written_is_taken_as_it_is(place: Path) -> None:
    assert output_file(None, "-o") is None
    assert output_file(Path("out.json"), "-o", [Path("in.json")], folder=Path("data")) == Path("out.json")
    assert output_file(Path("in.json"), "-o") == Path("in.json")  # an old file may be replaced
    assert sorted(path.name for path in place.iterdir()) == ["data", "in.json"]


def test_what_cannot_be_written_is_said_with_the_option() -> None:
    assert said(output_file, Path("no/out.json"), "-o") == "-o: no/out.json"
    assert said(output_file, Path("data"), "--journal") == "--journal: data"
    assert said(output_file, Path("out.xlsx"), "-o") == "-o: out.xlsx"
    assert said(output_file, Path("x" * 300), "-o").startswith("-o: xxx")


def test_inputs_are_never_written_to_however_they_are_spelt() -> None:
    assert said(output_file, Path("data/../in.json"), "-o", [Path("in.json")]) == "-o: data/../in.json"


def test_nothing_is_put_into_a_data_set() -> None:
    assert said(output_file, Path("data/out.json"), "-o", folder=Path("data")) == "-o: data/out.json"
    assert output_file(Path("out.json"), "-o", folder=Path("data")) == Path("out.json")


def test_a_picture_has_the_name_of_one(place: Path) -> None:
    assert picture_file(None) is None
    for name in ("a.png", "a.svg", "a.pdf"):
        assert picture_file(Path(name), inputs=[None, place / "in.json"]) == Path(name)
    assert said(picture_file, Path("a.gif")) == "--plot: a.gif"
    assert said(picture_file, Path("a.png"), inputs=[Path("a.png")]) == "--plot: a.png"
    assert said(picture_file, Path("no/a.png")) == "--plot: no/a.png"


def test_a_folder_is_there_or_can_be_made(place: Path) -> None:
    assert output_folder(Path("data")) == Path("data")
    assert output_folder(Path("new")) == Path("new")
    assert not (place / "new").exists()
    assert said(output_folder, Path("in.json")) == "-o: in.json"
    assert said(output_folder, Path("no/new")) == "-o: no/new"
    assert said(output_folder, Path("x" * 300)).startswith("-o: xxx")
