"""The command line. Heavy modules are imported when a command runs: `--help` answers at once.

Exit status: 0 done; 2 bad usage or bad input, with one line on stderr; 130 and 143 interrupted; 1 a fault of ours.
"""

from __future__ import annotations

import functools
import gc
import importlib
import inspect
import io
import keyword
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Annotated, Any

import typer

from colayer import __version__
from colayer._runtime.signals import asked, stopping
from colayer._runtime.text import one_line
from colayer.cli.commands.generate import Generate
from colayer.errors import ColayerError, OptionError, Terminated

#: Commands in the order of the help; each is the function of its name in the file of its name in `commands/` (a word of
#: Python's has an underscore after it there). A new command adds one word here.
COMMANDS = (
    "demo", "generate", "import", "train", "solve", "evaluate", "tune", "bound", "label", "explain", "check", "compare",
    "warmup",
)  # fmt: skip
#: Commands that another distribution brings → its name. Any distribution may add commands by this entry-point group.
ELSEWHERE = {"reproduce": "colayer-paper", "report": "colayer-paper"}
_GROUP = "colayer.commands"
#: One line to start from, for the help of each command.
EXAMPLES = {
    "demo": "dispatch",
    "generate": "single-machine data --jobs 50,100 --count 20",
    "import": "gtfs FEED.zip --date 2016-09-20 -o data",
    "train": "single-machine data -o model.json --evaluations 500",
    "solve": "data/0000.json --model model.json --candidates 10",
    "evaluate": "single-machine test --model model.json",
    "tune": "vehicle-scheduling data --rule 'delay x3' --set factor=1,2,3,4",
    "bound": "data/0000.json --tight",
    "label": "spanning-tree data --time-limit 10",
    "explain": "model.json --data data --top 5",
    "check": "my_problem:MyProblem",
    "compare": "spanning-tree test --model model.json",
    "reproduce": "--scale smoke",
    "report": "results",
    "warmup": "single-machine",
}
#: What typer is given beside the function.
_SPECIAL: dict[str, dict[str, Any]] = {
    "generate": {"cls": Generate, "context_settings": {"ignore_unknown_options": True}},
}

# Newer versions of typer ship a click of their own, older ones use the click package: this is the base class in both.
_UsageError: Any = typer.BadParameter.__bases__[0]

app = typer.Typer(
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Turn the rule or easy solver you use today into a better one, by learning from past instances.",
)


def _command(function: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: add the options that all commands have, and keep stdout for its results."""

    @functools.wraps(function)
    def run(*arguments: Any, quiet: bool, verbose: bool, **options: Any) -> None:
        from colayer.cli.console import results_alone, verbosity

        try:
            with results_alone(), verbosity(quiet, verbose):
                function(*arguments, **options)
        except EOFError as error:  # typer would take it for Ctrl-D
            raise _HiddenFromTyper(error) from error

    own = inspect.signature(function, eval_str=True)
    shared = inspect.signature(_shared, eval_str=True).parameters.values()
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *shared])  # type: ignore[attr-defined]
    return run


def _shared(
    *,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print the log of the library.")] = False,
) -> None:
    """Declare the options that every command has."""


class _HiddenFromTyper(Exception):  # noqa: N818
    """An exception that typer must not see."""


def _add(name: str, function: Callable[..., None]) -> None:
    epilog = f"Example: colayer {name} {EXAMPLES[name]}" if name in EXAMPLES else None
    app.command(name, epilog=epilog, **_SPECIAL.get(name, {}))(_command(function))


def _add_from_elsewhere() -> None:
    """Add the commands of other distributions; for a missing one of ours, say what to install."""
    from importlib.metadata import entry_points

    present = {command.name for command in app.registered_commands}
    for entry in entry_points(group=_GROUP):
        if entry.name in present:
            continue
        try:
            _add(entry.name, entry.load())
        except Exception as error:  # one broken distribution must not take the other commands away
            _add_refusal(entry.name, f"{entry.value} cannot be loaded ({type(error).__name__}: {error})")
        present.add(entry.name)
    for name, distribution in ELSEWHERE.items():
        if name not in present:
            _add_refusal(name, f"not installed: pip install {distribution}")


def _add_refusal(name: str, reason: str) -> None:
    """Add a command that only says why it is not there."""
    lenient = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

    @app.command(name, help=one_line(reason), context_settings=lenient)
    def refuse(context: typer.Context) -> None:
        raise OptionError(reason, where=name)


for _name in COMMANDS:
    _own = f"{_name}_" if keyword.iskeyword(_name) else _name
    _add(_name, getattr(importlib.import_module(f"colayer.cli.commands.{_own}"), _own))


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"colayer {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    if not words or words[0] not in (*COMMANDS, "--version"):
        _add_from_elsewhere()
    os.environ.pop("MPLBACKEND", None)  # pictures go to files: no backend is needed, and a wrong one does no harm
    try:
        with warnings.catch_warnings(), stopping(), printed():
            warnings.showwarning = _show_warning
            status = typer.main.get_command(app).main(args=argv, prog_name="colayer", standalone_mode=False)
    except _UsageError as error:
        return _refuse(usage_line(error))
    except ColayerError as error:
        return _refuse(error.line)
    except MemoryError:
        return _refuse("not enough memory for this, expected smaller sizes")
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    except Terminated:
        status = 143
    except BaseException as error:
        if asked() is None:
            return _fault(error.__cause__ if isinstance(error, _HiddenFromTyper) and error.__cause__ else error)
        status = 143 if asked() is Terminated else 130
    if status in (130, 143):
        _complain("interrupted" if status == 130 else "terminated")
    return status if isinstance(status, int) else 0


@contextmanager
def printed() -> Iterator[None]:
    """Print typer's help through `say`, which reports a full disk."""
    from colayer.cli.console import results_of, say

    with results_of(sys.stdout), redirect_stdout(io.StringIO()) as text:
        try:
            yield
        except SystemExit:  # as shell completion ends
            say(text.getvalue())
            raise
        say(_for_people(text.getvalue()))


def _for_people(text: str) -> str:
    """Return typer's help without types of Python's, and with one pair of brackets around what may be left out."""
    usage, end, rest = text.partition("\n\n")
    usage = re.sub(r"\{([^}]*)\}(\.\.\.)?", r"\1", usage)
    usage = re.sub(r"\[+([A-Z.]+)\]+(\.\.\.)?", r"[\1]", usage).replace("......", "...")
    usage = re.sub(r"\[(PROBLEM DIR)\](\.\.\.)?", r"\1", usage)  # which `generate` reads itself
    return usage + end + re.sub(r" <[^>\n]*>", lambda found: " " * len(found[0]), rest)


def usage_line(error: Any) -> str:
    """Return a usage error of click's as one line: `OPTION: what is wrong, what is expected`."""
    import difflib

    option = getattr(error, "option_name", None)
    command = error.ctx.command if error.ctx else None
    if option is not None and hasattr(error, "possibilities"):
        options = [name for p in (command.params if command else ()) for name in p.opts if name.startswith("-")]
        near = difflib.get_close_matches(option, options, 2)
        return f"{option}: no such option" + (f", did you mean {' or '.join(near)}?" if near else "")
    if option is not None:
        return f"{option}: takes no value" if "not take" in error.message else f"{option}: expected a value"
    param = getattr(error, "param", None)
    message = error.message.strip().rstrip(".").removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    if param is None:
        return str(message)
    name = param.opts[0] if param.param_type_name == "option" else (param.metavar or param.name)
    help_text = (getattr(param, "help", None) or "a value").rstrip(".")
    return f"{name}: {message or f'missing, expected {help_text[:1].lower()}{help_text[1:]}'}"


def _fault(error: BaseException) -> int:
    """Print an error in a user's file as one line, any other with its traceback; return the exit status."""
    import traceback

    from colayer.problem.guard import own_fault

    said = own_fault(error)
    if said is not None:
        return _refuse(said)
    if isinstance(error, SystemExit):
        raise error
    _complain("".join(traceback.format_exception(error)).rstrip())
    return 1


def _refuse(message: str) -> int:
    _complain(f"error: {one_line(message)}")
    return 2


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain(f"warning: {one_line(str(message))}")


def _complain(line: str) -> None:
    """Print a line on stderr, if there is one."""
    from colayer.cli.console import note

    note(line)


def run() -> int:
    """Run `main` as the installed command does, on streams made safe to write to."""
    from colayer.cli.console import make_streams_writable

    gc.set_threshold(100_000, 50, 50)  # what is imported and compiled stays: looking for garbage in it takes time
    make_streams_writable()
    return main()


if __name__ == "__main__":
    sys.exit(run())
