"""Pipeline: learning is deterministic, solving keeps its promises, models survive a round trip."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from colayer import ColayerError, InputError, OptionError, Pipeline
from colayer._runtime.threads import allowed
from colayer.learning.perturbation import draws
from colayer.learning.search.cma_es import CmaEs
from colayer.learning.search.direct import Direct
from colayer.models import ContextModel, LinearModel
from colayer.models.inputs import inputs_of
from colayer.problems import SingleMachine
from support.errors import rejects
from support.pick_problem import Pick, picks

PROBLEM = SingleMachine(decoder="ls")
DATA = [PROBLEM.generate(seed=s, jobs=n, rho=rho) for s, (n, rho) in enumerate([(20, 0.4), (30, 1.0), (25, 2.0)] * 4)]


def plain(problem: SingleMachine = PROBLEM) -> Pipeline:
    """A pipeline with safe weights, without the fallback to them."""
    return Pipeline(problem, weights=problem.safe_weights, safe=False)


@pytest.mark.parametrize("method", ["auto", "direct", "cma-es", Direct(seeds=3), CmaEs(step=0.01)])
def test_same_seed_same_weights_for_any_number_of_workers(method: object) -> None:
    learned = [plain().fit(DATA, method=method, evaluations=40, seed=3, workers=w) for w in (1, 2, 4)]
    for other in learned[1:]:
        assert np.array_equal(other.weights_, learned[0].weights_)
        assert other.loss_ == learned[0].loss_
        assert other.history_ == learned[0].history_
    assert len(learned[0].history_) == 40


def test_perturbed_learning_is_deterministic_and_averages_over_the_draws() -> None:
    a = plain().fit(DATA, evaluations=10, sigma=1.0, samples=7, workers=1, validation=0.0)
    b = plain().fit(DATA, evaluations=10, sigma=1.0, samples=7, workers=2, validation=0.0)
    assert np.array_equal(a.weights_, b.weights_)
    losses = PROBLEM.evaluator(DATA).losses(a.model.raw(a.weights_ + draws(0, 7, 66)))
    assert a.loss_ == pytest.approx(losses.mean(), rel=1e-12)


def test_learning_improves_on_safe_weights() -> None:
    problem = SingleMachine()
    data = [problem.generate(seed=s, jobs=40, rho=1.0) for s in range(10)]
    safe = np.mean([s.cost / problem.scale(x) for s, x in zip(plain(problem).solve_many(data), data, strict=True)])
    learned = plain(problem).fit(data, evaluations=200, validation=0.0)
    assert learned.loss_ < safe
    again = np.mean([s.cost / problem.scale(x) for s, x in zip(learned.solve_many(data), data, strict=True)])
    assert again == pytest.approx(learned.loss_, rel=1e-12)


def test_learns_through_a_cheaper_decoder() -> None:
    """rdi learns through ls unless told otherwise, and solves through rdi."""
    problem = SingleMachine(decoder="rdi")
    default = plain(problem).fit(DATA, evaluations=15)
    assert default.provenance["learn_decoder"] == "ls"
    assert np.array_equal(default.weights_, plain().fit(DATA, evaluations=15).weights_)
    assert plain(problem).fit(DATA, evaluations=3, learn_decoder="none").provenance["learn_decoder"] == "none"
    assert plain(problem).fit(DATA, evaluations=3, learn_decoder="rdi").provenance["learn_decoder"] == "rdi"


def test_journal_brings_the_same_weights_without_new_work(tmp_path: Path) -> None:
    first = plain().fit(DATA, evaluations=20, journal=tmp_path / "j")
    size = (tmp_path / "j").stat().st_size
    again = plain().fit(DATA, evaluations=20, journal=tmp_path / "j")
    assert np.array_equal(first.weights_, again.weights_)
    assert first.history_ == again.history_
    assert (tmp_path / "j").stat().st_size == size


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"evaluations": 0}, "--evaluations"),
        ({"radius": 0.0}, "--radius"),
        ({"radius": float("inf")}, "--radius"),
        ({"sigma": -1.0}, "--sigma"),
        ({"sigma": 1.0, "samples": 0}, "--samples"),
        ({"validation": 1.0}, "--validation"),
        ({"seed": -1}, "--seed"),
        ({"workers": 0}, "--workers"),
        ({"time_limit": -1.0}, "--time-limit"),
        ({"device": "tpu"}, "--device"),
        ({"cluster": "nowhere"}, "--cluster"),
        ({"method": "magic"}, "--method"),
        ({"learn_decoder": "magic"}, "--learn-decoder"),
    ],
)
def test_fit_refuses_bad_options_by_name(options: dict, where: str) -> None:
    with rejects(OptionError, where=where):
        plain().fit(DATA, **options)


def test_fit_computes_features_and_scales_for_the_losses_and_for_the_hash_alone() -> None:
    calls: list[str] = []

    class Counting(Pick):
        def features(self, instance):
            calls.append("features")
            return super().features(instance)

        def scale(self, instance):
            calls.append("scale")
            return super().scale(instance)

        def bound(self, instance):
            calls.append("bound")

    Pipeline(Counting(), [1.0, 0.0]).fit(picks(6), evaluations=30)
    assert sorted(calls) == ["features"] * 12 + ["scale"] * 12


def test_fit_refuses_an_empty_data_set() -> None:
    with rejects(InputError, "instances"):
        plain().fit([])


def test_solve_returns_the_best_and_names_it() -> None:
    """safe=True is never worse than either; samples never hurt; row 0 is the plain pipeline."""
    rng = np.random.default_rng(0)
    for instance in DATA:
        bad = rng.normal(size=66)
        alone = Pipeline(PROBLEM, weights=bad, safe=False).solve(instance)
        safe = Pipeline(PROBLEM, weights=PROBLEM.safe_weights, safe=False).solve(instance)
        both = Pipeline(PROBLEM, weights=bad, safe=True).solve(instance)
        assert both.cost == min(alone.cost, safe.cost)
        assert both.source == ("learned" if alone.cost <= safe.cost else "safe")
        assert alone.source == "learned"
        costs = [Pipeline(PROBLEM, weights=bad, safe=False).solve(instance, samples=k).cost for k in (0, 5, 20)]
        assert costs[0] >= costs[1] >= costs[2]
        assert alone.bound <= safe.cost


def test_samples_depend_on_the_seed_alone() -> None:
    pipeline = Pipeline(SingleMachine(decoder="rdi"), weights=PROBLEM.safe_weights)
    instance = PROBLEM.generate(seed=9, jobs=80, rho=1.0)
    once, again = (pipeline.solve(instance, samples=10, seed=4) for _ in range(2))
    assert once.cost == again.cost
    assert once.solution.tolist() == again.solution.tolist()
    assert once.source == again.source


def test_solve_many_equals_solve() -> None:
    pipeline = Pipeline(SingleMachine(decoder="rdi"), weights=PROBLEM.safe_weights)
    expected = [pipeline.solve(x, samples=3) for x in DATA]
    for workers in (1, 2, 4):
        found = pipeline.solve_many(DATA, workers=workers, samples=3)
        assert [s.cost for s in found] == [s.cost for s in expected]
        assert [s.solution.tolist() for s in found] == [s.solution.tolist() for s in expected]


def test_save_and_load(tmp_path: Path) -> None:
    learned = plain().fit(DATA, evaluations=10)
    learned.save(tmp_path / "m.json")
    again = Pipeline.load(tmp_path / "m.json")
    assert again.problem.options == PROBLEM.options
    assert np.array_equal(again.weights_, learned.weights_)
    assert again.provenance == learned.provenance
    assert again.solve(DATA[0]).cost <= learned.solve(DATA[0]).cost
    other = Pipeline.load(tmp_path / "m.json", problem=SingleMachine(decoder="rdi"))
    assert other.problem.decoder == "rdi"


def test_a_portfolio_is_given_in_raw_units_solved_with_and_kept(tmp_path: Path) -> None:
    safe = np.asarray(PROBLEM.safe_weights, dtype=float)
    others = [np.roll(safe, 1), safe, -safe]
    pipeline = Pipeline(PROBLEM, safe, portfolio=others, safe=False)
    assert pipeline.model.portfolio.tolist() == [safe.tolist(), others[0].tolist(), others[2].tolist()]
    costs = [Pipeline(PROBLEM, row, safe=False).solve(DATA[0]).cost for row in others]
    solved = pipeline.solve(DATA[0], candidates=3)
    assert (solved.cost, solved.candidates) == (min(costs), 3)
    pipeline.save(tmp_path / "m.json")
    again = Pipeline.load(tmp_path / "m.json", safe=False)
    assert np.array_equal(again.model.portfolio, pipeline.model.portfolio)


@pytest.mark.parametrize("rows", [[1.0, 2.0], [[1.0]], [[float("nan")] * 66], [["a"] * 66], []])
def test_a_portfolio_that_does_not_fit_is_refused(rows: object) -> None:
    with rejects(InputError) as caught:
        Pipeline(PROBLEM, PROBLEM.safe_weights, portfolio=rows)
    assert caught.value.where.startswith("portfolio")
    with rejects(InputError, "weights", where="portfolio"):
        Pipeline(PROBLEM, portfolio=[[1.0] * 66])


def test_load_refuses_a_model_for_something_else(tmp_path: Path) -> None:
    learned = plain().fit(DATA, evaluations=3)
    learned.save(tmp_path / "m.json")
    with rejects(InputError, where="m.json: feature_names"):
        Pipeline.load(tmp_path / "m.json", problem=SingleMachine(features="27"))
    text = (tmp_path / "m.json").read_text()
    for old, new, place in (
        ('"single-machine"', '"two-machines"', "problem"),
        ('"decoder": "ls"', '"decoder": "magic"', "options"),
        ('"decoder": "ls"', '"colour": "red"', "options"),
    ):
        (tmp_path / "bad.json").write_text(text.replace(old, new))
        with rejects(InputError, where=f"bad.json: {place}"):
            Pipeline.load(tmp_path / "bad.json")


def test_shipped_weights_are_the_default_and_know_where_they_come_from() -> None:
    for decoder in SingleMachine.decoders:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pipeline = Pipeline(SingleMachine(decoder=decoder))
            assert pipeline.solve(DATA[0]).source in ("learned", "safe")
        assert pipeline.provenance["instances"] == (600 if decoder == "rdi" else 2400)
        assert pipeline.provenance["command"].startswith("python -m colayer_paper.pretrain")


def test_without_shipped_weights_the_safe_ones_are_used_with_a_warning() -> None:
    class Other(SingleMachine):
        name = "other"

    pipeline = Pipeline(Other())  # weights are looked up when they are first needed
    with pytest.warns(UserWarning, match="other") as warned:
        solved = pipeline.solve(DATA[0])
    assert warned[0].filename == __file__  # the line that asks for them
    assert np.array_equal(pipeline.weights_, PROBLEM.safe_weights)
    assert pipeline.provenance == {"source": "safe weights"}
    assert solved.cost == plain(Other()).solve(DATA[0]).cost


@pytest.mark.parametrize("wrong", [[0, 1, 99], [0, 0, 1], [0, 1], [0.0, 1.0, 2.0], [-1, 0, 1], [[0], [1, 2]], "abc"])
def test_what_is_not_a_sequence_is_refused(wrong: object) -> None:
    """By cost, decode and write_solution: no number for an infeasible solution, no read out of bounds."""
    instance = PROBLEM.read({"release": [0, 1, 2], "processing": [3, 2, 1]})
    for use in (PROBLEM.cost, PROBLEM.decode, PROBLEM.write_solution):
        with rejects(InputError, "sequence"):
            use(wrong, instance)


@pytest.mark.parametrize("decoder", SingleMachine.decoders)
def test_equivariance(decoder: str) -> None:
    """Permute the jobs of an instance without ties: the solution is the permuted one, the cost is equal."""
    problem = SingleMachine(decoder=decoder)
    pipeline = Pipeline(problem, safe=False)
    rng = np.random.default_rng(12)
    for n in (5, 30, 120):
        release, processing = rng.permutation(4 * n)[:n], 1 + rng.permutation(5 * n)[:n]  # whole and distinct
        solved = pipeline.solve(problem.read({"release": release, "processing": processing}))
        permutation = rng.permutation(n)
        permuted = pipeline.solve(
            problem.read({"release": release[permutation], "processing": processing[permutation]})
        )
        assert permuted.cost == solved.cost
        assert permutation[permuted.solution].tolist() == solved.solution.tolist()


def test_perturbed_solve_does_not_need_all_theta_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """θ by parts gives the solution, the cost and the source of θ all at once."""
    problem = SingleMachine()
    instance = problem.generate(5, jobs=40)
    pipeline = Pipeline(problem, weights=problem.safe_weights, safe=False)
    whole = pipeline.solve(instance, samples=20, sigma=0.5)
    monkeypatch.setattr(sys.modules["colayer.models.thetas"], "_MOST_NUMBERS", 3 * 40)
    parts = pipeline.solve(instance, samples=20, sigma=0.5)
    assert (parts.cost, parts.source) == (whole.cost, whole.source)
    assert np.array_equal(parts.solution, whole.solution)


def test_a_decoder_without_shipped_weights_takes_those_of_the_plainest() -> None:
    """The 27 features ship weights learned through `none` alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = [Pipeline(SingleMachine("27", decoder)).weights_ for decoder in SingleMachine.decoders]
    assert all(np.array_equal(w, weights[0]) for w in weights)


def test_learning_needs_no_weights_and_warns_of_none() -> None:
    """Where nothing is shipped and nothing is safe, `fit` gives what `solve` needs."""
    data = [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(3)]
    pipeline = Pipeline(Pick())
    with rejects(ColayerError, "pick"):
        pipeline.solve(data[0])
    assert pipeline.fit(data, evaluations=5) is pipeline
    assert pipeline.solve(data[0]).source == "learned"


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"samples": -1}, "--samples"),
        ({"seed": -1}, "--seed"),
        ({"sigma": -0.5}, "--sigma"),
        ({"sigma": float("nan")}, "--sigma"),
        ({"samples": "many"}, "--samples"),
        ({"candidates": 2.5}, "--candidates"),
        ({"sigma": 1e101}, "--sigma"),
        ({"workers": 0}, "--workers"),
    ],
)
def test_solve_refuses_bad_options_by_name(options: dict, where: str) -> None:
    with rejects(OptionError, where=where):
        plain().solve_many(DATA[:1], **options)


@pytest.mark.parametrize("weights", [[1.0], np.ones((66, 1)), [float("nan")] * 66])
def test_weights_that_do_not_fit_are_refused(weights: object) -> None:
    with rejects(InputError, "weights"):
        Pipeline(PROBLEM, weights=weights)


def test_a_model_of_another_problem_is_refused() -> None:
    model = LinearModel(PROBLEM.feature_names, np.ones(66), np.ones(66), "flow-shop")
    with rejects(InputError, where="problem"):
        Pipeline.from_model(PROBLEM, model)


def test_the_gap_is_to_the_bound_and_a_solution_knows_no_certificate() -> None:
    solved = plain().solve(DATA[0])
    assert solved.bound == PROBLEM.bound(DATA[0])
    assert solved.gap == (solved.cost - solved.bound) / solved.bound
    assert solved.certified is None
    assert solved.seconds > 0


def test_workers_bound_the_threads_of_every_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many instances: one thread each. One instance: its kernels may use all of the workers."""
    seen = []
    layer = Pick.layer
    monkeypatch.setattr(Pick, "layer", lambda self, theta, x: (seen.append(allowed()), layer(self, theta, x))[1])
    data = [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(3)]
    pipeline = Pipeline(Pick(), weights=[1.0, 0.0])
    pipeline.solve_many(data, workers=2)
    pipeline.solve_many(data, workers=1)
    assert seen == [1] * 6
    pipeline.solve_many(data[:1], workers=2)
    assert seen[6:] == [2]


def test_solve_many_of_nothing_is_nothing() -> None:
    assert plain().solve_many([], workers=2) == []


def test_the_repr_says_whose_the_weights_are(tmp_path: Path) -> None:
    """In a word, without looking the weights up: no warning where the safe ones would be used."""
    shipped = Pipeline(SingleMachine())
    assert repr(shipped) == "Pipeline(SingleMachine(features='66', decoder='none'), shipped weights)"
    assert repr(plain()) == "Pipeline(SingleMachine(features='66', decoder='ls'), given weights, safe=False)"
    assert Pipeline(Pick()).weights_from == "no"
    pick = Pick()
    pick.safe_weights = (1.0, 0.0)
    assert repr(Pipeline(pick)).endswith(", safe weights)")
    shipped.save(tmp_path / "m.json")
    assert Pipeline.load(tmp_path / "m.json").weights_from == "loaded"
    assert plain().fit(DATA, method="direct", evaluations=3).weights_from == "fitted"


def test_a_network_is_never_worse_than_its_linear_model() -> None:
    """A network that reverses every order, and the linear model beside it."""
    problem = SingleMachine("27")
    linear = Pipeline(problem).model
    instance = problem.generate(3, jobs=20, rho=1.0)
    inputs = inputs_of(problem.features(instance), (problem.structure(instance),), np.ones(27), np.zeros(27))
    network = ContextModel(
        linear.feature_names, -1000.0 * linear.weights, linear.feature_scale, linear.problem, linear.options,
        center=np.zeros(27), relations=("order",), fallback=linear.weights,
        arrays={
            "input.matrix": np.zeros((1, len(inputs))), "input.bias": np.zeros(1),
            "head.matrix": np.zeros((1, 1)), "head.bias": np.zeros(1),
        },
    )  # fmt: skip
    alone = Pipeline.from_model(problem, linear, safe=False).solve(instance)
    unsafe = Pipeline.from_model(problem, network, safe=False).solve(instance)
    safe = Pipeline.from_model(problem, network).solve(instance)
    assert unsafe.cost > alone.cost
    assert safe.cost <= alone.cost
    assert safe.source in ("linear", "safe")
    assert (unsafe.candidates, safe.candidates) == (1, 3)
