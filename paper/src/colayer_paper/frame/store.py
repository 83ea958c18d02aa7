"""The run folder: what each stage made, kept under a hash of what determines it, so that no stage is run twice.

    RUN/run.json                     scale and version
    RUN/NAME/outcome.json, …         what the experiment NAME found
    RUN/cache/STAGE-HASH.json        {"identity", "seconds", "cpu", "value"}: what a stage made
    RUN/cache/STAGE-HASH.jsonl       the same, one item per line, as they came
    RUN/cache/journal-HASH.jsonl     the journal of a learning run that is under way

The identity of a stage holds all that determines its value: data, options, seeds, and the version of colayer. What is
shared between experiments is therefore made once, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

import msgspec

import colayer
from colayer._runtime.threads import allowed
from colayer.errors import InputError
from colayer.io.files import (
    append,
    encode,
    made_folder,
    parse_json,
    plain,
    read_bytes,
    read_json,
    unwritable,
    write_atomic,
)

try:
    import fcntl
except ImportError:  # Windows: two runs in one folder are then the user's to avoid
    fcntl = None  # type: ignore[assignment]

RUN = "run.json"
_TIMES = ("seconds", "cpu")

#: Called with what is being done, how much of it is done, and how much there is.
Report = Callable[[str, int, int], None]

Item = TypeVar("Item")


def silent(what: str, done: int, total: int) -> None:
    """Report to nobody."""


@dataclass
class Run:
    """A run folder, open. `seconds` and `cpu`: what the stages asked for since `reset` took when they were made."""

    folder: Path
    scale: str
    workers: int | None = None
    report: Report = silent
    #: Where losses are computed, of the problems that have kernels for it.
    device: str = "cpu"
    seconds: float = 0.0
    cpu: float = 0.0
    #: What was learned since `reset` → where its losses were computed.
    devices: dict[str, str] = field(default_factory=dict)
    #: How many stages were made, and not found in the cache.
    made: int = 0
    _counted: set[str] = field(default_factory=set)
    #: How many stages are being made, one inside the other.
    _depth: int = 0

    @property
    def threads(self) -> int:
        """How many threads to use."""
        return self.workers or allowed()

    def open(self) -> str | None:
        """Make or check the folder; the version of colayer that made it, where that is another one."""
        about = {"format": 1, "scale": self.scale, "colayer": colayer.__version__}
        path = self.folder / RUN
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError("is not a folder, expected one for the run", where=str(self.folder))
        here = {found.name for found in self.folder.iterdir()} if self.folder.exists() else set()
        others = {name for name in here if not (name.startswith(".") and name.endswith(".tmp"))}  # being written
        if others and RUN not in others:
            raise InputError(f"holds other files and no {RUN}, expected a run or a new folder", where=str(self.folder))
        version = None
        if path.exists():
            known = read_json(path)
            if not isinstance(known, dict) or known.get("format") != 1 or "scale" not in known:
                raise InputError("not the head of a run", where=str(path))
            if known["scale"] != self.scale:
                message = f"is a run of scale {known['scale']}, expected one of {self.scale} or a new folder"
                raise InputError(message, where=str(self.folder))
            version = known.get("colayer")
        with made_folder(self.folder):
            write_atomic(path, encode(about))
            (self.folder / "cache").mkdir(exist_ok=True)
        return None if version in (None, colayer.__version__) else str(version)

    def reset(self) -> None:
        """Begin to add up the times afresh, for the next experiment."""
        self.seconds = self.cpu = 0.0
        self._counted.clear()
        self.devices.clear()

    def cached(
        self,
        stage: str,
        identity: Mapping[str, Any],
        make: Callable[[], Any],
        times: Callable[[Any], tuple[float, float]] | None = None,
    ) -> Any:
        """The value of a stage, as JSON gives it back: from the cache, or made and put there.

        `times` gives wall and CPU seconds of the value, where making it knows better than the clock here.
        """
        path, whole = self._place(stage, identity, "json")
        document = _read_stage(path) if path.exists() else None
        if document is None:
            clock = Clock()
            self._depth += 1
            try:
                value = make()
            finally:
                self._depth -= 1
            self.made += 1
            seconds, cpu = (clock.seconds, clock.cpu) if times is None else times(value)
            write_atomic(path, encode({"identity": whole, "seconds": seconds, "cpu": cpu, "value": value}))
            document = read_json(path)
        self._count(path, document["seconds"], document["cpu"])
        return document["value"]

    def kept(self, stage: str, identity: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the cache has of a stage ("seconds", "cpu", "value"), or None."""
        path, _ = self._place(stage, identity, "json")
        return _read_stage(path) if path.exists() else None

    def count(self, stage: str, identity: Mapping[str, Any]) -> int:
        """How many items of a stage are there."""
        path, whole = self._place(stage, identity, "jsonl")
        return len(_read_lines(path, whole)[0])

    def lock_of(self, stage: str, identity: Mapping[str, Any]) -> Path:
        """The file to be locked while somebody is at the items of a stage."""
        return self._place(stage, identity, "lock")[0]

    def items(
        self,
        stage: str,
        identity: Mapping[str, Any],
        inputs: Sequence[Item],
        make: Callable[[Item], Any],
        *,
        what: str = "",
        threads: int | None = None,
    ) -> list[Any]:
        """`make(input)` for every input, in order, each kept as soon as it is there; a kill loses the few under way.

        `make` runs in `threads` threads (those of the run by default). Where another run in the same folder is at the
        same items, this one waits for it.
        """
        path, whole = self._place(stage, identity, "jsonl")
        known, seconds, cpu = _read_lines(path, whole)
        if len(known) < len(inputs):
            self.made += 1
            label = what or stage
            self.report(label, len(known), len(inputs))
            with _open(path) as file, ThreadPoolExecutor(threads or self.threads) as pool:
                locked(file)
                known, seconds, cpu = _read_lines(path, whole, mend=True)  # another run may have gone on
                if path.stat().st_size == 0:
                    append(file, encode({"identity": whole}))
                clock = Clock()
                try:
                    for value in pool.map(make, inputs[len(known) :]):
                        spent = (seconds + clock.seconds, cpu + clock.cpu)
                        line = {"index": len(known), "value": value, "seconds": spent[0], "cpu": spent[1]}
                        append(file, encode(line))
                        known.append(value)
                        self.report(label, len(known), len(inputs))
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
            known, seconds, cpu = _read_lines(path, whole)  # as JSON gives them back
        self._count(path, seconds, cpu)
        return known[: len(inputs)]

    def journal(self, identity: Mapping[str, Any]) -> Path:
        """Where the journal of a learning run is kept until its result is."""
        return self._place("journal", identity, "jsonl")[0]

    def _place(self, stage: str, identity: Mapping[str, Any], ending: str) -> tuple[Path, Any]:
        whole = {"stage": stage, "colayer": colayer.__version__, **identity}
        data = msgspec.json.encode(whole, enc_hook=plain, order="deterministic")
        digest = hashlib.sha256(data).hexdigest()[:16]
        return self.folder / "cache" / f"{stage}-{digest}.{ending}", msgspec.json.decode(data)

    def _count(self, path: Path, seconds: float, cpu: float) -> None:
        # a stage inside another one is not counted: when the outer one is found in the cache, nobody asks for it
        if self._depth == 0 and path.name not in self._counted:
            self._counted.add(path.name)
            self.seconds += seconds
            self.cpu += cpu


class Clock:
    """Wall seconds and CPU seconds (of all threads) since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        """By the clock on the wall."""
        return time.perf_counter() - self._wall

    @property
    def cpu(self) -> float:
        """Of the processor, over all threads of this process."""
        return time.process_time() - self._cpu


@contextmanager
def _open(path: Path) -> Iterator[FileIO]:
    """A file to append to, unbuffered; what the disk says against it is one line."""
    try:
        with path.open("ab", buffering=0) as file:
            yield file
    except OSError as error:
        raise unwritable(path, error) from None


def locked(file: FileIO, *, wait: bool = True) -> bool:
    """Wait until no other process has this file locked, or say that one has; the lock ends with the file."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_stage(path: Path) -> dict[str, Any] | None:
    """What a stage left; None, with a warning, where the file is damaged, so that it is made again."""
    data = read_bytes(path)
    try:
        document = parse_json(data, path)
    except InputError:
        document = None
    if _whole(document):
        return document
    warnings.warn(f"{path} is damaged: it is made again", stacklevel=3)
    return None


def _whole(kept: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether there is a value, with its times."""
    return isinstance(kept, dict) and "value" in kept and all(type(kept.get(k)) in (int, float) for k in _TIMES)


def _read_lines(path: Path, identity: Any, *, mend: bool = False) -> tuple[list[Any], float, float]:
    """The values that are there, and the times up to the last one; what follows a damaged line is not there.

    To `mend`, who holds the lock cuts off what a kill left of a line and, with a warning, all from a damaged line on:
    nobody else may, since a line that somebody is writing looks like one cut short.
    """
    if not path.exists():
        return [], 0.0, 0.0
    data = read_bytes(path)
    complete = data.rfind(b"\n") + 1
    known: list[Any] = []
    sound = 0
    for line in data[:complete].splitlines(keepends=True):
        try:
            row = parse_json(line, path)
            if known and (not _whole(row) or row.get("index") != len(known) - 1):
                raise InputError("not the next item", where=str(path))  # a line is missing, or twice there
            known.append(row)
        except InputError:
            if mend:
                warnings.warn(f"{path} is damaged: what follows line {len(known)} is made again", stacklevel=3)
            break
        sound += len(line)
    if mend and sound < len(data):
        with path.open("r+b") as file:
            file.truncate(sound)
    if not known:
        return [], 0.0, 0.0
    head, *rows = known
    if head != {"identity": identity}:
        raise InputError("is not what this run keeps there: remove it", where=str(path))
    last = rows[-1] if rows else {"seconds": 0.0, "cpu": 0.0}
    return [row["value"] for row in rows], last["seconds"], last["cpu"]
