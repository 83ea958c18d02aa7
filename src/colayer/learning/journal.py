"""The journal of a run: every evaluation on a line of its own, written before the optimiser sees it.

    {"format": 1, "identity": {…}}
    {"evaluation": 1, "weights": […], "loss": …, "validation": … or null}
    …
    {"finished": n}

JSON writes a float with the digits that give it back exactly, so a run that is replayed from its journal goes the same
way, bit for bit. A line is complete when it ends with a newline; a last line that is not is what a killed process left
behind, and is dropped. A line is flushed to the operating system: it survives the process, killed at any moment.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import msgspec

from colayer.errors import JournalError
from colayer.files import plain

try:
    import fcntl
except ImportError:  # Windows: no lock, two runs on one journal are then found out by the numbers of its lines
    fcntl = None  # type: ignore[assignment]

FORMAT = 1

_log = logging.getLogger(__name__)


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One evaluation: its number from 1, the weights, their loss, and their validation loss where it was computed.

    By demonstration also the loss that is minimised, and what the optimiser needs to go on from here.
    """

    evaluation: int
    weights: list[float]
    loss: float
    validation: float | None
    demonstration: float | None = None
    state: list[float] = []


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    identity: dict[str, Any]


class _Footer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    finished: int


class Journal:
    """A journal, open and locked. `records` are those it held when it was opened.

    A file that is missing or empty is begun; one of the same identity is taken up where it ends; any other is refused
    with a `JournalError` and left as it is.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any], dimension: int) -> None:
        self.path = Path(path)
        self.records: list[Record] = []
        self.finished = False
        with self._errors():
            self._file: BinaryIO = self.path.open("a+b")
        try:
            with self._errors():
                self._lock()
                self._load(_plain_identity(identity), dimension)
        except BaseException:
            self._file.close()
            raise
        self._count = len(self.records)

    def append(self, records: list[Record]) -> None:
        """Write evaluations and flush them."""
        for record in records:
            self._count += 1
            if record.evaluation != self._count:
                raise ValueError(f"evaluation {record.evaluation} follows {self._count - 1}")
        self._write(b"".join(msgspec.json.encode(record) + b"\n" for record in records))

    def finish(self) -> None:
        """Mark the run as finished."""
        self._write(msgspec.json.encode(_Footer(self._count)) + b"\n")
        self.finished = True

    def close(self) -> None:
        """Close the file and give up the lock."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def refuse(self, message: str, line: int) -> JournalError:
        """The error for one line of this journal."""
        return JournalError(message, where=f"{self.path}:{line}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalError(error.strerror or str(error), where=str(self.path)) from error

    def _write(self, data: bytes) -> None:
        with self._errors():
            self._file.write(data)
            self._file.flush()

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise JournalError("in use by another run", where=str(self.path)) from None
            _log.warning("%s: this file system has no locks (%s)", self.path, error.strerror)

    def _load(self, identity: dict[str, Any], dimension: int) -> None:
        self._file.seek(0)
        content = self._file.read()
        header = msgspec.json.encode(_Header(FORMAT, identity)) + b"\n"
        complete = content.rfind(b"\n") + 1
        if complete == 0 and not header.startswith(content):
            # An unfinished first line is only ever the beginning of ours: anything else is some other file.
            raise self.refuse("is not a journal of this run", 1)
        # Everything is checked before anything is changed.
        if complete:
            lines = content[:complete].split(b"\n")[:-1]
            self._check_header(lines[0], identity)
            for number, line in enumerate(lines[1:], start=2):
                self._take(line, number, dimension)
        if complete < len(content):
            _log.info("%s: dropped an incomplete last line", self.path)
            self._file.truncate(complete)
        if not complete:
            self._write(header)

    def _check_header(self, line: bytes, identity: dict[str, Any]) -> None:
        try:
            header = msgspec.json.decode(line, type=_Header)
        except msgspec.DecodeError as error:
            raise self.refuse(f"is not a journal: {error}", 1) from None
        if header.format != FORMAT:
            raise self.refuse(f"journal format {header.format}, expected {FORMAT}", 1)
        if header.identity != identity:
            raise JournalError(
                f"belongs to another run: {_difference(header.identity, identity)}; "
                "remove it, or name another journal, to start afresh",
                where=str(self.path),
            )

    def _take(self, line: bytes, number: int, dimension: int) -> None:
        if self.finished:
            raise self.refuse("a line after the run was finished", number)
        try:
            if line.startswith(b'{"finished"'):
                footer = msgspec.json.decode(line, type=_Footer)
                if footer.finished != len(self.records):
                    raise self.refuse(f"finished after {footer.finished} of {len(self.records)} evaluations", number)
                self.finished = True
                return
            record = msgspec.json.decode(line, type=Record)
        except msgspec.DecodeError as error:
            raise self.refuse(f"damaged: {error}", number) from None
        if record.evaluation != len(self.records) + 1:
            raise self.refuse(f"evaluation {record.evaluation}, expected {len(self.records) + 1}", number)
        if len(record.weights) != dimension:
            raise self.refuse(f"{len(record.weights)} weights, expected {dimension}", number)
        self.records.append(record)


def _plain_identity(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The identity as JSON gives it back, so that tuples, numpy numbers and key order make no difference."""
    encoded = msgspec.json.encode(dict(identity), enc_hook=plain, order="deterministic")
    return msgspec.json.decode(encoded, type=dict[str, Any])


def _difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """The first key that differs, with both values, and how many more there are."""
    keys = [key for key in sorted({*theirs, *ours}) if theirs.get(key, _ABSENT) != ours.get(key, _ABSENT)]
    key = keys[0]
    more = f", and {len(keys) - 1} more" if len(keys) > 1 else ""
    return f"{key} is {_short(theirs.get(key, _ABSENT))} there and {_short(ours.get(key, _ABSENT))} here{more}"


_ABSENT = object()


def _short(value: Any) -> str:
    if value is _ABSENT:
        return "absent"
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else text[:57] + "…"
