"""`colayer generate`: seeded random instances."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from colayer._runtime.text import one_of
from colayer.cli import options as arguments
from colayer.errors import OptionError

if TYPE_CHECKING:
    from colayer.cli.lookup import SomeProblem
    from colayer.problem.sizes import Size

#: No whole-number size is larger: memory would be gone long before.
LARGEST = 10**9


class Generate(TyperCommand):
    """The command `generate`, whose help lists the sizes of every registered problem, or of the one given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remember the words, since help is printed before they are parsed."""
        ctx.meta["words"] = list(args)
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the sizes below the options."""
        super().format_epilog(ctx, formatter)
        own = next((word for word in ctx.meta.get("words", ()) if ":" in word and not word.startswith("-")), None)
        for name, lines in sizes_help(own).items():
            with formatter.section(f"Sizes of {name} (a list as in 50,75 gives every combination)"):
                formatter.write_dl(lines)


def generate(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROBLEM DIR",
            show_default=False,
            help="A registered problem or MODULE:NAME, and a new folder.",
        ),
    ] = None,
    count: Annotated[
        int, typer.Option(metavar="N", parser=arguments.whole(1), help="Instances for each combination of sizes.")
    ] = 20,
    seed: arguments.Seed = 0,
    format: Annotated[Literal["json", "npz"], typer.Option(metavar="json|npz", help="File format.")] = "json",  # noqa: A002
) -> None:
    """Write seeded random instances into a new folder."""
    import numpy as np

    from colayer.cli.console import progress, say
    from colayer.cli.lookup import find
    from colayer.io.dataset import write_instances
    from colayer.io.new_folder import check_new_folder

    positional, given = split_words(words or [])
    for k, name in enumerate(("PROBLEM", "DIR")):
        if len(positional) <= k:
            expected = "a registered problem, or MODULE:NAME" if k == 0 else "a folder to write to"
            raise OptionError(f"missing, expected {expected}", where=name)
    if len(positional) > 2:
        raise OptionError("unexpected argument, expected PROBLEM DIR", where=positional[2])
    problem = find(positional[0])
    make = problem.need("generate", option="PROBLEM")
    combinations = parse_sizes(problem, given)
    folder = Path(positional[1])
    check_new_folder(folder, again=True)  # killed after its last word, it runs again
    seeds, total = np.random.SeedSequence(seed), count * len(combinations)

    def instances() -> Iterator[Any]:
        for k in range(total):
            yield make(seeds.spawn(1)[0], **combinations[k // count])
            if shown is not None:
                shown(k + 1, total)

    with progress("generating") as shown:
        files = write_instances(folder, instances(), problem, format)
    of = f" of {len(combinations)} sizes" if len(combinations) > 1 else ""
    say(f"{len(files)} instances{of}: {files[0]} to {files[-1].name}\n")


def split_words(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Split the words into positional ones and `--name value` or `--name=value` pairs."""
    positional: list[str] = []
    given: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            positional.append(word)
            continue
        option, equals, value = word.partition("=")
        if option in given:
            raise OptionError("given twice, expected once", where=option)
        text = value if equals else next(rest, None)
        if text is None:
            raise OptionError("expected a value", where=option)
        given[option] = text
    return positional, given


def parse_sizes(problem: SomeProblem, given: dict[str, str]) -> list[dict[str, Any]]:
    """Return every combination of the given sizes (`50,75` is a list), with defaults for the others."""
    sizes = {size.option: size for size in problem.sizes}
    for option in given:
        if option not in sizes:
            everything = (*sizes, "--count", "--seed", "--format")
            raise OptionError(f"no such option of {problem.name}, expected {one_of(option, everything)}", where=option)
    values = []
    for option, size in sizes.items():
        texts = given[option].split(",") if option in given else [str(size.default)]
        values.append([_parse(size, text.strip()) for text in texts])
    return [dict(zip((size.name for size in sizes.values()), row, strict=True)) for row in itertools.product(*values)]


def sizes_help(own: str | None = None) -> dict[str, list[tuple[str, str]]]:
    """Return the sizes of each registered problem, or of the user's problem MODULE:NAME."""
    from colayer.cli.lookup import find
    from colayer.problems import problem_names

    return {
        name: [
            (f"{size.option} {'|'.join(size.choices) or 'N'}", f"{size.help}  [default: {size.default}]")
            for size in find(name).sizes
        ]
        for name in ([own] if own else problem_names())
    }


def _parse(size: Size, text: str) -> Any:
    value = size.parse(text)
    if size.kind is int and value > LARGEST:
        raise OptionError(f"{value} is out of range, expected at most {LARGEST}", where=size.option)
    return value
