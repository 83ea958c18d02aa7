"""The weights that are shipped."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colayer.pretrained
from colayer import Pipeline
from colayer.errors import InputError, OptionError
from colayer.models import ContextModel, LinearModel, read_model
from colayer.pretrained import pretrained, pretrained_network
from colayer.problem.bind import bind
from colayer.problem.protocol import SomeProblem
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling, find_problem, problem_names
from support.errors import rejects
from support.pick_problem import Pick

FILES = sorted(Path(colayer.pretrained.__file__).parent.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_file_is_found_by_the_problem_it_was_made_for(path: Path) -> None:
    """Its name is the problem's and the options'; its features are those of the problem."""
    model = read_model(path)
    problem = find_problem(model.problem, **model.options)
    assert path.stem == "-".join([model.problem, *model.options.values()])
    assert model.feature_names == bind(problem).feature_names
    found = pretrained(problem)
    assert isinstance(found, LinearModel)
    assert found.document() == model.document()


@pytest.mark.parametrize("name", problem_names())
def test_every_problem_has_shipped_weights_for_its_defaults(name: str) -> None:
    assert pretrained(find_problem(name)) is not None


def test_a_decoder_without_weights_takes_those_of_the_plainest() -> None:
    """Of the same features."""
    plain = pretrained(SingleMachine("27", "none"))
    assert plain is not None
    for problem in (SingleMachine("27", "ls"), SingleMachine("27", "rdi")):
        found = pretrained(problem)
        assert found is not None
        assert found.document() == plain.document()
    for features, decoder in itertools.product(("23", "extended"), VehicleScheduling.decoders):
        found = pretrained(VehicleScheduling(features=features, decoder=decoder))
        assert found is not None
        assert found.options["features"] == features


def test_a_problem_of_the_users_has_none() -> None:
    assert pretrained(Pick()) is None
    assert pretrained(type("Other", (SpanningTree,), {"name": "other"})()) is None


class TestNetwork:
    """The network that is shipped beside the linear weights."""

    problem = SingleMachine("27", "none")

    def test_solves_without_torch_and_beats_the_linear_weights(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """By the mean over instances of two sizes, one of them larger than any it learned from."""
        monkeypatch.setitem(sys.modules, "torch", None)  # import torch fails
        network = Pipeline.from_model(self.problem, pretrained_network(self.problem), safe=False)
        linear = Pipeline(self.problem, safe=False)
        for jobs in (50, 1000):
            instances = [self.problem.generate(seed, jobs=jobs) for seed in range(6)]
            gaps = [
                np.mean([one.solve(x).cost / self.problem.bound(x) - 1.0 for x in instances])
                for one in (network, linear)
            ]
            assert gaps[0] < gaps[1]

    def test_is_never_worse_than_the_linear_weights_where_safety_is_asked_for(self) -> None:
        network = Pipeline.from_model(self.problem, pretrained_network(self.problem))
        alone = Pipeline.from_model(self.problem, pretrained_network(self.problem), safe=False)
        linear = Pipeline(self.problem, safe=False)
        instances = [self.problem.generate(seed, jobs=12) for seed in range(100)]
        costs = np.array([[one.solve(x).cost for one in (network, alone, linear)] for x in instances])
        assert (costs[:, 0] <= costs[:, 1:].min(axis=1)).all()
        assert (costs[:, 2] < costs[:, 1]).any()  # the fallback had something to do

    def test_is_small(self) -> None:
        """Each stage takes about as long as the features: 24 channels, not ten thousand numbers."""
        model = pretrained_network(self.problem)
        (second,) = model.then
        for stage, blocks in ((model, 6), (second, 4)):
            assert sum(array.size for array in stage.arrays.values()) < 10_000
            assert (len(stage.arrays["input.bias"]), len(stage.dilations)) == (24, blocks)

    def test_the_first_stages_can_be_had_alone(self) -> None:
        whole = pretrained_network(self.problem)
        for stages in range(1, 2 + len(whole.then)):
            assert len(pretrained_network(self.problem, stages).then) == stages - 1
        first = pretrained_network(self.problem, 1)
        assert (first.sigma, len(first.portfolio), first.provenance["stages"]) == (None, 0, 1)
        wrong: tuple[Any, ...] = (0, 2 + len(whole.then), 1.0, True)
        for stages in wrong:
            with rejects(OptionError, where="stages"):
                pretrained_network(self.problem, stages)

    def test_for_66_features_is_the_same_beside_other_weights(self) -> None:
        """Together they are better than each alone, by the mean over instances, and than ten linear candidates."""
        problem = SingleMachine("66", "none")
        network = pretrained_network(problem)
        alone, narrow = (
            Pipeline.from_model(one, pretrained_network(one), safe=False) for one in (problem, self.problem)
        )
        both, linear = Pipeline.from_model(problem, network), Pipeline(problem, safe=False)
        instances = [problem.generate(seed, jobs=100, rho=1.0) for seed in range(40)]
        costs = np.array(
            [
                [both.solve(x).cost, alone.solve(x).cost, narrow.solve(x).cost, linear.solve(x, candidates=10).cost]
                for x in instances
            ]
        )
        assert np.array_equal(costs[:, 1], costs[:, 2])
        assert (costs[:, 0] <= costs[:, 1]).all()
        assert costs[:, 0].mean() < costs[:, 3].mean() < costs[:, 1].mean()

    def test_is_not_taken_by_itself_and_is_for_all_decoders(self) -> None:
        for decoder in SingleMachine.decoders:
            problem = SingleMachine("27", decoder)
            found = pretrained_network(problem)
            assert isinstance(found, ContextModel)
            assert str(found.provenance["command"]).startswith("python -m colayer_paper.networks")
            assert isinstance(Pipeline(problem).model, LinearModel)

    @pytest.mark.parametrize("problem", [VehicleScheduling("extended"), SpanningTree("indicator"), Pick()])
    def test_another_problem_is_refused(self, problem: SomeProblem) -> None:
        with rejects(InputError, problem.name, "single-machine-27-none"):
            pretrained_network(problem)


class TestNetworksAfterTheLinearModel:
    """Networks of trees and vehicles look at what the linear weights make, and change it."""

    @pytest.mark.parametrize(
        ("problem", "sizes", "stages"),
        [
            (SpanningTree("cost"), {"width": 30, "scenarios": 10}, 2),
            (SpanningTree("prices"), {"width": 30, "scenarios": 10}, 2),
            (VehicleScheduling("23"), {"tasks": 300, "scenarios": 50}, 1),
        ],
        ids=["cost", "prices", "vehicles"],
    )
    def test_each_stage_lowers_the_mean_cost(
        self, problem: Any, sizes: dict[str, int], stages: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without torch, on instances larger than most, or all, that they learned from; the linear model is first."""
        monkeypatch.setitem(sys.modules, "torch", None)
        whole = pretrained_network(problem)
        assert whole.silent
        assert len(whole.then) == stages
        instances = [problem.generate(seed, **sizes) for seed in range(4)]
        pipelines = [Pipeline(problem, safe=False)]
        for stage in range(1, stages + 1):
            model = pretrained_network(problem, stage)
            assert len(model.then) == stage
            pipelines.append(Pipeline.from_model(problem, model, safe=False))
        costs = np.array([[one.solve(x).cost / problem.scale(x) for one in pipelines] for x in instances])
        assert (np.diff(costs.mean(axis=0)) < 0).all()
        safe = Pipeline.from_model(problem, whole)
        assert all(
            safe.solve(x).cost / problem.scale(x) <= row[[0, -1]].min() for x, row in zip(instances, costs, strict=True)
        )

    def test_stages_are_counted_without_the_linear_model(self) -> None:
        for stages in (0, 3):
            with rejects(OptionError, where="stages"):
                pretrained_network(SpanningTree(), stages)
