"""The extra `neural`: gradients against what is known, equivariance, training that improves and repeats, files."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest
import torch

from colayer import Pipeline
from colayer.compose import features_of
from colayer.errors import InputError, MissingExtraError, OptionError
from colayer.evaluators.local import LocalEvaluator
from colayer.learning.demonstration.fenchel_young import FenchelYoung
from colayer.learning.network.training import Training, demonstration_gradient, experience_gradient
from colayer.learning.perturbation import draws
from colayer.models import LinearModel, read_model
from colayer.models.network import NeuralModel
from colayer.neural import FenchelYoungLoss, Network, Neural, PerturbedLayer
from colayer.neural.functions import layer_of
from colayer.problem import BaseProblem
from colayer.problems import SingleMachine, find_problem, problem_names


def network(context=False, d=5, hidden=(6, 4), seed=0):
    """One whose last layer is not 0, so that it does something."""
    random = np.random.default_rng(seed)
    made = Network(random.normal(size=d), random.normal(size=d), hidden, context, seed)
    with torch.no_grad():
        made.matrices[-1].copy_(torch.tensor(random.normal(size=made.matrices[-1].shape)))
        made.biases[-1].copy_(torch.tensor(random.normal(size=d + 1)))
    return made


def described(d=5, scale=None):
    names = tuple(f"f{k}" for k in range(d))
    return {"feature_names": names, "feature_scale": np.ones(d) if scale is None else scale, "problem": "toy"}


def data(problem, count, seed=11, **sizes):
    return [problem.generate(np.random.SeedSequence([seed, k]), **sizes) for k in range(count)]


def choose_one(theta):
    """The layer over the unit vectors: the least entry of θ."""
    return np.eye(len(theta))[int(np.argmin(theta))]


class Line(BaseProblem):
    """θ itself is the solution, its squared distance from the instance the cost: known in closed form."""

    name = "line"
    feature_names = ("one", "x")

    def features(self, instance):
        return np.column_stack([np.ones(len(instance)), np.arange(len(instance)) / len(instance)])

    def layer(self, theta, instance):
        return theta

    def cost(self, solution, instance):
        return float(((solution - instance) ** 2).sum())


@pytest.mark.parametrize("context", [False, True])
def test_numpy_and_torch_compute_the_same_theta(context):
    features = 5.0 * np.random.default_rng(3).normal(size=(40, 5))  # some are clipped
    scale = np.array([1.0, 2.0, 0.5, 3.0, 1.0])
    made = network(context)
    model = made.model(**described(scale=scale))
    theta = features @ model.raw() + model.correction(features)
    assert np.allclose(theta, made(torch.tensor(features / scale)).detach().numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("context", [False, True])
def test_permuted_rows_give_permuted_theta(context):
    features = np.random.default_rng(4).normal(size=(30, 5))
    order = np.random.default_rng(5).permutation(30)
    model = network(context).model(**described())
    straight, permuted = model.correction(features), model.correction(features[order])
    assert np.allclose(permuted, straight[order], rtol=1e-12, atol=1e-12)
    assert not np.allclose(straight, straight[order])


def test_context_is_what_tells_instances_apart():
    """The same row in another instance: another θ with context, the same one without."""
    one, other = np.random.default_rng(6).normal(size=(2, 10, 5))
    other[0] = one[0]
    for context in (False, True):
        model = network(context).model(**described())
        same = math.isclose(model.correction(one)[0], model.correction(other)[0], rel_tol=1e-12)
        assert same is not context


@pytest.mark.parametrize("context", [False, True])
def test_gradients_through_the_network_against_finite_differences(context):
    made = network(context)
    x = torch.tensor(np.random.default_rng(7).normal(size=(12, 5)))
    direction = torch.tensor(np.random.default_rng(8).normal(size=12))
    made(x).backward(direction)
    for parameter in made.parameters():
        index = tuple(0 for _ in parameter.shape)
        step = 1e-6
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                parameter[index] += sign * step
                values.append((made(x) @ direction).item())
                parameter[index] -= sign * step
        assert math.isclose(
            (values[0] - values[1]) / (2 * step), float(parameter.grad[index]), rel_tol=1e-5, abs_tol=1e-7
        )


def test_experience_gradient_of_a_known_loss():
    """ℓ(θ) = |θ − x|² is smoothed to itself plus a constant: the estimate is unbiased for 2(θ − x)."""
    instance = np.array([1.0, -2.0, 0.5])
    theta = np.array([2.0, 0.0, 0.0])
    gradient = experience_gradient(LocalEvaluator(Line(), [instance]), Neural(pairs=20000))
    estimate = gradient(theta, 0, np.random.default_rng(0))
    assert np.allclose(estimate, 2 * (theta - instance), atol=0.15)


def test_perturbed_layer_against_closed_form():
    """Two choices: P(first) = Φ((θ_2 − θ_1)/(ε√2)), and its derivative."""
    theta = torch.tensor([0.3, 0.8], dtype=torch.float64, requires_grad=True)
    epsilon = 0.7
    mean = PerturbedLayer(epsilon, samples=40000)(theta, choose_one)
    z = 0.5 / (epsilon * math.sqrt(2))
    assert math.isclose(mean[0].item(), 0.5 * (1 + math.erf(z / math.sqrt(2))), abs_tol=0.01)
    mean[0].backward()
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) / (epsilon * math.sqrt(2))
    assert np.allclose(theta.grad.numpy(), [-density, density], atol=0.02)


def test_fenchel_young_loss_against_finite_differences():
    """Of the same sample average, through torch; where the target is the mean of the layer, the gradient is 0."""
    loss = FenchelYoungLoss(0.8, samples=12, seed=3)
    values = np.random.default_rng(1).normal(size=6)
    theta = torch.tensor(values, requires_grad=True)
    target = np.full(6, 1 / 6)
    value = 3.0 * loss(theta, target, choose_one)
    value.backward()
    for k in range(6):
        ahead, behind = (
            float(loss(torch.tensor(values + sign * 1e-6 * np.eye(6)[k]), target, choose_one)) for sign in (1, -1)
        )
        assert math.isclose(3.0 * (ahead - behind) / 2e-6, float(theta.grad[k]), abs_tol=1e-6)
    assert value.item() >= 0
    still = torch.tensor(values, requires_grad=True)
    mean = PerturbedLayer(0.8, samples=12, seed=3)(torch.tensor(values), choose_one)
    loss(still, mean, choose_one).backward()
    assert np.allclose(still.grad.numpy(), 0.0, atol=1e-12)


def test_modules_take_the_layer_of_a_problem():
    problem = SingleMachine("27")
    instance = data(problem, 1, jobs=6)[0]
    mean = PerturbedLayer(samples=4)(torch.arange(6.0), layer_of(problem, instance))
    assert mean.dtype == torch.float32
    assert math.isclose(float(mean.sum()), 21.0, rel_tol=1e-6)


def test_a_network_learns_what_no_linear_model_can():
    """x ↦ |x − ½|: by experience, from the best line."""
    instance = np.abs(np.arange(40) / 40 - 0.5)
    problem = Line()
    pipeline = Pipeline(problem, weights=np.array([0.25, 0.0]), safe=False)
    method = Neural(hidden=(16,), start=(0.25, 0.0), rate=0.01, pairs=16, spread=2.0)
    pipeline.fit([instance], method=method, evaluations=3300, workers=1)
    assert pipeline.loss_ < 0.3 * pipeline.history_[0].loss
    assert pipeline.solve(instance).cost == pipeline.loss_


@pytest.mark.parametrize("name", problem_names())
def test_never_worse_than_its_linear_start_and_repeats(name):
    """By experience on every problem; same seed, same bits, for any number of workers; global state untouched."""
    problem = find_problem(name)
    instances = data(problem, 6)
    models, before = [], torch.get_rng_state()
    for workers in (1, 2):
        pipeline = Pipeline(problem, weights=problem.safe_weights)
        pipeline.fit(instances, method=Neural(pairs=2), evaluations=40, workers=workers)
        models.append(pipeline.model.document())
        start = next(done for done in pipeline.history_[20:] if done.validation is not None)
        assert pipeline.validation_loss_ <= start.validation
    assert json.dumps(models[0]) == json.dumps(models[1])
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("name", problem_names())
def test_demonstration_loss_falls(name):
    """Fenchel-Young through the network, on every problem that has an embedding."""
    problem = find_problem(name)
    instances = data(problem, 3)
    solutions = [Pipeline(problem, weights=problem.safe_weights).solve(x, samples=10).solution for x in instances]
    loss = FenchelYoung(samples=4)
    start = Pipeline(problem, weights=problem.safe_weights).fit(
        instances, solutions=solutions, method=loss, evaluations=5, validation=0.0
    )
    raw = start.model.raw()

    from colayer.learning.fit_demonstration import examples_of

    evaluator = LocalEvaluator(problem, instances)
    rows = np.array([len(features) for features in evaluator.features])
    examples = examples_of(problem, instances, rows, solutions, None, 0)
    scale = start.model.feature_scale
    made = Network(raw * scale, np.zeros(len(raw)), (8,), False, 0)
    fields = {"feature_names": problem.feature_names, "feature_scale": scale, "problem": problem.name}
    run = Training(made, evaluator, None, demonstration_gradient(examples, loss), Neural(), 0, fields)

    def value():
        thetas = [made(torch.tensor(f / scale)).detach().numpy() for f in evaluator.features]
        return sum(loss.loss(theta, example)[0] for theta, example in zip(thetas, examples, strict=True))

    before = value()
    assert [number for number, _, _ in run.run(15)] == list(range(16))
    assert value() < before


def test_by_demonstration_through_the_pipeline():
    problem = SingleMachine("27")
    instances = data(problem, 8, jobs=15)
    solutions = [Pipeline(problem).solve(x, samples=20).solution for x in instances]
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    pipeline.fit(instances, solutions=solutions, method="neural", evaluations=8)
    assert pipeline.provenance["learned"] == "by demonstration"
    assert pipeline.provenance["linear"]["method"] == "fenchel-young"
    assert pipeline.history_[-1].number == 8


def test_saved_and_loaded_it_solves_the_same_without_torch(tmp_path, monkeypatch):
    problem = SingleMachine("27")
    instances = data(problem, 6, jobs=30)
    method = Neural(hidden=(8,), context=True, pairs=2, rate=1e-3)
    pipeline = Pipeline(problem, weights=problem.safe_weights).fit(
        instances, method=method, evaluations=60, validation=0.0
    )
    path = tmp_path / "model.json"
    pipeline.save(path)
    document = json.loads(path.read_text())
    assert document["model"] == "context-mlp"
    monkeypatch.setitem(sys.modules, "torch", None)
    loaded = Pipeline.load(path)
    assert isinstance(loaded.model, NeuralModel)
    assert loaded.model.document() == pipeline.model.document()
    for instance in instances:
        once, again = (p.solve(instance, samples=5, sigma=0.5, seed=1) for p in (pipeline, loaded))
        assert once.cost == again.cost
        assert np.array_equal(once.solution, again.solution)
    alone = Pipeline.load(path, safe=False)
    assert np.allclose(np.mean([alone.solve(x).cost / problem.scale(x) for x in instances]), pipeline.loss_)


def test_samples_perturb_the_linear_part():
    """w + σZ moves θ as in a linear model; the correction stays."""
    problem = SingleMachine("27")
    instance = data(problem, 1, jobs=30)[0]
    d = 27
    made = network(d=d)
    features = features_of(problem, instance)
    scale = features.std(axis=0) + 1.0
    model = made.model(feature_names=problem.feature_names, feature_scale=scale, problem=problem.name)
    pipeline = Pipeline.from_model(problem, model, safe=False)
    Z = draws(0, 3, d)
    costs = []
    for w in (model.weights, *(model.weights + 2.0 * Z)):
        theta = features @ (w / scale) + model.correction(features)
        costs.append(problem.cost(problem.decode(problem.layer(theta, instance), instance), instance))
    assert pipeline.solve(instance, samples=3, sigma=2.0).cost == min(costs)


def test_a_linear_model_has_no_correction():
    model = LinearModel(("a",), np.ones(1), np.ones(1), "toy")
    assert model.correction(np.ones((3, 1))) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda doc: doc.update(model="cnn"), "model: 'cnn' is not supported"),
        (lambda doc: doc.update(weights=[1.0]), "weights: expected a JSON object with linear, center, layers"),
        (lambda doc: doc["weights"].update(linear=[1.0]), r"weights: an array of shape \(1,\)"),
        (lambda doc: doc["weights"].update(center=["1"] * 5), "weights.center: expected numbers"),
        (lambda doc: doc["weights"].update(layers=[]), "weights.layers: expected at least one layer"),
        (lambda doc: doc["weights"].update(layers=[3]), r"weights.layers\[0\]: expected a JSON object"),
        (lambda doc: doc["weights"]["layers"][1]["matrix"].pop(), r"weights.layers\[1\].matrix: an array of shape"),
        (
            lambda doc: doc["weights"]["layers"][0].update(bias=[[1.0], [2.0, 3.0]]),
            "bias: expected numbers",
        ),
        (lambda doc: doc["weights"]["layers"][0]["bias"].__setitem__(0, 1e999), "not finite"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path, change, message):
    document = network().model(**described()).document()
    document = json.loads(json.dumps(document))
    change(document)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=message) as caught:
        read_model(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    "options",
    [{"hidden": (0,)}, {"share": 1.0}, {"rate": 0.0}, {"spread": math.inf}, {"batch": 0}, {"pairs": 0}],
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(OptionError):
        Neural(**options)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sigma": 1.0}, "--sigma"),
        ({"method": Neural(start=(1.0,))}, "start: expected 27"),
        ({"method": Neural(start=(1.0,) * 27), "journal": "x.journal"}, "--journal"),
        ({"solutions": [0], "radius": 1.0}, "--radius"),
    ],
)
def test_what_has_no_meaning_is_refused(options, error):
    problem = SingleMachine("27")
    pipeline = Pipeline(problem, weights=problem.safe_weights)
    with pytest.raises((OptionError, InputError), match=error):
        pipeline.fit(data(problem, 1, jobs=5), **{"method": "neural", **options})


@pytest.mark.parametrize("make", [lambda: FenchelYoungLoss(epsilon=0.0), lambda: PerturbedLayer(samples=3)])
def test_module_options_out_of_range_are_refused(make):
    with pytest.raises(OptionError):
        make()


def test_without_torch_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    problem = SingleMachine("27")
    with pytest.raises(MissingExtraError, match=r"pip install 'colayer\[neural\]'"):
        Pipeline(problem, weights=problem.safe_weights).fit(data(problem, 1, jobs=5), method="neural")
