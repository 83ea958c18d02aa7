"""Models and problems of strangers: what a number, a name or a size in them can do before anything is run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.cli.app import main
from colayer.errors import InputError, OptionError
from colayer.io.csv_files import csv_bytes
from colayer.models import read_model
from colayer.models.read import model_of
from colayer.models.stage import Stage
from colayer.problem.structure import Graph, checked_structure
from colayer.problems import SingleMachine
from support.errors import rejects
from support.hostile import Ended, refused
from support.item_problem import Item, PickItem
from support.toy_problem import MODEL

NETWORK = {
    "input.matrix": [[0.5], [-1.0]], "input.bias": [0.25, 1.0], "head.matrix": [[2.0, -1.0]], "head.bias": [0.0],
    "0.matrix": [[0.5, 0.25]] * 4, "0.bias": [0.5] * 4, "0.graph": [[0.5, -1.0, 0.25, 1.0]] * 2,
}  # fmt: skip
CONTEXT = {
    "linear": [1.0], "center": [0.0], "relations": ["graph"], "dilations": [1], "network": NETWORK,
}  # fmt: skip
SOLVE = "solve data/0000.json --model odd.json -o new.json"


@pytest.mark.parametrize("rounds", [10_001, 1_000_000_000, 10**30])
def test_a_model_of_a_billion_rounds_is_refused(rounds: int, place: Path, call: Callable[..., Ended]) -> None:
    """The option stops at 10,000, and so does the entry of a file."""
    document = {**json.loads(Path("model.json").read_text()), "rounds": rounds}
    Path("odd.json").write_text(json.dumps(document))
    assert "odd.json: rounds: " in refused(call(*SOLVE.split()), "expected 1 to 10000")
    assert not Path("new.json").exists()


@pytest.mark.parametrize("portfolio", [None, 5, True, 1.5, {}, {"a": 1}, "members", [[]], [None], [[None]], [[[1.0]]]])
def test_a_portfolio_that_is_no_list_is_refused(portfolio: Any) -> None:
    with pytest.raises(InputError, match=r"^portfolio"):
        model_of({**MODEL, "portfolio": portfolio})


@pytest.mark.parametrize("fallback", [None, 5, True, "x", {}, {"a": 1}, [1.0, 2.0]])
def test_a_fallback_that_is_no_list_is_refused(fallback: Any) -> None:
    with rejects(InputError, where="weights.fallback"):
        model_of({**MODEL, "model": "context", "weights": {**CONTEXT, "fallback": fallback}})


@pytest.mark.parametrize("dilation", [2**31, 2**63, 2**64, 10**30])
def test_a_dilation_beyond_64_bits_is_refused(dilation: int) -> None:
    """A kernel takes whole numbers of 64 bits; no instance has so many rows."""
    assert model_of({**MODEL, "model": "context", "weights": CONTEXT}).kind == "context"
    with rejects(InputError, where="weights.dilations"):
        model_of({**MODEL, "model": "context", "weights": {**CONTEXT, "dilations": [dilation]}})


@pytest.mark.parametrize("names", [["value", "value"], ["value", "value", "other"]])
def test_a_model_that_names_a_feature_twice_is_refused(names: list[str]) -> None:
    numbers = [1.0] * len(names)
    with rejects(InputError, where="feature_names"):
        model_of({**MODEL, "feature_names": names, "feature_scale": numbers, "weights": numbers})


def test_a_problem_that_names_a_feature_twice_is_refused() -> None:
    problem = PickItem()
    problem.feature_names = ("value", "value")  # type: ignore[assignment]
    with pytest.raises(InputError, match=r"feature_names of PickItem is .*, expected a tuple of words, each once"):
        Pipeline(problem)


def test_a_graph_of_a_trillion_nodes_takes_no_memory_for_them() -> None:
    """Nodes without rows count for nothing."""
    stage = Stage.of(("graph",), (1,), NETWORK, "")
    features = np.array([[0.5, -1.0, 2.0]], dtype=np.float32)
    ends = [0, 1, 1], [1, 2, 0]
    far = [[0, 7, 7], [7, 10**12 - 1, 0]]
    near = stage.added(features, checked_structure(Graph(3, *map(np.array, ends)), 3, ""))
    assert stage.added(features, checked_structure(Graph(10**12, *map(np.array, far)), 3, "")).tolist() == near.tolist()


@pytest.mark.parametrize("nodes", ["three", 2.5, None, True, -1])
def test_a_graph_of_no_number_of_nodes_is_refused(nodes: Any) -> None:
    with pytest.raises(InputError, match="structure of x: nodes: "):
        checked_structure(Graph(nodes, np.array([0]), np.array([0])), 1, "structure of x")


@pytest.mark.parametrize("option", ["candidates", "samples"])
def test_a_billion_candidates_are_refused(option: str, place: Path, call: Callable[..., Ended]) -> None:
    """Their weights alone would fill the memory."""
    problem = SingleMachine(features="27")
    pipeline = Pipeline(problem, weights=np.ones(27))
    with pytest.raises(OptionError, match=f"{option}=1000000000 is out of range, expected at most 1000000"):
        pipeline.solve(problem.generate(seed=0, jobs=3), **{option: 10**9})
    words = f"solve data/0000.json --{option} 1000000000 -o new.json"
    refused(call(*words.split()), f"error: --{option}: 1000000000 is out of range")


def test_a_billion_samples_to_learn_from_are_refused() -> None:
    problem = SingleMachine(features="27")
    with pytest.raises(OptionError, match="samples=1000000000 is out of range, expected at most 1000000"):
        Pipeline(problem).fit([problem.generate(seed=0, jobs=3)], sigma=1.0, samples=10**9, evaluations=2)


def test_a_feature_that_is_nan_in_a_later_instance_names_the_instance() -> None:
    instances = [Item([1.0, 2.0]), Item([3.0, 4.0]), Item([5.0, float("nan")])]
    said = "instance 2: features of pick: feature 'value' is nan in row 1, expected a finite number"
    with pytest.raises(InputError, match=said):
        Pipeline(PickItem()).fit(instances, evaluations=3, method="cma-es")
    with pytest.raises(InputError, match=said):
        Pipeline(PickItem(), weights=np.ones(1)).solve_many(instances)


FORMULAS = ('=HYPERLINK("http://example.org","x")', "@SUM(1+1)", "+1+cmd", "\t=1", "\x1b[31mred", "a\rb", "a\nb")


@pytest.mark.parametrize("name", FORMULAS)
def test_names_of_an_instance_are_only_names_in_the_csv_of_solve(
    name: str, place: Path, call: Callable[..., Ended]
) -> None:
    """No spreadsheet runs one, no terminal obeys one."""
    document = {"format": 1, "problem": "single-machine", "release": [0, 1], "processing": [2, 3], "names": [name, "b"]}
    Path("named.json").write_text(json.dumps(document))
    assert call("solve", "named.json", "-o", "new.csv")[0] == 0
    rows = list(csv.reader(io.StringIO(Path("new.csv").read_text())))
    written = next(row[rows[0].index("job")] for row in rows[1:] if "b" not in row)
    assert written[0] not in "=@\t\r\n"
    assert not written.startswith("+")
    assert written.isprintable()


def test_numbers_of_a_csv_stay_numbers() -> None:
    """A sign before a number is no formula."""
    assert csv_bytes({"x": [-1.5, "-2", "+3", "-", None]}) == b'x\n-1.5\n-2\n+3\n-\n""\n'


def test_a_model_is_read_as_it_was_written(store: Path) -> None:
    """The checks above refuse nothing that is learned."""
    assert read_model(store / "model.json").rounds == 1
    assert main(["explain", str(store / "model.json")]) == 0
