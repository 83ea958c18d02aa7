"""OR-Tools CP-SAT on a constraint program, in a process of its own; the extra `compare`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from colayer._runtime.text import shortened
from colayer._runtime.threads import allowed
from colayer.comparison.trajectory import Attempt
from colayer.errors import ColayerError, MissingExtraError
from colayer.io.files import encode
from colayer.problem.bind import BoundProblem
from colayer.problem.programs import TooLargeError
from colayer.problem.protocol import X, Y, Z

INSTALL = "pip install 'colayer[compare]'"
_CHILD = Path(__file__).with_name("cpsat_child.py")
#: Seconds after the limit at which a process that does not end is ended.
_PATIENCE = 30.0
#: CP-SAT's strategies complement each other: tried at equal processor time, eight on one core did better than one.
_WORKERS = 8


def available() -> bool:
    """Tell whether OR-Tools is installed, without importing it."""
    return importlib.util.find_spec("ortools") is not None


def solve_constraints(
    problem: BoundProblem[X, Y, Z], instance: X, limit: float, seed: int = 0, start: Z | None = None
) -> Attempt[Z]:
    """Build the constraint program within the time limit, and run CP-SAT on it for the rest.

    `start` is a solution to hint at. Time counts from the call, but for the start of the process and the way there.
    Where this process is tied to one core, CP-SAT's is too, and has several workers that share it; else it has one.
    """
    if not available():
        raise MissingExtraError(f"CP-SAT needs OR-Tools: {INSTALL}")
    begin = time.perf_counter()
    try:
        program = problem.need("constraint_program")(instance)
    except TooLargeError as error:
        return Attempt(note=str(error))
    hint = None if start is None else program.hint(start).tolist()
    used = time.perf_counter() - begin
    workers = _WORKERS if allowed() == 1 else 1
    task = {
        "program": program.document(), "hint": hint, "seed": seed % 2**31, "time_limit": limit - used,
        "workers": workers,
    }  # fmt: skip
    lines = _run(encode(task), limit + _PATIENCE)
    found = [(used + line["seconds"], np.array(line["values"])) for line in lines if "values" in line]
    statuses = [line["status"] for line in lines if "status" in line]
    if statuses in (["INFEASIBLE"], ["MODEL_INVALID"]):
        raise ColayerError(f"CP-SAT on the constraint program of {problem.name}: {statuses[0]}")
    solutions = [(when, program.solution(values)) for when, values in found]
    return Attempt(solutions, proved=statuses == ["OPTIMAL"])


def _run(task: bytes, timeout: float) -> list[dict[str, Any]]:
    """Return the lines the process wrote, or those so far if it does not end in time."""
    # -P: the folder of the file is not searched for modules
    command = [sys.executable, "-P", str(_CHILD)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        try:
            out, err = process.communicate(task, timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            out = out[: out.rfind(b"\n") + 1]
        except BaseException:
            process.kill()
            raise
        else:
            if process.returncode != 0:
                last = (err.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
                said = f"the process of CP-SAT ended with status {process.returncode}"
                raise ColayerError(f"{said}: {shortened(last, 200)}")
    return [msgspec.json.decode(line) for line in out.splitlines()]
