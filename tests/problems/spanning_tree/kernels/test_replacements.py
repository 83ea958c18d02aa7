"""What an edge of the first stage is worth, against completions without it."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.problems.spanning_tree.decoder import complete
from colayer.problems.spanning_tree.instance import generate
from colayer.problems.spanning_tree.kernels.replacements import replacements
from colayer.problems.spanning_tree.kernels.trees import completions
from support.plain_trees import forests, signed, small


@pytest.mark.parametrize("kind", ["whole", "positive", "normal"])
@pytest.mark.parametrize("seed", range(10))
def test_replacements_are_what_a_completion_costs_more_without_the_edge(seed: int, kind: str) -> None:
    """All forests of small multigraphs, ties and signs of every kind."""
    instance = small(seed, kind)
    for forest in forests(instance):
        check(np.array(forest, dtype=np.int64), instance)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_of_large_forests(seed: int) -> None:
    instance = generate(seed, width=9, scenarios=6)
    rng = np.random.default_rng(seed)
    whole = complete(np.empty(0, dtype=np.int64), instance)[0].second_stage[0]
    check(np.sort(rng.permutation(whole)[:40]), instance)
    check(np.sort(whole), instance)


def test_nothing_bought_is_worth_nothing() -> None:
    instance = signed(0)
    u, v, _, second = instance.arrays
    none = np.empty(0, dtype=np.int64)
    found = replacements(u, v, none, completions(u, v, none, instance.scenario_trees), instance.scenario_trees, second)
    assert found.shape == (instance.scenarios, 0)


def check(forest: np.ndarray, instance: object) -> None:
    u, v, _, second = instance.arrays  # type: ignore[attr-defined]
    trees = instance.scenario_trees  # type: ignore[attr-defined]
    found = replacements(u, v, forest, completions(u, v, forest, trees), trees, second)

    def paid(edges: np.ndarray) -> np.ndarray:
        rows = complete(edges, instance)[0].second_stage  # type: ignore[arg-type]
        return np.array([second[s, row].sum() for s, row in enumerate(rows)])

    for j in range(len(forest)):
        assert found[:, j] == pytest.approx(paid(np.delete(forest, j)) - paid(forest))
