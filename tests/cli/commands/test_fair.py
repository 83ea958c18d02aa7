"""What comparisons say of learning that gains nothing, of learning that gains, and of solutions that are none."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, Pipeline
from colayer.comparison import cpsat
from colayer.comparison.compare import compare
from colayer.comparison.contender import pipeline_contender
from colayer.comparison.evaluate import evaluate
from colayer.comparison.plain import plain_contenders
from colayer.comparison.table import Comparison
from support import selection_problem
from support.selection_problem import Projects, Selection


@pytest.fixture(autouse=True)
def _without_or_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)


class Priced(Selection):
    """Risks cost nothing: the rule "cheapest" is optimal, and one feature sorts by it."""

    best = evaluator = bound = exact = None

    def cost(self, solution: np.ndarray, instance: Projects) -> float:
        return float(instance.price[solution].sum())


def projects(first: int, count: int) -> list[Projects]:
    return [Selection().generate(seed) for seed in range(first, first + count)]


class Offers(BaseProblem):
    """Take the offer of least price and freight: two features that count alike, and rules that look at one."""

    name = "offers"
    feature_names = ("price", "freight")
    homogeneous = True
    safe_weights = np.array([1.0, 0.0])
    baselines = ("least freight",)

    def features(self, instance: np.ndarray) -> np.ndarray:
        return instance

    def layer(self, theta: np.ndarray, instance: np.ndarray) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: np.ndarray) -> float:
        return float(instance[solution].sum())

    def baseline(self, rule: str, instance: np.ndarray) -> int:
        return int(np.argmin(instance[:, 1]))


def offers(first: int, count: int) -> list[np.ndarray]:
    return [np.random.default_rng(seed).uniform(1.0, 2.0, (10, 2)) for seed in range(first, first + count)]


def compared(problem: Any, training: list[Any], test: list[Any]) -> tuple[Pipeline[Any, Any, Any], Comparison]:
    """Learned on one part, and compared on the other."""
    model = Pipeline(problem).fit(training, evaluations=200, workers=1).model
    learned = Pipeline.from_model(problem, model, safe=False)
    contenders = [pipeline_contender("learned", learned), *plain_contenders(problem, test)]
    return learned, evaluate(problem, test, contenders)


def test_where_a_textbook_rule_is_as_good_the_verdict_says_so_and_nothing_is_paid_for() -> None:
    learned, table = compared(Priced(), projects(0, 20), projects(1000, 30))
    row = table.summary()[0]
    assert row.difference is not None
    assert (row.contender, row.difference.verdict) == ("learned", "no measurable difference")
    assert table.conclusions()[0].startswith("no measurable difference between learned and ")
    results = compare(Priced(), projects(2000, 15), {"learned": learned}, time_limit=0.02, learning_seconds=30.0)
    paid = {row.rival: row.words for row in results.paybacks()}
    assert paid["best single feature (price)"] == paid["cheapest"] == "no measurable gain"
    assert results.verdicts()[0].startswith("no measurable difference between learned and ")


def test_where_learning_gains_the_verdict_says_so_and_it_is_paid_for() -> None:
    learned, table = compared(Offers(), offers(0, 20), offers(1000, 30))
    row = table.summary()[0]
    assert row.difference is not None
    assert row.difference.standard_error is not None
    assert row.difference.verdict == "better"
    assert row.difference.mean < -2 * row.difference.standard_error
    assert table.conclusions() == [f"learned is better than {table.reference}: {row.difference.words}"]
    results = compare(Offers(), offers(2000, 15), {"learned": learned}, time_limit=0.02, learning_seconds=30.0)
    paid = {row.rival: row.words for row in results.paybacks()}
    assert paid["safe weights"].startswith("≤ ")
    assert paid["least freight"].startswith("≤ ")


INFEASIBLE = """
from own_projects import Selection
import numpy as np

class Cheats(Selection):
    \"\"\"Its decoder leaves a project out of instances with more than five.\"\"\"
    best = None
    evaluator = None
    def decode(self, y, instance):
        return y[1:] if len(instance.price) > 5 else y

class ReadsOnly(Cheats):
    violation = None

class Below(Selection):
    \"\"\"Its bound is none.\"\"\"
    best = None
    evaluator = None
    violation = None
    def bound(self, instance):
        return 1e6 if len(instance.price) > 5 else 0.0
"""


@pytest.fixture
def own(place: Path, run: Any) -> Path:
    """`own_projects.py` of a user's, two problems with a mistake, `data`, whose last is large, and a model."""
    shutil.copy(selection_problem.__file__, place / "own_projects.py")
    (place / "own_cheats.py").write_text(INFEASIBLE)
    run("generate", "own_projects:Selection", "data", "--count", 5, "--projects", 5)
    run("train", "own_projects:Selection", "data", "-o", "m.json", "--evaluations", 5, "--workers", 1, "--no-journal")
    run("generate", "own_projects:Selection", "large", "--count", 1, "--projects", 6)
    shutil.move(place / "large/0000.json", place / "data/0005.json")
    return place


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("Cheats", "violation says: 2 projects, expected 3"),
        ("ReadsOnly", "chosen: 2 projects, expected 3"),
        ("Below", "less than the lower bound 1000000"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "train {} data -o new.json --evaluations 5 --workers 1",
        "evaluate {} data --model m.json -o new.json --plot new.png",
        "compare {} data --model m.json --time-limit 0.02 -o new --plot new.png",
        "solve data/0000.json data/0005.json --problem {} --model m.json -o new.json",
    ],
    ids=lambda line: str(line.split()[0]),
)
def test_what_is_no_solution_is_refused_with_its_instance(
    command: str, problem: str, said: str, own: Path, refused: Any
) -> None:
    """One line, and nothing is written."""
    before = sorted(path.name for path in own.iterdir())
    line = refused(*command.format(f"own_cheats:{problem}").split())
    assert line.startswith("error: data/0005.json: ")
    assert "infeasible solution" in line
    assert said in line
    assert sorted(path.name for path in own.iterdir() if path.name != "__pycache__") == [
        name for name in before if name != "__pycache__"
    ]


def test_a_cost_below_the_bound_of_a_label_is_refused(run: Any, refused: Any, place: Path) -> None:
    """`evaluate --tight` takes bounds from labels: a rule that costs less than one of them is no solution."""
    shutil.copy(selection_problem.__file__, place / "own_projects.py")
    (place / "own_low.py").write_text(
        "from own_projects import Selection\n"
        "class Low(Selection):\n"
        "    violation = bound = write_solution = None\n"
        "    def baseline(self, rule, instance): return super().baseline(rule, instance)[1:]\n"
    )
    run("generate", "own_projects:Selection", "data", "--count", 2, "--projects", 5)
    run("label", "own_projects:Selection", "data", "--workers", 1)
    line = refused("evaluate", "own_low:Low", "data", "--tight")
    assert line.startswith("error: data/0000.json: ")
    assert "infeasible solution" in line


def test_groups_are_in_table_document_and_figure(run: Any, place: Path) -> None:
    """Two sizes: a row for each size and contender, each against the reference of all."""
    shutil.copy(selection_problem.__file__, place / "own_projects.py")
    (place / "own_sizes.py").write_text(
        "from own_projects import Selection\n"
        "class Sized(Selection):\n"
        "    def group(self, instance): return {'projects': float(len(instance.price))}\n"
    )
    (place / "data").mkdir()
    for projects in (4, 5):
        run("generate", "own_sizes:Sized", f"of-{projects}", "--count", 3, "--projects", projects)
        for path in sorted((place / f"of-{projects}").glob("0*.json")):
            shutil.move(path, place / f"data/{projects}{path.name}")
    out = run("evaluate", "own_sizes:Sized", "data", "--plot", "gaps.svg")
    head = next(line for line in out.splitlines() if line.startswith("projects"))
    assert head.split("  ")[0] == "projects"
    assert head.split()[-2:] == ["difference", "verdict"]
    document = run("evaluate", "own_sizes:Sized", "data", "--json")
    reference = document["reference"]
    assert any(line.endswith(" reference") and reference in line for line in out.splitlines())
    assert [(row["group"]["projects"], row["contender"], row["instances"]) for row in document["by_group"]] == [
        (size, name, 3) for size in (4.0, 5.0) for name in document["contenders"]
    ]  # fmt: skip
    assert ">Gap by projects</text>" in (place / "gaps.svg").read_text()
