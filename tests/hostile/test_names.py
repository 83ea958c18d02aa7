"""Names that mean something to a terminal, to Markdown, HTML, CSV or a formula, and outputs in odd places."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.hostile import Ended, files, refused

NAMES = (
    "$$", "$x_1^{2}$", "a\x1b[31mred", "a|b", "<b>", "&amp;", "a,b", '"quoted"', "=1+1", "@sum", "-", "#", "%s%n", "{}",
    "[link](x)", "a\nb", "a\tb", "\u202e", "ünïcode", "😀", "x" * 200, " ", "..", "`rm`", "*", "_", "__hidden",
)  # fmt: skip

PROBLEM = """
import numpy as np

class Odd:
    name = "odd"
    feature_names = {names!r}
    def features(self, instance): return np.array(instance, dtype=float)
    def layer(self, theta, instance): return int(np.argmin(theta))
    def decode(self, y, instance): return y
    def cost(self, solution, instance): return float(sum(instance[solution]))
    def scale(self, instance): return 1.0
    def read(self, document): return document["rows"]
    def write(self, instance): return {{"rows": instance}}
"""


def printable(text: str) -> bool:
    """Nothing that moves the cursor or changes colours."""
    return not any((ord(c) < 32 and c != "\n") or c in "\x7f\u202e\u2028" for c in text)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("..", "-")])
def test_a_model_of_any_name_is_a_contender(
    name: str, place: Path, call: Callable[..., Ended], no_solvers: None
) -> None:
    """In tables, pictures, JSON and CSV; what the name says is only a name."""
    model = f"./{name}.json"
    shutil.copy("model.json", model)
    status, out, err = call("evaluate", "single-machine", "data", "--model", model, "-o", "e.json", "--plot", "e.svg")
    assert (status, printable(out), printable(err)) == (0, True, True), err
    assert [row for row in json.loads(Path("e.json").read_text())["summary"] if row["contender"] == name]
    words = ("compare", "single-machine", "data", "--model", model, "--time-limit", "0.01", "-o", "compared")
    status, out, err = call(*words)
    assert (status, printable(out), printable(err)) == (0, True, True), err
    for path in Path("compared").glob("*.csv"):
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows}) == 1, path
    assert call("report", "compared", "-o", "page.html")[0] == 0
    page = Path("page.html").read_text()
    assert "<b>" not in page
    status, _, err = call("explain", model, "--plot", "x.svg")
    assert (status, err) == (0, "")


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_of_any_name(name: str, place: Path, call: Callable[..., Ended], request: Any) -> None:
    """Learned, explained and drawn, or refused in one line."""
    module = f"odd_{abs(hash((name, request.node.nodeid)))}"
    Path(f"{module}.py").write_text(PROBLEM.format(names=(name, "other")))
    Path("odd").mkdir()
    for k in range(3):
        rows = [[(7 * i + 3 * k) % 11, (5 * i + k) % 7] for i in range(5)]
        Path(f"odd/{k:04d}.json").write_text(json.dumps({"format": 1, "problem": "odd", "rows": rows}))
    words = ("train", f"{module}:Odd", "odd", "-o", "odd.json", "--evaluations", "4", "--workers", "1")
    ended = call(*words, "--no-journal", "--plot", "odd.png")
    if ended[0]:
        assert len(refused(ended)) < 400
        return
    assert printable(ended[1])
    status, out, err = call("explain", "odd.json", "--problem", f"{module}:Odd", "--plot", "odd.svg")
    assert (status, printable(out), err) == (0, True, "")
    assert len({len(line) for line in out.splitlines() if line.startswith("-----")}) <= 2


@pytest.mark.parametrize("name", [*NAMES, "a/b", "a\0b", "a" * 300, "\udcff", "CON", "~", "$HOME"])
def test_an_input_of_any_name_that_is_not_there(name: str, place: Path, call: Callable[..., Ended]) -> None:
    said = refused(call("solve", f"./{name}.json"))
    assert printable(said)
    assert len(said) < 400
    said = refused(call("generate", name, "new")) if not name.startswith("-") else ""
    assert printable(said)


@pytest.mark.parametrize(
    "words",
    [
        "solve data/0000.json -o /proc/new.json",
        "solve data/0000.json -o /proc/self/new.json",
        "solve data/0000.json --plot /proc/new.png",
        "train single-machine data -o /proc/new.json --evaluations 2",
        "train single-machine data -o new.json --journal /proc/new --evaluations 2",
        "generate single-machine /proc/new --count 1 --jobs 3",
        "demo -o /proc/new",
        "compare single-machine data -o /proc/new --time-limit 0.01",
        "reproduce tree-epsilon --scale smoke -o /proc/new",
        "report data -o /proc/page.html",
        "explain model.json -o model.json",
        "explain model.json -o ./data/../model.json",
        "explain model.json --plot x.svg -o x.svg",
        "explain link.json -o model.json",
        "explain model.json -o link.json",
        "bound data/0000.json -o data/0000.json",
        "solve data/0000.json --model model.json --plot model.json",
        "evaluate single-machine data --model model.json -o model.json",
        "evaluate single-machine data -o data/0000.json",
        "evaluate single-machine data -o data/new.json",
        "evaluate single-machine link -o data/new.json",
        "train single-machine data -o data/0000.json",
        "train single-machine data -o data/0000.solution.json --solutions",
        "train single-machine data -o new.json --journal data/journal",
        "train single-machine data -o new.json --journal new.json",
        "train single-machine data -o new.png --plot new.png",
        "train single-machine data -o new.json --journal j.png --plot j.png",
        "compare single-machine data -o data --time-limit 0.01",
        "compare single-machine data -o link --time-limit 0.01",
        "compare single-machine data --model model.json --plot model.json --time-limit 0.01",
        "demo -o data",
        "demo -o model.json",
        "generate single-machine data",
        "generate single-machine model.json",
        "reproduce tree-epsilon --scale smoke -o data",
        "reproduce tree-epsilon --scale smoke -o model.json",
    ],
)
def test_an_output_that_cannot_be_written_or_is_an_input(words: str, place: Path, call: Callable[..., Ended]) -> None:
    """Before any work: nothing is changed."""
    Path("link.json").symlink_to("model.json")
    Path("link").symlink_to("data")
    before = files(place)
    refused(call(*words.split()))
    assert files(place) == before
