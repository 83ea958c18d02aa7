"""`colayer --help` answers in a blink, and the version is the package's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import colayer
from colayer.cli.app import COMMANDS, EXAMPLES, app, main
from colayer.io.dataset import write_instance
from colayer.problems import SingleMachine

EXTRAS = ("pandas", "torch", "ray", "pyvrp", "botorch", "gymnasium", "ortools")
HEAVY = ("numpy", "numba", "matplotlib", "rich", "scipy", "nlopt", "cma", "colayer.pipeline", *EXTRAS)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["solve", "--help"], ["train", "--help"], []])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """What takes seconds to import is imported by the commands that need it."""
    code = (
        "import sys; from colayer.cli.app import main; status = main(sys.argv[1:]);"
        f"print([m for m in {HEAVY!r} if m in sys.modules], status, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stderr == "[] 0\n"
    assert ("Usage: colayer" if arguments != ["--version"] else colayer.__version__) in done.stdout


def test_import_loads_nothing_heavy_and_no_extra_comes_with_the_names() -> None:
    """`import colayer` is quick; its names bring numpy and numba, never pandas, torch, ray or pyvrp."""
    code = f"import sys, colayer; print([m for m in {HEAVY!r} if m in sys.modules]); " + (
        f"[getattr(colayer, name) for name in colayer.__all__]; print([m for m in {EXTRAS!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"


def test_solve_draws_nothing_and_loads_nothing_that_draws(tmp_path: Path) -> None:
    """Matplotlib would take half a second of the first solve."""
    write_instance(tmp_path / "x.json", SingleMachine().generate(seed=0, jobs=4), SingleMachine())
    unused = ("matplotlib", "highspy", "nlopt", "cma", "jinja2", *EXTRAS)
    code = (
        "import sys; from colayer.cli.app import main; status = main(sys.argv[1:]);"
        f"print([m for m in {unused!r} if m in sys.modules], status)"
    )
    arguments = ["solve", str(tmp_path / "x.json"), "-o", str(tmp_path / "y.json")]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[] 0\n")


@pytest.mark.parametrize("command", [c.name for c in app.registered_commands if c.callback])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every option says what it is."""
    assert main([command, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"Usage: colayer {command}" in out


def test_generate_help_names_the_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    """The sizes of every registered problem, with their defaults."""
    main(["generate", "--help"])
    out = capsys.readouterr().out
    assert "Sizes of single-machine" in out
    assert "--jobs N" in out
    assert "[default: 100]" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_ends_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "-h"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"Example: colayer {command} {EXAMPLES[command]}" in out
    for option in ("-q, --quiet", "-v, --verbose", "-h, --help"):
        assert option in out


def test_completion_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    main(["-h"])
    assert "--install-completion" in capsys.readouterr().out
