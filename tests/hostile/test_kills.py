"""SIGKILL in the midst of writing: the same command runs again, to the same files, and no litter is left."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from colayer.cli.app import main
from support.hostile import files

#: Dies at a call of a function: module, name, number of the call, before or after it.
DIES = """
import importlib, os, signal, sys
owner, name, number, after = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "after"
module, _, kind = owner.partition(":")
place = importlib.import_module(module)
place = getattr(place, kind) if kind else place
function, calls = getattr(place, name), []

def dying(*arguments, **options):
    calls.append(name)
    if len(calls) == number and not after:
        os.kill(os.getpid(), signal.SIGKILL)
    result = function(*arguments, **options)
    if len(calls) == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

setattr(place, name, dying)
from colayer.cli.app import main
sys.exit(main(sys.argv[5:]))
"""
GENERATE = "generate single-machine new --count 4 --jobs 5"
LABEL = "label single-machine bare --workers 1"
EVALUATE = "evaluate single-machine data -o new.json"
EXPLAIN = "explain model.json -o new.json"
#: What is written and when the command dies: at the folder's rename, or with a file half on its way.
MOMENTS = [
    (GENERATE, "pathlib:Path write_bytes 3 after"),
    (GENERATE, "pathlib:Path rename 2 after"),
    (GENERATE, "pathlib:Path replace 1 before"),
    (GENERATE, "pathlib:Path replace 1 after"),
    (GENERATE.replace("new", "other"), "pathlib:Path rename 6 after"),
    (f"{GENERATE} --format npz", "pathlib:Path replace 1 after"),
    (LABEL, "os fsync 1 after"),
    (LABEL, "os fsync 3 before"),
    (LABEL, "pathlib:Path replace 2 after"),
    (EVALUATE, "os fsync 1 after"),
    (EXPLAIN, "os fsync 1 after"),
]
TEMPORARY = re.compile(r"(^|/)\.[0-9a-f]{16}\.tmp")


def killed(place: Path, words: str, dies: str) -> bool:
    """Whether the command was killed where it is to die, in a process of its own."""
    command = [sys.executable, "-c", DIES, *dies.split(), *words.split()]
    return subprocess.run(command, cwd=place, capture_output=True, check=False).returncode == -signal.SIGKILL


def results(place: Path) -> dict[str, bytes | None]:
    """Files by name, without times."""
    return {
        name: data if data is None else re.sub(rb'_?seconds":[0-9.e-]+', b"", data)
        for name, data in files(place).items()
    }


@pytest.mark.parametrize(("words", "dies"), MOMENTS)
def test_a_command_that_was_killed_runs_again_and_leaves_no_litter(words: str, dies: str, place: Path) -> None:
    (place / "other").mkdir()
    (place / "other/mine.txt").write_text("mine")
    assert killed(place, words, dies)
    assert "after" in dies or [name for name in files(place) if TEMPORARY.search(name)]
    assert main(words.split()) == 0
    found = results(place)
    assert [name for name in found if TEMPORARY.search(name) or "incomplete" in name] == []
    if "generate" in words:
        assert main(words.replace(" new ", " whole ").replace(" other ", " whole ").split()) == 0
        made = files(place / words.split()[2])
        made.pop("mine.txt", None)
        assert made == files(place / "whole")


@pytest.mark.parametrize("change", ["--jobs 6", "--count 3", "--count 5", "--seed 1", "--format npz"])
def test_instances_of_another_command_are_not_taken_for_its_own(change: str, place: Path) -> None:
    assert main(GENERATE.split()) == 0
    before = files(place)
    assert main(GENERATE.split()) == 0
    assert main(f"{GENERATE} {change}".split()) == 2
    assert files(place) == before
