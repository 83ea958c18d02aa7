"""The run around every learner: what is kept, what is told, when it ends."""

import math
import pickle

import numpy as np
import pytest

from colayer._runtime.clock import clock
from colayer.errors import InputError, JournalError
from colayer.learning.journal import Record
from colayer.learning.run import Evaluation, Run, Stop, open_run
from colayer.learning.search.optimizer import Task
from colayer.learning.settings import Settings
from support.errors import rejects
from support.searching import Given, search, table


def noted(*records, **options):
    """A run that has seen these (loss, validation): weight k is evaluation k."""
    run = Run(100, **options)
    for k, (loss, validation) in enumerate(records, 1):
        run.note(Record(k, [float(k)], loss, validation))
    return run


def test_without_validation_the_first_of_lowest_loss_is_learned():
    run = search(table(w1=3, w2=1, w3=1, w4=2), task=Task(1), method=Given([1, 2], [3, 4]))
    assert run.weights.tolist() == [2.0]
    assert (run.loss, run.validation_loss, run.out_of_time) == (1.0, None, False)


def test_history_and_callback_tell_every_evaluation():
    told = []
    run = search(table(w1=3, w2=1, w3=2), task=Task(1), method=Given([1], [2, 3]), callback=told.append)
    seen = [(1, 3.0, 3.0), (2, 1.0, 1.0), (3, 2.0, 1.0)]
    assert run.history == [Evaluation(*one, weights=[float(one[0])]) for one in seen]
    assert told == run.history


def test_history_shares_the_weights_of_the_records_and_has_none_of_networks():
    run = noted((3.0, None))
    assert run.history[0].weights is run.visited[0].weights
    run.note(Record(2, [], 1.0, None))
    assert run.history[1].weights is None
    assert len({*run.history}) == 2


def test_evaluations_are_equal_also_after_a_journey_between_processes():
    """What is not known is None: a NaN would differ from itself."""
    for one in (Evaluation(1, 3.0, 3.0), Evaluation(2, 3.0, 3.0, 0.5, demonstration=0.25)):
        assert pickle.loads(pickle.dumps(one)) == one
    assert Evaluation(1, 3.0, 3.0).demonstration is None


def test_of_equal_validation_losses_the_last_wins():
    """It has the lower training loss."""
    run = search(table(w1=9, w2=8), table(w1=1, w2=1), task=Task(1), method=Given([1, 2]))
    assert run.weights.tolist() == [2.0]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, 2),  # of those that improve, the last of equals: 3 does not improve
        ({"ties": "first"}, 1),
        ({"every": True}, 4),  # of all, the last of equals
        ({"every": True, "ties": "first"}, 1),
    ],
)
def test_which_of_equals_is_kept(options, kept):
    run = noted((9.0, 1.0), (8.0, 1.0), (8.0, 2.0), (8.5, 1.0), **options)
    assert run.weights.tolist() == [kept]
    assert run.best == 8.0
    assert [done.best for done in run.history] == [9.0, 8.0, 8.0, 8.0]


def test_passes_keep_the_weights_of_least_validation_loss():
    """Every pass counts, also one that does not improve the training loss."""
    run = noted((3.0, 2.0), (5.0, 1.0), (2.0, 4.0), every=True)
    assert run.weights.tolist() == [2.0]
    assert (run.loss, run.validation_loss, run.best) == (5.0, 1.0, 2.0)


def test_without_validation_passes_keep_the_least_loss():
    assert noted((3.0, None), (2.0, None), (4.0, None), every=True).weights.tolist() == [2.0]


def test_the_budget_and_the_time_end_the_search():
    run = Run(2, deadline=clock() - 1.0)
    run.check_budget()
    run.check_time()  # one evaluation is always made
    assert run.number == 1
    run.note(Record(1, [0.0], 1.0, None))
    run.check_budget()
    with pytest.raises(Stop) as stopped:
        run.check_time()
    assert stopped.value.by is run
    assert run.out_of_time
    run.note(Record(2, [0.0], 1.0, None))
    with pytest.raises(Stop):
        run.check_budget()


def test_a_method_that_asks_for_nothing_is_refused():
    with rejects(InputError, "given"):
        search(lambda W: W[:, 0], task=Task(1), method=Given())


def test_a_foreign_stop_passes():
    """Only the run's own end is an end; any other `Stop` is a fault of the method."""

    class Broken(Given):
        def minimize(self, evaluate, task):
            raise Stop(self)

    with pytest.raises(Stop):
        search(lambda W: W[:, 0], task=Task(1), method=Broken())


def test_a_run_of_settings(tmp_path):
    """Journal, clock and listeners are those that the settings name; the journal is given back with the block."""
    told, path = [], tmp_path / "j"
    settings = Settings(journal=path, time_limit=50.0, callback=told.append)
    before = clock()
    with open_run(settings, 5, 1, {"data": "x"}, every=True, ties="first") as run:
        assert (run.budget, run.every, run.ties) == (5, True, "first")
        assert before + 50.0 <= run.deadline <= clock() + 50.0
        run.keep([Record(1, [0.5], 2.0, None)])
        assert [(one.number, one.loss, one.best) for one in told] == [(1, 2.0, 2.0)]
        with rejects(JournalError, where="j"), open_run(settings, 5, 1, {"data": "x"}):
            pytest.fail("opened twice")
    with open_run(settings, 5, 1, {"data": "x"}) as again:
        assert [record.weights for record in again.known(9)] == [[0.5]]
        again.compare(again.known()[0], np.array([0.5]))
        with rejects(JournalError, where="j:2"):
            again.compare(again.known()[0], np.array([0.25]))
    with open_run(Settings(), 5, 1, {}) as bare:
        assert (bare.journal, bare.deadline, bare.listeners, bare.known(9)) == (None, math.inf, [], [])


def test_nothing_is_noted_that_could_not_be_written(tmp_path):
    """Records are on disk before anyone sees them."""
    told = []
    with open_run(Settings(journal=tmp_path / "j", callback=told.append), 5, 1, {}) as run:
        with pytest.raises(ValueError, match="evaluation 2 follows 0"):
            run.keep([Record(2, [0.5], 2.0, None)])
        assert (told, run.history) == ([], [])


def test_a_journal_whose_losses_have_changed_is_refused(tmp_path):
    """Of its best and its last evaluation; a journal without evaluations has nothing to compare."""
    settings = Settings(journal=tmp_path / "j")
    with open_run(settings, 5, 1, {}) as run:
        run.verify(lambda records: pytest.fail("evaluated"))
        run.keep([Record(1, [0.5], 2.0, None), Record(2, [1.0], 1.0, None)])
    with open_run(settings, 5, 1, {}) as again:
        again.verify(lambda records: [record.loss for record in records])
        with rejects(JournalError, "evaluation 2", where="j"):
            again.verify(lambda records: [3.0 for _ in records])


def test_a_journal_is_replayed_to_its_last_evaluation(tmp_path):
    """What the search asks for is then all that the journal holds; a search that asks for less is refused."""
    settings = Settings(journal=tmp_path / "j")
    with open_run(settings, 5, 1, {}) as run:
        run.keep([Record(1, [0.5], 2.0, None), Record(2, [1.0], 1.0, None)])
    with open_run(settings, 5, 1, {}) as short, rejects(JournalError, where="j:3"):
        short.conduct(lambda: short.replay(short.known()[0]), "given")
    with open_run(settings, 5, 1, {}) as whole:
        assert whole.conduct(lambda: [whole.replay(record) for record in whole.known(2)], "given").tolist() == [1.0]


def test_an_answer_that_the_learner_selects_stays():
    run = noted((2.0, None), (3.0, None))
    run.select_answer(run.visited[1])
    run.note(Record(3, [3.0], 1.0, None))
    assert run.weights.tolist() == [2.0]
    assert run.best == 1.0


def test_an_evaluation_is_shown_without_its_weights():
    """There may be thousands of them."""
    assert "weights" not in repr(Evaluation(1, 3.0, 3.0, weights=[0.5]))
