"""A torch module in the place of W·context + b: by costs, solutions and outcomes; the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from colayer import InputError, OptionError, Pipeline, regret
from colayer.layers import TopK
from colayer.problems import SingleMachine
from support.context_samples import SIZE, data, problem
from support.errors import rejects

CONTEXTS, COSTS = data(100, degree=6)
TEST = data(300, seed=1, degree=6)


def network(seed: int = 0) -> torch.nn.Module:
    """Return a small network, with dropout to draw from the seed."""
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 16), torch.nn.ReLU(), torch.nn.Dropout(0.01), torch.nn.Linear(16, SIZE)
    )


def held_out_regret(pipeline: Pipeline) -> float:
    return regret(np.array([pipeline.model.from_context(row) for row in TEST[0]]), TEST[1], TopK(2))


def test_learns_from_costs_solutions_and_outcomes() -> None:
    nothing = regret(np.tile(np.arange(SIZE), (300, 1)), TEST[1], TopK(2))
    plain = Pipeline(problem()).fit(CONTEXTS, thetas=COSTS)
    by_costs = Pipeline(problem()).fit(CONTEXTS, thetas=COSTS, module=network())
    assert held_out_regret(by_costs) < held_out_regret(plain)
    own = problem(outcome_cost=lambda y, outcome: float((y * outcome).sum()))
    samples = own.samples(CONTEXTS, COSTS)
    answers = [TopK(2)(row) for row in COSTS]
    assert (
        held_out_regret(Pipeline(own).fit(samples, solutions=answers, evaluations=10, module=network())) < nothing / 4
    )
    assert held_out_regret(Pipeline(own).fit(samples, evaluations=4, module=network())) < nothing / 2


def test_the_same_seed_gives_the_same_network_and_the_module_stays_as_it_was() -> None:
    module = network()
    before = [part.clone() for part in module.parameters()]
    one, same = (Pipeline(problem()).fit(CONTEXTS, thetas=COSTS, module=module, evaluations=4) for _ in range(2))
    other = Pipeline(problem()).fit(CONTEXTS, thetas=COSTS, module=module, evaluations=4, seed=1)
    thetas = [[p.model.from_context(row).tolist() for row in TEST[0][:5]] for p in (one, same, other)]
    assert thetas[0] == thetas[1] != thetas[2]
    assert all(torch.equal(a, b) for a, b in zip(before, module.parameters(), strict=True))
    assert len(one.history_) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"module": torch.nn.Linear(3, 2)}, "returned shape (32, 2), expected (32, 6)"),
        ({"module": torch.nn.ReLU()}, "expected a torch module"),
        ({"module": object()}, "expected a torch module"),
        ({"module": torch.nn.Linear(3, SIZE), "journal": "journal"}, "keeps no journal"),
        ({"method": "neural"}, "neural sees rows, not contexts"),
    ],
)
def test_names_what_is_wrong(options: dict, message: str, tmp_path: Path) -> None:
    if "journal" in options:
        options = {**options, "journal": tmp_path / "journal"}
    with rejects((InputError, OptionError), message):
        Pipeline(problem()).fit(CONTEXTS[:40], thetas=COSTS[:40], **options)


def test_a_problem_without_contexts_takes_no_module() -> None:
    jobs = SingleMachine()
    with rejects(OptionError, "no context"):
        Pipeline(jobs).fit([jobs.generate(jobs=5, seed=0)], module=network())
