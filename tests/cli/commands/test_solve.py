"""`colayer solve`: what it prints and writes is what Python gives; with a proof, it is the optimum."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import InputError, Pipeline, read_instances
from colayer.cli.commands.solve import document, read_inputs, solve_all, solved_table
from colayer.models import LinearModel
from colayer.pipeline import Solved
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, VehicleScheduling
from support.errors import rejects
from support.pick_problem import Pick
from support.tiny_instances import optimum
from support.toy_problem import write_toy

EXAMPLES = Path(__file__).parents[3] / "examples" / "data"
KEYS = ["problem", "cost", "bound", "gap", "seconds", "source", "solution"]


def test_one(data: Path, model: Path, run: Any, place: Path) -> None:
    """`-o` holds what `--json` prints; cost, gap and completion times are those of the sequence."""
    found = run("solve", data / "0000.json", "--model", model, "--json", "-o", "out.json", "--plot", "out.svg")
    assert list(found) == KEYS
    assert json.loads((place / "out.json").read_text()) == found
    instance = read_instances(data)[0]
    assert found["cost"] == SingleMachine().cost(np.array(found["solution"]["sequence"]), instance)
    assert found["cost"] == sum(found["solution"]["completion"])
    assert found["bound"] == SingleMachine().bound(instance) <= found["cost"]
    assert found["gap"] == pytest.approx((found["cost"] - found["bound"]) / found["bound"])
    assert "<svg" in (place / "out.svg").read_text()
    assert sorted(p.name for p in place.iterdir()) == ["out.json", "out.svg"]


def test_several(data: Path, model: Path, run: Any) -> None:
    """A list in the order of the files, the same for any number of workers, and as Python gives it."""
    files = sorted(data.glob("000?.json"))[::-1]
    common = ("solve", *files, "--model", model, "--samples", 5, "--seed", 3, "--json")
    one, two = run(*common, "--workers", 1), run(*common, "--workers", 2)
    assert [d["solution"] for d in one] == [d["solution"] for d in two]
    pipeline = Pipeline.load(model)
    for found, instance in zip(one, read_instances(data)[::-1], strict=True):
        solved = pipeline.solve(instance, samples=5, seed=3)
        assert (found["cost"], found["source"]) == (solved.cost, solved.source)


def test_through_another_decoder_it_is_no_worse(data: Path, model: Path, run: Any) -> None:
    """The same weights through descent: never above the plain order, by the safe weights no worse than those."""
    files = sorted(data.glob("000?.json"))
    plain = run("solve", *files, "--model", model, "--json")
    descended = run("solve", *files, "--model", model, "--decoder", "ls", "--json")
    assert all(b["cost"] <= a["cost"] for a, b in zip(plain, descended, strict=True))


def test_without_a_model(data: Path, run: Any) -> None:
    """A table for people, one line per file; then which bound the gap is to, and where the solutions are."""
    out = run("solve", data / "0000.json", data / "0001.json")
    table, told = out.split("\n\n")
    assert table.count("\n") == 3
    assert out.split()[:4] == ["file", "cost", "bound", "gap"]
    assert told.splitlines() == [
        "gap: to a cheap lower bound, so the cost is at most this far from optimal; --certify looks for a better one",
        "solutions: -o FILE writes the solutions, as JSON or CSV",
    ]
    proved = run("solve", data / "0000.json", "--certify", "-o", "out.json")
    assert proved.split("\n\n")[1] == "solution: out.json\n"


def test_files_of_several_problems_are_solved_with_the_weights_of_each(data: Path, run: Any) -> None:
    run("generate", "spanning-tree", "trees", "--count", 1, "--width", 3, "--scenarios", 2)
    found = run("solve", data / "0001.json", "trees/0000.json", data / "0000.json", "--json")
    assert [d["problem"] for d in found] == ["single-machine", "spanning-tree", "single-machine"]
    alone = run("solve", data / "0001.json", "--json")
    assert found[0]["solution"] == alone["solution"]


def test_certified_is_optimal(data: Path, run: Any) -> None:
    """With a proof the bound is the cost, and the cost is the optimum."""
    found = run("solve", *sorted(data.glob("000?.json")), "--certify", "--time-limit", 600, "--json")
    for one, instance in zip(found, read_instances(data), strict=True):
        assert list(one) == [*KEYS, "certified"]
        assert one["certified"] is True
        assert one["cost"] == one["bound"] == optimum(SingleMachine(), instance)[1]
        assert one["gap"] == 0
    assert "yes" in run("solve", data / "0000.json", "--certify")


def test_inputs_are_of_the_problem_given_or_of_the_one_they_name(data: Path, place: Path) -> None:
    write_toy(place)
    paths = [data / "0000.json", data / "0001.json"]
    (one, first), (two, _) = read_inputs(paths, None)
    assert one is two
    assert (one.name, first.jobs) == ("single-machine", 6)
    with rejects(InputError, where="0000.json: problem"):
        read_inputs([place / "data/0000.json"], None)
    with rejects(InputError, where="0000.json: problem"):
        read_inputs(paths, bind(Pick()))


def test_solutions_come_in_the_order_of_the_inputs(data: Path) -> None:
    problem, instances = bind(SingleMachine()), read_instances(data)
    pipeline = Pipeline(problem, problem.safe_weights)
    draws = {"samples": 0, "sigma": 1.0, "seed": 0}
    found = solve_all([(problem, x) for x in instances], pipeline, None, draws, 2)
    assert [one.cost for one in found] == [pipeline.solve(x).cost for x in instances]


@pytest.mark.parametrize(
    ("solution", "written"), [(np.array([0, 2]), [0, 2]), ([(1, np.int64(2)), ()], [[1, 2], []]), (object(), None)]
)
def test_without_write_solution_it_is_written_as_it_is_or_is_null(solution: Any, written: Any) -> None:
    solved = Solved(solution, 3.0, None, None, 0.5, "learned")
    assert document(bind(Pick()), None, solved) == dict(
        zip(KEYS, ("pick", 3.0, None, None, 0.5, "learned", written), strict=True)
    )


def test_the_table_says_what_is_proved_where_it_was_asked() -> None:
    row = {"cost": 3.0, "bound": None, "gap": None, "seconds": 0.5, "source": "learned"}
    plain = solved_table([Path("a.json")], [row]).text().splitlines()
    assert [line.split() for line in plain[::2]] == [
        ["file", "cost", "bound", "gap", "time", "source"],
        ["a.json", "3.000", "-", "-", "500", "ms", "learned"],
    ]
    proved = solved_table([Path("a.json")] * 2, [{**row, "certified": c} for c in (True, False)]).text().splitlines()
    assert [line.split()[-1] for line in (proved[0], *proved[2:])] == ["optimal", "yes", "no"]


def test_a_table_of_jobs_in_a_table_of_starts_out(run: Any, place: Path) -> None:
    """By the names of the user; the JSON document speaks by them as well."""
    told = run("solve", EXAMPLES / "jobs.csv", "-o", "out.csv")
    assert "solution: out.csv" in told
    rows = (place / "out.csv").read_text().splitlines()
    assert rows[:2] == ["job,release,processing,start,completion", "drill,5,10,5,15"]
    assert len(rows) == 1 + 6
    found = run("solve", EXAMPLES / "jobs.csv", "--json")
    assert [row.split(",")[0] for row in rows[1:]] == found["solution"]["sequence"]


def test_routes_are_lists_of_the_tasks_of_the_user(run: Any) -> None:
    found = run("solve", EXAMPLES / "tasks.csv", "--problem", "vehicle-scheduling", "--json")
    assert found["solution"]["vehicles"] == len(found["solution"]["routes"])
    assert sorted(task for route in found["solution"]["routes"] for task in route)[:2] == ["airport", "clinic"]


def test_several_tables_and_what_lies_beside_them(run: Any, place: Path) -> None:
    files = sorted(EXAMPLES.glob("*.csv"))
    found = run("solve", *files, "--json")
    assert [one["problem"] for one in found] == ["spanning-tree", "single-machine", "vehicle-scheduling"]
    run("solve", EXAMPLES / "jobs.csv", EXAMPLES / "jobs.csv", "-o", "out.csv")
    rows = (place / "out.csv").read_text().splitlines()
    assert rows[0].startswith("file,job,")
    assert len(rows) == 1 + 2 * 6


def test_tables_are_refused_by_line(refused: Any, place: Path) -> None:
    (place / "jobs.csv").write_text("release,processing\n0,5\n-1,5\n")
    said = refused("solve", "jobs.csv")
    assert said.startswith("error: jobs.csv: column release, line 3: ")
    (place / "x.csv").write_text("a\n1\n")
    assert "x.csv: " in refused("solve", "x.csv")
    said = refused("solve", EXAMPLES / "jobs.csv", EXAMPLES / "edges.csv", "-o", "out.csv")
    assert said.startswith("error: -o: ")
    assert not (place / "out.csv").exists()


def test_a_folder_is_all_its_instances(data: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order; with someone who looks, in blocks, with the same results."""
    files = sorted(data.glob("*.json"))
    one_by_one = run("solve", *files, "--json", "--workers", 1)
    whole = run("solve", data, "--json", "--workers", 1)
    shown: list[tuple[int, int]] = []

    @contextmanager
    def looking(label: str) -> Iterator[Any]:
        yield lambda done, total: shown.append((done, total))

    monkeypatch.setattr("colayer.cli.console.progress", looking)
    looked_at = run("solve", data, "--json", "--workers", 1)
    for found in (whole, looked_at):
        assert [d["solution"] for d in found] == [d["solution"] for d in one_by_one]
    assert shown == [(4, 6), (6, 6)]


def test_rounds_are_those_of_python_and_refused_where_features_take_no_solution(
    data: Path, run: Any, refused: Any, place: Path
) -> None:
    run("generate", "vehicle-scheduling", "vs", "--count", 2, "--tasks", 30, "--scenarios", 5)
    problem = VehicleScheduling("rounds")
    weights = np.array([1.0, 0.0, 1.0, 0.0, 0.6, 0.0, *[-2.0] * 12])
    model = LinearModel(problem.feature_names, weights, np.ones(18), problem.name, problem.options, rounds=3)
    model.save(place / "m.json")
    pipeline = Pipeline.load(place / "m.json")
    instance = read_instances("vs")[0]
    for options, rounds in (((), None), (("--rounds", 6), 6)):
        found = run("solve", "vs/0000.json", "--model", "m.json", "--json", *options)
        solved = pipeline.solve(instance, rounds=rounds)
        assert (found["cost"], found["rounds"]) == (solved.cost, rounds or 3)
    assert refused("solve", data / "0000.json", "--rounds", 2).startswith("error: --rounds: ")
