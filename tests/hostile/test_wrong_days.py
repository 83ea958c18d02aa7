"""A dynamic problem of the user's whose methods return something wrong: one line that names the method, status 2."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from colayer.cli.app import main
from support.hostile import Ended, caller, files, refused

PARCELS = Path(__file__).parent.parent / "support" / "parcel_days.py"
SOUND = """
import numpy as np
from own_parcels import Parcels


class Tensor:  # only its own library reads it
    def __array__(self, *given, **options):
        raise RuntimeError("call detach() first")


class Vans(Parcels):
    name = "vans"
"""
LINES = {
    "train": "train own_vans:Vans data -o new.json --evaluations 12 --workers 1 --no-journal",
    "imitate": "train own_vans:Vans data -o new.json --evaluations 2 --workers 1 --no-journal --solutions",
    "solve": "solve data/0000.json --problem own_vans:Vans --model model.json -o new.json",
    "evaluate": "evaluate own_vans:Vans data --model model.json -o new.json",
    "bound": "bound data/0000.json --problem own_vans:Vans -o new.json",
    "generate": "generate own_vans:Vans new --count 2",
    "check": "check own_vans:Vans",
}
NONE, TEXT, NAN, OBJECT, LATER, INFINITE = "None", "'low'", "float('nan')", "object()", "later()", "np.inf"
PLAYS = ("train", "solve", "evaluate")
#: method → (its parameters, the commands that call it, what it returns).
METHODS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "start": ("day", PLAYS, (NONE, LATER)),
    "step": ("state, decision", PLAYS, (
        NONE, TEXT, OBJECT, LATER, "1.0", "(1.0,)", "(1.0, None, None)", "('low', None)", "(None, None)",
        "(float('nan'), None)", "(np.inf, None)", "(1j, None)", "(np.ones(2), None)", "[1.0, None]", "(10**400, None)",
        "(1.0, state)",
    )),
    "features": ("state", PLAYS, (
        NONE, TEXT, OBJECT, LATER, "np.ones(3)", "np.ones((2, 2))", "np.ones((2, 3), dtype=int)",
        "np.full((1, 3), np.nan)", "np.full((1, 3), np.inf)", "[[1.0], [1.0, 2.0]]", "Tensor()", "np.ones((1, 3)) * 1j",
    )),
    "layer": ("theta, state", PLAYS, (NONE, LATER)),
    "decode": ("y, state", PLAYS, (NONE, LATER, "(99,)", "(-1,)")),
    "hindsight": ("day, state=None", ("imitate",), (
        NONE, TEXT, OBJECT, LATER, "3.0", "[]", "[(0,)]", "[(99,)] * 5", "[()] * 99", "[None] * 5",
    )),
    "violation": ("decision, state", ("solve",), ("3.0", OBJECT, LATER, "True", "'nothing will do'")),
    "scale": ("day", ("train",), (NONE, TEXT, NAN, OBJECT, LATER, INFINITE, "-1.0", "0.0")),
    "bound": ("day", ("bound",), (TEXT, NAN, OBJECT, LATER, INFINITE)),
    "baseline": ("rule, state", ("evaluate",), (NONE, LATER, "(99,)")),
    "day_costs": ("weights, day", ("train",), (
        NONE, TEXT, NAN, OBJECT, LATER, "{}", "np.ones(99)", "[1.0, 'low']", "Tensor()",
        "np.full(len(weights), np.nan)",
    )),
    "generate": ("seed, epochs=5", ("generate",), (NONE, LATER)),
    "read": ("document", ("solve",), (NONE, LATER)),
    "write": ("day", ("generate",), (NONE, TEXT, OBJECT, LATER, "{1: 2.0}", "{'counts': object()}")),
}  # fmt: skip


def cases() -> Iterator[tuple[str, str, str]]:
    for method, (_, commands, values) in METHODS.items():
        yield from ((method, command, value) for value in values for command in commands)


@pytest.fixture(scope="session")
def vans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`data` and `model.json` of the problem without mistakes."""
    folder = tmp_path_factory.mktemp("vans")
    with pytest.MonkeyPatch.context() as patch:
        enter(folder, SOUND, patch)
        assert main(["generate", "own_vans:Vans", "data", "--count", "5"]) == 0
        assert main(LINES["train"].replace("new.json", "model.json").split()) == 0
    forget()
    return folder


def enter(folder: Path, source: str, patch: pytest.MonkeyPatch) -> None:
    forget()
    shutil.copy(PARCELS, folder / "own_parcels.py")
    (folder / "own_vans.py").write_text(source)
    patch.chdir(folder)
    patch.setattr(sys, "path", [*sys.path])
    patch.setattr("colayer.problem.guard.OWN_FOLDERS", {})
    patch.setattr("colayer.dynamic.play.MOST_EPOCHS", 300)


def forget() -> None:
    for name in ("own_vans", "own_parcels"):
        sys.modules.pop(name, None)


@pytest.fixture
def wrong(
    vans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[[str, str], Ended]]:
    shutil.copytree(vans, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))

    def call(source: str, command: str) -> Ended:
        enter(tmp_path, source, monkeypatch)
        before = files(tmp_path)
        ended = caller(capsys)(*LINES[command].split())
        if ended[0]:
            assert files(tmp_path) == before
        return ended

    yield call
    forget()


def source_of(method: str, value: str) -> str:
    head = f"def {method}(self, {METHODS[method][0]}):\n        return"
    return f"{SOUND}\n    async {head} 1.0\n" if value == LATER else f"{SOUND}\n    {head} {value}\n"


@pytest.mark.parametrize("command", LINES)
def test_without_mistakes_every_command_is_done(command: str, wrong: Callable[[str, str], Ended]) -> None:
    assert wrong(SOUND, command)[0] == 0


@pytest.mark.parametrize(("method", "command", "value"), list(cases()))
def test_a_wrong_answer_on_a_day_is_refused(
    method: str, command: str, value: str, wrong: Callable[[str, str], Ended]
) -> None:
    line = refused(wrong(source_of(method, value), command))
    assert "vans" in line or "hindsight" in line or "decision" in line


@pytest.mark.parametrize("method", ["start", "step", "features", "layer", "decode", "hindsight"])
def test_check_names_the_method_of_a_day(method: str, wrong: Callable[[str, str], Ended]) -> None:
    assert method in refused(wrong(source_of(method, NONE), "check"), prints=True)
