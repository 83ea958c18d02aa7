"""What the single machine experiments share: data by seed, rows of the tables, and their losses."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.content import content_hash
from colayer.experiments.frame.learned import Best, Learned
from colayer.experiments.single_machine.learners import (
    Learner,
    Row,
    demonstrated,
    held_out,
    jobs,
    labelled,
    losses,
    rows,
    shipped,
    training,
)
from colayer.models import LinearModel
from colayer.problems import SingleMachine
from colayer.problems.single_machine.datasets import paper_set
from support.tiny_experiments import TinyRun, tiny

CONFIG = tiny("scheduling-test")


def row(best: tuple[int, ...]) -> Row:
    """Two seeds of ten iterations each, of which the row has four: the second seed's weights are better."""
    learner = Learner("plain", "none", "27", "direct", [4, 10], 1, [1000, 2500], seeds=2)
    model = LinearModel(("a",), np.array([9.0]), np.array([3.0]), "toy")
    found = [Best(0, 4, 5.0, [1.0]), Best(10, 14, 4.0, [2.0])]
    learned = Learned(model.document(), 3.0, None, [], found, seconds=100.0, cpu=100.0)
    return Row(learner, learned, 4, ("plain", "1000", "none"), best)


def test_the_model_of_a_row_is_that_of_its_best_seed() -> None:
    assert row((0, 1)).model.weights.tolist() == [2.0]
    assert [model.weights.tolist() for model in row((0, 1)).models] == [[1.0], [2.0]]
    assert row(()).model.weights.tolist() == [9.0]
    assert [model.weights.tolist() for model in row(()).models] == [[9.0]]
    assert row((0, 1)).share == 0.4


@pytest.mark.parametrize(("decoder", "words"), [("none", "plain loss, "), ("ls", "plain loss, ls in the loss, ")])
def test_a_learner_in_words(decoder: str, words: str) -> None:
    assert Learner("plain", decoder, "27", "direct", [1], 1).words == f"{words}27 features, direct"


def test_one_search_gives_the_rows_of_all_its_iterations(tiny_run: TinyRun) -> None:
    """A row per number of iterations, the weights of each seed being the best among its first evaluations."""
    tiny_run.outcome("scheduling-learning")
    found = rows(tiny_run.run, CONFIG)
    assert [(r.learner.loss, r.learner.decoder, r.iterations) for r in found] == [
        ("plain", "none", 5), ("plain", "none", 12), ("perturbed", "none", 5), ("plain", "ls", 5), ("plain", "ls", 12),
        ("perturbed", "ls", 5), ("plain", "none", 9),
    ]  # fmt: skip
    assert [r.paper for r in found[:2]] == [("plain", "1000", "none"), ("plain", "2500", "none")]
    assert found[-1].paper is None  # auto is not in the paper
    few, many = found[:2]
    assert few.learned is many.learned
    for k in range(2):
        search = few.learned.losses[12 * k : 12 * (k + 1)]
        assert few.learned.best[few.best[k]].loss == min(search[:5])
        assert many.learned.best[many.best[k]].loss == min(search)


def test_losses_are_what_the_search_saw_where_it_saw_the_whole_set(tiny_run: TinyRun) -> None:
    """Plain and perturbed, without and with the local search: one instance per cell is all there is here."""
    tiny_run.outcome("scheduling-learning")
    for found in rows(tiny_run.run, CONFIG)[:-1]:
        seen = [found.learned.best[k].loss for k in found.best]
        assert losses(tiny_run.run, CONFIG, found) == pytest.approx(seen, rel=1e-12)


def test_sets_are_the_papers_and_made_once() -> None:
    problem = SingleMachine()
    assert training(CONFIG) is jobs("experience", 1, (12, 25, 40))
    expected = paper_set("test", 1, (12, 25, 40))
    assert content_hash(problem, held_out(CONFIG).values) == content_hash(problem, expected)


def test_labelled_instances_are_neither_learned_nor_tested_on() -> None:
    problem = SingleMachine()
    data = [labelled(2, (12,)), jobs("experience", 2, (12,)), jobs("test", 2, (12,))]
    hashes = {content_hash(problem, [x]) for part in data for x in part.values}
    assert len(hashes) == 3 * 20
    # the first of each cell do not depend on how many there are
    first = labelled(1, (12,)).values
    assert content_hash(problem, labelled(2, (12,)).values[::2]) == content_hash(problem, first)


def test_demonstration_learns_from_optimal_sequences(tiny_run: TinyRun) -> None:
    tiny_run.outcome("scheduling-test")
    before = tiny_run.run.made
    learned = demonstrated(tiny_run.run, CONFIG)
    assert tiny_run.run.made == before
    assert learned.model["provenance"]["method"] == "fenchel-young"
    assert learned.model["provenance"]["instances"] == 10
    assert len(learned.losses) == CONFIG["passes"]


def test_shipped_weights_by_decoder() -> None:
    found = shipped(("none", "rdi"))
    assert list(found) == ["none", "rdi"]
    assert all(len(model.weights) == 66 for model in found.values())
    assert [model.provenance["learn_decoder"] for model in found.values()] == ["none", "rdi"]
