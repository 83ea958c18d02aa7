"""Learning as a stage: kept, taken up where it was stopped, and told apart by everything that determines it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.experiments.frame.learned import Best, Data, Learned, learn
from colayer.experiments.frame.store import Run
from colayer.files import encode
from colayer.learning.demonstration.fenchel_young import FenchelYoung
from colayer.learning.experience.auto import Auto
from colayer.learning.experience.direct import Direct
from colayer.models import LinearModel
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine


@pytest.fixture
def run(tmp_path: Path) -> Run:
    found = Run(tmp_path / "run", "smoke", workers=1)
    found.open()
    return found


def jobs(count: int = 6) -> Data:
    problem = SingleMachine("27")
    return Data({"count": count}, lambda: [problem.generate(seed, jobs=8) for seed in range(count)])


def same(a: Learned, b: Learned) -> bool:
    """All but the times."""
    return (a.model, a.losses, a.best, a.loss) == (b.model, b.losses, b.best, b.loss)


def test_learning_that_was_stopped_goes_on(run: Run, tmp_path: Path) -> None:
    """Stopped after some evaluations, then again: the result is that of a run never stopped, and no journal stays."""
    options: dict[str, Any] = {
        "what": "train",
        "method": Direct(seeds=2),
        "evaluations": 60,
        "portions": [(0, 10), (30, 60)],
    }
    stop_at = 25

    def stop(_what: str, done: int, _total: int) -> None:
        if done >= stop_at:
            raise KeyboardInterrupt

    run.report = stop
    with pytest.raises(KeyboardInterrupt):
        learn(run, SingleMachine("27"), jobs(), **options)
    (journal,) = (run.folder / "cache").glob("journal-*.jsonl")
    assert journal.read_bytes().count(b"\n") == 1 + stop_at
    run.report = lambda *_: None
    resumed = learn(run, SingleMachine("27"), jobs(), **options)
    assert not list((run.folder / "cache").glob("journal-*"))
    other = Run(tmp_path / "other", "smoke", workers=2)
    other.open()
    whole = learn(other, SingleMachine("27"), jobs(), **options)
    assert same(resumed, whole)
    assert learn(run, SingleMachine("27"), jobs(), **options) == resumed
    assert whole.best[0].loss == min(whole.losses[:10])
    assert whole.linear(1).weights.tolist() == whole.best[1].weights
    assert whole.loss == min(whole.losses)


def test_a_longer_search_of_direct_begins_like_a_shorter_one(run: Run) -> None:
    """What lets one search of each seed give the rows of the paper for fewer and for more iterations."""
    short, long = (
        learn(run, SingleMachine("27"), jobs(), what="", method=Direct(seeds=2), evaluations=2 * count).losses
        for count in (40, 100)
    )
    assert (long[:40], long[100:140]) == (short[:40], short[40:])


def test_another_option_is_another_learning_run(run: Run) -> None:
    first = learn(run, SingleMachine("27"), jobs(), what="", method=Auto(), evaluations=20)
    assert learn(run, SingleMachine("27"), jobs(), what="", method=Auto(), evaluations=20, seed=1) != first
    assert learn(run, SingleMachine("27"), jobs(7), what="", method=Auto(), evaluations=20) != first
    assert run.made == 3


def test_it_is_what_the_pipeline_learns(run: Run) -> None:
    """The same weights, losses and model file as `Pipeline.fit` with the same settings."""
    found = learn(run, SingleMachine("27"), jobs(), what="", method=Auto(), evaluations=30, validation=0.2, seed=3)
    alone = Pipeline(SingleMachine("27"), safe=False)
    alone.fit(jobs().values, method=Auto(), evaluations=30, validation=0.2, seed=3, workers=1, portfolio=1)
    assert found.linear().document() == alone.model.document()
    assert (found.loss, found.validation_loss) == (alone.loss_, alone.validation_loss_)
    assert found.losses == [evaluation.loss for evaluation in alone.history_]
    assert found.best == []  # no portions were asked for


def test_by_demonstration_where_there_are_solutions(run: Run) -> None:
    problem, data = SingleMachine("27"), jobs(5)
    labels = Data({"labels": "exact"}, lambda: [problem.exact(x)[0] for x in data.values])
    options: dict[str, Any] = {"what": "", "method": FenchelYoung(samples=2), "evaluations": 3}
    found = learn(run, problem, data, solutions=labels, **options)
    assert len(found.losses) == 3
    assert found.model["provenance"]["method"] == "fenchel-young"
    others = Data({"labels": "reversed"}, lambda: [solution[::-1] for solution in labels.values])
    assert learn(run, problem, data, solutions=others, **options) != found


def test_times_go_on_where_the_run_was_stopped(run: Run) -> None:
    """An hour was noted before the stop; the journal and the note are removed with the result."""
    problem, options = SingleMachine("27"), {"what": "", "method": Auto(), "evaluations": 20}

    def stop(_what: str, done: int, _total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    run.report = stop
    with pytest.raises(KeyboardInterrupt):
        learn(run, problem, jobs(), **options)
    (journal,) = (run.folder / "cache").glob("journal-*.jsonl")
    journal.with_suffix(".times").write_bytes(encode({"seconds": 3600.0, "cpu": 7200.0}))
    run.report = lambda *_: None
    found = learn(run, problem, jobs(), **options)
    assert 3600 < found.seconds < 3700
    assert 7200 < found.cpu < 7300
    assert (run.seconds, run.cpu) == (found.seconds, found.cpu)
    assert not list((run.folder / "cache").glob("journal-*"))


def test_data_are_made_when_they_are_first_needed_and_once() -> None:
    made: list[int] = []
    data = Data({"seed": 1}, lambda: made.append(1) or iter("abc"))  # type: ignore[func-returns-value]
    assert made == []
    assert data.values == ["a", "b", "c"]
    assert data.values == ["a", "b", "c"]
    assert made == [1]


def test_a_model_of_the_best_of_a_portion() -> None:
    model = LinearModel(("a", "b"), np.array([1.0, 2.0]), np.array([2.0, 4.0]), "toy")
    learned = Learned(model.document(), 1.0, None, [3.0, 1.0], [Best(0, 1, 3.0, [5.0, 6.0])], 0.0, 0.0)
    assert learned.linear().raw().tolist() == [0.5, 0.5]
    assert learned.linear(0).raw().tolist() == [2.5, 1.5]  # the scale is that of the run
