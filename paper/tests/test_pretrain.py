"""The command behind the shipped weights, at a small scale, and the data it learns on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import colayer.pretrained
from colayer import Pipeline
from colayer.io.hashing import content_hash
from colayer.problems import SingleMachine
from colayer.problems.single_machine import PAPER_JOBS, PAPER_RHO
from colayer_paper.pretrain import RECIPES, main, pretrain
from colayer_paper.single_machine.datasets import paper_set


def test_paper_sets_have_the_papers_shape_and_share_no_instance() -> None:
    experience, test = paper_set("experience", 1), paper_set("test", 1)
    assert len(experience) == len(PAPER_JOBS) * len(PAPER_RHO) == 120
    assert sorted({instance.jobs for instance in test}) == sorted(PAPER_JOBS)
    problem = SingleMachine()
    hashes = {content_hash(problem, [instance]) for instance in experience + test}
    assert len(hashes) == 240
    first_of_each_cell = paper_set("experience", 2, jobs=(50,))[::2]
    assert content_hash(problem, first_of_each_cell) == content_hash(problem, experience[:10])


def test_every_file_that_is_shipped_has_its_recipe() -> None:
    """Named like the file: the command in its provenance learns it again, with the method that it says."""
    shipped = Path(colayer.pretrained.__file__).parent.glob("*.json")
    for path in shipped:
        said = json.loads(path.read_text())["provenance"]
        if path.stem == "dynamic-routing-wait":  # learned from files of the competition, which are not ours to ship
            assert said["command"].startswith("python benchmarks/competition.py DIR --learn ")
            continue
        recipe = RECIPES[path.stem]
        assert said["command"] == f"python -m colayer_paper.pretrain {path.stem}"
        assert (said["method"], said["evaluations"]) == (recipe.method.name, recipe.evaluations)
        assert said["learn_decoder"] == recipe.learn_decoder or recipe.learn_decoder is None


def test_a_recipe_that_is_not_there_is_refused_before_any_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["pretrain", "single-machine-67-ls"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "no recipe 'single-machine-67-ls', expected single-machine-66-none, " in capsys.readouterr().err


def test_pretrain_writes_a_model_that_loads_and_goes_on_from_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = pretrain("single-machine-66-ls", tmp_path / "out", per_cell=1, evaluations=3)
    path = tmp_path / "out" / "single-machine-66-ls.json"
    assert np.array_equal(Pipeline.load(path).weights_, model.weights)
    before = path.read_bytes()
    pretrain("single-machine-66-ls", tmp_path / "out", per_cell=1, evaluations=3)
    assert path.read_bytes() == before


def test_weights_for_rounds_have_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe as it is, on small instances."""
    monkeypatch.chdir(tmp_path)
    recipe = RECIPES["vehicle-scheduling-rounds-none"]
    assert [x.tasks for x in recipe.data(1)] == [100, *[200] * 6, *[500] * 3]
    small = [recipe.problem.generate(seed, tasks=15, scenarios=4) for seed in range(6)]
    monkeypatch.setitem(RECIPES, "vehicle-scheduling-rounds-none", replace(recipe, data=lambda count: small))
    model = pretrain("vehicle-scheduling-rounds-none", tmp_path, evaluations=40, workers=1)
    assert (model.rounds, len(model.portfolio)) == (10, 32)
    assert Pipeline.load(tmp_path / "vehicle-scheduling-rounds-none.json").solve(small[0]).rounds == 10


@pytest.mark.parametrize("decoder", SingleMachine.decoders)
def test_shipped_weights_keep_their_promise_on_other_instances(decoder: str) -> None:
    """On the smaller half of the test set, where gaps are largest; `make quality` looks at all of it."""
    problem = SingleMachine(decoder=decoder)
    instances = paper_set("test", 5, jobs=PAPER_JOBS[:6])
    bounds = np.array([problem.bound(x) for x in instances])

    def mean_gap(costs: list[float]) -> float:
        return float(((np.array(costs) - bounds) / bounds).mean())

    rule, limit = {"none": ("srpt-midpoint", 0.72), "ls": ("release+ls", 0.90), "rdi": ("release+ls", 0.79)}[decoder]
    plain = mean_gap([problem.cost(problem.baseline(rule, x), x) for x in instances])
    learned = mean_gap([solved.cost for solved in Pipeline(problem, safe=False).solve_many(instances)])
    assert learned <= limit * plain
