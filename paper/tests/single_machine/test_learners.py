"""What the single machine experiments share: data by seed, rows of the tables, and their losses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from colayer.io.hashing import content_hash
from colayer.models import LinearModel
from colayer.problems import SingleMachine
from colayer_paper.frame.learned import Best, Learned
from colayer_paper.frame.store import Run
from colayer_paper.single_machine.datasets import paper_set
from colayer_paper.single_machine.learners import (
    Learner,
    Row,
    by_demonstration,
    by_experience,
    held_out,
    jobs,
    labelled,
    learner,
    learnings,
    losses,
    rows,
    shipped,
    training,
    validation,
)
from tiny_experiments import TinyRun, tiny

CONFIG = tiny("scheduling-test")


def row(best: int | None) -> Row:
    """Two seeds of ten iterations each, of which the row has four: the second seed's weights are better."""
    learner = Learner("plain", "none", "27", "direct", [4, 10], 1, [1000, 2500], seeds=2)

    def seed(last: float, loss: float, weight: float) -> Learned:
        model = LinearModel(("a",), np.array([last]), np.array([3.0]), "toy")
        found = [Best(0, 4, loss, [weight]), Best(0, 10, 3.0, [9.0])]
        return Learned(model.document(), 3.0, None, [], found, seconds=100.0, cpu=200.0)

    return Row(learner, (seed(7.0, 5.0, 1.0), seed(8.0, 4.0, 2.0)), 4, ("plain", "1000", "none"), best)


def test_the_model_of_a_row_is_that_of_its_best_seed() -> None:
    assert row(0).model.weights.tolist() == [2.0]
    assert [model.weights.tolist() for model in row(0).models] == [[1.0], [2.0]]
    assert row(1).model.weights.tolist() == [9.0]
    # the learners' own answers, which are equally good here: the first seed's
    assert row(None).model.weights.tolist() == [7.0]
    assert [model.weights.tolist() for model in row(None).models] == [[7.0], [8.0]]


def test_times_of_a_row_are_its_share_of_those_of_all_seeds() -> None:
    found = row(0)
    assert found.share == 0.4
    assert found.seconds == pytest.approx(80.0)


@pytest.mark.parametrize(("decoder", "words"), [("none", "plain loss, "), ("ls", "plain loss, ls in the loss, ")])
def test_a_learner_in_words(decoder: str, words: str) -> None:
    assert Learner("plain", decoder, "27", "direct", [1], 1).words == f"{words}27 features, direct"


def test_strength_and_features_left_out_are_in_the_words() -> None:
    found = Learner("perturbed", "ls", "66", "direct", [1], 1, samples=5, sigma=0.03, without=["rank_lookahead"])
    assert found.words == (
        "perturbed loss (σ = 0.03, 5 samples), ls in the loss, 66 features without look-ahead, direct"
    )  # fmt: skip
    assert found.named == "66 without look-ahead"


def test_an_entry_of_the_config_that_is_misspelled_is_refused() -> None:
    entry = {"loss": "plain", "decoder": "none", "features": "27", "method": "direct", "iterations": [1], "per_cell": 1}
    assert learner(entry) == Learner("plain", "none", "27", "direct", [1], 1)
    with pytest.raises(msgspec.ValidationError, match="seedz"):
        learner({**entry, "seedz": 2})


def test_a_learner_is_a_search_for_each_seed() -> None:
    """By randomised DIRECT without validation, each of its own; by auto with a split, whose answer is taken."""
    direct = learner({**CONFIG["learners"][0], "features": "66", "without": ["rank_lookahead"], "seeds": 3})
    found = by_experience(CONFIG, direct)
    assert [learning.settings["seed"] for learning in found] == [0, 1, 2]
    assert [learning.what[-6:] for learning in found] == ["seed 0", "seed 1", "seed 2"]
    names = SingleMachine().feature_names
    for learning in found:
        options = learning.identity["method_options"]
        assert (options["randomised"], options["seeds"]) == (True, 1)
        assert [names[k] for k in options["without"]] == ["rank_lookahead"]
        assert (learning.evaluations, learning.portions) == (12, [(0, 5), (0, 12)])
        assert (learning.settings["validation"], learning.settings["radius"]) == (0.0, CONFIG["radius"])
    (auto,) = by_experience(CONFIG, learner(CONFIG["learners"][-1]))
    assert (auto.method.name, auto.settings["validation"], auto.portions) == ("auto", 0.2, [])


def test_features_left_out_have_no_weight(tmp_path: Path) -> None:
    run = Run(tmp_path / "run", "smoke", workers=1)
    run.open()
    entry = {**CONFIG["learners"][0], "features": "66", "without": ["rank_lookahead"], "seeds": 1}
    (learning,) = by_experience(CONFIG, learner({**entry, "iterations": [150]}))
    model = learning.learn(run).linear(0)
    assert model.weights[SingleMachine().feature_names.index("rank_lookahead")] == 0.0
    assert model.weights.any()


def test_everything_that_is_learned_is_named_once(tiny_run: TinyRun) -> None:
    """Four learners of two seeds, one of one, and by demonstration: all that the experiments ask for."""
    found = learnings(tiny_run.run, CONFIG)
    assert len(found) == len({learning.what for learning in found}) == 4 * 2 + 1 + 1
    assert found[-1].solutions is not None
    tiny_run.outcome("scheduling-test")
    assert all(learning.done(tiny_run.run) for learning in found)


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
    assert len(few.learned) == 2
    for seed in few.learned:
        assert len(seed.losses) == 12
        assert seed.best[few.best].loss == min(seed.losses[:5])  # type: ignore[index]
        assert seed.best[many.best].loss == min(seed.losses)  # type: ignore[index]
    assert few.learned[0].losses != few.learned[1].losses
    assert (len(found[-1].learned), found[-1].best) == (1, None)


def test_losses_are_what_the_search_saw_where_it_saw_the_whole_set(tiny_run: TinyRun) -> None:
    """Plain and perturbed, without and with the local search: one instance per cell is all there is here."""
    tiny_run.outcome("scheduling-learning")
    for found in rows(tiny_run.run, CONFIG)[:-1]:
        seen = [seed.best[found.best].loss for seed in found.learned]  # type: ignore[index]
        assert losses(tiny_run.run, CONFIG, found) == pytest.approx(seen, rel=1e-12)


def test_sets_are_the_papers_and_made_once() -> None:
    problem = SingleMachine()
    assert training(CONFIG) is jobs("experience", 1, (12, 25, 40))
    expected = paper_set("test", 1, (12, 25, 40))
    assert content_hash(problem, held_out(CONFIG).values) == content_hash(problem, expected)


def test_no_instance_is_in_two_sets() -> None:
    """Those with labels and those to validate on are neither learned by experience nor tested on."""
    problem = SingleMachine()
    sizes = {"jobs": [12], "demonstration_jobs": [12]}
    counts = dict.fromkeys(("demonstration_per_cell", "validation_per_cell", "train_per_cell", "test_per_cell"), 2)
    config = replace(CONFIG, parameters={**CONFIG.parameters, **sizes, **counts})
    data = [labelled(config), validation(config), training(config), held_out(config)]
    hashes = {content_hash(problem, [x]) for part in data for x in part.values}
    assert len(hashes) == 4 * 20
    assert len({str(part.identity) for part in data}) == 4
    # the first of each cell do not depend on how many there are
    few = replace(config, parameters={**config.parameters, **dict.fromkeys(counts, 1)})
    for made in (labelled, validation):
        assert content_hash(problem, made(config).values[::2]) == content_hash(problem, made(few).values)


def test_demonstration_learns_from_optimal_sequences(tiny_run: TinyRun) -> None:
    tiny_run.outcome("scheduling-test")
    before = tiny_run.run.made
    learned = by_demonstration(tiny_run.run, CONFIG).learn(tiny_run.run)
    assert tiny_run.run.made == before
    assert learned.model["provenance"]["method"] == "fenchel-young"
    assert learned.model["provenance"]["instances"] == 10
    assert len(learned.losses) == CONFIG["passes"]


def test_shipped_weights_by_decoder() -> None:
    found = shipped(("none", "rdi"))
    assert list(found) == ["none", "rdi"]
    assert all(len(model.weights) == 66 for model in found.values())
    assert [model.provenance["learn_decoder"] for model in found.values()] == ["none", "rdi"]
