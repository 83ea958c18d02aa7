"""Stages that several processes share: each takes one that nobody is at, until all are done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol

from colayer.io.files import unwritable
from colayer_paper.frame.store import Item, Run, locked

#: Seconds until a process looks again whether the stages of others are done.
_AGAIN = 1.0


class Stage(Protocol):
    """A part of an experiment that can be made by itself, and is kept in the run."""

    def done(self, run: Run) -> bool:
        """Whether the run has it."""

    def place(self, run: Run) -> Path:
        """The file that says, while it is locked, that somebody is at it."""

    def make(self, run: Run) -> object:
        """Make it."""


@dataclass(frozen=True)
class Items(Generic[Item]):
    """`make_one(input)` for every input, see `Run.items`: on one thread, whose clock can then be read."""

    what: str
    stage: str
    identity: Mapping[str, Any]
    inputs: Sequence[Item]
    make_one: Callable[[Item], Any]

    def done(self, run: Run) -> bool:
        """Whether the run has all of them."""
        return run.count(self.stage, self.identity) >= len(self.inputs)

    def place(self, run: Run) -> Path:
        """See `Stage.place`."""
        return run.lock_of(self.stage, self.identity)

    def make(self, run: Run) -> list[Any]:
        """All of them, in order."""
        return run.items(self.stage, self.identity, self.inputs, self.make_one, what=self.what, threads=1)


def shared(run: Run, stages: Sequence[Items[Item]]) -> list[list[Any]]:
    """The items of each stage, made by this process and by others that are at the same run."""
    share(run, stages)
    return [stage.make(run) for stage in stages]


def share(run: Run, stages: Sequence[Stage]) -> None:
    """Make the stages that are not done, in order, but for those that another process is at; wait for these."""
    waiting = list(stages)
    while waiting:
        waiting = [stage for stage in waiting if not stage.done(run)]
        if waiting and not any(_made(run, stage) for stage in waiting):
            time.sleep(_AGAIN)


def _made(run: Run, stage: Stage) -> bool:
    """Make a stage, unless somebody is at it."""
    with _alone(stage.place(run)) as alone:
        if alone and not stage.done(run):
            stage.make(run)
        return alone


@contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Whether this process is the only one at it, for as long as it is."""
    try:
        file = path.open("ab", buffering=0)
    except OSError as error:
        raise unwritable(path, error) from None
    with file:
        mine = locked(file, wait=False)
        yield mine
        if mine:
            with suppress(OSError):  # Windows removes no file that is open
                path.unlink(missing_ok=True)
