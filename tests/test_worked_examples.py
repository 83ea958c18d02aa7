"""The two worked examples: costed by hand, checked, learned from instances alone, better than their baselines."""

from __future__ import annotations

import importlib
import re
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from colayer import InputError, Pipeline
from colayer.checks import check_problem, small_instances
from colayer.cli import main

ROOT = Path(__file__).parent.parent
EXAMPLES = {"facility_location": "tutorial_facility", "airport_path": "tutorial_path"}


@pytest.fixture(params=EXAMPLES, name="module")
def module_of(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return importlib.import_module(request.param)


def test_is_short_and_is_what_the_tutorial_shows(module) -> None:
    """The page holds the whole program, to be saved and run."""
    code = Path(module.__file__).read_text("utf-8")
    assert len(code.splitlines()) < 150
    page = (ROOT / "docs" / f"{EXAMPLES[module.__name__]}.md").read_text("utf-8")
    (shown,) = re.findall(rf'^```python title="{module.__name__}\.py"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    assert shown == code


def test_keeps_the_protocol(module) -> None:
    check_problem(module.problem, small_instances(module.problem, 0)).raise_for_failures()


@pytest.mark.parametrize(
    ("name", "training", "evaluations", "margin"),
    [("facility_location", 12, 120, 0.05), ("airport_path", 30, 200, 0.08)],
)
def test_learned_beats_the_deterministic_baseline(
    name: str, training: int, evaluations: int, margin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On instances it has not seen, of full size, without the safety net; by a margin that is no accident."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    problem = importlib.import_module(name).problem
    held_out = [problem.generate(1000 + seed) for seed in range(15)]
    (rule,) = problem.baselines
    plain = [problem.cost(problem.baseline(rule, x), x) for x in held_out]
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    assert [solved.cost for solved in pipeline.solve_many(held_out)] == pytest.approx(plain)
    pipeline.fit([problem.generate(seed) for seed in range(training)], evaluations=evaluations, seed=0)
    learned = pipeline.solve_many(held_out)
    assert np.mean([solved.cost for solved in learned]) < (1.0 - margin) * np.mean(plain)
    assert all(solved.bound <= solved.cost + 1e-9 for solved in learned)


def test_works_from_the_command_line(module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """MODULE:NAME, from the folder of the module."""
    monkeypatch.chdir(ROOT / "examples")
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = f"{module.__name__}:problem"
    sizes = ["--clients", "6"] if module.__name__ == "facility_location" else ["--width", "5"]
    data, model = str(tmp_path / "data"), str(tmp_path / "model.json")
    assert main(["generate", spec, data, "--count", "3", *sizes]) == 0
    assert main(["train", spec, data, "-o", model, "--evaluations", "8"]) == 0
    assert main(["solve", f"{data}/0000.json", "--model", model, "--problem", spec, "--json"]) == 0
    assert '"bound"' in capsys.readouterr().out


def tiny_depots(module):
    """Two depots and two clients on a line; in the second scenario the first depot, at the first client, is cut off."""
    return module.Instance(
        opening=np.array([1.0, 2.0]),
        distance=np.array([[0.0, 1.0], [1.0, 0.0]]),
        air_lift=3.0,
        demand=np.array([[2.0, 2.0], [4.0, 2.0]]),
        reachable=np.array([[1.0, 1.0], [0.0, 1.0]]),
    )


def test_depots_costed_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    module = importlib.import_module("facility_location")
    problem, x = module.problem, tiny_depots(module)
    costs = {z: problem.cost(np.array(z), x) for z in product((0.0, 1.0), repeat=2)}
    assert costs[0.0, 0.0] == pytest.approx((12.0 + 18.0) / 2)  # all by air
    assert costs[1.0, 0.0] == pytest.approx(1.0 + (2.0 + 18.0) / 2)
    assert costs[0.0, 1.0] == pytest.approx(2.0 + (2.0 + 4.0) / 2)
    assert costs[1.0, 1.0] == pytest.approx(3.0 + (0.0 + 4.0) / 2)
    # known before: (depot 1 alone 1 + 2, or both 3 + 0: 3) and (depot 2 alone: 2 + 4)
    assert problem.bound(x) == pytest.approx((3.0 + 6.0) / 2)
    # by mean demand (3, 2) depot 1 alone costs 1 + 2 and depot 2 alone 2 + 3: the wrong one
    assert problem.baseline("mean demand", x).tolist() == [1.0, 0.0]


def test_airport_costed_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The motorway, road 0, is fast or jammed; the street, roads 1 and 2, takes as long as the deadline allows."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    module = importlib.import_module("airport_path")
    times = np.array([[2.0, 3.0, 3.0], [8.0, 3.0, 3.0]])
    x = module.Instance(np.array([[0, 2], [0, 1], [1, 2]]), times, deadline=6.0, penalty=10.0)
    problem = module.problem
    assert problem.cost(np.array([0]), x) == pytest.approx(5.0 + 10.0 * 1.0)
    assert problem.cost(np.array([1, 2]), x) == pytest.approx(6.0)
    assert problem.baseline("shortest mean", x).tolist() == [0]
    assert problem.bound(x) == pytest.approx((2.0 + 6.0) / 2)
    assert problem.read_solution({"roads": [1, 2]}, x).tolist() == [1, 2]
    for wrong in ([], [1], [2, 1], [0, 0]):
        with pytest.raises(InputError, match="roads: expected the roads of a path"):
            problem.read_solution({"roads": wrong}, x)
