"""A problem of the user's whose methods and attributes are wrong: one line that names the method, status 2, no file.

The table has the commands that call a method, and what it returns instead of an answer, as a user might write it.
"""

from __future__ import annotations

import functools
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import typer

from colayer.cli.app import main
from colayer.models import read_model
from support.hostile import Ended, caller, files, refused

SELECTION = Path(__file__).parent.parent / "support" / "selection_problem.py"

#: A problem without mistakes, and with every optional part but for those that hide the five methods.
SOUND = """
import numpy as np
from own_selection import Selection


class Crews(Selection):
    name = "crews"
    best = evaluator = None

    def exact(self, instance, time_limit=None, progress=None, start=None):
        return np.arange(instance.choose), 0.0, False

    def target(self, solution, instance):
        return Selection.embed(self, solution, instance)
"""

LINES = {
    "train": "train own_crews:Crews data -o new.json --evaluations 4 --workers 1 --no-journal",
    "guarantees": "train own_crews:Crews data -o new.json --evaluations 4 --workers 1 --no-journal --guarantees",
    "demonstrate": "train own_crews:Crews data -o new.json --evaluations 2 --workers 1 --no-journal --solutions",
    "evaluate": "evaluate own_crews:Crews bare --model model.json",
    "tight": "evaluate own_crews:Crews bare --tight --model model.json",
    "solve": "solve data/0000.json --problem own_crews:Crews --model model.json -o new.json",
    "decoder": "solve data/0000.json --problem own_crews:Crews --model model.json --decoder swap -o new.json",
    "plot": "solve data/0000.json --problem own_crews:Crews --model model.json --plot new.png",
    "certify": "solve data/0000.json --problem own_crews:Crews --model model.json --certify -o new.json",
    "bound": "bound data/0000.json --problem own_crews:Crews -o new.json",
    "label": "label own_crews:Crews bare --workers 1",
    "compare": "compare own_crews:Crews bare --model model.json --time-limit 0.02 -o new",
    "explain": "explain model.json --problem own_crews:Crews --data data -o new.json",
    "generate": "generate own_crews:Crews new --count 2",
    "check": "check own_crews:Crews",
}
#: Methods of learners that have one of their own.
LINES |= {name: f"{LINES['demonstrate']} --method {name}" for name in ("crf", "hinge")}

NONE, TEXT, PAIR, NAN, OBJECT, LATER = "None", "'low'", "(1.0, 2.0)", "float('nan')", "object()", "later()"
INFINITE, HUGE, COMPLEX, LIST, NEGATIVE, ARRAY = "np.inf", "10**400", "1j", "[1.0, 2.0]", "-1.0", "np.ones((3, 1))"
NO_NUMBER = (TEXT, PAIR, NAN, OBJECT, LATER, INFINITE, HUGE, COMPLEX, LIST, ARRAY)
NO_VECTOR = (NONE, TEXT, PAIR, OBJECT, LATER, "np.full(len(instance.price), np.nan)", ARRAY, "{'price': 1.0}")
NO_DICT = (NONE, TEXT, PAIR, OBJECT, LATER, "{1: 2.0}", LIST)
NO_JSON = ("{'chosen': object()}", "{'chosen': [1, {'two': 2j}]}", "{'chosen': 1j}")
NO_FEATURES = (
    NONE, TEXT, PAIR, OBJECT, LATER, ARRAY, HUGE, "np.ones(3)", "np.ones((4, 3), dtype=int)", "np.ones((0, 3))",
    "np.ones((4, 3)) * 1j", "np.full((9, 3), np.nan)", "[[1.0], [1.0, 2.0]]", "[[None, 1.0, 2.0]]",
    "np.array([['a'] * 3])",
)  # fmt: skip
NO_EXACT = (
    NONE, TEXT, PAIR, OBJECT, LATER, NAN, "[[0], 1.0, True]", "(None, 1.0, True)", "(np.arange(2), 'low', True)",
    "(np.arange(2), None, True)", "(np.arange(2), float('nan'), True)", "(np.arange(2), np.inf, True)",
    "(np.arange(2), 10**400, True)", "(np.arange(2), 1e9, True)", "(np.arange(2), 1.0, True, 4)",
)  # fmt: skip
NO_BEST = (
    NONE, TEXT, PAIR, OBJECT, LATER, "(0, np.arange(2), None)", "(0, np.arange(2), float('nan'))",
    "(99, np.arange(2), 1.0)", "('first', np.arange(2), 1.0)", "(0, None, 1.0)", "(0, np.arange(2), -1e9)",
    "[0, np.arange(2), 1.0]",
)  # fmt: skip

#: method → (the commands that call it, what it returns).
METHODS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "features": (("train", "evaluate", "solve"), NO_FEATURES),
    "layer": (("train", "demonstrate", "evaluate", "solve", "certify", "compare", "explain"), (NONE, LATER)),
    "decode": (("train", "evaluate", "solve", "certify", "compare", "explain"), (NONE, LATER)),
    "cost": (("train", "evaluate", "solve", "label"), (NONE, *NO_NUMBER)),
    "scale": (("train", "evaluate", "compare"), (NONE, *NO_NUMBER, NEGATIVE, "0.0")),
    "bound": (("evaluate", "solve", "bound", "explain"), NO_NUMBER),
    "exact": (("label", "certify", "tight"), NO_EXACT),
    "best": (("solve",), NO_BEST),
    "group": (("evaluate", "compare"), (*NO_DICT, "{'jobs': 'many'}", "{'jobs': None}", "{'jobs': float('nan')}")),
    "read": (("train", "label", "solve"), (NONE, LATER)),
    "write": (("generate", "train"), (*NO_DICT, *NO_JSON)),
    "write_solution": (("solve", "label"), (*NO_DICT, *NO_JSON)),
    "read_solution": (("demonstrate",), (NONE, LATER)),
    "embed": (("demonstrate", "hinge"), NO_VECTOR),
    "target": (("demonstrate",), NO_VECTOR),
    "augmented": (
        ("hinge",),
        (NONE, TEXT, OBJECT, LATER, PAIR, "(theta, None)", "(theta, float('nan'))", "(None, 1.0)"),
    ),
    "likelihood": (
        ("crf",),
        (NONE, TEXT, OBJECT, LATER, PAIR, "(None, theta)", "(float('nan'), theta)", "(1.0, None)"),
    ),
    "generate": (("generate",), (NONE, LATER)),
    "violation": (("evaluate", "solve"), ("3.0", PAIR, OBJECT, LATER, "True", ARRAY)),
    "baseline": (("evaluate", "train"), (NONE, LATER)),
    "content": (("train",), (NONE, TEXT, PAIR, OBJECT, LATER)),
    "evaluator": (("train",), (TEXT, PAIR, OBJECT, LATER)),
    "with_options": (("decoder",), (NONE, TEXT, PAIR, OBJECT, LATER, "self")),
    "plot": (("plot",), (NONE, TEXT, PAIR, OBJECT, LATER)),
}  # fmt: skip
PARAMETERS = {
    "layer": "theta, instance", "decode": "y, instance", "cost": "solution, instance", "best": "thetas, instance, seed",
    "exact": "instance, time_limit=None, progress=None, start=None", "read": "document", "generate": "seed, projects=9",
    "write_solution": "solution, instance", "read_solution": "document, instance", "embed": "y, instance",
    "target": "solution, instance", "augmented": "theta, target, instance", "likelihood": "theta, target, instance",
    "violation": "solution, instance", "baseline": "rule, instance",
    "evaluator": "instances", "with_options": "**changes", "plot": "solution, instance", "shuffled": "instance, seed",
}  # fmt: skip

NO_WORDS = ("3", "'price'", "(1, 2)", "{'a': 1}.items", "object()", r"('\ud800',)")
#: attribute → what it is instead; every command looks at them.
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "name": ("3", "''", "('crews',)", "object()", r"'\ud800'", "b'crews'"),
    "feature_names": NO_WORDS,
    "options": ("3", "'decoder'", "('decoder',)", "{1: 2}", "object()", "lambda self: {}"),
    "sizes": ("3", "'projects'", "('projects',)", "Size('projects', int, 3, 'n')", "(Size('a b', int, 3, 'n'),)",
              "(Size('n', int, 'three', 'n'),)", "(Size('n', list, 3, 'n'),)", "(Size('n', int, 3, 'n'),) * 2"),
    "radius": ("'wide'", "-1.0", "0", "float('nan')", "np.inf", "True", "(1.0, 2.0)", "object()", "10**400"),
    "homogeneous": ("'yes'", "2", "object()", "(True,)"),
    "safe_weights": ("'low'", "3.0", "(1.0, 2.0)", "[float('nan')] * 3", "object()", "['a', 'b', 'c']", "{'price': 1}",
                     "[10**400] * 3", "np.ones((3, 1))", "[1j] * 3"),
    "fields": NO_WORDS,
    "decoders": NO_WORDS,
    "learn_decoders": ("3", "'none'", "('none',)", "{1: 2}", "{'swap': 3}", "object()"),
    "feature_groups": ("3", "'all'", "('all',)", "{1: 2}", "{'all': 'price'}", "{'all': (1, 2)}", "object()"),
    "baselines": NO_WORDS,
    "searches": NO_WORDS,
    "tight_seconds": ("'long'", "-1.0", "0", "float('nan')", "np.inf", "object()"),
    **dict.fromkeys(("features", "layer", "decode", "cost", "scale", "bound", "exact"), ("3", "'method'", "(1, 2)")),
}  # fmt: skip

#: How a property fails, and what is said of it.
FAILS = {
    "self.no_such_thing": "AttributeError",
    "1 / 0": "ZeroDivisionError",
    "self.no_such_thing[0]": "AttributeError",
    "next(iter(()))": "StopIteration",
    "sys.exit(0)": "SystemExit",
}
#: What a module does as it is imported.
LEAVES = {
    "raise BaseException('gone')": "BaseException: gone",
    "raise GeneratorExit": "GeneratorExit",
    "raise SystemExit(0)": "SystemExit: 0",
    "raise SystemExit": "SystemExit",
    "import os; os._exit(0)": "os._exit(0)",
    "import os; os._exit(3)": "os._exit(3)",
    "raise StopIteration": "StopIteration",
    "raise EOFError": "EOFError",
    "raise MemoryError": "MemoryError",
    "raise RecursionError('deep')": "RecursionError: deep",
    "raise ImportError('half')": "ImportError: half",
    "raise Exception": "Exception",
    "class Loud(Exception): __str__ = None\nraise Loud": "Loud",
}


#: The parsers of the commands, made once: that is half of the time of a refusal.
_COMMANDS = functools.cache(typer.main.get_command)


def cases() -> Iterator[tuple[str, str, str]]:
    for method, (commands, values) in METHODS.items():
        for value in values:
            yield from ((method, command, value) for command in commands)


@pytest.fixture(scope="session")
def crews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`data` with labels, `bare` without, and `model.json`, of the problem without mistakes. No test changes them."""
    folder = tmp_path_factory.mktemp("crews")
    with pytest.MonkeyPatch.context() as patch:
        _enter(folder, SOUND, patch)
        for line in (
            "generate own_crews:Crews data --count 2 --projects 4",
            "generate own_crews:Crews bare --count 2 --projects 4 --seed 1",
            "label own_crews:Crews data --workers 1",
            LINES["train"].replace("new.json", "model.json"),
        ):
            assert main(line.split()) == 0
    return folder


@pytest.fixture
def wrong(
    crews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Ended]]:
    """Source of the user's module and a command → how it ended, once it is sure that no file but `new` was touched."""
    shutil.copytree(crews, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("typer.main.get_command", _COMMANDS)

    def call(source: str, command: str, new: Sequence[str] = ()) -> Ended:
        _enter(tmp_path, source, monkeypatch)
        before = files(tmp_path)
        ended = caller(capsys)(*LINES[command].split())
        after = files(tmp_path)
        assert {name: after[name] for name in after if name not in new} == before
        return ended

    yield call
    _forget()


def _enter(folder: Path, source: str, patch: pytest.MonkeyPatch) -> None:
    _forget()
    shutil.copy(SELECTION, folder / "own_selection.py")
    (folder / "own_crews.py").write_text(source)
    patch.chdir(folder)
    patch.setattr(sys, "path", [*sys.path])
    patch.setattr("colayer.problem.guard.OWN_FOLDERS", {})


def _forget() -> None:
    for name in ("own_crews", "own_selection"):
        sys.modules.pop(name, None)


def method_source(method: str, value: str) -> str:
    head = f"def {method}(self, {PARAMETERS.get(method, 'instance')}):\n        return"
    return f"{SOUND}\n    async {head} 1.0\n" if value == LATER else f"{SOUND}\n    {head} {value}\n"


@pytest.mark.parametrize(("method", "command", "value"), list(cases()))
def test_a_wrong_answer_is_refused_by_the_name_of_its_method(
    method: str, command: str, value: str, wrong: Callable[[str, str], Ended]
) -> None:
    ended = wrong(method_source(method, value), command)
    line = refused(ended, prints=method == "plot")  # a picture that cannot be drawn loses no results
    assert ("feature" if method == "features" else f"{method} of crews") in line


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("features", NONE), ("features", ARRAY), ("layer", NONE), ("cost", TEXT), ("cost", NAN), ("scale", NONE),
        ("exact", PAIR), ("embed", TEXT), ("target", ARRAY), ("write", NONE), ("write_solution", PAIR), ("bound", TEXT),
    ],
)  # fmt: skip
def test_check_names_the_method_that_returns_it(method: str, value: str, wrong: Callable[[str, str], Ended]) -> None:
    """The table of the checks is its result, and printed."""
    assert method in refused(wrong(method_source(method, value), "check"), prints=True)


@pytest.mark.parametrize("value", [TEXT, PAIR, OBJECT, LATER])
def test_a_fault_after_learning_loses_no_model(value: str, wrong: Callable[..., Ended]) -> None:
    """What is learned is written before guarantees are looked for."""
    said = wrong(method_source("approximation", value), "guarantees", ["new.json"])
    refused(said, "approximation of crews returned")
    assert read_model(Path("new.json")).problem == "crews"


@pytest.mark.parametrize("command", ["train", "solve"])
@pytest.mark.parametrize(
    ("attribute", "value"), [(attribute, value) for attribute, values in ATTRIBUTES.items() for value in values]
)
def test_a_wrong_attribute_is_refused_by_its_name(
    attribute: str, value: str, command: str, wrong: Callable[[str, str], Ended]
) -> None:
    source = f"from colayer import Size\n{SOUND}\n    {attribute} = {value}\n"
    assert f"{attribute} of " in refused(wrong(source, command))


@pytest.mark.parametrize("command", ["train", "solve"])
@pytest.mark.parametrize("fails", FAILS)
@pytest.mark.parametrize("attribute", ["safe_weights", "name", "options", "sizes", "radius", "cost", "bound"])
def test_a_property_that_fails_is_not_taken_for_missing(
    attribute: str, fails: str, command: str, wrong: Callable[[str, str], Ended]
) -> None:
    """A typo within `safe_weights` raises AttributeError, as does an attribute that is not there."""
    source = f"import sys\n{SOUND}\n    @property\n    def {attribute}(self):\n        return {fails}\n"
    line = refused(wrong(source, command))
    assert f"{attribute} of Crews raised {FAILS[fails]}" in line


@pytest.mark.parametrize("command", ["train", "solve", "check", "label", "generate"])
@pytest.mark.parametrize("leaves", LEAVES)
def test_a_module_that_leaves_as_it_is_imported_is_refused(
    leaves: str, command: str, wrong: Callable[[str, str], Ended]
) -> None:
    line = refused(wrong(f"{leaves}\n", command), "PROBLEM: own_crews:Crews: importing 'own_crews' failed (")
    assert LEAVES[leaves] in line


@pytest.mark.parametrize("command", ["train", "solve", "check"])
def test_a_module_that_raises_keyboard_interrupt_ends_as_by_ctrl_c(command: str, wrong: Callable[..., Ended]) -> None:
    """Nobody can tell the two apart: status 130, one line, no file."""
    status, out, err = wrong("raise KeyboardInterrupt\n", command)
    assert (status, out, err) == (130, "", "interrupted\n")


@pytest.mark.parametrize(("method", "command"), [("cost", "train"), ("features", "solve"), ("exact", "label")])
def test_ctrl_c_and_sigterm_within_a_method_are_no_fault_of_it(
    method: str, command: str, wrong: Callable[..., Ended]
) -> None:
    """The signals that arrive while a method of the user's runs end the command as anywhere else."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    try:
        for name, status in (("SIGINT", 130), ("SIGTERM", 143)):
            value = f"__import__('signal').raise_signal(__import__('signal').{name})"
            ended, _, err = wrong(method_source(method, value), command)
            assert (ended, err) == (status, "interrupted\n" if status == 130 else "terminated\n")
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("line", ["check own_crews:Crews", "train own_crews:Crews data -o new.json"])
def test_a_module_that_ends_the_process_does_not_pass_for_success(line: str, tmp_path: Path) -> None:
    """In a process of its own: `os._exit` leaves no exception and no word."""
    (tmp_path / "own_crews.py").write_text("import os\nos._exit(0)\n")
    command = [sys.executable, "-m", "colayer.cli.app", *line.split()]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    refused((ended.returncode, ended.stdout, ended.stderr), "os._exit(0)")
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["own_crews.py"]
