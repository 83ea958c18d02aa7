"""Learning as a stage: kept, taken up where it was stopped, and told apart by everything that determines it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.io.files import encode
from colayer.learning.imitation.fenchel_young import FenchelYoung
from colayer.learning.search.auto import Auto
from colayer.learning.search.direct import Direct
from colayer.models import LinearModel
from colayer.pipeline import Pipeline
from colayer.problems import SingleMachine, VehicleScheduling
from colayer_paper.frame.learned import Best, Data, Learned, Learning, State
from colayer_paper.frame.store import Run
from support.gpu.reference import Reference


@pytest.fixture
def run(tmp_path: Path) -> Run:
    found = Run(tmp_path / "run", "smoke", workers=1)
    found.open()
    return found


def jobs(count: int = 6) -> Data:
    problem = SingleMachine("27")
    return Data({"count": count}, lambda: [problem.generate(seed, jobs=8) for seed in range(count)])


def learning(method: Any, evaluations: int, count: int = 6, **options: Any) -> Learning[Any, Any, Any]:
    """Of weights of the 27 features, on that many instances."""
    return Learning("some weights", SingleMachine("27"), jobs(count), method, evaluations, options=options)


def same(a: Learned, b: Learned) -> bool:
    """All but the times."""
    return (a.model, a.losses, a.best, a.loss) == (b.model, b.losses, b.best, b.loss)


def test_learning_that_was_stopped_goes_on(run: Run, tmp_path: Path) -> None:
    """Stopped after some evaluations, then again: the result is that of a run never stopped, and no journal stays."""
    wanted = replace(learning(Direct(seeds=2), 60), portions=[(0, 10), (30, 60)])
    stop_at = 25

    def stop(_what: str, done: int, _total: int) -> None:
        if done >= stop_at:
            raise KeyboardInterrupt

    run.report = stop
    with pytest.raises(KeyboardInterrupt):
        wanted.learn(run)
    (journal,) = (run.folder / "cache").glob("journal-*.jsonl")
    assert journal.read_bytes().count(b"\n") == 1 + stop_at
    run.report = lambda *_: None
    resumed = wanted.learn(run)
    assert not list((run.folder / "cache").glob("journal-*"))
    other = Run(tmp_path / "other", "smoke", workers=2)
    other.open()
    whole = wanted.learn(other)
    assert same(resumed, whole)
    assert wanted.learn(run) == resumed
    assert whole.best[0].loss == min(whole.losses[:10])
    assert whole.linear(1).weights.tolist() == whole.best[1].weights
    assert whole.loss == min(whole.losses)


def test_a_longer_search_of_direct_begins_like_a_shorter_one(run: Run) -> None:
    """What lets one search of each seed give the rows of the paper for fewer and for more iterations."""
    short, long = (learning(Direct(seeds=2), 2 * count).learn(run).losses for count in (40, 100))
    assert (long[:40], long[100:140]) == (short[:40], short[40:])
    for seed in (0, 1):
        short, long = (learning(Direct(randomised=True), n, seed=seed).learn(run).losses for n in (40, 100))
        assert long[:40] == short


def test_another_option_is_another_learning_run(run: Run) -> None:
    first = learning(Auto(), 20).learn(run)
    assert learning(Auto(), 20, seed=1).learn(run) != first
    assert learning(Auto(), 20, count=7).learn(run) != first
    assert run.made == 3


def test_where_and_by_how_many_is_no_matter(run: Run) -> None:
    """Neither workers nor device nor words are part of what determines the weights: nothing is learned again."""
    first = learning(Auto(), 20).learn(run)
    other = Run(run.folder, "smoke", workers=2, device="auto")
    assert replace(learning(Auto(), 20), what="other words").learn(other) == first
    assert other.made == 0


@pytest.mark.parametrize(
    ("problem", "labelled", "device"),
    [(SingleMachine("27"), False, "cuda"), (SingleMachine("27"), True, "cpu"), (VehicleScheduling("23"), False, "cpu")],
)
def test_the_device_of_the_run_is_for_losses_that_have_kernels(
    problem: Any, labelled: bool, device: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for demonstrations, nor for a problem without: these are learned on the processor, and no run is refused."""
    asked: list[str] = []

    def fit(_self: Any, _instances: Any, *, device: str, **_others: Any) -> None:
        asked.append(device)
        raise KeyboardInterrupt

    monkeypatch.setattr(Pipeline, "fit", fit)
    data = Data({}, lambda: [problem.generate(0)])
    solutions = Data({}, lambda: [problem.exact(data.values[0])[0]]) if labelled else None
    run.device = "cuda"
    with pytest.raises(KeyboardInterrupt):
        Learning("", problem, data, Auto(), 9, solutions).learn(run)
    assert asked == [device]


def test_a_gpu_learns_what_the_processor_learns(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By plain Python in the place of the kernels: the same bits, with a note of where the losses were computed."""
    wanted = learning(Direct(randomised=True), 12, count=2)
    here = wanted.learn(run)
    monkeypatch.setattr("colayer.evaluators.gpu.device.Cuda", Reference)
    other = Run(tmp_path / "gpu", "smoke", workers=1, device="cuda")
    other.open()
    there = wanted.learn(other)
    assert (here.device, there.device) == ("cpu", "cuda")
    assert there.losses == here.losses
    assert there.linear().weights.tolist() == here.linear().weights.tolist()


def test_how_far_it_is(run: Run) -> None:
    """Nothing, then the evaluations in the journal with the time noted, then all with the time it took."""
    wanted = learning(Direct(), 20)
    assert (wanted.state(run), wanted.done(run)) == (State("some weights", 0, 20, 0.0, 0.0), False)

    def stop(_what: str, done: int, _total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    run.report = stop
    with pytest.raises(KeyboardInterrupt):
        wanted.learn(run)
    run.journal(wanted.identity).with_suffix(".times").write_bytes(encode({"seconds": 30.0, "cpu": 40.0}))
    under_way = wanted.state(run)
    assert (under_way, wanted.done(run)) == (State("some weights", 5, 20, 30.0, 40.0), False)
    assert under_way.expected == 90.0  # 6 seconds for each of the 15 that are left
    run.report = lambda *_: None
    found = wanted.learn(run)
    assert (wanted.state(run), wanted.done(run)) == (State("some weights", 20, 20, found.seconds, found.cpu), True)
    assert wanted.state(run).expected == 0.0
    assert State("", 0, 20, 0.0, 0.0).expected is None


def test_a_search_that_ended_but_is_not_kept_is_not_more_than_whole(run: Run) -> None:
    """The journal has a last line that is no evaluation: a kill before the result was kept leaves it."""
    wanted = learning(Auto(), 20)
    kept: list[bytes] = []
    journal = run.journal(wanted.identity)

    def killed(*_: Any, **__: Any) -> None:
        kept.append(journal.read_bytes())
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("colayer_paper.frame.learned._best", killed)
        with pytest.raises(KeyboardInterrupt):
            wanted.learn(run)
    assert kept[0].count(b"\n") > 21
    assert wanted.state(run).done == 20


def test_a_journal_that_is_removed_while_it_is_looked_at_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As by the process that has just finished: it was there a moment ago."""
    wanted = learning(Auto(), 20)
    monkeypatch.setattr(Path, "exists", lambda path: path.suffix in (".jsonl", ".times"))
    assert wanted.state(run) == State("some weights", 0, 20, 0.0, 0.0)


def test_as_a_stage_it_is_locked_beside_its_journal(run: Run) -> None:
    wanted = learning(Auto(), 20)
    assert wanted.place(run).parent == run.folder / "cache"
    assert wanted.place(run) != learning(Auto(), 21).place(run)
    assert wanted.make(run) == wanted.learn(run)
    assert run.made == 1


def test_it_is_what_the_pipeline_learns(run: Run) -> None:
    """The same weights, losses and model file as `Pipeline.fit` with the same settings."""
    found = learning(Auto(), 30, validation=0.2, seed=3).learn(run)
    alone = Pipeline(SingleMachine("27"), safe=False)
    alone.fit(jobs().values, method=Auto(), evaluations=30, validation=0.2, seed=3, workers=1, portfolio=1)
    assert found.linear().document() == alone.model.document()
    assert (found.loss, found.validation_loss) == (alone.loss_, alone.validation_loss_)
    assert found.losses == [evaluation.loss for evaluation in alone.history_]
    assert found.best == []  # no portions were asked for


def test_by_demonstration_where_there_are_solutions(run: Run) -> None:
    problem, data = SingleMachine("27"), jobs(5)
    labels = Data({"labels": "exact"}, lambda: [problem.exact(x)[0] for x in data.values])
    wanted = Learning("", problem, data, FenchelYoung(samples=2), 3, labels)
    found = wanted.learn(run)
    assert len(found.losses) == 3
    assert found.model["provenance"]["method"] == "fenchel-young"
    others = Data({"labels": "reversed"}, lambda: [solution[::-1] for solution in labels.values])
    assert replace(wanted, solutions=others).learn(run) != found


def test_times_go_on_where_the_run_was_stopped(run: Run) -> None:
    """An hour was noted before the stop; the journal and the note are removed with the result."""
    wanted = learning(Auto(), 20)

    def stop(_what: str, done: int, _total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    run.report = stop
    with pytest.raises(KeyboardInterrupt):
        wanted.learn(run)
    (journal,) = (run.folder / "cache").glob("journal-*.jsonl")
    journal.with_suffix(".times").write_bytes(encode({"seconds": 3600.0, "cpu": 7200.0}))
    run.report = lambda *_: None
    found = wanted.learn(run)
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
