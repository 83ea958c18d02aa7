"""Worker processes of this machine, which end with this process, however that ends."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from typing import Any, TypeVar

from colayer._runtime.text import typed_line
from colayer._runtime.threads import limited
from colayer.errors import ColayerError, InputError
from colayer.problem.guard import OWN_FOLDERS, own_fault, with_note

T = TypeVar("T")
R = TypeVar("R")

_GONE = (
    'a worker process ended before its work was done: out of memory, or a script without `if __name__ == "__main__":`?'
)


class Processes:
    """`count` processes that call functions, each in one thread.

    Processes are spawned, not forked: safe with threads, and the same on every platform.
    """

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._executor = ProcessPoolExecutor(count, context, _begin, (dict(OWN_FOLDERS),))

    def submit(self, work: Callable[..., R], *arguments: Any) -> Future[tuple[bool, Any]]:
        """Call `work(*arguments)` in a process that is free; `result` waits for what it returns."""
        try:
            data = pickle.dumps((work, arguments))
        except Exception as error:
            said = f"the problem or its instances cannot be pickled for worker processes ({typed_line(error)})"
            raise InputError(f"{said}, expected workers=1 or classes defined in a module") from error
        try:
            return self._executor.submit(_run, data)
        except BrokenProcessPool:
            raise ColayerError(_GONE) from None

    def close(self) -> None:
        """End the processes, which may be at work."""
        for process in list((self._executor._processes or {}).values()):
            process.kill()
        self._executor.shutdown(cancel_futures=True)


def result(future: Future[tuple[bool, Any]]) -> Any:
    """Return what the call returned, or raise what it raised."""
    try:
        good, value = future.result()
    except BrokenProcessPool:
        raise ColayerError(_GONE) from None
    if not good:
        raise value
    return value


def each(work: Callable[[T], R], calls: Sequence[T], workers: int) -> Iterator[R]:
    """Yield `work(call)` for every call, in the order in which `workers` processes are done with them."""
    with closing(Processes(min(workers, len(calls)))) as processes:
        for future in as_completed([processes.submit(work, call) for call in calls]):
            yield result(future)


def portable(error: BaseException, where: str = "in a worker process", pickler: Any = pickle) -> BaseException:
    """Return `error` where it survives pickling, else its words; with the line of the user's file."""
    said = own_fault(error)
    again: BaseException
    try:
        again = pickler.loads(pickler.dumps(error))
    except Exception:
        again = ColayerError(f"{where}: {typed_line(error)}")
    return with_note(again, said)


def _begin(folders: Mapping[str, str]) -> None:
    """Prepare a process: Ctrl-C is the parent's to handle, and the parent's end is the end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    OWN_FOLDERS.update(folders)


def _run(data: bytes) -> tuple[bool, Any]:
    try:
        work, arguments = pickle.loads(data)
        with limited(1):
            return True, work(*arguments)
    except BaseException as error:
        return False, portable(error)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
