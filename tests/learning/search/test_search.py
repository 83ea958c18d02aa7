"""What a black-box search is answered: budget, time, validation of the bests, journal."""

import time

import numpy as np
import pytest

from colayer._runtime.clock import clock
from colayer.errors import InputError, JournalError, OptionError
from colayer.learning.run import Run, Stop
from colayer.learning.search.auto import Auto
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.direct import Direct
from colayer.learning.search.optimizer import Task
from colayer.learning.search.search import SearchRun
from support.errors import rejects
from support.searching import Given, search, table, traced


def test_validation_chooses_among_the_successive_bests():
    """Weight 2 has the lowest validation loss of those that were best at their time; 5 was never best."""
    train = table(w1=9, w2=8, w3=7, w4=6, w5=6)
    validation = table(w1=5, w2=1, w3=3, w4=2, w5=0)
    run = search(train, validation, task=Task(1), method=Given([1, 2], [3], [4, 5]))
    assert run.weights.tolist() == [2.0]
    assert (run.loss, run.validation_loss) == (8.0, 1.0)
    assert [e.validation for e in run.history] == [5.0, 1.0, 3.0, 2.0, None]


def test_only_bests_are_validated():
    seen = []
    train, validation = table(w1=5, w2=6, w3=5, w4=4), table(w1=1, w2=1, w3=1, w4=1)
    search(
        train,
        lambda W: (seen.extend(W[:, 0].tolist()), validation(W))[1],
        task=Task(1),
        method=Given([1, 2, 3, 4]),
    )
    assert seen == [1.0, 4.0]


def test_the_budget_cuts_a_population():
    """The rows that still fit are evaluated, and the search ends."""
    asked = []
    run = search(
        lambda W: (asked.append(W[:, 0].tolist()), W[:, 0])[1],
        task=Task(1, evaluations=3),
        method=Given([5, 4], [3, 2], [1]),
    )
    assert asked == [[5.0, 4.0], [3.0]]
    assert run.weights.tolist() == [3.0]
    assert not run.out_of_time


def test_no_time_is_one_evaluation():
    """A time limit of 0 still gives an answer."""
    run = search(lambda W: W.sum(axis=1) ** 2, task=Task(3), method=CmaEs(), time_limit=0.0)
    assert len(run.history) == 1
    assert run.out_of_time


def test_time_ends_between_evaluations_and_the_journal_goes_on(tmp_path):
    """Runs cut short by their time limit add up to the run that was not."""
    task, path = Task(4, evaluations=40, seed=1, safe=np.ones(4)), tmp_path / "j"

    def slow(W):
        time.sleep(0.002 * len(W))
        return np.floor(np.abs(W * 3 - 1)).sum(axis=1)

    unbroken = search(slow, task=task, method=Auto())
    short = search(slow, task=task, method=Auto(), journal=path, time_limit=0.02)
    assert short.out_of_time
    assert 1 <= len(short.history) < 40
    again = search(slow, task=task, method=Auto(), journal=path, time_limit=0.0)
    assert again.history == short.history
    full = search(slow, task=task, method=Auto(), journal=path)
    assert not full.out_of_time
    assert full.history == unbroken.history
    assert full.weights.tobytes() == unbroken.weights.tobytes()


def test_a_population_is_cut_to_the_time_left():
    """Forty evaluations asked for at once do not overrun the time limit forty times."""
    sizes = []

    def slow(W):
        sizes.append(len(W))
        time.sleep(0.05 * len(W))
        return W[:, 0]

    run = search(slow, task=Task(1), method=Given([1], range(2, 42)), time_limit=0.3)
    assert run.out_of_time
    assert sum(sizes) < 20


class Ticking:
    """A clock that stands still, but for what evaluations take: `seconds` each."""

    def __init__(self, monkeypatch, seconds):
        self.now, self.seconds, self.sizes = 0.0, seconds, []
        for module in ("run", "search.search"):
            monkeypatch.setattr(f"colayer.learning.{module}.clock", lambda: self.now)

    def losses(self, W):
        self.sizes.append(len(W))
        self.now += self.seconds * len(W)
        return W[:, 0]


def test_after_the_first_evaluation_as_many_are_made_as_the_time_left_has_room_for(monkeypatch):
    """By the time that those before took; none once the time is over."""
    ticking = Ticking(monkeypatch, 1.0)
    run = search(ticking.losses, task=Task(1), method=Given(range(40)), time_limit=10.0)
    assert ticking.sizes == [1, 9]
    assert run.out_of_time


def test_records_are_written_once_a_second(monkeypatch, tmp_path):
    ticking = Ticking(monkeypatch, 0.25)
    search(ticking.losses, task=Task(1), method=Given(range(12)), journal=tmp_path / "j")
    assert ticking.sizes == [1, 4, 4, 3]


@pytest.mark.parametrize(("together", "first"), [(1, 1), (5, 5), (100, 12)])
def test_records_are_written_as_many_as_the_evaluator_likes_together(together, first, tmp_path):
    """Of a population of 12: what a kill may lose is a second's work, or that many evaluations."""
    sizes = []

    def slow(W):
        sizes.append(len(W))
        time.sleep(0.001)
        return W[:, 0]

    search(slow, task=Task(1), method=Given(range(12)), journal=tmp_path / "j", together=together)
    assert sizes[0] == first
    assert sum(sizes) == 12


def test_interrupt_passes_and_the_journal_is_kept(tmp_path):
    """Ctrl-C ends the run at once, through nlopt as well; what was evaluated is on disk."""
    path, count = tmp_path / "j", 0

    def interrupted(W):
        nonlocal count
        count += 1
        if count == 8:
            raise KeyboardInterrupt
        return (W**2).sum(axis=1)

    with pytest.raises(KeyboardInterrupt):
        search(interrupted, task=Task(3, evaluations=20), method=Direct(), journal=path)
    assert len(path.read_text().splitlines()) == 1 + 7
    run = search(interrupted, task=Task(3, evaluations=20), method=Direct(), journal=path)
    assert len(run.history) == 20
    assert count == 8 + 13


def test_errors_of_the_objective_pass():
    """A fault in the user's problem is not swallowed by the optimiser's library."""

    def faulty(W):
        raise ZeroDivisionError

    for method in (Direct(), CmaEs(), Auto()):
        with pytest.raises(ZeroDivisionError):
            search(faulty, task=Task(3), method=method)


def test_a_pass_gives_its_state_and_none_is_begun_after_the_time():
    """But one is always made."""
    run = Run(9, deadline=clock() - 1.0)
    asked = SearchRun(run, table(w1=5.0))
    state = asked.run_epoch(lambda: (np.array([1.0]), np.array([7.0, 8.0])), 3, 2)
    assert (state.tolist(), run.spent) == ([7.0, 8.0], 3)
    with pytest.raises(Stop):
        asked.run_epoch(lambda: pytest.fail("begun"), 3, 2)


def test_an_answer_that_did_not_improve_is_validated_in_the_end():
    run = Run(9)
    asked = SearchRun(run, table(w1=5.0, w2=6.0), table(w1=1.0, w2=2.0))
    asked(np.array([[1.0], [2.0]]))
    asked.select_answer(np.array([2.0]))
    assert run.validation_loss is None
    asked.validate_answer()
    assert (run.loss, run.validation_loss) == (6.0, 2.0)


def test_losses_of_a_run_with_another_budget_are_recalled(tmp_path):
    method, path = Given([1, 2, 3, 4]), tmp_path / "j"
    for budget, recalled, seen in ((2, 0, [1.0, 2.0]), (4, 2, [3.0, 4.0])):
        function, asked = traced(lambda W: W[:, 0])
        task = Task(1, evaluations=budget)
        run = search(function, task=task, method=method, journal=path, identity={"evaluations": budget})
        assert (run.recalled, np.ravel(asked).tolist()) == (recalled, seen)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_loss_that_is_no_number_is_refused(value, tmp_path):
    """Before it is written down: the journal stays usable."""
    with rejects(InputError, "training"):
        search(lambda W: np.full(len(W), value), task=Task(2), method=Direct(), journal=tmp_path / "j")
    assert len((tmp_path / "j").read_text().splitlines()) == 1
    with rejects(InputError, "validation"):
        search(lambda W: np.zeros(len(W)), lambda W: np.full(len(W), value), task=Task(2), method=Direct())


def test_losses_of_the_wrong_shape_are_refused():
    with rejects(InputError, "(1, 2)"):
        search(lambda W: np.zeros((len(W), 2)), task=Task(2), method=Direct())


@pytest.mark.parametrize("limit", [-1.0, np.nan])
def test_a_time_limit_out_of_range_is_refused(limit):
    with rejects(OptionError, where="--time-limit"):
        search(lambda W: W[:, 0], task=Task(1), method=Direct(), time_limit=limit)


def test_a_finished_journal_returns_at_once(tmp_path):
    """Without one loss evaluation, and with the whole history."""
    task = Task(4, evaluations=60, safe=np.ones(4))
    arguments = {"task": task, "method": Auto(), "journal": tmp_path / "j", "identity": {"data": "abc"}}
    first = search(lambda W: (W**2).sum(axis=1), lambda W: (W**2).mean(axis=1), **arguments)

    def never(W):
        pytest.fail("evaluated")

    kept, told = (tmp_path / "j").read_bytes(), []
    second = search(never, never, **arguments, callback=told.append)
    assert second.history == first.history == told
    assert second.weights.tobytes() == first.weights.tobytes()
    assert (second.loss, second.validation_loss) == (first.loss, first.validation_loss)
    assert not second.out_of_time
    assert (tmp_path / "j").read_bytes() == kept


def test_weights_that_the_method_does_not_ask_for_are_refused(tmp_path):
    """A journal from a version whose optimiser went another way cannot be taken up silently."""
    path = tmp_path / "j"
    arguments = {"task": Task(1, evaluations=3), "method": Direct(), "journal": path}
    search(lambda W: W[:, 0], **arguments, time_limit=0.0)
    path.write_bytes(path.read_bytes().replace(b'"weights":[0.0]', b'"weights":[0.5]'))
    with rejects(JournalError, where="j:2"):
        search(lambda W: W[:, 0], **arguments)


def test_more_evaluations_than_the_method_asks_for_are_refused(tmp_path):
    """The rest of such a journal would be neither checked nor used."""
    path, method = tmp_path / "j", Given([1, 2])
    search(lambda W: W[:, 0], task=Task(1), method=method, journal=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], lines[2].replace(b'"evaluation":2', b'"evaluation":3')]))
    with rejects(JournalError, where="j:4"):
        search(lambda W: W[:, 0], task=Task(1), method=method, journal=path)


def test_a_missing_validation_is_refused(tmp_path):
    """The record of a best must say how it validates."""
    path = tmp_path / "j"
    arguments = {"task": Task(1, evaluations=3), "method": Direct(), "journal": path}
    search(lambda W: W[:, 0], lambda W: W[:, 0], **arguments)
    path.write_bytes(path.read_bytes().replace(b'"validation":0.0', b'"validation":null', 1))
    with rejects(JournalError, where="j:2"):
        search(lambda W: W[:, 0], lambda W: W[:, 0], **arguments)


def test_a_validation_that_nobody_asked_for_is_refused(tmp_path):
    path = tmp_path / "j"
    arguments = {"task": Task(1, evaluations=3), "method": Direct(), "journal": path}
    search(lambda W: W[:, 0], lambda W: W[:, 0], **arguments)
    with rejects(JournalError, where="j:2"):
        search(lambda W: W[:, 0], **arguments)


def test_inputs_are_not_changed_and_results_are_not_shared():
    """An objective that scribbles on what it is given does not change what is recorded."""

    def scribbling(W):
        losses = (W**2).sum(axis=1)
        W[:] = np.nan
        return losses

    run = search(scribbling, task=Task(2, evaluations=20), method=Direct())
    assert np.isfinite(run.weights).all()
