"""Hostile npz files: bombs, damage, and members that are not what they say; refused by name, in little memory."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.io.files import encode
from colayer.io.npz import npz_bytes
from support.hostile import Ended, refused

GOOD = {"format": 1, "problem": "single-machine", "release": [0, 1, 2], "processing": [3, 1, 2]}


def archive(changes: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A good instance, in which members are these bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(npz_bytes(GOOD, Path("x")))) as good, zipfile.ZipFile(content, "w", method) as new:
        for name in good.namelist():
            if name not in changes:
                new.writestr(name, good.read(name))
        for name, data in changes.items():
            new.writestr(name, data)
    return content.getvalue()


def array(value: Any, **more: Any) -> bytes:
    """The bytes of an npy file."""
    content = io.BytesIO()
    np.lib.format.write_array(content, np.asarray(value), **more)
    return content.getvalue()


def header(text: str, rest: bytes = b"") -> bytes:
    """An npy file with that text as its header."""
    data = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(data)) + data + rest


def described(descr: str, shape: str) -> str:
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}"


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def twice() -> bytes:
    content = io.BytesIO(archive({}))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(content, "a") as again:
        again.writestr("release.npy", array([5, 5, 5]))
    return content.getvalue()


WHOLE = archive({})
#: name → bytes, part of the message.
ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    "a bomb: a header of zeros": (lambda: archive({"release.npy": bytes(50_000_000)}), "release: not a plain array"),
    "a bomb: an array of zeros": (lambda: archive({"release.npy": array(np.zeros(1_000_000))}), "release"),
    "more said than there is": (
        lambda: archive({"release.npy": header(described("<f8", "(10**17,)"))}), "release: not a plain array"),
    "an array beyond memory": (
        lambda: archive({"release.npy": header(described("<f8", "(1000000000000000,)"))}), "release: not a plain"),
    "a negative length": (lambda: archive({"release.npy": header(described("<f8", "(-3,)"))}), "release: not a plain"),
    "a length that overflows": (
        lambda: archive({"release.npy": header(described("<f8", f"({2**62}, {2**62})"))}), "release"),
    "a header that is code": (lambda: archive({"release.npy": header("__import__('os').abort()")}), "release: not a"),
    "a header nested deeply": (lambda: archive({"release.npy": header("(" * 9000)}), "release: not a plain array"),
    "a version of the future": (lambda: archive({"release.npy": b"\x93NUMPY\x09\x00" + bytes(80)}), "release: not a"),
    "a pickle": (lambda: archive({"release.npy": array(np.array([{}, 1, 2], dtype=object))}), "release: not a plain"),
    "records": (lambda: archive({"release.npy": array(np.zeros(3, "i4,f8"))}), "release: an array of"),
    "an empty member": (lambda: archive({"release.npy": b""}), "release: not a plain array"),
    "a member cut short": (lambda: archive({"release.npy": array([0, 1, 2])[:-3]}), "release: not a plain array"),
    "an unknown key": (lambda: archive({"color.npy": array(1)}), "color: unknown key"),
    "an unknown key with an escape": (lambda: archive({"\x1b[31mred.npy": array(1)}), "unknown key"),
    "a name that climbs": (lambda: archive({"../../release2.npy": array(1)}), "unknown key"),
    "a key twice": (twice, "release: given twice"),
    "a key and a part of it": (lambda: archive({"release.x.npy": array(1)}), "release.x: given twice"),
    "no key at all": (lambda: archive({".npy": array(1)}), "unknown key"),
    "only dots": (lambda: archive({"....npy": array(1)}), "unknown key"),
    "cut in the middle": (lambda: WHOLE[: len(WHOLE) // 2], "not an npz file"),
    "cut at its end": (lambda: WHOLE[:-4], "not an npz file"),
    "the end alone": (lambda: WHOLE[-30:], "not an npz file"),
    "nothing": (lambda: b"", "not an npz file"),
    "a byte flipped in a member": (lambda: flipped(WHOLE, WHOLE.index(b"release.npy") + 40), "release"),
    "JSON": (lambda: encode(GOOD), "not an npz file"),
    "an array alone": (lambda: array([1.0]), "not an npz file"),
    "wrong numbers: complex": (lambda: archive({"release.npy": array([1j, 0, 0])}), "release: an array of complex128"),
    "wrong numbers: text": (lambda: archive({"release.npy": array(["a", "b", "c"])}), "release: an array of <U1"),
    "wrong numbers: bool": (lambda: archive({"release.npy": array([True, False, True])}), "release"),
    "wrong numbers: half NaN": (lambda: archive({"release.npy": array(np.float16([0, "nan", 1]))}), "release[1]"),
    "a surrogate": (lambda: archive({"problem.npy": header(described("<U1", "()"), struct.pack("<I", 0x110000))}),
                    "problem: not"),
}  # fmt: skip


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_that_is_not_what_it_says(name: str, place: Path, call: Callable[..., Ended]) -> None:
    make, fragment = ARCHIVES[name]
    data = make()
    Path("bad.npz").write_bytes(data)
    tracemalloc.start()
    try:
        ended = call("bound", "bad.npz")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    said = refused(ended, fragment)
    assert "bad.npz" in said
    assert "\x1b" not in said
    assert peak < 100_000_000


def test_a_good_archive_is_none_of_these(place: Path, call: Callable[..., Ended]) -> None:
    Path("good.npz").write_bytes(archive({}))
    assert call("bound", "good.npz")[0] == 0
