"""Worker processes: answers, faults, ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from colayer._runtime.threads import allowed
from colayer.errors import ColayerError, InputError
from colayer.evaluators.processes import Processes, each, portable, result


def square(x: int) -> int:
    return x * x


def faulty(kind: str) -> Any:
    if kind == "exit":
        raise SystemExit(0)
    if kind == "leave":
        os._exit(0)
    raise InputError("no luck", where="here")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_every_call_has_its_answer_whoever_is_free() -> None:
    assert sorted(each(square, range(7), workers=2)) == [x * x for x in range(7)]


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [("input", InputError, "here: no luck"), ("exit", SystemExit, "0"), ("leave", ColayerError, "ended before")],
)
def test_what_is_raised_there_is_raised_here(kind: str, error: type[BaseException], words: str) -> None:
    with pytest.raises(error, match=words):
        list(each(faulty, [kind] * 2, workers=2))


def test_work_runs_in_one_thread() -> None:
    with closing(Processes(1)) as processes:
        assert result(processes.submit(allowed)) == 1


def test_an_exception_that_cannot_be_pickled_is_told_in_words() -> None:
    class LocalError(Exception):
        pass

    assert str(portable(LocalError("oops"))) == "in a worker process: LocalError: oops"


def test_closing_ends_a_process_at_work() -> None:
    processes = Processes(1)
    pid = result(processes.submit(os.getpid))
    processes.submit(time.sleep, 60)
    processes.close()
    assert not alive(pid)


SCRIPT = """
    import sys, time
    import numpy as np
    from colayer import Pipeline
    sys.path.insert(0, {tests!r})
    from support.pick_problem import Pick
    data = [np.random.default_rng(k).normal(size=({rows}, 2)) for k in range(4)]
    {guard}
    Pipeline(Pick()).fit(data, evaluations=4, workers=2)
    print("done")
"""


@pytest.mark.parametrize("rows", [5, 200_000])
def test_workers_do_not_hang_in_a_script_without_a_main_guard(rows: int, tmp_path: Path) -> None:
    """Also where the data is larger than the buffer of a pipe."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT.format(tests=str(Path(__file__).parents[1]), rows=rows, guard="")))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode != 0
    assert 'a script without `if __name__ == "__main__":`?' in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_the_one_that_started_it(number: int, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
            import os, time
            from colayer.evaluators.processes import Processes, result
            if __name__ == "__main__":
                processes = Processes(1)
                print(result(processes.submit(os.getpid)), flush=True)
                time.sleep(60)
        """)
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.send_signal(number)
        process.wait()
        until = time.monotonic() + 10.0
        while alive(pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not alive(pid)
