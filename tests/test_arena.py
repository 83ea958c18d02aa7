"""The arena: kernels against plain Python, a whole run on tiny files, and a page that says what the results say."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from colayer import check_problem

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def problem_module(name: str):
    return importlib.import_module(f"arena_problems.{name}")


def test_a_sequence_is_as_late_as_by_hand() -> None:
    """Jobs of 2, 3 and 1: the second ends at 5, 2 late with weight 4; the third at 6, 5 late with weight 1."""
    tardiness = problem_module("tardiness")
    jobs = tardiness.Jobs(np.array([2.0, 3.0, 1.0]), np.array([1.0, 4.0, 1.0]), np.array([2.0, 3.0, 1.0]))
    assert tardiness.SortedJobs().cost(np.array([0, 1, 2]), jobs) == 4.0 * 2.0 + 5.0


@pytest.mark.parametrize("seed", range(3))
def test_dispatching_rules_are_those_of_their_formulas(seed: int) -> None:
    tardiness = problem_module("tardiness")
    jobs = tardiness.SortedJobs().generate(seed, 12)
    p, w, d = jobs.processing, jobs.weight, jobs.due

    def dispatched(index) -> list[int]:
        order, left = [], list(range(len(p)))
        while left:
            time, mean = sum(p[order]), np.mean(p[left])
            order.append(max(left, key=lambda j: index(j, time, mean)))
            left.remove(order[-1])
        return order

    slack = lambda j, t: max(0.0, d[j] - p[j] - t)  # noqa: E731
    by_cost = dispatched(lambda j, t, mean: np.log(w[j] / p[j]) - slack(j, t) / (1.2 * mean))
    assert tardiness.atc(jobs, 1.2).tolist() == by_cost
    assert tardiness.wmdd(jobs).tolist() == dispatched(lambda j, t, _: -max(p[j], d[j] - t) / w[j])


def test_the_layer_without_boost_is_the_rule_itself() -> None:
    tardiness = problem_module("tardiness")
    problem = tardiness.BoostedATC()
    jobs = problem.generate(3, 20)
    theta = problem.features(jobs) @ problem.safe_weights
    assert problem.layer(theta, jobs).tolist() == tardiness.atc(jobs, 1.5).tolist()


@pytest.mark.parametrize("rule", ["LP rounding", "LP dual (Pirkul)", "Toyoda", "value over use"])
def test_knapsacks_are_full_and_no_fuller_than_allowed(rule: str) -> None:
    knapsack = problem_module("knapsack")
    problem = knapsack.Knapsack()
    items = problem.generate(1, 30, 4)
    taken = knapsack.RULES[rule](items)
    assert problem.violation(taken, items) is None
    assert problem.violation(np.ones(30, dtype=bool), items) == "a capacity is exceeded"
    left = items.capacity - items.use[:, taken].sum(axis=1)
    assert not (items.use[:, ~taken] <= left[:, None]).all(axis=0).any()
    assert problem.bound(items) <= problem.cost(taken, items) < 0.0


def shop_makespan(sequence: list[int], times: np.ndarray) -> float:
    ends = np.zeros(times.shape[1])
    for job in sequence:
        ready = 0.0
        for machine, length in enumerate(times[job]):
            ready = ends[machine] = max(ends[machine], ready) + length
    return float(ends[-1])


@pytest.mark.parametrize("ties", [0, 1, 2])
def test_an_insertion_is_at_a_best_place(ties: int) -> None:
    flow_shop = problem_module("flow_shop")
    times = flow_shop.FlowShop().generate(ties, 7, 4).times
    for count in range(7):
        sequence, work = np.arange(7), np.zeros((4, 8, 5))
        found = flow_shop.insert(sequence, count, count, times, ties, work)
        before = list(range(count))
        tried = [shop_makespan([*before[:k], count, *before[k:]], times) for k in range(count + 1)]
        assert found == min(tried) == shop_makespan(sequence[: count + 1].tolist(), times)
        assert [job for job in sequence[: count + 1].tolist() if job != count] == before


def test_iterated_greedy_is_between_the_optimum_and_its_start() -> None:
    flow_shop = problem_module("flow_shop")
    problem = flow_shop.FlowShop()
    shop = problem.generate(5, 6, 3)
    optimum = min(shop_makespan(list(order), shop.times) for order in itertools.permutations(range(6)))
    start, end = problem.cost(flow_shop.RULES["NEH-FF"](shop), shop), problem.cost(flow_shop.searched(shop, 0), shop)
    assert problem.bound(shop) <= optimum <= end <= start


@pytest.mark.parametrize(
    ("module", "name"),
    [("tardiness", "SortedJobs"), ("tardiness", "BoostedATC"), ("knapsack", "Knapsack"), ("flow_shop", "FlowShop")],
)
def test_a_problem_passes_its_check(module: str, name: str) -> None:
    problem = getattr(problem_module(module), name)()
    check_problem(problem, [problem.generate(seed, 10) for seed in range(3)]).raise_for_failures()


def write_public_files(folder: Path) -> None:
    """Files in the layout of the public ones, with few and small instances; the best values are those of a rule."""
    tardiness, knapsack, flow_shop = map(problem_module, ("tardiness", "knapsack", "flow_shop"))
    jobs = tardiness.SortedJobs()
    for kind in ("wt", "mkp", "taillard/pfsp/instances"):
        (folder / kind).mkdir(parents=True)
    for n, best in zip(tardiness.JOBS, ("wtopt40.txt", "wtopt50.txt", "wtbest100b.txt"), strict=True):
        made = [jobs.generate(seed, n) for seed in range(2)]
        rows = [[x.processing, x.weight, x.due] for x in made]
        np.savetxt(folder / "wt" / f"wt{n}.txt", np.array(rows).reshape(-1, n), fmt="%d")
        np.savetxt(folder / "wt" / best, [0.9 * jobs.cost(tardiness.wmdd(x), x) for x in made])
    lines = ["Problem Name  Best Feasible Solution Value"]
    for file, (constraints, items) in enumerate(knapsack.SIZES, 1):
        x = knapsack.Knapsack().generate(file, items, constraints)
        lines.append(f"{constraints}.{items}-00  {x.relaxation[2]:.0f}")
        numbers = np.concatenate([[1, items, constraints, 0], x.value, x.use.ravel(), x.capacity])
        np.savetxt(folder / "mkp" / f"mknapcb{file}.txt", numbers, fmt="%d")
    (folder / "mkp" / "best-feasible-slns.txt").write_text("\n".join(lines), "utf-8")
    for (n, m), k in itertools.product(flow_shop.SIZES, range(10)):
        times = flow_shop.FlowShop().generate(k, n, m).times.T.astype(int)
        text = "number of jobs\nprocessing times :\n" + "\n".join(" ".join(map(str, row)) for row in times)
        (folder / "taillard/pfsp/instances" / f"tai{n}_{m}_{k}.fsp").write_text(text, "utf-8")


@pytest.fixture(name="arena")
def tiny_arena(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The arena on tiny files; results go to a folder of the test."""
    tardiness, knapsack, flow_shop = map(problem_module, ("tardiness", "knapsack", "flow_shop"))
    monkeypatch.setattr(tardiness, "JOBS", (6, 8, 10))
    monkeypatch.setattr(knapsack, "SIZES", ((2, 12), (3, 15)))
    monkeypatch.setattr(flow_shop, "SIZES", ((5, 3),))
    monkeypatch.setattr(flow_shop, "BEST", (100,) * 10)
    write_public_files(tmp_path / "public")
    arena = importlib.import_module("arena")
    sort, layer = tardiness.SortedJobs(), tardiness.BoostedATC()
    contests = {
        "wt": lambda folder: tardiness.contest(folder, sort, "sort", 6, 10),
        "atc": lambda folder: tardiness.contest(folder, layer, "rule", 6, 10),
        "mkp": lambda folder: knapsack.contest(folder, 6),
        "pfsp": lambda folder: flow_shop.contest(folder, 6),
    }
    monkeypatch.setattr(arena.arena_problems, "CONTESTS", contests)
    monkeypatch.setattr(arena.measure, "RESULTS", tmp_path / "results")

    def play(*options: str) -> None:
        command = ["arena.py", str(tmp_path / "public"), "--seeds", "2", "--evaluations", "60", *options]
        monkeypatch.setattr(sys, "argv", command)
        arena.main()

    return play, tmp_path / "results"


def test_the_arena_plays_part_by_part_and_goes_on(arena, capsys: pytest.CaptureFixture[str]) -> None:
    play, results = arena
    play("--part", "1/2")
    assert not (results / "arena.json").exists()
    half = capsys.readouterr().out.splitlines()
    play()
    rest = [line for line in capsys.readouterr().out.splitlines() if ", seed " in line]
    assert half
    assert not {line.partition(":")[0] for line in half} & {line.partition(":")[0] for line in rest}
    runs = (results / "arena.runs.jsonl").read_text("utf-8").splitlines()
    assert len(runs) == len(half) + len(rest)

    document = json.loads((results / "arena.json").read_text("utf-8"))
    assert [problem["problem"] for problem in document["problems"]] == ["wt", "atc", "mkp", "pfsp"]
    for problem in document["problems"]:
        one, several = problem["columns"]
        assert one["solves"] == 1 < several["solves"]
        for column in (one, several):
            rows = {row["contender"]: row for row in column["rows"]}
            assert rows[column["reference"]]["difference"] is None
            assert {"auto, 60 evaluations", "cma-es, 60 evaluations"} < set(rows)
            assert ("srl, 60 evaluations" in rows) is (problem["problem"] != "atc")
        least = [min(row["gap"] for row in column["rows"]) for column in (one, several)]
        assert least[1] <= least[0] + 1e-12

    play()  # all is known
    assert ", seed " not in capsys.readouterr().out


def test_a_run_that_was_cut_short_is_dropped(tmp_path: Path) -> None:
    arena = importlib.import_module("arena")
    path = tmp_path / "runs.jsonl"
    arena.Journal(path).add(("a", 1), {"costs": [2.0]})
    path.write_bytes(path.read_bytes() + b'{"key": ["b", 1], "co')
    again = arena.Journal(path)
    assert again.find(("a", 1))["costs"] == [2.0]
    assert again.find(("b", 1)) is None
    again.add(("b", 1), {"costs": [3.0]})
    assert arena.Journal(path).find(("b", 1))["costs"] == [3.0]


def test_an_unknown_problem_is_named(arena, capsys: pytest.CaptureFixture[str]) -> None:
    play, _ = arena
    with pytest.raises(SystemExit, match="2"):
        play("--problems", "wt,chess")
    assert "chess is neither a problem nor a method of the arena" in capsys.readouterr().err


def test_the_page_says_what_the_results_say() -> None:
    page = importlib.import_module("arena_page")
    written = page.PAGE.read_text("utf-8")
    assert page.with_tables(written, json.loads(page.RESULTS.read_text("utf-8"))) == written
