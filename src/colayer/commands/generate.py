"""`colayer generate`: seeded random instances."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from colayer.commands import options
from colayer.commands.output import progress, say
from colayer.dataset import FORMATS, check_new_folder, write_instances
from colayer.errors import OptionError

#: No whole-number size is larger: memory would be gone long before.
LARGEST = 10**9


def run(words: list[str], *, count: str, seed: str, format: str) -> None:  # noqa: A002
    """Write `count` instances for each combination of sizes into a new folder."""
    number, first = options.whole(count, "--count", 1), options.whole(seed, "--seed", maximum=2**63)
    options.choice(format, "--format", FORMATS)
    positional, given = split_words(words)
    for k, name in enumerate(("PROBLEM", "DIR")):
        if len(positional) <= k:
            expected = "a registered problem, or MODULE:NAME" if k == 0 else "a folder to write to"
            raise OptionError(f"missing, expected {expected}", where=name)
    if len(positional) > 2:
        raise OptionError("an argument too many, expected PROBLEM DIR", where=positional[2])
    problem = options.find(positional[0])
    options.need(problem, "generate", "instance generator", "PROBLEM")
    combinations = parse_sizes(problem, given)
    folder = Path(positional[1])
    check_new_folder(folder)
    seeds = np.random.SeedSequence(first).spawn(number * len(combinations))

    def instances() -> Iterator[Any]:
        for k, child in enumerate(seeds):
            yield problem.generate(child, **combinations[k // number])
            if shown is not None:
                shown(k + 1, len(seeds))

    with progress("generating") as shown:
        files = write_instances(folder, instances(), problem, format)
    of = f" of {len(combinations)} sizes" if len(combinations) > 1 else ""
    say(f"{len(files)} instances{of}: {files[0]} to {files[-1].name}\n")


def split_words(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Positional words, and `--name value` or `--name=value` pairs."""
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


def parse_sizes(problem: Any, given: dict[str, str]) -> list[dict[str, Any]]:
    """Every combination of the sizes given (`50,75` is a list) and the defaults of the others."""
    known = {_option(size): size for size in problem.sizes}
    for option in given:
        if option not in known:
            everything = [*known, "--count", "--seed", "--format"]
            near = difflib.get_close_matches(option, everything, 1) or everything
            raise OptionError(f"no such option of {problem.name}, expected {', '.join(near)}", where=option)
    values = []
    for option, size in known.items():
        texts = given[option].split(",") if option in given else [str(size.default)]
        values.append([_parse(size, text.strip(), option) for text in texts])
    return [dict(zip((size.name for size in known.values()), row, strict=True)) for row in itertools.product(*values)]


def sizes_help() -> dict[str, list[tuple[str, str]]]:
    """For each registered problem, its sizes and what they are."""
    from colayer.problems import find_problem, problem_names

    return {
        name: [
            (f"{_option(size)} {'|'.join(size.choices) or 'N'}", f"{size.help}  [default: {size.default}]")
            for size in find_problem(name).sizes
        ]
        for name in problem_names()
    }


def _option(size: Any) -> str:
    return f"--{size.name.replace('_', '-')}"


def _parse(size: Any, text: str, option: str) -> Any:
    if size.kind is int:
        options.whole(text, option, int(size.minimum or 0), LARGEST)
    return size.parse(text)
