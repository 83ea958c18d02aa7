"""Context in, decisions out: from true costs, from solutions, from costs alone; chosen, refitted, saved and resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from colayer import BaseProblem, Pipeline, SpoPlus, regret
from colayer.errors import InputError, OptionError
from colayer.layers import TopK
from colayer.models import AffineModel
from support.context_samples import SIZE, data, problem
from support.errors import rejects

TEST = data(500, seed=1)


def held_out_regret(pipeline: Pipeline) -> float:
    model = pipeline.model
    assert isinstance(model, AffineModel)
    return regret(TEST[0] @ model.matrix.T + model.offset, TEST[1], TopK(2))


@pytest.fixture(scope="module")
def learned() -> Pipeline:
    contexts, costs = data(200, degree=6)
    return Pipeline(problem()).fit(contexts, thetas=costs)


def regression() -> float:
    contexts, costs = data(200)
    inputs = np.column_stack([contexts, np.ones(200)])
    W, *_ = np.linalg.lstsq(inputs, costs, rcond=None)
    return regret(TEST[0] @ W[:-1] + W[-1], TEST[1], TopK(2))


def test_from_true_costs() -> None:
    """No worse than the regression where that is wrong."""
    contexts, costs = data(200)
    assert held_out_regret(Pipeline(problem()).fit(contexts, thetas=costs)) < regression()


def test_costs_that_are_linear_and_known_are_used() -> None:
    contexts, costs = data(200)
    own = problem()
    by_costs, by_thetas = (
        Pipeline(own).fit(own.samples(contexts, costs)).model,
        Pipeline(own).fit(contexts, thetas=costs).model,
    )
    assert by_costs.document()["weights"] == by_thetas.document()["weights"]


def test_from_solutions_and_from_costs_alone() -> None:
    contexts, costs = data(200)
    solutions = [TopK(2)(row) for row in costs]
    own = problem(outcome_cost=lambda y, outcome: float((y * outcome).sum()))
    nothing = regret(np.tile(np.arange(SIZE), (500, 1)), TEST[1], TopK(2))
    assert held_out_regret(Pipeline(own).fit(own.samples(contexts, costs), solutions=solutions)) < nothing / 4
    assert held_out_regret(Pipeline(own).fit(own.samples(contexts, costs), evaluations=10)) < nothing / 4


def test_the_regression_stands_where_nothing_is_better() -> None:
    """Linear costs without noise: the descent can gain nothing, and is not kept."""
    contexts, costs = data(100, degree=1, noise=0.0)
    pipeline = Pipeline(problem()).fit(contexts, thetas=costs)
    assert len(pipeline.history_) == 12  # start and ten passes, then the regression of all
    assert pipeline.validation_loss_ is not None


def test_decides_for_a_context_for_rows_and_for_samples(learned: Pipeline) -> None:
    contexts, costs = TEST
    one = learned.decide(contexts[0])
    assert one.sum() == 2.0
    assert np.array_equal(learned.decide(contexts[:3])[0], one)
    (sample,) = problem().samples(contexts[:1], costs[:1])
    assert np.array_equal(learned.decide(sample), one)
    assert np.array_equal(learned.decide([sample])[0], one)
    solved = learned.solve(sample)
    assert np.array_equal(solved.solution, one)
    assert np.isclose(solved.cost, (one * costs[0]).sum())


def test_a_saved_model_decides_the_same(learned: Pipeline, tmp_path: Path) -> None:
    learned.save(tmp_path / "model.json")
    again = Pipeline.load(tmp_path / "model.json", problem())
    assert np.array_equal(again.decide(TEST[0]), learned.decide(TEST[0]))


def test_a_journal_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    contexts, costs = data(60)
    journal = tmp_path / "journal"
    whole = Pipeline(problem()).fit(contexts, thetas=costs, journal=journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:5]))
    again = Pipeline(problem()).fit(contexts, thetas=costs, journal=journal)
    assert again.model.document()["weights"] == whole.model.document()["weights"]
    assert again.recalled_ == 4


def test_workers_change_nothing() -> None:
    contexts, costs = data(100)
    one, two = (Pipeline(problem()).fit(contexts, thetas=costs, workers=workers).model for workers in (1, 2))
    assert one.document()["weights"] == two.document()["weights"]


class Rows(BaseProblem):
    """A problem of the user's: a context, and a feature that all rows share."""

    name = "rows"
    feature_names = ("known",)

    def context(self, instance):
        return instance[0]

    def features(self, instance):
        return instance[1][:, None]

    def layer(self, theta, instance):
        return TopK(2)(theta)

    def embed(self, y, instance):
        return y

    def cost(self, solution, instance):
        return float((solution * instance[2]).sum())


def rows(count: int, seed: int) -> list[tuple[np.ndarray, ...]]:
    contexts, costs = data(count, seed, degree=1)
    known = np.random.default_rng(seed).uniform(0.0, 3.0, costs.shape)
    return [(x, k, c + 2.0 * k) for x, k, c in zip(contexts, known, costs, strict=True)]


def test_shared_rows_and_context_meet() -> None:
    train, test = rows(100, 0), rows(200, 1)
    pipeline = Pipeline(Rows()).fit(train, thetas=[one[2] for one in train])
    found = sum(solved.cost for solved in pipeline.solve_many(test))
    best = sum(float(np.sort(one[2])[:2].sum()) for one in test)
    assert found < 1.1 * best
    assert np.isclose(pipeline.model.raw()[0], 2.0, rtol=0.1)
    by_costs = Pipeline(Rows()).fit(train, evaluations=5)
    assert sum(solved.cost for solved in by_costs.solve_many(test)) < 1.5 * best


def test_names_what_is_wrong() -> None:
    contexts, costs = data(10)
    with rejects(OptionError, "direct"):
        Pipeline(problem(outcome_cost=lambda y, outcome: 0.0)).fit(problem().samples(contexts, costs), method="direct")
    with rejects(InputError, where="thetas[3]"):
        Pipeline(problem()).fit(contexts, thetas=[row if i != 3 else row[:2] for i, row in enumerate(costs)])
    with rejects(InputError, where="thetas"):
        Pipeline(problem()).fit(contexts, thetas=costs[:5])
    with rejects(OptionError, "a start is for problems with a context"):

        class Plain(Rows):
            context = None

        train = rows(10, 0)
        Pipeline(Plain()).fit(train, thetas=[one[2] for one in train], method=SpoPlus(start=object()))
