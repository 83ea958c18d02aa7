"""What the site is built with beside Markdown: formulas as they are, and the reference of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor
from markdown.util import ETX, STX

#: Where the reference goes in `cli.md`.
COMMANDS = "<!-- commands -->"


class Underscore(InlineProcessor):
    """`_` stands for itself: it is a subscript in a formula and never emphasis."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # noqa: N802
        """The sign as Markdown keeps one that was escaped by hand."""
        return f"{STX}{ord('_')}{ETX}", m.start(0), m.end(0)


class Sessions(Preprocessor):
    """`>>>` in a docstring begins code, up to an empty line; to Markdown it would be a quotation in a quotation."""

    def run(self, lines: list[str]) -> list[str]:
        """Put fences around each."""
        text = re.sub(r"^(>>> .*(?:\n(?!\s*$).*)*)", r"```pycon\n\1\n```", "\n".join(lines), flags=re.MULTILINE)
        return text.split("\n")


class Plain(Extension):
    """Formulas and examples stay as they are."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Examples before all else; formulas after code, links and HTML, before emphasis."""
        md.preprocessors.register(Sessions(md), "sessions", 40)
        md.inlinePatterns.register(Underscore("_", md), "underscore", 75)


def on_config(config: Any) -> Any:
    """For the pages and for the docstrings."""
    config.markdown_extensions.append(Plain())
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the reference in its place."""
    return markdown.replace(COMMANDS, reference()) if COMMANDS in markdown else markdown


def reference() -> str:
    """Every command with its arguments and options, in the order of `colayer --help`."""
    import typer

    from colayer.cli import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return "\n".join(line for name, command in commands.items() for line in described(name, command))


def described(name: str, command: Any) -> Iterator[str]:
    """One command as Markdown."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    words = [f"colayer {name}", *(p.metavar or p.name for p in arguments), "[OPTIONS]" if options else ""]
    usage = " ".join(words).strip()
    yield from (f"## {name}", "", f"```text\n{usage}\n```", "", command.help.strip(), "")
    if arguments or options:
        yield from ("| | |", "|---|---|")
        yield from (f"| `{cell(p.metavar or p.name)}` | {cell(p.help or '')} |" for p in arguments)
        yield from (f"| {spelled(p)} | {cell(p.help or '')}{default(p)} |" for p in options)
        yield ""
    if name == "generate":
        yield from sizes()


def sizes() -> Iterator[str]:
    """The sizes of every registered problem, which are options of `generate`."""
    from colayer.commands.generate import sizes_help

    for problem, lines in sizes_help().items():
        yield from (f"Sizes of `{problem}`; a list as in `50,75` gives every combination:", "", "| | |", "|---|---|")
        yield from (f"| `{cell(option)}` | {cell(text)} |" for option, text in lines)
        yield ""


def spelled(option: Any) -> str:
    """`-o`, `--output FILE`."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return names if option.is_flag else f"{names} `{cell(option.metavar or '')}`"


def default(option: Any) -> str:
    """The default where there is one, in words."""
    if option.required:
        return " Required."
    return f" Default: `{option.default}`." if isinstance(option.default, str) else ""


def cell(text: str) -> str:
    """Text fit for one cell of a table."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|")
