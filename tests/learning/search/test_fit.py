"""Learning by experience, from a job to a model: where it starts, what tells runs apart, searches of the user's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colayer
from colayer import BaseProblem, InputError, JournalError, Pipeline
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.perturbation import draws
from colayer.learning.portfolio import solve_defaults
from colayer.learning.portfolio.rounds import RoundInstances
from colayer.learning.portfolio.sigma import DRAWS, SHARES
from colayer.learning.search import fit
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.direct import Direct
from colayer.learning.search.search import SearchRun
from colayer.problem.bind import bind
from support.crowd_problem import Crowd
from support.errors import rejects
from support.pick_problem import Pick
from support.searching import Given
from support.selection_problem import Selection


def picks(count: int = 6, seed: int = 0) -> list[Any]:
    return [np.random.default_rng([seed, k]).normal(size=(8, 2)) for k in range(count)]


class Safe(Pick):
    """Safe weights of any size; the layer, a sort, does not see a positive factor."""

    safe_weights = (3.0, -1.0)
    homogeneous = True


def asked(problem: Any, path: Path, **options: Any) -> list[Any]:
    """The weights in the journal of a fit."""
    Pipeline(problem).fit(picks(), journal=path, **{"method": "cma-es", "evaluations": 4, **options})
    return [json.loads(line)["weights"] for line in path.read_text().splitlines()[1:-1]]


def test_starts_from_a_multiple_of_the_safe_weights_that_fills_half_the_ball(tmp_path: Path) -> None:
    """In model units; only where the layer allows: else the safe weights as they are, else 0."""
    scale = np.vstack([picks()[i] for i in range(6)]).std(axis=0)
    given = np.array([3.0, -1.0]) * scale
    filled = asked(Safe(), tmp_path / "a", radius=4.0, validation=0.0)[0]
    assert filled == pytest.approx(given * 2.0 / np.abs(given).max())
    plain = type("Plain", (Safe,), {"homogeneous": False})()
    assert asked(plain, tmp_path / "b", radius=4.0, validation=0.0)[0] == pytest.approx(given)
    assert asked(Pick(), tmp_path / "c")[0] == [0.0, 0.0]
    zero = type("Zero", (Safe,), {"safe_weights": (0.0, 0.0)})()
    assert asked(zero, tmp_path / "d")[0] == [0.0, 0.0]


def test_the_loss_is_the_mean_over_draws_and_training_instances() -> None:
    data = picks()
    fitted = Pipeline(Pick()).fit(data, evaluations=10, sigma=1.0, samples=7, validation=0.0)
    losses = LocalEvaluator(bind(Pick()), data).losses(fitted.model.raw(fitted.weights_ + draws(0, 7, 2)))
    assert fitted.loss_ == pytest.approx(losses.mean(), rel=1e-12)
    assert fitted.validation_loss_ is None


def test_provenance_says_what_was_done() -> None:
    fitted = Pipeline(Pick()).fit(picks(), method=CmaEs(step=0.2), evaluations=7, seed=3, sigma=0.5, samples=2)
    run = dict(fitted.provenance)
    assert len(run.pop("data")) == len(run.pop("features")) == 64
    assert len(run.pop("instances_seen")) == 40  # 5 bytes of each instance, in base 64
    assert run == {
        "colayer": colayer.__version__,
        "instances": 6,
        "method": "cma-es",
        "method_options": {"step": 0.2, "population": None, "start": None},
        "evaluations": 7,
        "seed": 3,
        "validation": 0.2,
        "sigma": 0.5,
        "samples": 2,
        "learn_decoder": None,
        "radius": 10.0,
        "evaluated": 7,
        "loss": fitted.loss_,
        "validation_loss": fitted.validation_loss_,
        "rule_sigma": 0.3,
    }


class Named(BaseProblem):
    """One feature, an option, decoders, and what a test wants to change."""

    name = "named"
    feature_names: tuple[str, ...] = ("value",)
    decoders = ("none", "half")

    def __init__(self, decoder: str = "none", factor: float = 1.0) -> None:
        self.decoder, self.factor = decoder, factor

    @property
    def options(self) -> dict[str, Any]:
        return {"decoder": self.decoder, "factor": self.factor}

    def features(self, instance: Any) -> Any:
        return np.array(instance)[:, :1]

    def layer(self, theta: Any, instance: Any) -> int:
        return int(np.argmin(theta))

    def cost(self, solution: int, instance: Any) -> float:
        return float(instance[solution, 0])


class Renamed(Named):
    feature_names = ("worth",)


class Starting(Named):
    safe_weights = (1.0,)


def test_a_journal_says_which_run_it_belongs_to(tmp_path: Path) -> None:
    """The keys are a promise: a run that an earlier version began goes on in a later one."""
    Pipeline(Safe()).fit(picks(), method="direct", evaluations=3, journal=tmp_path / "j", validation=0.5)
    identity = json.loads((tmp_path / "j").read_text().splitlines()[0])["identity"]
    assert sorted(identity) == [
        "data", "dimension", "evaluations", "features", "instances", "learn_decoder", "method", "method_options",
        "options", "problem", "radius", "safe", "samples", "seed", "sigma", "validated", "validation",
    ]  # fmt: skip
    assert (identity["dimension"], identity["validated"], identity["validation"]) == (2, True, 0.5)
    assert (identity["problem"], identity["options"], identity["instances"]) == ("pick", {}, 6)
    assert max(identity["safe"]) == 5.0


def test_whatever_changes_the_search_is_another_run(tmp_path: Path) -> None:
    """The journal says which is the first thing that differs."""
    path = tmp_path / "j"

    def run(problem: Any = None, data: Any = None, **options: Any) -> None:
        settings: dict[str, Any] = {"method": "direct", "evaluations": 5, **options}
        Pipeline(problem or Named()).fit(picks(4) if data is None else data, journal=path, **settings)

    run()
    kept = path.read_bytes()
    run(workers=1, time_limit=100.0, progress=False, samples=3)  # none of these matters without perturbation
    changes: list[tuple[dict[str, Any], str]] = [
        ({"data": picks(4, seed=1)}, "data"),
        ({"data": picks(3)}, "data"),
        ({"method": "cma-es"}, "method"),
        ({"method": Direct(seeds=2)}, "method_options"),
        ({"seed": 1}, "seed"),
        ({"radius": 2.0}, "radius"),
        ({"sigma": 1.0}, "samples"),
        ({"validation": 0.0}, "validation"),
        ({"learn_decoder": "half"}, "learn_decoder"),
        ({"problem": Named(factor=2.0)}, "options"),
        ({"problem": Renamed()}, "features"),
        ({"problem": Starting()}, "safe"),
    ]
    for change, difference in changes:
        with rejects(JournalError, difference, where="j"):
            run(**change)
    assert path.read_bytes() == kept


def test_a_finished_journal_computes_the_costs_of_two_evaluations_and_of_the_choice_of_sigma(tmp_path: Path) -> None:
    """Those of its best and of its last one, to see that the problem is what it was."""
    options: dict[str, Any] = {"evaluations": 12, "journal": tmp_path / "j", "validation": 0.0, "portfolio": 1}
    options["method"] = "cma-es"  # a search that chooses its answer itself compares a few more
    first = Pipeline(Pick()).fit(picks(), **options)
    counted = Counted()
    again = Pipeline(counted).fit(picks(), **options)
    assert counted.calls == (2 + len(SHARES) * DRAWS) * len(picks())  # the best is among the two
    assert again.weights_.tobytes() == first.weights_.tobytes()
    assert again.history_ == first.history_
    assert again.provenance == first.provenance
    assert (first.recalled_, again.recalled_) == (0, 12)


class Counted(Pick):
    """Counts its costs."""

    calls = 0

    def cost(self, solution: Any, instance: Any) -> float:
        self.calls += 1
        return super().cost(solution, instance)


class Shifted(Pick):
    """The same problem after an edit: `shift` says which method changed."""

    def __init__(self, method: str) -> None:
        self.method = method

    def features(self, instance: Any) -> Any:
        return super().features(instance) * ([2.0, 1.0] if self.method == "features" else 1.0)

    def layer(self, theta: Any, instance: Any) -> Any:
        return super().layer(-theta if self.method == "layer" else theta, instance)

    def decode(self, y: Any, instance: Any) -> Any:
        return y[1:] if self.method == "decode" else y

    def cost(self, solution: Any, instance: Any) -> float:
        return super().cost(solution, instance) + (self.method == "cost")

    def scale(self, instance: Any) -> float:
        return super().scale(instance) * (2.0 if self.method == "scale" else 1.0)


@pytest.mark.parametrize("method", ["features", "layer", "decode", "cost", "scale"])
@pytest.mark.parametrize("finished", [True, False])
def test_no_stale_loss_is_returned_after_the_problem_was_edited(method: str, finished: bool, tmp_path: Path) -> None:
    path = tmp_path / "j"
    options: dict[str, Any] = {"evaluations": 40, "journal": path}
    Pipeline(Shifted("nothing")).fit(picks(), **options)
    if not finished:
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:15]))
    kept = path.read_bytes()
    with rejects(JournalError, where="j"):
        Pipeline(Shifted(method)).fit(picks(), **options)
    assert path.read_bytes() == kept
    assert Pipeline(Shifted("nothing")).fit(picks(), **options).recalled_ == (40 if finished else 14)


def test_edited_weights_in_a_finished_journal_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "j"
    options: dict[str, Any] = {"evaluations": 20, "journal": path, "validation": 0.0}
    fitted = Pipeline(Pick()).fit(picks(), **options)
    best = min(range(20), key=lambda k: fitted.history_[k].loss)
    lines = path.read_text().splitlines(keepends=True)
    record = json.loads(lines[1 + best])
    record["weights"] = [-w - 1.0 for w in record["weights"]]
    lines[1 + best] = json.dumps(record) + "\n"
    path.write_text("".join(lines))
    with rejects(JournalError, where="j"):
        Pipeline(Pick()).fit(picks(), **options)


@pytest.mark.parametrize("method", ["auto", "direct", "cma-es", "sgd"])
def test_a_journal_continued_with_more_evaluations_equals_a_run_that_had_them(method: str, tmp_path: Path) -> None:
    """What the longer run asks for again is taken from the shorter one; the same budget then returns at once."""
    path = tmp_path / "j"
    Pipeline(Pick()).fit(picks(), method=method, evaluations=30, journal=path)
    continued = Pipeline(Pick()).fit(picks(), method=method, evaluations=70, journal=path)
    whole = Pipeline(Pick()).fit(picks(), method=method, evaluations=70)
    assert continued.history_ == whole.history_
    assert continued.weights_.tobytes() == whole.weights_.tobytes()
    assert continued.recalled_ >= (17 if method == "auto" else 30)  # a quarter of auto is DIRECT, whatever the budget
    for budget in (70, 30):
        again = Pipeline(Pick()).fit(picks(), method=method, evaluations=budget, journal=path)
        assert again.recalled_ == len(again.history_) == budget


@pytest.mark.parametrize(("validation", "counts"), [(0.0, [10]), (0.2, [8, 2])])
def test_a_portfolio_for_rounds_is_chosen_on_all_instances(
    validation: float, counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those held out included, where there are some."""
    parts: list[Any] = []

    class Noted(RoundInstances):
        def __init__(self, given: Any) -> None:
            parts.extend(given)
            super().__init__(given)

    monkeypatch.setattr(solve_defaults, "RoundInstances", Noted)
    data = [Crowd().generate(seed) for seed in range(10)]
    Pipeline(Crowd()).fit(data, method="cma-es", evaluations=10, rounds=2, portfolio=2, validation=validation)
    assert [count for _, count in parts] == counts


class Wide(Selection):
    """Its evaluator likes 100 weight vectors in one call."""

    def evaluator(self, instances: Any) -> LocalEvaluator[Any, Any, Any]:
        evaluator = super().evaluator(instances)
        evaluator.rows_at_once = 100
        return evaluator


@pytest.mark.parametrize(("options", "count"), [({}, 100), ({"samples": 7}, 14), ({"samples": 101}, 1)])
def test_as_many_evaluations_together_as_the_evaluator_has_room_for(
    options: dict[str, Any], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes its draws, but one is made in any case."""
    together = []

    class Noted(SearchRun):
        def __init__(self, *given: Any, **more: Any) -> None:
            together.append(more["together"])
            super().__init__(*given, **more)

    monkeypatch.setattr(fit, "SearchRun", Noted)
    sigma = 1.0 if options else 0.0
    data = [Wide().generate(seed) for seed in range(6)]
    Pipeline(Wide()).fit(data, method="direct", evaluations=1, sigma=sigma, portfolio=1, **options)
    assert together == [count]


class Corners(Given):
    """A black-box search of the user's, for two weights, which is no `Experience`."""

    name = "corners"

    def minimize(self, evaluate: Any, task: Any) -> None:
        evaluate(task.radius * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]))


def test_a_search_of_the_users_learns_by_experience(tmp_path: Path) -> None:
    """Any object with `name`, `options` and `minimize`; its budget, journal and result are those of any other."""
    fitted = Pipeline(Pick()).fit(picks(), method=Corners(), radius=3.0, journal=tmp_path / "j")
    assert (fitted.provenance["method"], fitted.provenance["method_options"]) == ("corners", {"populations": ()})
    assert len(fitted.history_) == 4
    assert np.abs(fitted.weights_).tolist() == [3.0, 3.0]
    assert fitted.weights_[0] == 3.0  # the cost is the value
    short = Pipeline(Pick()).fit(picks(), method=Corners(), radius=3.0, evaluations=2)
    assert len(short.history_) == 2


def test_a_search_that_asks_for_nothing_is_refused() -> None:
    with rejects(InputError, "given"):
        Pipeline(Pick()).fit(picks(), method=Given())
