"""The optimisers of learning by demonstration, and the journals they go on from."""

from __future__ import annotations

import json

import numpy as np
import pytest

from colayer._runtime.threads import Threads
from colayer.errors import JournalError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.imitation.descent import Descent
from colayer.learning.imitation.example import Example
from colayer.learning.imitation.examples import Examples
from colayer.learning.imitation.hinge import Hinge
from colayer.learning.run import open_run
from colayer.learning.settings import Settings
from colayer.problem.bind import bind
from support.errors import rejects
from support.pick_problem import Embedded


class Quadratic(Hinge):
    """½|w − (1, −2)|² of any example, through features that are the identity: known in closed form."""

    def loss(self, theta, example):
        off = theta - np.array([1.0, -2.0])
        return 0.5 * float(off @ off), off


class Plane(Embedded):
    def features(self, instance):
        return np.eye(2)


class Uneven(Hinge):
    """Each instance has a minimum of its own: the order in which they come can be seen."""

    def loss(self, theta, example):
        off = theta - example.draws(1)[0]
        return 0.5 * float(off @ off), off


def descend(method, passes, seed=0, journal=None):
    """(run, descent) on six instances, from (0, 0)."""
    problem, data = bind(Plane()), [np.zeros((2, 2))] * 6
    examples = [Example(problem, x, np.zeros(2), None, np.random.SeedSequence(k)) for k, x in enumerate(data)]
    with Threads(1) as threads, open_run(Settings(journal=journal), passes, 2, {}, every=True) as run:
        train = Examples(LocalEvaluator(bind(problem), data), examples, threads)
        descent = Descent(run, method, train, None, np.ones(2), seed)
        run.conduct(lambda: descent.minimize(np.zeros(2)), method.name)
    return run, descent


def recorded(path):
    return [json.loads(line) for line in path.read_text().splitlines()[1:-1]]


@pytest.mark.parametrize("optimizer", ["adam", "l-bfgs"])
def test_the_first_pass_evaluates_the_start(optimizer):
    run, descent = descend(Quadratic(optimizer=optimizer), 1)
    assert descent.losses == [2.5]
    assert run.history[0].demonstration == 2.5


def test_l_bfgs_finds_the_minimum_and_ends(tmp_path):
    run, descent = descend(Quadratic(optimizer="l-bfgs"), 50, journal=tmp_path / "j")
    assert descent.converged
    assert len(run.history) < 10
    last = recorded(tmp_path / "j")[-1]
    assert last["weights"] == pytest.approx([1.0, -2.0], abs=1e-6)
    assert last["state"] == pytest.approx([0.0, 0.0], abs=1e-6)  # the gradient there


class Faint(Quadratic):
    """A thousandth of it: gradients are small from the start."""

    def loss(self, theta, example):
        value, gradient = super().loss(theta, example)
        return value / 1000, gradient / 1000


def test_l_bfgs_does_not_end_where_the_unit_of_the_loss_is_large(tmp_path):
    descend(Faint(optimizer="l-bfgs"), 50, journal=tmp_path / "j")
    assert recorded(tmp_path / "j")[-1]["weights"] == pytest.approx([1.0, -2.0], abs=1e-3)


def test_adam_by_hand(tmp_path):
    """All instances in one batch: the first step is the rate along each axis, the last one much shorter."""
    descend(Quadratic(rate=0.3, batch=6), 4, journal=tmp_path / "j")
    weights = [record["weights"] for record in recorded(tmp_path / "j")]
    assert weights[0] == [0.0, 0.0]
    assert weights[1] == pytest.approx([0.3, -0.3], rel=1e-9)
    gradient = np.array([-0.7, 1.7])  # at the second point
    mean = (0.9 * 0.1 * np.array([-1.0, 2.0]) + 0.1 * gradient) / (1 - 0.9**2)
    square = (0.999 * 0.001 * np.array([1.0, 4.0]) + 0.001 * gradient**2) / (1 - 0.999**2)
    step = 0.3 * (1 - 1 / 3) * mean / np.sqrt(square)  # the rate falls linearly over the passes
    assert weights[2] == pytest.approx(weights[1] - step, rel=1e-9)
    assert recorded(tmp_path / "j")[1]["demonstration"] == 2.5  # of the batch as it was seen


def test_adam_is_told_converged_where_it_stands_still():
    """The last third of the passes gained less than a hundredth of the loss, which is not 0 here."""
    assert descend(Uneven(rate=0.1), 300)[1].converged
    assert not descend(Quadratic(rate=0.1), 9)[1].converged


def test_batches_depend_on_the_seed(tmp_path):
    found = []
    for k, seed in enumerate((0, 0, 1)):
        descend(Uneven(batch=2), 3, seed=seed, journal=tmp_path / str(k))
        found.append([record["weights"] for record in recorded(tmp_path / str(k))])
    assert found[0] == found[1]
    assert found[0] != found[2]


@pytest.mark.parametrize(
    ("optimizer", "change"),
    [
        ("adam", lambda r: r.update(state=[0.0])),
        ("adam", lambda r: r.pop("demonstration")),
        ("l-bfgs", lambda r: r.update(state=[0.0] * 4)),
        ("l-bfgs", lambda r: r.update(weights=[9.0, 9.0])),
    ],
)
def test_records_of_another_method_are_refused(optimizer, change, tmp_path):
    path = tmp_path / "j"
    descend(Quadratic(optimizer=optimizer), 3, journal=path)
    lines = path.read_text().splitlines()
    record = json.loads(lines[2])
    change(record)
    path.write_text("\n".join([*lines[:2], json.dumps(record), ""]))
    with rejects(JournalError, where="j:3"):
        descend(Quadratic(optimizer=optimizer), 3, journal=path)
