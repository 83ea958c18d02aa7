"""The reference of the command line, made from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from colayer.cli.app import app
from colayer.cli.commands.generate import sizes_help

#: Where the reference goes in `cli.md`.
COMMANDS = "<!-- commands -->"


def fill(page: Path) -> None:
    """Put the reference in its place."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    lines = (line for name, command in commands.items() for line in described(name, command))
    page.write_text(page.read_text("utf-8").replace(COMMANDS, "\n".join(lines)), "utf-8")


def described(name: str, command: Any) -> Iterator[str]:
    """One command as Markdown, its arguments and options in the order of `--help`."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help" and not p.hidden]
    words = [f"colayer {name}", *(p.metavar or p.name for p in arguments), "[OPTIONS]" if options else ""]
    usage = " ".join(words).strip()
    yield from (f"## {name}", "", f"```text\n{usage}\n```", "", command.help.strip(), "")
    for p in arguments:
        yield from entry(f"`{p.metavar or p.name}`", p.help)
    for p in options:
        yield from entry(spelled(p), f"{p.help or ''}{default(p)}")
    if name == "generate":
        for problem, lines in sizes_help().items():
            yield from (f"Sizes of `{problem}`; a list as in `50,75` gives every combination:", "")
            for option, text in lines:
                yield from entry(f"`{option}`", text)


def entry(term: str, text: str | None) -> Iterator[str]:
    """A term and what it means."""
    yield from (term, f":   {' '.join((text or '').split())}", "")


def spelled(option: Any) -> str:
    """`-o`, `--output FILE`."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return names if option.is_flag else f"{names} `{option.metavar or option.name.upper()}`"


def default(option: Any) -> str:
    """The default where there is one, in words."""
    if option.required:
        return " Required."
    return f" Default: `{option.default}`." if isinstance(option.default, str) else ""
