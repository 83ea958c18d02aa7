"""The journal of a run: every evaluation on a line of its own, written before the optimiser sees it.

    {"format": 1, "identity": {…}}
    {"evaluation": 1, "weights": […], "loss": …, "validation": … or null}
    …
    {"finished": n}
    {"evaluations": 500}
    {"evaluation": 1, …}
    …

The identity says which run this is; its key "evaluations" is the budget of the first section. A run with another budget
begins a section of its own, numbered from 1, and takes the losses that it needs from the sections before it.

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
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import numpy as np

from colayer._runtime.text import shortened
from colayer.errors import JournalError
from colayer.io.files import append, plain

try:
    import fcntl
except ImportError:  # Windows: no lock, two runs on one journal are then found out by the numbers of its lines
    fcntl = None  # type: ignore[assignment]

FORMAT = 1

#: What is raised of a line that is no JSON, or not UTF-8.
_DAMAGED = (msgspec.DecodeError, UnicodeDecodeError)

_log = logging.getLogger(__name__)


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One evaluation: its number from 1, the weights, their loss, and their validation loss where it was computed.

    By demonstration also the loss that is minimised; of a learner that goes by steps, what it needs to go on from here.
    `cost` is how many evaluations it stands for.
    """

    evaluation: int
    weights: list[float]
    loss: float
    validation: float | None
    demonstration: float | None = None
    state: list[float] = []
    cost: int = 1


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: int
    identity: dict[str, Any]


class _Footer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    finished: int


class _Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    evaluations: int


@dataclass
class _Section:
    """The evaluations of one run; `line` is the number of the line before the first of them."""

    budget: Any
    line: int
    records: list[Record] = field(default_factory=list)
    finished: bool = False


class Journal:
    """An open and locked journal; `records` are those an earlier run of this budget wrote.

    A file that is missing or empty is begun; one of the same identity is taken up where it ends; any other is refused
    with a `JournalError` and left as it is. `earlier` are the records of runs with other budgets, by the bytes of their
    weights.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any], dimension: int) -> None:
        self.path = Path(path)
        self.earlier: dict[bytes, Record] = {}
        with self._errors():
            new = not self.path.exists()
            if self.path.exists() and not self.path.is_file():
                raise JournalError("is not a plain file, expected a journal", where=str(self.path))
            # unbuffered: what could not be written is not tried again when the file is closed
            self._file: FileIO = self.path.open("a+b", buffering=0)
        try:
            with self._errors():
                self._lock()
                try:
                    self._section = self._load(_plain_identity(identity), dimension)
                except BaseException:
                    if new and self._file.seek(0, os.SEEK_END) == 0:  # not even a header could be written
                        self.path.unlink(missing_ok=True)
                    raise
        except BaseException:
            self._file.close()
            raise
        self.records: list[Record] = list(self._section.records)
        self._count = len(self.records)

    @property
    def finished(self) -> bool:
        """Whether the run of this budget came to its end."""
        return self._section.finished

    def line(self, evaluation: int) -> int:
        """Return the line number of an evaluation of this run."""
        return self._section.line + evaluation

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
        self._section.finished = True

    def close(self) -> None:
        """Close the file and give up the lock."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def refuse(self, message: str, line: int) -> JournalError:
        """Return the error for one line of this journal."""
        return JournalError(message, where=f"{self.path}:{line}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalError(error.strerror or str(error), where=str(self.path)) from error

    def _write(self, data: bytes) -> None:
        with self._errors():
            append(self._file, data)

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise JournalError("in use by another run", where=str(self.path)) from None
            _log.warning("%s: this file system has no locks (%s)", self.path, error.strerror)

    def _load(self, identity: dict[str, Any], dimension: int) -> _Section:
        """Read and check the file; return the section that this run continues."""
        self._file.seek(0)
        content = self._file.read()
        header = msgspec.json.encode(_Header(FORMAT, identity)) + b"\n"
        complete = content.rfind(b"\n") + 1
        if complete == 0 and not header.startswith(content):
            # An unfinished first line is only ever the beginning of ours: anything else is some other file.
            raise self.refuse("is not a journal of this run", 1)
        # Everything is checked before anything is changed.
        budget = identity.get("evaluations")
        sections = [_Section(budget, 1)]
        if complete:
            lines = content[:complete].split(b"\n")[:-1]
            sections[0].budget = self._check_header(lines[0], identity)
            for number, line in enumerate(lines[1:], start=2):
                self._take(line, number, dimension, sections)
        if complete < len(content):
            _log.info("%s: dropped an incomplete last line", self.path)
            self._file.truncate(complete)
        if not complete:
            self._file.truncate(0)
            self._write(header)
        for section in reversed(sections):
            if section.budget == budget and (section.finished or section is sections[-1]):
                break
        else:  # another budget than that of all runs before
            section = _Section(budget, sections[-1].line + len(sections[-1].records) + sections[-1].finished + 1)
            self._write(msgspec.json.encode(_Budget(int(budget or 0))) + b"\n")
        for other in sections:
            if other is not section:
                self.earlier.update({_key(record): record for record in other.records})
        return section

    def _check_header(self, line: bytes, identity: dict[str, Any]) -> Any:
        """Return the budget of the first section; refuse a journal of another run."""
        try:
            header = msgspec.json.decode(line, type=_Header)
        except _DAMAGED as error:
            raise self.refuse(f"is not a journal: {error}", 1) from None
        if header.format != FORMAT:
            raise self.refuse(f"journal format {header.format}, expected {FORMAT}", 1)
        ours = (
            {**identity, "evaluations": header.identity.get("evaluations")} if "evaluations" in identity else identity
        )
        if header.identity != ours:
            raise JournalError(
                f"belongs to another run: {_difference(header.identity, ours)}; "
                "remove it, or choose another journal, to start again",
                where=str(self.path),
            )
        return header.identity.get("evaluations")

    def _take(self, line: bytes, number: int, dimension: int, sections: list[_Section]) -> None:
        section = sections[-1]
        try:
            if line.startswith(b'{"evaluations"'):
                sections.append(_Section(msgspec.json.decode(line, type=_Budget).evaluations, number))
                return
            if section.finished:
                raise self.refuse("a line after the run was finished", number)
            if line.startswith(b'{"finished"'):
                footer = msgspec.json.decode(line, type=_Footer)
                if footer.finished != len(section.records):
                    raise self.refuse(f"finished after {footer.finished} of {len(section.records)} evaluations", number)
                section.finished = True
                return
            record = msgspec.json.decode(line, type=Record)
        except _DAMAGED as error:
            raise self.refuse(f"damaged: {error}", number) from None
        if record.evaluation != len(section.records) + 1:
            raise self.refuse(f"evaluation {record.evaluation}, expected {len(section.records) + 1}", number)
        if record.cost < 1:
            raise self.refuse(f"{record.cost} evaluations in one, expected at least 1", number)
        if len(record.weights) != dimension:
            raise self.refuse(f"{len(record.weights)} weights, expected {dimension}", number)
        section.records.append(record)


def _key(record: Record) -> bytes:
    return np.array(record.weights).tobytes()


def _plain_identity(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity as JSON reads it back, so that tuples, numpy numbers and key order do not matter."""
    encoded = msgspec.json.encode(dict(identity), enc_hook=plain, order="deterministic")
    return msgspec.json.decode(encoded, type=dict[str, Any])


def _difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """Return the first key that differs, with both values, and how many more differ."""
    keys = [key for key in sorted({*theirs, *ours}) if theirs.get(key, _ABSENT) != ours.get(key, _ABSENT)]
    key = keys[0]
    more = f", and {len(keys) - 1} more" if len(keys) > 1 else ""
    return f"{key} is {_short(theirs.get(key, _ABSENT))} there and {_short(ours.get(key, _ABSENT))} here{more}"


_ABSENT = object()


def _short(value: Any) -> str:
    if value is _ABSENT:
        return "absent"
    return shortened(msgspec.json.encode(value).decode(), 60)
