"""Learning by demonstration: it improves, repeats, resumes, and refuses what does not fit together."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from colayer._runtime.threads import allowed, cores
from colayer.cli.app import main
from colayer.errors import InputError, JournalError, OptionError
from colayer.evaluators.base import Backend
from colayer.io.dataset import label_path, write_instances
from colayer.io.label import write_solution
from colayer.learning.imitation.crf import Crf
from colayer.learning.imitation.fenchel_young import FenchelYoung
from colayer.learning.imitation.hinge import Hinge
from colayer.learning.imitation.spo import SpoPlus
from colayer.learning.learner import TrainingJob, learner_for
from colayer.learning.settings import Settings
from colayer.models import read_model
from colayer.pipeline import Pipeline
from colayer.problem.bind import bind
from colayer.problems import SingleMachine, find_problem
from support.errors import rejects
from support.pick_problem import Embedded, Pick, picks
from support.registry import static_names

PROBLEM = SingleMachine(features="27")
DATA = [PROBLEM.generate(seed, jobs=12) for seed in range(8)]
#: Good solutions of them: the best that the decoder rdi makes of four θ.
SOLUTIONS = [
    np.array(line.split(), dtype=np.int64)
    for line in """
    5 7 9 2 0 8 4 6 1 3 10 11
    3 10 8 11 9 1 5 2 4 6 0 7
    1 5 2 0 8 6 4 3 7 9 11 10
    3 1 10 4 6 7 11 8 2 5 9 0
    1 9 6 3 5 7 0 10 11 8 2 4
    2 1 5 10 6 11 0 4 9 8 7 3
    6 10 3 11 1 4 0 2 8 5 7 9
    0 6 4 7 8 5 9 3 1 2 10 11
""".strip().splitlines()
]
METHODS = [FenchelYoung(samples=4), Hinge(), Crf(), Crf(optimizer="adam"), FenchelYoung(optimizer="l-bfgs", samples=4)]


def true_thetas(problem, data, seed=0):
    """θ* of a hidden linear model."""
    w = np.random.default_rng(seed).normal(size=len(problem.feature_names))
    found = [problem.features(x).astype(float) for x in data]
    spread = np.concatenate(found).std(axis=0)
    return [features @ (w / np.where(spread > 0, spread, 1.0)) for features in found]


def learned(problem, data, *, solutions=None, thetas=None, method="auto", workers=None, **settings):
    """What `Pipeline.fit` does, without the pipeline."""
    learner = learner_for(method, "thetas" if solutions is None else "solutions")
    return learner.fit(TrainingJob(bind(problem), data, Settings(**settings), Backend(workers), solutions, thetas))


def fit(**options):
    settings = {"solutions": SOLUTIONS, "method": FenchelYoung(samples=4), "evaluations": 12, **options}
    return learned(PROBLEM, DATA, **settings)


@pytest.mark.parametrize("name", static_names())
@pytest.mark.parametrize("method", ["fenchel-young", "hinge", "crf", "spo+"])
def test_every_method_improves_on_its_start(name, method):
    """On every registered problem: the demonstration loss and the pipeline loss of w = 0 are both beaten."""
    problem = find_problem(name)
    data = [problem.generate(np.random.SeedSequence([17, k])) for k in range(5)]
    if method == "spo+":
        given = {"thetas": true_thetas(problem, data)}
    else:
        labeller = Pipeline(problem, problem.safe_weights)
        given = {"solutions": [labeller.solve(x, samples=10).solution for x in data]}
    pipeline = Pipeline(problem, problem.safe_weights).fit(data, method=method, evaluations=8, **given)
    history = pipeline.history_
    assert history[-1].demonstration < history[0].demonstration
    assert pipeline.validation_loss_ == min(done.validation for done in history)
    if method != "spo+":  # its θ* has nothing to do with the costs
        assert pipeline.loss_ < history[0].loss
    assert pipeline.provenance["method"] == method


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_the_same_weights_for_any_number_of_workers(method):
    one, two = (fit(method=method, workers=workers) for workers in (1, 2))
    assert one.model.weights.tobytes() == two.model.weights.tobytes()
    assert one.history == two.history


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_bound_the_threads_of_everything(workers):
    """Of features, which are computed here, and of layers, which are called by threads."""
    seen = {"features": set(), "layer": set()}

    class Watched(Embedded):
        def features(self, instance):
            seen["features"].add(allowed())
            return super().features(instance)

        def layer(self, theta, instance):
            seen["layer"].add(allowed())
            return super().layer(theta, instance)

    Pipeline(Watched()).fit(picks(5), solutions=[np.arange(3)] * 5, evaluations=2, workers=workers)
    assert seen["features"] == {workers}
    assert {1} <= seen["layer"] <= {1, workers}  # those of other threads, and of this one
    assert allowed() == cores()


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_cut_at_random_bytes_ends_with_the_same_weights(method, tmp_path):
    """Wherever the journal ends, the same weights, history and journal come out."""
    path = tmp_path / "j"
    unbroken = fit(method=method, journal=path)
    whole = path.read_bytes()
    assert whole.endswith(b'{"finished":12}\n')
    for cut in random.Random(0).sample(range(len(whole)), 6):
        path.write_bytes(whole[:cut])
        resumed = fit(method=method, journal=path)
        assert resumed.history == unbroken.history
        assert resumed.model.weights.tobytes() == unbroken.model.weights.tobytes()
        assert resumed.model.provenance == unbroken.model.provenance
        assert path.read_bytes() == whole
    assert fit(method=method).model.weights.tobytes() == unbroken.model.weights.tobytes()  # nor does the journal matter


def test_a_finished_journal_makes_no_pass(tmp_path, monkeypatch):
    """Only the costs of its best and last pass are looked at again."""
    path = tmp_path / "j"
    fitted = fit(journal=path)
    monkeypatch.setattr(FenchelYoung, "loss", lambda self, theta, example: pytest.fail("a demonstration loss"))
    again = fit(journal=path)
    assert again.history == fitted.history
    assert again.recalled == len(fitted.history)


def test_a_journal_is_refused_after_the_cost_was_edited(tmp_path, monkeypatch):
    path = tmp_path / "j"
    fit(journal=path)
    cost = SingleMachine.cost
    monkeypatch.setattr(SingleMachine, "cost", staticmethod(lambda z, x: 2.0 * cost(z, x)))
    with rejects(JournalError, where="j"):
        fit(journal=path)


def test_a_journal_continued_with_more_passes_equals_a_run_that_had_them(tmp_path):
    """The steps of Adam depend on the number of passes: a section of its own, made anew."""
    path = tmp_path / "j"
    fit(journal=path)
    longer = fit(journal=path, evaluations=17)
    assert longer.history == fit(evaluations=17).history
    assert fit(journal=path, evaluations=17).recalled == 17
    assert fit(journal=path).recalled == 12


def test_a_journal_of_another_run_is_refused(tmp_path):
    """Other targets, another method, another seed: another run."""
    path = tmp_path / "j"
    fit(journal=path)
    before = path.read_bytes()
    for other in ({"solutions": SOLUTIONS[::-1]}, {"method": Hinge()}, {"seed": 1}):
        with rejects(JournalError, where="j"):
            fit(journal=path, **other)
    assert path.read_bytes() == before


@pytest.mark.parametrize("method", [Hinge(), Crf()], ids=repr)
def test_time_runs_out_between_passes_and_the_journal_goes_on(method, tmp_path):
    path = tmp_path / "j"
    stopped = fit(method=method, journal=path, time_limit=0.0)
    assert len(stopped.history) == 1
    assert b"finished" not in path.read_bytes()
    assert fit(method=method, journal=path).model.weights.tobytes() == fit(method=method).model.weights.tobytes()


def test_the_weights_kept_are_those_of_least_pipeline_loss():
    """On the instances held out, or on the training instances where none are; callbacks see every pass."""
    seen = []
    fitted = fit(callback=seen.append)
    assert tuple(seen) == fitted.history
    assert fitted.validation_loss == min(done.validation for done in fitted.history)
    alone = fit(validation=0.0)
    assert alone.validation_loss is None
    assert alone.loss == min(done.loss for done in alone.history)
    costs = [Pipeline.from_model(PROBLEM, alone.model, safe=False).solve(x).cost / PROBLEM.scale(x) for x in DATA]
    assert alone.loss == pytest.approx(np.mean(costs), rel=1e-12)


def test_provenance_says_what_was_done(tmp_path):
    fitted = fit()
    fitted.model.save(tmp_path / "m.json")
    provenance = read_model(tmp_path / "m.json").provenance
    assert provenance["learned"] == "by demonstration"
    assert provenance["method"] == "fenchel-young"
    assert provenance["method_options"]["samples"] == 4
    assert (provenance["evaluations"], provenance["evaluated"], provenance["seed"]) == (12, 12, 0)
    assert provenance["loss"] == fitted.loss
    assert provenance["demonstration_loss"]["start"] == fitted.history[0].demonstration
    assert provenance["demonstration_loss"]["least"] == min(done.demonstration for done in fitted.history)
    assert provenance["demonstration_loss"]["last"] == fitted.history[-1].demonstration
    assert len(provenance["targets"]) == 64


def test_l_bfgs_converges_on_a_convex_likelihood():
    """It ends by itself, before the passes do, where the gradient vanishes: no weights near are better."""
    fitted = learned(PROBLEM, DATA[:2], solutions=SOLUTIONS[1::-1], method="crf", evaluations=5000, validation=0.0)
    assert fitted.model.provenance["converged"]
    assert len(fitted.history) < 5000


def test_the_multiplicative_perturbation_holds_the_norm():
    """Its loss is least at w = 0, which says nothing: the direction is learned at a fixed norm."""
    method = FenchelYoung(samples=4, perturbation="multiplicative", epsilon=0.3)
    fitted = fit(method=method, evaluations=30)
    assert np.sqrt((fitted.model.weights**2).sum()) == pytest.approx(np.sqrt(27), rel=1e-9)
    assert fitted.history[-1].demonstration < fitted.history[0].demonstration


def test_passes_are_a_hundred_where_nothing_else_is_said():
    thetas = [x[:, 0] for x in picks(3)]
    assert len(learned(Embedded(), picks(3), thetas=thetas).history) == 100


def test_fit_tells_experience_and_demonstration_apart():
    """`auto` goes by what is given; what does not fit together is refused before any work."""
    pipeline = Pipeline(PROBLEM, PROBLEM.safe_weights)
    assert pipeline.fit(DATA, solutions=SOLUTIONS, evaluations=2).provenance["method"] == "fenchel-young"
    thetas = true_thetas(PROBLEM, DATA)
    assert pipeline.fit(DATA, thetas=thetas, evaluations=2).provenance["method"] == "spo+"
    for options, where in (
        ({"solutions": SOLUTIONS, "method": "direct"}, "--method"),
        ({"method": "hinge"}, "--method"),
        ({"thetas": thetas, "method": Hinge()}, "--method"),
        ({"solutions": SOLUTIONS, "method": "spo+"}, "--method"),
        ({"solutions": SOLUTIONS, "thetas": thetas}, "solutions"),
        ({"solutions": SOLUTIONS, "sigma": 1.0}, "--sigma"),
        ({"solutions": SOLUTIONS, "radius": 1.0}, "--radius"),
        ({"solutions": SOLUTIONS, "cluster": "auto"}, "--cluster"),
        ({"solutions": SOLUTIONS, "evaluations": 0}, "--evaluations"),
        ({"solutions": SOLUTIONS, "workers": 0}, "--workers"),
    ):
        with rejects(OptionError, where=where):
            pipeline.fit(DATA, **options)


def test_answers_that_do_not_fit_the_instances_are_refused():
    with rejects(InputError, where="solutions"):
        fit(solutions=SOLUTIONS[:7])
    with rejects(InputError, where="thetas[3]"):
        fit(solutions=None, thetas=[np.zeros(5 if k == 3 else 12) for k in range(8)], method="spo+")
    with rejects(InputError, where="thetas[0][1]"):
        fit(solutions=None, thetas=[np.array([0, np.nan, *range(10)])] * 8, method="spo+")


@pytest.mark.parametrize("options", [{"optimizer": "sgd"}, {"rate": 0.0}, {"batch": 0}])
def test_options_are_checked(options):
    with rejects(OptionError, *options, where="--method"):
        Hinge(**options)


def test_train_reads_the_labels_beside_the_instances(tmp_path, capsys):
    """The command writes the model that `fit` gives, and a journal; a label that is missing is named."""
    problem = SingleMachine()
    folder, model = tmp_path / "data", tmp_path / "m.json"
    write_instances(folder, DATA, problem)
    train = ["train", "single-machine", str(folder), "-o", str(model), "--solutions", "--evaluations", "5", "--json"]
    assert main(train) == 2
    assert "0000.solution.json: there is no such file" in capsys.readouterr().err
    for path, x, solution in zip(sorted(folder.iterdir()), DATA, SOLUTIONS, strict=True):
        write_solution(
            label_path(path), solution, x, bind(problem), cost=problem.cost(solution, x), bound=0.0, proved=False
        )
    assert main([*train, "--plot", str(tmp_path / "curve.png")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["method"], document["evaluations"]) == ("fenchel-young", 5)
    assert (tmp_path / "curve.png").stat().st_size > 0
    same = Pipeline(problem, problem.safe_weights).fit(DATA, solutions=SOLUTIONS, evaluations=5)
    assert Pipeline.load(model).weights_.tobytes() == same.weights_.tobytes()
    assert main(train) == 0
    assert json.loads(capsys.readouterr().out)["loss"] == document["loss"]  # from the journal


def test_train_tells_the_methods_apart(tmp_path, capsys):
    for options in (
        ["--method", "direct", "--solutions"],
        ["--method", "spo+", "--solutions"],
        ["--method", "hinge"],
    ):
        assert main(["train", "single-machine", str(tmp_path), "-o", str(tmp_path / "m.json"), *options]) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: --method: ")
        assert error.count("\n") == 1


def test_a_problem_of_the_users_learns_once_it_has_embed_and_target():
    """Hinge uses the default Hamming distance; crf says that there is no likelihood."""
    data = picks()
    solutions = [np.argsort(x[:, 0])[:3] for x in data]
    with rejects(InputError, "pick", "target"):
        learned(Pick(), data, solutions=solutions)
    for method in ("fenchel-young", "hinge"):
        fitted = learned(Embedded(), data, solutions=solutions, method=method)
        value, noise = fitted.model.raw()
        assert abs(noise) < 0.1 * value
    with rejects(InputError, "pick", "likelihood"):
        learned(Embedded(), data, solutions=solutions, method="crf")


def test_spo_plus_finds_the_true_theta():
    """θ* is linear in the features, and what the cost is made of: the decisions become those of θ*."""
    data = picks()
    thetas = [x[:, 0] for x in data]
    fitted = learned(Embedded(), data, thetas=thetas, method=SpoPlus(), evaluations=200)
    assert fitted.history[-1].demonstration < 0.02 * fitted.history[0].demonstration
    model = fitted.model.raw()
    assert [set(np.argsort(x @ model)[:3]) for x in data] == [set(np.argsort(theta)[:3]) for theta in thetas]
