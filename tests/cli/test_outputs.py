"""Output files and folders, checked before any work is done; nothing is left behind by that."""

from __future__ import annotations

from pathlib import Path

import pytest

from colayer.cli.outputs import output_file, output_folder, picture_file
from colayer.errors import ColayerError


@pytest.fixture(autouse=True)
def _here(place: Path) -> None:
    (place / "in.json").write_text("{}")
    (place / "data").mkdir()


def said(call: object, *arguments: object, **options: object) -> str:
    with pytest.raises(ColayerError) as caught:
        call(*arguments, **options)  # type: ignore[operator]
    return caught.value.line


def test_a_file_that_can_be_written_is_taken_as_it_is(place: Path) -> None:
    assert output_file(None, "-o") is None
    assert output_file(Path("out.json"), "-o", [Path("in.json")], folder=Path("data")) == Path("out.json")
    assert output_file(Path("in.json"), "-o") == Path("in.json")  # an old file may be replaced
    assert sorted(path.name for path in place.iterdir()) == ["data", "in.json"]


def test_what_cannot_be_written_is_said_with_the_option() -> None:
    assert said(output_file, Path("no/out.json"), "-o") == "-o: no/out.json: the folder to write to does not exist"
    assert said(output_file, Path("data"), "--journal") == "--journal: data: is a folder, expected a file name"
    sheet = said(output_file, Path("out.xlsx"), "-o")
    assert sheet == "-o: out.xlsx: no spreadsheet is written, expected a name with .json (solve: or .csv)"
    long = said(output_file, Path("x" * 300), "-o")
    assert long.startswith("-o: xxx")
    assert long.endswith(": cannot be written: File name too long")


def test_inputs_are_never_written_to_however_they_are_spelt() -> None:
    message = "-o: data/../in.json is an input as well, expected another file"
    assert said(output_file, Path("data/../in.json"), "-o", [Path("in.json")]) == message


def test_nothing_is_put_into_a_data_set() -> None:
    message = "-o: data/out.json lies in the data set, expected another folder"
    assert said(output_file, Path("data/out.json"), "-o", folder=Path("data")) == message
    assert output_file(Path("out.json"), "-o", folder=Path("data")) == Path("out.json")


def test_a_picture_has_the_name_of_one(place: Path) -> None:
    assert picture_file(None) is None
    for name in ("a.png", "a.svg", "a.pdf"):
        assert picture_file(Path(name), inputs=[None, place / "in.json"]) == Path(name)
    expected = "--plot: 'a.gif' is not a picture, expected a name with .png, .svg, .pdf"
    assert said(picture_file, Path("a.gif")) == expected
    assert "is an input as well" in said(picture_file, Path("a.png"), inputs=[Path("a.png")])
    assert said(picture_file, Path("no/a.png")).startswith("--plot: no/a.png: the folder to write to")


def test_a_folder_is_there_or_can_be_made(place: Path) -> None:
    assert output_folder(Path("data")) == Path("data")
    assert output_folder(Path("new")) == Path("new")
    assert not (place / "new").exists()
    assert said(output_folder, Path("in.json")) == "-o: in.json is a file, expected a folder"
    assert said(output_folder, Path("no/new")) == "-o: no/new: the folder to make it in does not exist"
    assert said(output_folder, Path("x" * 300)).endswith(": cannot be written: File name too long")
