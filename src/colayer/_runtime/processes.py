"""Worker processes of this machine, which end with this process, however that ends."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any, Generic, TypeVar

from colayer._runtime.text import typed_line
from colayer._runtime.threads import use_one_thread
from colayer.errors import ColayerError
from colayer.problem.guard import carry, own_fault

T = TypeVar("T")
R = TypeVar("R")

_GONE = (
    'a worker process ended before its work was done: out of memory, or a script without `if __name__ == "__main__":`?'
)


class Worker(Generic[T, R]):
    """A process that makes `serve = make(*arguments)` and answers each call with `serve(call)`.

    The process is spawned, not forked: safe with threads, and the same on every platform. Work runs in one thread.
    What it raises is raised here.
    """

    def __init__(self, make: Callable[..., Callable[[T], R]], *arguments: Any) -> None:
        data = pickle.dumps((make, arguments, _own_folders()))
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_start)
        self._pid = self._pool.submit(os.getpid)
        # as a call, not with the process: to one that dies at birth, large data could not be written
        self._pool.submit(_receive, data)

    def ask(self, call: T) -> Future[tuple[bool, Any]]:
        """Send a call; the future is done when `answer` need not wait."""
        try:
            self._asked = self._pool.submit(_serve, call)
        except BrokenProcessPool:
            raise ColayerError(_GONE) from None
        return self._asked

    def answer(self) -> R:
        """Wait for the answer to the last call."""
        try:
            good, value = self._asked.result()
        except BrokenProcessPool:
            raise ColayerError(_GONE) from None
        if not good:
            raise value
        answer: R = value
        return answer

    def close(self) -> None:
        """End the process, which may be at work."""
        with suppress(BrokenProcessPool):
            pid = self._pid.result()
            for process in multiprocessing.active_children():
                if process.pid == pid:
                    process.kill()
        self._pool.shutdown(cancel_futures=True)


def each(
    make: Callable[..., Callable[[T], R]], arguments: Sequence[Any], calls: Sequence[T], workers: int
) -> Iterator[R]:
    """Yield `serve(call)` of every call as it is done; `workers` processes share the calls."""
    waiting = list(reversed(calls))
    started: list[Worker[T, R]] = []
    try:
        while len(started) < min(workers, len(calls)):
            started.append(Worker(make, *arguments))
        busy = {worker.ask(waiting.pop()): worker for worker in started}
        while busy:
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                worker = busy.pop(future)
                answer = worker.answer()
                if waiting:
                    busy[worker.ask(waiting.pop())] = worker
                yield answer
    finally:
        for worker in started:
            worker.close()


#: In a worker process: what it received, and what it made of that.
_received = b""
_made: Any = None


def _start() -> None:
    """Prepare a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    use_one_thread()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _receive(data: bytes) -> None:
    global _received
    _received = data


def _serve(call: Any) -> tuple[bool, Any]:
    """Answer a call: (True, answer) or (False, what was raised)."""
    global _made
    try:
        if _made is None:
            make, arguments, folders = pickle.loads(_received)
            _own_folders().update(folders)
            _made = make(*arguments)
        return True, _made(call)
    except BaseException as error:
        return False, portable(error)


def portable(error: BaseException) -> BaseException:
    """Return `error` where it survives the journey between processes, else what it says; with the user's line."""
    said = own_fault(error)
    again: BaseException
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        again = ColayerError(f"in a worker process: {typed_line(error)}")
    return carry(again, said)


def _own_folders() -> dict[str, str]:
    from colayer.problem.guard import OWN_FOLDERS

    return OWN_FOLDERS
