"""Labels beside the instances: written, kept, taken up again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colayer
from colayer import BaseProblem, InputError, OptionError
from colayer._runtime.temporary import temporary_beside
from colayer._runtime.threads import allowed
from colayer.io.dataset import label_path
from colayer.io.label import Labelled, label, read_solutions, write_solution
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick

PROBLEM = SingleMachine()


@pytest.fixture(name="folder")
def folder_of(tmp_path: Path) -> Path:
    """Four instances."""
    data = [PROBLEM.generate(seed, jobs=5) for seed in range(4)]
    colayer.write_instances(tmp_path / "data", data, PROBLEM)
    return tmp_path / "data"


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.solution.json"))}


def test_every_instance_gets_its_optimal_solution(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    found = label(PROBLEM, folder, workers=1, progress=lambda *counts: told.append(counts))
    assert found == Labelled(instances=4, labelled=4, proved=4)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    instances = colayer.read_instances(folder)
    for instance, solution, text in zip(
        instances, read_solutions(folder, bind(PROBLEM), instances), texts(folder).values(), strict=True
    ):
        document = json.loads(text)
        assert document["cost"] == document["bound"] == PROBLEM.cost(solution, instance)
        assert document["proved"] is True


@pytest.mark.parametrize("workers", [1, 2])
def test_labels_that_are_there_are_kept(workers: int, folder: Path) -> None:
    """A run that was stopped goes on where it was, in any number of processes; what comes out is the same."""
    label(PROBLEM, folder, workers=1)
    whole = texts(folder)
    for name in ("0001.solution.json", "0002.solution.json"):
        (folder / name).unlink()
    kept = (folder / "0000.solution.json").stat().st_mtime_ns
    told: list[tuple[int, int]] = []
    found = label(PROBLEM, folder, workers=workers, progress=lambda *counts: told.append(counts))
    assert found == Labelled(instances=4, labelled=2, proved=4)
    assert told == [(3, 4), (4, 4)]
    assert texts(folder) == whole
    assert (folder / "0000.solution.json").stat().st_mtime_ns == kept
    assert label(PROBLEM, folder) == Labelled(instances=4, labelled=0, proved=4)


def test_a_label_that_is_wrong_is_refused_before_any_work(folder: Path) -> None:
    bad = {"format": 1, "problem": "single-machine", "sequence": [0, 0], "completion": [1, 2]}
    (folder / "0003.solution.json").write_text(json.dumps(bad))
    with rejects(InputError, where="0003.solution.json: sequence[1]"):
        label(PROBLEM, folder)
    assert list(texts(folder)) == ["0003.solution.json"]


class Slow(BaseProblem):
    """Gives the time it has, and the threads it may use, as its solution; nothing is proved."""

    name = "slow"
    feature_names = ("one",)

    def features(self, instance: Any) -> Any:
        raise NotImplementedError

    def layer(self, theta: Any, instance: Any) -> Any:
        raise NotImplementedError

    def cost(self, solution: Any, instance: Any) -> float:
        return 5.0

    def read(self, document: Any) -> Any:
        return document["x"]

    def write(self, instance: Any) -> Any:
        return {"x": instance}

    def read_solution(self, document: Any, instance: Any) -> Any:
        return [document["time"], document["threads"]]

    def write_solution(self, solution: Any, instance: Any) -> Any:
        return {"time": solution[0], "threads": solution[1]}

    def exact(self, instance: Any, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
        if instance == 13:
            raise ZeroDivisionError("thirteen")
        return [time_limit, allowed()], 2.0, False


def slow_data(folder: Path, *values: int) -> Path:
    colayer.write_instances(folder / "slow", values, Slow())
    return folder / "slow"


@pytest.mark.parametrize(("workers", "count", "threads"), [(1, 2, 1), (2, 2, 1), (3, 1, 3), (5, 2, 2)])
def test_workers_bound_processes_and_their_threads(workers: int, count: int, threads: int, tmp_path: Path) -> None:
    """As many at a time as there are workers; those that are left over are threads of each."""
    folder = slow_data(tmp_path, *range(count))
    assert label(Slow(), folder, time_limit=7.0, workers=workers) == Labelled(count, count, 0)
    for text in texts(folder).values():
        document = json.loads(text)
        assert (document["time"], document["threads"]) == (7.0, threads)
        assert (document["cost"], document["bound"], document["proved"]) == (5.0, 2.0, False)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_fault_of_the_solver_ends_the_run(workers: int, tmp_path: Path) -> None:
    """It comes back as it is; labels that are whole stay, no other is there."""
    folder = slow_data(tmp_path, 13, 13)
    with pytest.raises(ZeroDivisionError, match="thirteen"):
        label(Slow(), folder, workers=workers)
    assert texts(folder) == {}


class Cut(Slow):
    """Fails in the middle of a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def exact(self, instance: Any, time_limit: Any = None, progress: Any = None, start: Any = None) -> Any:
        temporary_beside(self.folder / "slow/0000.json").write_text("half")
        raise ZeroDivisionError("thirteen")


def test_processes_that_an_error_ends_leave_no_temporary_file(tmp_path: Path) -> None:
    folder = slow_data(tmp_path, 1, 2)
    before = sorted(folder.iterdir())
    with pytest.raises(ZeroDivisionError, match="thirteen"):
        label(Cut(tmp_path), folder, workers=2)
    assert sorted(folder.iterdir()) == before


def test_what_a_problem_lacks_is_named(folder: Path) -> None:
    with rejects(OptionError, where="PROBLEM"):
        label(Pick(), folder)
    silent = type("Silent", (Pick,), {"exact": lambda self, x: None})()
    with rejects(OptionError, where="PROBLEM"):
        label(silent, folder)


def test_labels_round_trip(tmp_path: Path) -> None:
    """Labels lie beside the instances and are read in their order, checked against them."""
    instances = [PROBLEM.generate(seed, jobs=4) for seed in range(3)]
    files = colayer.write_instances(tmp_path / "set", instances, PROBLEM, "npz")
    solutions = [np.random.default_rng(k).permutation(4) for k in range(3)]
    for path, solution, instance in zip(files, solutions, instances, strict=True):
        cost = PROBLEM.cost(solution, instance)
        label = label_path(path)
        write_solution(label, solution, instance, bind(PROBLEM), cost=cost, bound=1.0, proved=False)
    document = json.loads((tmp_path / "set/0001.solution.json").read_text())
    assert set(document) == {"format", "problem", "sequence", "completion", "cost", "bound", "proved"}
    assert document["cost"] == sum(document["completion"])
    back = read_solutions(tmp_path / "set", bind(PROBLEM), instances)
    assert all(np.array_equal(a, b) for a, b in zip(back, solutions, strict=True))
    with rejects(InputError, where="set"):
        read_solutions(tmp_path / "set", bind(PROBLEM), instances[:2])
    (tmp_path / "set/0001.solution.json").unlink()
    with rejects(InputError, where="0001.solution.json"):
        read_solutions(tmp_path / "set", bind(PROBLEM), instances)
