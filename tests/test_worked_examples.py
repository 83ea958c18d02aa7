"""The three worked examples: costed by hand, checked, learned from instances alone, held against the best rules."""

from __future__ import annotations

import importlib
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from colayer import InputError, Pipeline, evaluate, tune
from colayer.cli.app import main
from colayer.comparison.contender import pipeline_contender, rule_contenders
from colayer.problem.check import check_problem, small_instances
from support.errors import rejects

ROOT = Path(__file__).parent.parent
EXAMPLES = ("facility_location", "airport_path", "tune_insertion")
SIZES = {"facility_location": ["--clients", "6"], "airport_path": ["--width", "5"], "tune_insertion": ["--orders", "6"]}


@pytest.fixture(params=EXAMPLES, name="module")
def module_of(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return importlib.import_module(request.param)


def test_is_short(module) -> None:
    assert len(Path(module.__file__).read_text("utf-8").splitlines()) < 170


def test_keeps_the_protocol(module) -> None:
    check_problem(module.problem, small_instances(module.problem, 0)).raise_for_failures()


@pytest.mark.parametrize(
    ("name", "training", "evaluations", "held_out", "used_today", "by_hand", "worse"),
    [
        ("facility_location", 4, 20, 8, "mean demand", "hedged", 0.0),
        ("airport_path", 30, 200, 60, "shortest mean", "mean + half deviation", 0.15),
        ("tune_insertion", 40, 200, 60, "worth its penalty", "two constants", 0.03),
    ],
)
def test_learned_is_no_worse_than_the_rule_by_hand(
    name: str,
    training: int,
    evaluations: int,
    held_out: int,
    used_today: str,
    by_hand: str,
    worse: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On instances it has not seen, of full size, without the safety net, one solution each."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    problem = importlib.import_module(name).problem
    instances = [problem.generate(1000 + seed) for seed in range(held_out)]
    rules = {rule.name: rule for rule in rule_contenders(problem)}
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    safe = [solved.cost for solved in pipeline.solve_many(instances)]
    assert safe == pytest.approx([problem.cost(problem.baseline(by_hand, x), x) for x in instances])
    pipeline.fit([problem.generate(seed) for seed in range(training)], evaluations=evaluations, seed=0)
    contenders = [pipeline_contender("learned", pipeline), rules[used_today], rules[by_hand]]
    compared = evaluate(problem, instances, contenders)
    assert compared.reference == by_hand
    learned, plain, _ = compared.summary()
    assert learned.difference.verdict != "worse"
    assert plain.difference.mean > worse
    assert all(result.bound <= result.cost + 1e-9 for result in compared.results)


def test_twenty_learned_paths_are_better_than_twenty_deviations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like for like: 20 shortest paths each, of which the cheapest counts."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    problem = importlib.import_module("airport_path").problem
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    pipeline.fit([problem.generate(seed) for seed in range(50)], evaluations=500, seed=0)
    (sweep,) = (rule for rule in rule_contenders(problem) if rule.name == "20 deviations")
    contenders = [pipeline_contender("learned", pipeline, candidates=20), sweep]
    compared = evaluate(problem, [problem.generate(1000 + seed) for seed in range(100)], contenders)
    assert compared.summary()[0].difference.verdict == "better"


def test_works_from_the_command_line(module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """MODULE:NAME, from the folder of the module."""
    monkeypatch.chdir(ROOT / "examples")
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = f"{module.__name__}:problem"
    sizes = SIZES[module.__name__]
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
    # by mean demand (3, 2) depot 1 alone costs 1 + 2 and depot 2 alone 2 + 3: the wrong one, of cost 11
    y = problem.layer(problem.features(x) @ [1.0, 1.0, 1.0, 0.0, 0.0], x)
    assert y[:2].tolist() == [1.0, 0.0]
    # opening depot 2 as well costs 5, opening none 15; of both open, closing either costs more than 5 or as much
    for rule in problem.baselines:
        assert problem.baseline(rule, x).tolist() == [1.0, 1.0]


def test_airport_costed_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The motorway, road 0, is fast or jammed; the street, roads 1 and 2, takes as long as the deadline allows."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    module = importlib.import_module("airport_path")
    times = np.array([[2.0, 3.0, 3.0], [8.0, 3.0, 3.0]])
    x = module.Instance(np.array([[0, 2], [0, 1], [1, 2]]), times, deadline=6.0, penalty=10.0)
    problem = module.problem
    assert problem.cost(np.array([0]), x) == pytest.approx(5.0 + 10.0 * 1.0)
    assert problem.cost(np.array([1, 2]), x) == pytest.approx(6.0)
    # means are 5 and 6; with half the deviation of the motorway, 3, they are 6.5 and 6
    assert problem.baseline("shortest mean", x).tolist() == [0]
    for rule in ("mean + half deviation", "20 deviations", "20 slopes"):
        assert problem.baseline(rule, x).tolist() == [1, 2]
    assert problem.bound(x) == pytest.approx((2.0 + 6.0) / 2)
    assert problem.read_solution({"roads": [1, 2]}, x).tolist() == [1, 2]
    for wrong in ([], [1], [2, 1], [0, 0]):
        with rejects(InputError, where="roads"):
            problem.read_solution({"roads": wrong}, x)


def test_constants_are_those_of_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """What learning is held against was tuned as well as the grid can, on the same instances."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    module = importlib.import_module("tune_insertion")
    days = [module.problem.generate(seed) for seed in range(160)]
    tuned = tune(module.problem, "worth its penalty", days, module.GRID)
    assert tuple(tuned.constants.values()) == module.CONSTANTS[0]
    assert module.good_together(tuned, 20) == module.CONSTANTS


def test_courier_costed_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The depot at 0, orders at 1 and 2 of demand 1 and at −3 of demand 2; one bike with room for 2."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    module = importlib.import_module("tune_insertion")
    place = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [-3.0, 0.0]])
    x = module.Instance(place, np.array([1.0, 1.0, 2.0]), np.array([3.0, 1.5, 5.0]), 1, 2.0)
    problem = module.problem
    assert problem.cost(np.zeros((1, 5), dtype=np.int64), x) == pytest.approx(9.5)  # nobody is served
    # worth its penalty: order 0 for a detour of 2, a gain of 1; order 1 is a detour of 2 more, worth 1.5
    alone = problem.baseline("worth its penalty", x)
    assert problem.write_solution(alone, x)["routes"][0].tolist() == [0]
    assert problem.cost(alone, x) == pytest.approx(2.0 + 6.5)
    # worth more, both fit: there and back
    both = problem.layer(np.array([3.0, 2.5, 0.0]), x)
    assert problem.cost(both, x) == pytest.approx(4.0 + 5.0)
    assert problem.violation(both, x) is None
    assert problem.violation(np.array([[0, 1, 3, 0]]), x)
    assert problem.violation(np.array([[0, 1, 1, 0]]), x)
    # half of the two shortest roads are 1, 1.5 and 3, which saves 2, 0 and 2; room for order 0 and half of order 2
    assert problem.bound(x) == pytest.approx(9.5 - 3.0)
    with rejects(InputError, where="demand"):
        problem.read({**problem.write(x), "room": 1.0})
