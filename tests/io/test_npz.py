"""Documents as npz files: plain arrays and nothing else."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.io.npz import npz_bytes, parse_npz
from support.errors import rejects

PATH = Path("x.npz")


def archive(**arrays: Any) -> bytes:
    data = io.BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def refusal(data: bytes) -> str | None:
    """The place that is named."""
    with rejects(InputError) as caught:
        whole(parse_npz(data, PATH))
    return caught.value.where


def whole(part: Any) -> Any:
    """All members loaded, parts as plain dicts."""
    return {key: whole(value) for key, value in part.items()} if isinstance(part, Mapping) else part


def test_round_trip() -> None:
    """Numbers and text as plain values, arrays as arrays, nested keys dotted."""
    document = {"format": 1, "title": "étude", "rate": 0.1, "flag": True, "city": {"start": [[1, 2]], "deep": {"x": 3}}}
    again = whole(parse_npz(npz_bytes(document, PATH), PATH))
    assert again["city"]["start"].tolist() == [[1, 2]]
    again["city"]["start"] = [[1, 2]]
    assert again == document
    assert [type(again[key]) for key in ("format", "title", "rate", "flag")] == [int, str, float, bool]
    with np.load(io.BytesIO(npz_bytes(document, PATH)), allow_pickle=False) as loaded:
        assert sorted(loaded.files) == ["city.deep.x", "city.start", "flag", "format", "rate", "title"]
        assert loaded["title"].shape == ()


def test_the_same_document_gives_the_same_bytes() -> None:
    """No dates: data sets can be compared and hashed as files."""
    assert npz_bytes({"a": [1.5] * 100}, PATH) == npz_bytes({"a": [1.5] * 100}, PATH)
    dates = {info.date_time for info in zipfile.ZipFile(io.BytesIO(npz_bytes({"a": 1}, PATH))).infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


def test_floats_become_float64() -> None:
    found = parse_npz(archive(a=np.float16([0.5]), b=np.arange(3, dtype=np.uint8)), PATH)
    assert (found["a"].dtype, found["b"].dtype) == (np.float64, np.uint8)


@pytest.mark.parametrize(
    "value", [None, [[1], [2, 3]], [1, "a", None], object()], ids=["null", "ragged", "mixed", "object"]
)
def test_what_has_no_npz_form_is_refused(value: Any) -> None:
    with rejects(InputError, where="x.npz: city.start"):
        npz_bytes({"city": {"start": value}}, PATH)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"", "x.npz"),
        (b"not a zip", "x.npz"),
        (archive(a=np.arange(100))[:-30], "x.npz"),
        (archive(a=np.array([None])), "x.npz: a"),
        (archive(a=np.array([["x", "y"]])), "x.npz: a"),
        (archive(a=np.array([1j])), "x.npz: a"),
        (archive(**{"a": 1, "a.b": 2}), "x.npz: a.b"),
        (archive(**{"a.b": 1, "a": 2}), "x.npz: a"),
    ],
)
def test_what_is_no_document_is_refused_by_name(data: bytes, where: str) -> None:
    assert refusal(data) == where


def test_members_that_are_no_arrays_are_refused() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("readme.txt", "hello")
    assert refusal(data.getvalue()) == "x.npz: readme.txt"


def test_arrays_are_loaded_when_they_are_asked_for() -> None:
    """A member that nobody asks for may be anything; one that is asked for is loaded once."""
    found = parse_npz(archive(good=np.arange(3), bad=np.array([None])), PATH)
    assert list(found) == ["good", "bad"]
    assert found["good"] is found["good"]
    with rejects(InputError, where="x.npz: bad"):
        found["bad"]


def test_an_array_that_is_not_as_large_as_it_says_is_refused() -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**9,)})
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("a.npy", header.getvalue())
    assert refusal(data.getvalue()) == "x.npz: a"


def test_a_list_of_names_is_read_as_one() -> None:
    assert parse_npz(npz_bytes({"names": ["a", "bö"]}, PATH), PATH)["names"].tolist() == ["a", "bö"]
