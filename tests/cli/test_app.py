"""The command line itself: its commands, exit statuses, and the one line that every error gets."""

from __future__ import annotations

import sys
import warnings
from keyword import iskeyword
from pathlib import Path
from typing import Any

import pytest
import typer

import colayer
from colayer.cli import app as cli
from colayer.cli.app import COMMANDS, main
from colayer.errors import InputError, MissingExtraError


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let `colayer bound` raise something in the place of its work."""

    def plant(error: BaseException) -> None:
        def fail(*_: Any, **__: Any) -> Any:
            raise error

        monkeypatch.setattr("colayer.cli.commands.solve.read_inputs", fail)

    return plant


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No command of another distribution is known yet."""
    monkeypatch.setattr(cli.app, "registered_commands", cli.app.registered_commands[: len(COMMANDS)])


@pytest.mark.usefixtures("fresh")
def test_every_command_is_the_function_of_its_name_in_the_file_of_its_name() -> None:
    folder = Path(cli.__file__).parent / "commands"
    registered = {c.callback.__name__: c.callback.__module__ for c in cli.app.registered_commands if c.callback}
    files = [f"{name}_" if iskeyword(name) else name for name in COMMANDS]
    assert registered == {name: f"colayer.cli.commands.{name}" for name in files}
    assert all((folder / f"{name}.py").is_file() for name in files)


def test_the_help_lists_the_commands_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nothing is asked for."""
    assert main([]) == 0
    asked = capsys.readouterr().out
    assert main(["--help"]) == 0
    assert capsys.readouterr().out == asked
    places = [asked.index(f"\n  {name} ") for name in COMMANDS]
    assert places == sorted(places)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("arguments", [["report", "x"], ["reproduce", "--scale", "smoke"], ["report", "--help"]])
def test_without_the_paper_its_commands_say_what_to_install(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {arguments[0]}: ")
    assert err.endswith("pip install colayer-paper\n")
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    assert all(f"\n  {name} " in listed for name in cli.ELSEWHERE)


@pytest.mark.usefixtures("fresh")
def test_a_distribution_that_cannot_be_loaded_takes_only_its_own_command_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        name, value = "extra", "broken.module:extra"

        def load(self) -> Any:
            raise ImportError("no module named broken")

    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: (Broken(),))
    assert main(["--help"]) == 0
    assert "\n  extra " in capsys.readouterr().out
    assert main(["extra"]) == 2
    assert capsys.readouterr().err.startswith("error: extra: broken.module:extra ")


@pytest.mark.usefixtures("fresh")
def test_another_distribution_may_bring_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the entry-point group; its own commands nobody can replace."""

    class Entry:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> Any:
            def command(word: str) -> None:
                """Say a word."""
                raise InputError(f"{self.name} {word}")

            return command

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry("report"), Entry("solve")])
    assert main(["report", "x"]) == 2
    assert capsys.readouterr() == ("", "error: report x\n")
    assert main(["--help"]) == 0
    assert "\n  report  " in capsys.readouterr().out
    assert main(["solve", "missing.json"]) == 2
    assert "missing.json" in capsys.readouterr().err


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"colayer {colayer.__version__}\n", "")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("3 entries, expected 2", where="a.json: jobs"), "error: a.json: jobs: 3 entries, expected 2\n"),
        (MissingExtraError("pip install 'colayer[ray]'"), "error: pip install 'colayer[ray]'\n"),
        (MemoryError(), "error: not enough memory for this, expected smaller sizes\n"),
        (typer.BadParameter("Too much."), "error: too much\n"),
        (InputError("two\nlines \x1b[31m and é"), "error: two\\nlines \\x1b[31m and é\n"),
    ],
)
def test_what_the_user_can_mend_is_one_line_and_status_2(
    error: BaseException, said: str, raising: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(error)
    assert main(["bound", "x.json"]) == 2
    assert capsys.readouterr() == ("", said)


def test_shell_completion_completes_tr_to_train(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("_COLAYER_COMPLETE", "complete_bash"), ("COMP_WORDS", "colayer tr"), ("COMP_CWORD", "1")):
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert (ended.value.code, capsys.readouterr()) == (0, ("train\n", ""))


@pytest.mark.parametrize("width", [80, 100])
def test_no_description_of_a_command_is_cut(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2].splitlines()
    assert len([line for line in listed if line.strip()]) == len(COMMANDS) + len(cli.ELSEWHERE)
    assert [line for line in listed if line.endswith("...")] == []


@pytest.mark.parametrize("command", [*COMMANDS, *cli.ELSEWHERE])
def test_the_help_of_a_command_is_for_people(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No brackets within brackets, no classes of Python's."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert not [wrong for wrong in ("[[", "<", "list[") if wrong in text]
    assert "{" not in text.partition("\n\n")[0]


@pytest.mark.parametrize("option", ["--features", "--decoder"])
def test_values_of_an_option_are_said_by_problem(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    from colayer.problems import registered

    assert main(["train", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split()).replace("- ", "-")  # lines break at hyphens
    said = text[text.index(option) : text.index(". ", text.index(option))]
    for name in ("single-machine", "spanning-tree", "vehicle-scheduling"):
        if option.removeprefix("--") in registered(name).options:
            assert f"({name})" in said


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_ctrl_c_is_status_130(error: BaseException, raising: Any, capsys: pytest.CaptureFixture[str]) -> None:
    raising(error)
    assert main(["bound", "x.json"]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_a_fault_of_ours_is_not_hidden(raising: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Only errors raised on purpose become one line: a bug ends with a traceback and status 1."""
    raising(ZeroDivisionError("ours"))
    assert main(["bound", "x.json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Traceback")
    assert "ZeroDivisionError: ours" in err


def test_the_end_of_the_program_is_left_to_whoever_asked_for_it(raising: Any) -> None:
    raising(SystemExit(3))
    with pytest.raises(SystemExit, match="3"):
        main(["bound", "x.json"])


def test_a_fault_in_a_file_of_the_users_is_one_line_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "faulty_crews.py").write_text(
        "from colayer import BaseProblem\n"
        "class Crews(BaseProblem):\n"
        "    name, feature_names = 'crews', ('one',)\n"
        "    features = layer = cost = print\n"
        "    def generate(self, seed): return {}['nothing']\n"
    )
    assert main(["generate", "faulty_crews:Crews", "data"]) == 2
    said = "error: generate of crews raised KeyError: 'nothing' (faulty_crews.py, line 5)\n"
    assert capsys.readouterr() == ("", said)


def test_a_warning_is_one_line_on_stderr_and_not_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def warned(*_: Any, **__: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("safe weights are used", stacklevel=1)
        raise InputError("no more")

    monkeypatch.setattr("colayer.cli.commands.solve.read_inputs", warned)
    before = warnings.showwarning
    assert main(["bound", "x.json"]) == 2
    assert capsys.readouterr().err == "warning: safe weights are used\nerror: no more\n"
    assert warnings.showwarning is before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "no such command 'frobnicate'"),
        (["solv"], "no such command 'solv'"),
        (["--frob"], "--frob: no such option"),
        (["solve"], "INSTANCE...: missing"),
        (["train", "single-machine", "data"], "-o: missing, expected the model file to write"),
        (["train", "single-machine"], "DIR: missing, expected a folder of instances, NNNN.json or NNNN.npz"),
        (["solve", "x.json", "--modle", "m"], "--modle: no such option, did you mean --model"),
        (["solve", "x.json", "--samples"], "--samples: expected a value"),
        (["solve", "x.json", "--json=yes"], "--json: takes no value"),
        (["solve", "x.json", "--workers", "0"], "--workers: 0 is out of range, expected at least 1"),
        (["reproduce", "--scale", "huge"], "--scale: 'huge' is not one of 'smoke', 'small', 'paper'"),
        (["label", "a", "b", "c"], "got unexpected extra argument"),
    ],
)
def test_bad_usage_is_one_line_that_names_the_option(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {said}")
