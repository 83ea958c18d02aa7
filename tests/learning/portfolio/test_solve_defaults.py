"""What goes with learned weights: σ and a portfolio; neither where the time is over.

Around a network they are draws of its linear part, in model units, whatever its weights are.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from colayer import Pipeline
from colayer._runtime.threads import Threads
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.portfolio.solve_defaults import Corrected, choose_for_network
from colayer.models import ContextModel
from colayer.pretrained import pretrained_network
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from support.selection_problem import Selection

DATA = [Selection().generate(seed) for seed in range(10)]


def test_both_are_written_with_the_model_and_read_again(tmp_path: Path) -> None:
    pipeline = Pipeline(Selection()).fit(DATA, evaluations=100)
    assert pipeline.model.sigma is not None
    pipeline.save(tmp_path / "m.json")
    again = Pipeline.load(tmp_path / "m.json", Selection()).model
    assert again.sigma == pipeline.model.sigma
    assert np.array_equal(again.portfolio, pipeline.model.portfolio)
    assert len(again.portfolio) > 1


def test_neither_where_the_time_is_over() -> None:
    model = Pipeline(Selection()).fit(DATA, time_limit=0.0).model
    assert model.sigma is None
    assert len(model.portfolio) == 0


@pytest.mark.parametrize(("count", "members"), [(1, 0), (2, 2)])
def test_a_portfolio_has_two_members_or_is_none(count: int, members: int) -> None:
    assert len(Pipeline(Selection()).fit(DATA, evaluations=100, portfolio=count).model.portfolio) == members


@pytest.fixture(scope="module")
def shipped() -> tuple[SingleMachine, ContextModel]:
    problem = SingleMachine("27")
    model = pretrained_network(problem)
    assert isinstance(model, ContextModel)
    return problem, model


def corrected(problem: SingleMachine, model: ContextModel, count: int, workers: int = 1) -> Corrected:
    instances = [problem.generate(k, jobs=25) for k in range(count)]
    with Threads(workers) as threads:
        made = Corrected(LocalEvaluator(bind(problem), instances), model, threads)
    made._threads = Threads(1)
    return made


def test_losses_are_those_of_solve(shipped: tuple[SingleMachine, ContextModel]) -> None:
    problem, model = shipped
    evaluator = corrected(problem, model, 3)
    pipeline = Pipeline.from_model(problem, model, safe=False)
    expected = [pipeline.solve(x).cost / problem.scale(x) for x in evaluator._data.instances]
    assert evaluator.losses(model.raw()[None, :]).tolist() == [expected]


def test_sigma_and_members_are_chosen_though_the_weights_are_zero(
    shipped: tuple[SingleMachine, ContextModel],
) -> None:
    """The first member are the weights; the best of all is better than they are alone; same bits for any threads."""
    problem, model = shipped
    assert not model.weights.any()
    found = [choose_for_network(corrected(problem, model, 20, n), None, model, 0, 400, 5) for n in (1, 2)]
    sigma, members = found[0].sigma, found[0].portfolio
    assert sigma is not None
    assert sigma > 0.0
    assert 2 <= len(members) <= 5
    assert not members[0].any()
    losses = corrected(problem, model, 20).losses(members / model.feature_scale)
    assert losses.min(axis=0).mean() < losses[0].mean()
    assert np.array_equal(members, found[1].portfolio)
    assert sigma == found[1].sigma
