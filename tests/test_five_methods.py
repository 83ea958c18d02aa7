"""A problem of a user's with the seven required members and nothing else, not derived from anything."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from colayer import ColayerError, InputError, Pipeline, write_instances
from colayer.problem.bind import bind
from support.errors import rejects
from support.pick_problem import Pick


def instances() -> list[np.ndarray]:
    return [np.random.default_rng(seed).normal(size=(20, 2)) for seed in range(8)]


@pytest.mark.parametrize("workers", [None, 2])
def test_fits_solves_saves_and_loads(workers: int | None, tmp_path: Path) -> None:
    pipeline = Pipeline(Pick()).fit(instances(), evaluations=60, workers=workers, journal=tmp_path / "j")
    pipeline.save(tmp_path / "m.json")
    again = Pipeline.load(tmp_path / "m.json", problem=Pick())
    x = instances()[0]
    assert again.solve(x).cost == pipeline.solve(x).cost == pytest.approx(np.sort(x[:, 0])[:10].sum() + 100.0, rel=0.02)
    assert again.solve(x).bound is None
    assert again.solve(x).gap is None


def test_is_told_what_it_lacks() -> None:
    pipeline = Pipeline(Pick())
    with rejects(ColayerError, "pick"):
        pipeline.solve(instances()[0])
    with rejects(InputError, "pick", "file"):
        write_instances("nowhere", instances(), Pick())
    with rejects(InputError, "Pick"):
        Pipeline(Pick)
    with rejects(InputError, "object"):
        Pipeline(object())
    with rejects(InputError, where="m.json: problem"):
        Pipeline.load(_saved(pipeline))


def _saved(pipeline: Pipeline) -> Path:
    import tempfile

    path = Path(tempfile.mkdtemp()) / "m.json"
    pipeline.fit(instances(), evaluations=3).save(path)
    return path


def test_numpy_options_can_be_saved(tmp_path: Path) -> None:
    pipeline = Pipeline(Pick()).fit(
        instances(), evaluations=np.int64(3), seed=np.int64(1), sigma=np.float64(0.5), samples=np.int64(2)
    )
    pipeline.save(tmp_path / "m.json")
    assert Pipeline.load(tmp_path / "m.json", problem=Pick()).provenance["seed"] == 1


@pytest.mark.parametrize(
    ("member", "value", "names"),
    [
        ("safe_weights", np.array([1.0]), ("safe_weights", "pick")),
        ("safe_weights", [np.nan, 1.0], ("safe_weights", "pick")),
        ("scale", lambda self, x: 0.0, ("scale", "pick")),
        ("scale", lambda self, x: -1.0, ("scale", "pick")),
        ("cost", lambda self, z, x: float("nan"), ("cost", "pick")),
        (
            "features",
            lambda self, x: np.array(x)[:, :1],
            ("features", "pick"),
        ),
        ("features", lambda self, x: np.array(x).astype(int), ("features", "pick")),
    ],
)
def test_mistakes_are_named(member: str, value: object, names: tuple[str, ...]) -> None:
    problem = type("Mistaken", (Pick,), {member: value})()
    with rejects(InputError, *names):
        Pipeline(problem, weights=[1.0, 0.0]).fit(instances(), evaluations=2)


def test_safe_weights_may_be_a_list() -> None:
    problem = type("Listed", (Pick,), {"safe_weights": [1, 0]})()
    solved = Pipeline(problem, weights=[-1.0, 0.0]).solve(instances()[0])
    assert solved.source == "safe"


def test_evaluator_needs_no_workers_argument() -> None:
    """The protocol's `evaluator(instances)`."""
    from colayer.evaluators.local import LocalEvaluator

    class Own(Pick):
        def evaluator(self, instances):
            return LocalEvaluator(bind(self), instances)

    assert Pipeline(Own()).fit(instances(), evaluations=5, workers=2).loss_ is not None


def test_optional_methods_are_filled_in() -> None:
    problem, instance = bind(Pick()), instances()[0]
    assert problem.lower_bound(instance) is None
    assert problem.sizes_of(instance) == {}
    assert problem.options == {}
    theta = instance[:, 0]
    assert problem.best_of(np.array([-theta, theta]), instance)[0] == 1
    assert problem.solution_at(theta, instance)[1] == problem.best_of(np.array([theta]), instance)[2]
