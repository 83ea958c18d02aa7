"""Passes over the instances: losses fall, the best state is kept, the clock is heard, damaged states are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer._runtime.threads import Threads
from colayer.errors import JournalError
from colayer.evaluators.local import LocalEvaluator
from colayer.io.npz import npz_bytes
from colayer.learning.network.averaged import Averaged, Pace
from colayer.learning.network.context import ContextNetwork
from colayer.learning.network.passes import Part, Passes, _together
from colayer.learning.network.slopes import by_experience
from colayer.learning.network.source import item_of
from support.torch_networks import Line


def passes(threads: Threads, count: int, *, held_out: bool = False, batch: int = 2, **options: Any) -> Passes:
    """From w = 0, on two lines; validated on a third one, which is the opposite of what they teach."""
    zero, one = np.zeros(2), np.ones(2)

    def part(*instances: Any) -> Part:
        data = LocalEvaluator(Line(), list(instances))
        return Part(data, [item_of(x, f, (), zero, one, zero) for x, f in zip(instances, data.features, strict=True)])

    training = part(np.full(5, 2.0), np.full(6, 2.2))
    network = ContextNetwork(2, (), 4, (1,), 1.0, 0)

    def model_of(state: Any) -> Any:
        return network.model(
            state, feature_names=Line.feature_names, weights=zero, feature_scale=one, problem="line", center=zero
        )

    gradient = by_experience(training.data, 16, None)
    learning = Averaged(network, Pace(0.05), "cpu")
    other = part(np.full(5, -2.0)) if held_out else None
    return Passes(learning, training, other, gradient, model_of, batch, count, 0, threads, **options)


def test_the_best_state_is_kept_by_training_loss() -> None:
    with Threads(1) as threads:
        run = passes(threads, 30)
        made = [one for _, one in run.run()]
        assert len(made) == 31
        assert made[-1].loss < 0.5 * made[0].loss
        assert made[run.best].loss == min(one.loss for one in made)
        assert run._mean_loss(run.model(), run.training) == made[run.best].loss


def test_the_best_state_is_kept_by_validation_loss() -> None:
    """Training goes the wrong way for the instance held out: the start is kept."""
    with Threads(1) as threads:
        run = passes(threads, 10, held_out=True)
        made = [one for _, one in run.run()]
    assert made[-1].loss < made[0].loss
    assert made[-1].validation > made[0].validation
    assert run.best == 0


def test_what_is_worse_than_the_start_on_training_data_is_not_kept() -> None:
    """However good it is on the instance held out: here the gradient points the wrong way."""
    with Threads(1) as threads:
        run = passes(threads, 10, held_out=True)
        wrong = run.gradient
        run.gradient = lambda *given: -wrong(*given)
        made = [one for _, one in run.run()]
    assert made[-1].loss > made[0].loss
    assert made[-1].validation < made[0].validation
    assert run.best == 0


def test_the_state_does_not_depend_on_the_threads() -> None:
    found = []
    for workers in (1, 2):
        with Threads(workers) as threads:
            found.append(list(passes(threads, 5, batch=1).run()))
    assert found[0] == found[1]


def test_large_instances_go_through_one_by_one() -> None:
    assert _together([4, 7, 9], [10, 20, 30]) == [[4, 7, 9]]
    assert _together([4, 7, 9], [60_000, 40_000, 1]) == [[4, 7], [9]]
    assert _together([4, 7], [500_000, 500_000]) == [[4], [7]]


def test_no_pass_begins_after_the_deadline() -> None:
    """The start is always evaluated, so that something is known."""
    with Threads(1) as threads:
        run = passes(threads, 5)
        assert [number for number, _ in run.run(deadline=0.0)] == [0]
        assert run.model().arrays["head.matrix"].shape == (1, 4)


def test_a_run_that_was_stopped_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """Stopped after any pass: the losses and the model of a run that never was; a finished one makes no more passes."""
    options: dict[str, Any] = {"identity": {"seed": 0, "evaluations": 6}}
    with Threads(1) as threads:
        whole = passes(threads, 6, held_out=True, **options)
        expected = list(whole.run())
        path = tmp_path / "state.npz"
        for stop in (1, 4):
            for number, _ in passes(threads, 6, held_out=True, checkpoint=path, **options).run():
                if number == stop:
                    break
        again = passes(threads, 6, held_out=True, checkpoint=path, **options)
        assert list(again.run()) == expected
        assert again.recalled == 5
        before = path.read_bytes()
        last = passes(threads, 6, held_out=True, checkpoint=path, **options)
        assert list(last.run()) == expected
        assert (last.recalled, path.read_bytes()) == (7, before)
        for run in (again, last):
            assert run.best == whole.best
            arrays = run.model().arrays
            assert all(np.array_equal(arrays[name], value) for name, value in whole.model().arrays.items())


def test_another_run_is_refused_and_another_budget_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    with Threads(1) as threads:
        list(passes(threads, 2, checkpoint=path, identity={"seed": 0, "evaluations": 2}).run())
        with pytest.raises(JournalError, match=r"state.npz: belongs to another run: seed differs"):
            list(passes(threads, 2, checkpoint=path, identity={"seed": 1, "evaluations": 2}).run())
        longer = passes(threads, 3, checkpoint=path, identity={"seed": 0, "evaluations": 3})
        assert [number for number, _ in longer.run()] == [0, 1, 2, 3]
        assert longer.recalled == 0


@pytest.mark.parametrize("content", [b"", b"not an archive", npz_bytes({"identity": json.dumps([1])}, Path("x"))])
def test_what_is_no_state_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.npz"
    path.write_bytes(content)
    with Threads(1) as threads, pytest.raises(JournalError, match=r"state.npz: is not the state of a network"):
        list(passes(threads, 2, checkpoint=path).run())
    assert path.read_bytes() == content
