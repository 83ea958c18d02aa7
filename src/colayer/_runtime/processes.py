"""Worker processes of this machine: each serves calls through a pipe, and ends with this process, however that ends."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from colayer._runtime.text import typed_line
from colayer._runtime.threads import limited
from colayer.errors import ColayerError
from colayer.problem.faults import carry, own_fault

T = TypeVar("T")
R = TypeVar("R")

#: Seconds that a process has to start, and to end when it is asked to.
_START, _END = 120.0, 2.0

_GONE = (
    'a worker process ended before its work was done: out of memory, or a script without `if __name__ == "__main__":`?'
)


class Worker(Generic[T, R]):
    """A process that makes `serve = make(*arguments)` and answers each call with `serve(call)`.

    Processes are spawned, not forked: safe with threads, and the same on every platform. `make` and its arguments
    travel when the process is there to take them, so that one that dies at birth does not leave us waiting. Work runs
    in one thread. What it raises is raised here.
    """

    def __init__(self, make: Callable[..., Callable[[T], R]], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_main, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        try:
            self._wait(_START)
            self._pipe.recv()
            self._pipe.send(pickle.dumps((make, arguments, _own_folders())))
        except (EOFError, OSError):
            self.close()
            raise ColayerError(_GONE) from None
        except BaseException:
            self.close()
            raise

    def ask(self, call: T) -> None:
        """Send a call; `answer` waits for what comes back."""
        try:
            self._pipe.send(call)
        except (EOFError, OSError):
            raise ColayerError(_GONE) from None

    def answer(self) -> R:
        """The answer to the last call."""
        try:
            self._wait(None)
            good, value = self._pipe.recv()
        except (EOFError, OSError):
            raise ColayerError(_GONE) from None
        if not good:
            raise value
        answer: R = value
        return answer

    @property
    def pipe(self) -> Connection:
        """Becomes readable when an answer is there, or the process is gone."""
        return self._pipe

    def close(self) -> None:
        """End the process, which may be at work."""
        self._pipe.close()
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(timeout=_END)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()

    def _wait(self, seconds: float | None) -> None:
        ready = multiprocessing.connection.wait([self._pipe, self._process.sentinel], timeout=seconds)
        if not ready or (self._pipe not in ready and not self._pipe.poll()):
            raise EOFError


def each(
    make: Callable[..., Callable[[T], R]], arguments: Sequence[Any], calls: Sequence[T], workers: int
) -> Iterator[R]:
    """`serve(call)` for every call, `workers` at a time, each in a process of its own; answers as they are there."""
    waiting = list(reversed(calls))
    started: list[Worker[T, R]] = []
    try:
        while len(started) < min(workers, len(calls)):
            started += [Worker(make, *arguments)]
        busy = {worker.pipe: worker for worker in started}
        for worker in started:
            worker.ask(waiting.pop())
        while busy:
            for pipe in multiprocessing.connection.wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                answer = worker.answer()
                if waiting:
                    worker.ask(waiting.pop())
                else:
                    del busy[worker.pipe]
                yield answer
    finally:
        for worker in started:
            worker.close()


def _main(pipe: Connection) -> None:
    """What the process does: take what is to be made, then answer calls until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError), limited(1):
        pipe.send("ready")
        data = pipe.recv()
        serve: Any = None
        while True:
            call = pipe.recv()
            try:
                if serve is None:
                    make, arguments, folders = pickle.loads(data)
                    _own_folders().update(folders)
                    serve = make(*arguments)
                answer = (True, serve(call))
            except BaseException as error:
                answer = (False, portable(error))
            pipe.send(answer)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def portable(error: BaseException, where: str = "in a worker process") -> BaseException:
    """`error` where it survives the journey between processes, else what it says; with the line of the user's file."""
    said = own_fault(error)
    again: BaseException
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        again = ColayerError(f"{where}: {typed_line(error)}")
    return carry(again, said)


def _own_folders() -> dict[str, str]:
    from colayer.problem.faults import OWN_FOLDERS

    return OWN_FOLDERS
