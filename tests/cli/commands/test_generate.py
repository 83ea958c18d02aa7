"""`colayer generate`: every combination of sizes, by the seed alone, into a new folder; and how words are read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, OptionError, Size, read_instances
from colayer.cli.commands.generate import LARGEST, parse_sizes, sizes_help, split_words
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, problem_names
from support import selection_problem
from support.errors import rejects
from support.pick_problem import Pick


@pytest.mark.parametrize("kind", ["json", "npz"])
def test_every_combination(kind: str, run: Any, place: Path) -> None:
    """`--count` instances for each pair of sizes, in order; options may stand anywhere."""
    out = run("generate", "--jobs", "3,5", "single-machine", "--rho=0.2,2", "a", "--count", 2, "--format", kind)
    assert out == f"8 instances of 4 sizes: a/0000.{kind} to 0007.{kind}\n"
    instances = read_instances(place / "a")
    assert [x.jobs for x in instances] == [3] * 4 + [5] * 4
    assert len({x.release.tobytes() + x.processing.tobytes() for x in instances}) == 8
    assert all(path.suffix == f".{kind}" for path in (place / "a").iterdir())


def test_the_seed_alone(run: Any, place: Path) -> None:
    """The same seed gives the same files, also for a larger count; another seed gives others."""
    for name, seed, count in (("a", 5, 3), ("b", 5, 4), ("c", 6, 3)):
        run("generate", "single-machine", name, "--seed", seed, "--count", count, "--jobs", 8)
    a, b, c = ([p.read_bytes() for p in sorted((place / name).iterdir())] for name in "abc")
    assert a == b[:3]
    assert not set(a) & set(c)
    child = np.random.SeedSequence(5).spawn(3)[1]
    expected = SingleMachine().generate(child, jobs=8, rho=1.0)
    assert np.array_equal(read_instances(place / "a")[1].release, expected.release)


def test_into_an_empty_folder(run: Any, place: Path) -> None:
    (place / "here").mkdir()
    assert run("generate", "single-machine", "here", "--count", 1, "--jobs", 2) == (
        "1 instances: here/0000.json to 0000.json\n"
    )
    assert [p.name for p in (place / "here").iterdir()] == ["0000.json"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "PROBLEM: missing, expected a registered problem, or MODULE:NAME"),
        (["single-machine"], "DIR: missing, expected a folder to write to"),
        (["single-machine", "new", "extra"], "extra: "),
        (["single-machine", "new", "--format", "csv"], "--format: 'csv' is not one of 'json', 'npz'"),
        (["single-machine", "new", "--job", "3"], "--job: no such option of single-machine, expected --jobs (or --rho"),
        (["single-machine", "new", "--jobs", str(LARGEST + 1)], f"--jobs: {LARGEST + 1} is out of range"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(words: list[str], said: str, refused: Any, place: Path) -> None:
    assert said in refused("generate", *words)
    assert list(place.iterdir()) == []


def test_words_are_split_into_places_and_pairs() -> None:
    assert split_words(["a", "--x", "1", "b", "--y=2=3", "-"]) == (["a", "b", "-"], {"--x": "1", "--y": "2=3"})
    assert split_words(["--x", "-5"]) == ([], {"--x": "-5"})
    with rejects(OptionError, where="--x"):
        split_words(["--x", "1", "--x=2"])
    with rejects(OptionError, where="--x"):
        split_words(["a", "--x"])


class Sized(Pick, BaseProblem):
    sizes = (
        Size("items", int, 4, "number of items", minimum=2),
        Size("load_factor", float, 0.5, "load"),
        Size("kind", str, "even", "what they are like", choices=("even", "odd")),
    )


def test_sizes_are_every_combination_of_lists_and_defaults() -> None:
    sized = bind(Sized())
    assert parse_sizes(sized, {}) == [{"items": 4, "load_factor": 0.5, "kind": "even"}]
    found = parse_sizes(sized, {"--items": "2, 3", "--load-factor": "1e-3", "--kind": "odd,even"})
    assert [tuple(sizes.values()) for sizes in found] == [
        (2, 0.001, "odd"), (2, 0.001, "even"), (3, 0.001, "odd"), (3, 0.001, "even"),
    ]  # fmt: skip
    for option, text in (
        ("--items", "1"), ("--items", "2,,3"), ("--items", str(LARGEST + 1)), ("--load-factor", "nan"),
        ("--kind", "none"),
    ):  # fmt: skip
        with rejects(OptionError, where=option):
            parse_sizes(sized, {option: text})


def test_the_help_has_the_sizes_of_every_registered_problem() -> None:
    shown = sizes_help()
    assert tuple(shown) == problem_names()
    assert shown["single-machine"][0] == ("--jobs N", "number of jobs  [default: 100]")


def test_the_help_names_the_sizes_of_a_problem_of_ones_own(run: Any, place: Path) -> None:
    shutil.copy(selection_problem.__file__, place / "helped_projects.py")
    out = run("generate", "helped_projects:Selection", "--help")
    assert "Sizes of helped_projects:Selection" in out
    assert "--projects N  number of projects  [default: 9]" in out
    assert "single-machine (" not in out
