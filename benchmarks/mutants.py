"""Mutants: `python benchmarks/mutants.py JOURNAL [--count 300] [--seed 0] [--slowest 5] [FOLDER…]`.

Each mutant is a module of `src/colayer` with one small mistake in it, as a tired programmer makes them: `<` for `<=`,
`+` for `-`, `or` for `and`, a number one too large, `min` for `max`, a condition turned round, a call left out, None
returned. The tests of that module, `tests/FOLDER/test_MODULE.py`, run against it; they kill it where one fails.

Modules with kernels, without tests of their own, or whose tests take more than `--slowest` CPU seconds are left out.
Mutants are drawn at random from all others, by the seed, and each runs in a process of its own, in a copy of the tree.
It is forked twice at most: first once all of colayer is imported, where the mutant's functions and classes take the
places of the module's; what survives that (a table may still hold what was there) is tried again once only numpy and
numba are imported. The journal holds a line per mutant: the same command goes on from it, and tries again what survived
where the tests have changed since. Exit status 1 where any survived.
"""

from __future__ import annotations

import argparse
import ast
import gc
import hashlib
import importlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FOLDERS = ("problem", "solving", "learning", "comparison", "dynamic")
#: The folder of the sources, within the tree.
PACKAGE = "src/colayer"

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "argmin": "argmax", "argmax": "argmin"}


@dataclass(frozen=True)
class Mutant:
    """A module with one mistake in it."""

    path: str
    line: int
    was: str
    now: str
    #: The place of the node in the module, and which of its mistakes it is.
    place: int
    choice: int

    def key(self, source: str) -> str:
        """What the journal knows it by."""
        said = f"{self.path} {self.place} {self.choice}\n{source}"
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def tree(self, source: str) -> ast.Module:
        """The module with the mistake."""
        tree = ast.parse(source)
        parent, name, k = next(place for j, place in enumerate(places(tree)) if j == self.place)
        node = getattr(parent, name) if k is None else getattr(parent, name)[k]
        new = ast.copy_location(list(mistakes(node))[self.choice], node)
        if k is None:
            setattr(parent, name, new)
        else:
            getattr(parent, name)[k] = new
        return ast.fix_missing_locations(tree)


def mistakes(node: ast.AST) -> Iterator[ast.AST]:
    """What a node may be mistaken for."""
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in COMPARED:
            yield ast.Compare(left, [COMPARED[type(operator)]()], [right])
        case ast.BinOp(left, operator, right) if type(operator) in COMPUTED and not isinstance(right, ast.Constant):
            yield ast.BinOp(left, COMPUTED[type(operator)](), right)
        case ast.AugAssign(target, operator, value):
            if type(operator) in COMPUTED:
                yield ast.AugAssign(target, COMPUTED[type(operator)](), value)
            yield ast.Pass()
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.Name(name, context) if name in NAMES:
            yield ast.Name(NAMES[name], context)
        case ast.Attribute(value, name, context) if name in NAMES:
            yield ast.Attribute(value, NAMES[name], context)
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Return(value) if value is not None and not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()) | ast.Raise() | ast.Continue() | ast.Break():
            yield ast.Pass()


def places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every place of a node below this one that runs: annotations, defaults of types and decorators do not count."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for k, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                yield node, name, k if isinstance(value, list) else None
                yield from places(child)


def mutants(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a module."""
    for place, (parent, name, k) in enumerate(places(ast.parse(source))):
        node = getattr(parent, name) if k is None else getattr(parent, name)[k]
        for choice, mistake in enumerate(mistakes(node)):
            yield Mutant(path, node.lineno, _first_line(node), _first_line(mistake), place, choice)


def _first_line(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node)).splitlines()[0]


def tests_of(path: str) -> str:
    """The tests of a module."""
    inside = Path(path).relative_to(PACKAGE)
    return str(Path("tests") / inside.parent / f"test_{inside.name}")


class Warm:
    """A process that has imported all of colayer: it forks one for each mutant, without importing anything anew."""

    def __init__(self, tree: Path) -> None:
        self._ours, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            self._ours.close()
            for path in sorted((tree / PACKAGE).rglob("*.py")):
                name = ".".join(path.relative_to(tree / PACKAGE).with_suffix("").parts)
                if path.stem not in ("__main__", "__init__") and not {"neural", "ray", "gpu"} & set(path.parts):
                    importlib.import_module(f"colayer.{name}")
            gc.freeze()
            with theirs, theirs.makefile("rw") as lines:
                for line in lines:
                    tests, mutant, limit = json.loads(line)
                    found = run_tests(tests, Mutant(**mutant), limit, tree, warm=True)
                    print(json.dumps(found), file=lines, flush=True)
            os._exit(0)
        theirs.close()
        self._lines = self._ours.makefile("rw")

    def __call__(self, tests: str, mutant: Mutant, limit: float) -> tuple[str, float]:
        """Run the tests there."""
        print(json.dumps([tests, asdict(mutant), limit]), file=self._lines, flush=True)
        result, seconds = json.loads(self._lines.readline())
        return result, seconds

    def close(self) -> None:
        """End it."""
        self._lines.close()
        self._ours.close()
        os.waitpid(self._pid, 0)


def exchange(mutant: Mutant, tree: Path) -> None:
    """Run the module again, with the mistake, where it was; what others took from it before becomes what it is now."""
    path = tree / mutant.path
    name = ".".join(path.relative_to(tree / "src").with_suffix("").parts)
    here = vars(sys.modules[name])
    before = dict(here)
    source = path.read_text("utf-8")
    changed = ast.parse(source) if mutant.place < 0 else mutant.tree(source)
    exec(compile(changed, str(path), "exec", dont_inherit=True), here)
    new = {id(old): here[key] for key, old in before.items() if callable(old) and here.get(key) is not old}
    for other in [module for key, module in sys.modules.items() if key.startswith("colayer") and key != name]:
        for key, value in list(vars(other).items()):
            if id(value) in new:
                setattr(other, key, new[id(value)])


def run_tests(tests: str, mutant: Mutant | None, limit: float, tree: Path, *, warm: bool = False) -> tuple[str, float]:
    """`killed`, `survived` or `out of time`, and the CPU seconds; the process is forked from this one."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if child == 0:
        _child(tests, mutant, limit, tree, warm)
    end = time.monotonic() + 20 * limit  # of waiting: of computing, the kernel allows `limit`
    status = None
    while status is None and time.monotonic() < end:
        ended, code = os.waitpid(child, os.WNOHANG)
        if ended:
            status = code
        else:
            time.sleep(0.02)
    if status is None:
        os.killpg(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if os.WIFSIGNALED(status):
        return "out of time", seconds
    return "killed" if os.WEXITSTATUS(status) else "survived", seconds


def _child(tests: str, mutant: Mutant | None, limit: float, tree: Path, warm: bool) -> None:
    """Run the tests with the mutant in place of its module, and leave."""
    status: int = 3
    try:
        os.setsid()
        said = os.open(tree / "said.txt", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(said, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 1))
        os.chdir(tree)
        if mutant is not None and warm:
            exchange(mutant, tree)
            mutant = None
        original = SourceFileLoader.get_code
        changed = None if mutant is None else mutant.tree((tree / mutant.path).read_text("utf-8"))

        def get_code(loader: SourceFileLoader, name: str) -> Any:
            if mutant is not None and loader.path == str(tree / mutant.path):
                return compile(changed, loader.path, "exec", dont_inherit=True)  # type: ignore[arg-type]
            return original(loader, name)

        SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
        import pytest

        status = int(pytest.main([tests, "-x", "-q", "-p", "no:cacheprovider"]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class Journal:
    """Lines of what is known of a mutant, or of the tests of a module, and the state of the tests then."""

    def __init__(self, path: Path) -> None:
        self.path, self.known = path, dict[str, dict[str, Any]]()
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            entry = json.loads(line)
            self.known[entry["key"]] = entry

    def find(self, key: str, tests: str, final: str = "") -> dict[str, Any] | None:
        """What is known, if the tests are those of then, or if it was `final`."""
        entry = self.known.get(key)
        return entry if entry and (entry["tests"] == tests or entry["result"] == final) else None

    def add(self, **entry: Any) -> dict[str, Any]:
        """Write a line."""
        self.known[entry["key"]] = entry
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return entry


def copy_tree(tree: Path) -> None:
    """Copy all that git knows or would take; what is there and the same stays, with the kernels compiled for it."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        old, new = tree / name, ROOT / name
        if new.is_file() and not (old.is_file() and old.read_bytes() == new.read_bytes()):
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(new, old)


def candidates(folders: list[str], tree: Path, slowest: float, journal: Journal) -> Iterator[Mutant]:
    """Every mutant of the modules whose tests are quick enough; they must pass without one."""
    for folder in folders:
        for path in sorted((tree / PACKAGE / folder).rglob("*.py")):
            name, source = str(path.relative_to(tree)), path.read_text("utf-8")
            tests = tests_of(name)
            if "compiled import" in source or not (tree / tests).exists():
                continue
            state = _state(tree / tests)
            entry = journal.find(f"tests {name}", state)
            if entry is None:
                result, seconds = run_tests(tests, None, 120.0, tree)
                if seconds > slowest:  # kernels were compiled, perhaps, which happens once
                    result, seconds = run_tests(tests, None, 120.0, tree)
                if result != "survived":
                    print(f"{tests} left out: {result} without a mistake", flush=True)
                entry = journal.add(key=f"tests {name}", tests=state, result=result, seconds=round(seconds, 2))
            if entry["result"] == "survived" and entry["seconds"] <= slowest:
                yield from mutants(name, source)


def exchangeable(path: str, tests: str, state: str, limit: float, warm: Warm, journal: Journal) -> bool:
    """Tell whether the tests pass where the module took its own place, without a mistake."""
    entry = journal.find(f"exchanged {path}", state)
    if entry is None:
        result, seconds = warm(tests, Mutant(path, 0, "", "", -1, 0), limit)
        entry = journal.add(key=f"exchanged {path}", tests=state, result=result, seconds=round(seconds, 2))
    return bool(entry["result"] == "survived")


def _state(tests: Path) -> str:
    return hashlib.sha256(tests.read_bytes()).hexdigest()[:16]


def main() -> int:
    """Try the mutants; 1 where any survived."""
    parser = argparse.ArgumentParser(description="Put small mistakes into modules; their tests should find them.")
    parser.add_argument("journal", type=Path)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help=", ".join(FOLDERS))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slowest", type=float, default=5.0, help="CPU seconds of the tests of a module")
    parser.add_argument("--tree", type=Path, help="where the copy of the tree is, and stays; a temporary folder")
    options = parser.parse_intermixed_args()
    journal = Journal(options.journal)
    with tempfile.TemporaryDirectory() if options.tree is None else nullcontext(options.tree) as folder:
        tree = Path(folder).resolve()
        copy_tree(tree)
        os.environ["PYTHONPATH"] = os.pathsep.join(str(tree / part) for part in ("src", "paper/src"))
        sys.path[:0] = [str(tree / "src"), str(tree / "paper/src")]
        sys.dont_write_bytecode = True
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # two thirds of the time of a quick test
        for name in ("numba", "numpy", "pytest", "hypothesis", "scipy.stats", "scipy.optimize", "msgspec"):
            importlib.import_module(name)
        every = list(candidates(options.folders or list(FOLDERS), tree, options.slowest, journal))
        drawn = random.Random(options.seed).sample(every, min(options.count, len(every)))
        gc.freeze()  # what is here is not looked at again, and stays shared with the children
        warm = Warm(tree)
        results = []
        for k, mutant in enumerate(drawn):
            tests = tests_of(mutant.path)
            state = _state(tree / tests)
            key = mutant.key((tree / mutant.path).read_text("utf-8"))
            entry = journal.find(key, state, "killed")
            if entry is None:
                limit = 10.0 + 4 * journal.known[f"tests {mutant.path}"]["seconds"]
                result, seconds = "survived", 0.0
                if exchangeable(mutant.path, tests, state, limit, warm, journal):
                    result, seconds = warm(tests, mutant, limit)
                if result == "survived":
                    result, more = run_tests(tests, mutant, limit, tree)
                    seconds += more
                what = {"path": mutant.path, "line": mutant.line, "was": mutant.was, "now": mutant.now}
                entry = journal.add(key=key, tests=state, result=result, seconds=round(seconds, 2), **what)
            results.append(entry)
            if entry["result"] == "survived":
                print(f"{k + 1}: {mutant.path}:{mutant.line}: {mutant.was}  ->  {mutant.now}", flush=True)
        warm.close()
    count = {name: sum(entry["result"] == name for entry in results) for name in ("killed", "out of time", "survived")}
    seconds = sum(entry["seconds"] for entry in results)
    print(f"{len(results)} of {len(every)} mutants, {seconds:.0f} CPU s: {count}")
    return 1 if count["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
