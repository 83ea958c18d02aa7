"""Every command on a tiny data set: what it prints, what it writes, and that both agree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline, read_instances
from colayer.cli import main
from colayer.problems import SingleMachine

pytestmark = pytest.mark.filterwarnings("ignore:no weights are shipped")

TOY = '''
import numpy as np

class Toy:
    """Pick the cheapest of a few numbers: a problem that has the five methods and little else."""

    name = "toy"
    feature_names = ("value",)
    def features(self, instance): return np.array(instance, dtype=float)[:, None]
    def layer(self, theta, instance): return int(np.argmin(theta))
    def decode(self, y, instance): return y
    def cost(self, solution, instance): return float(instance[solution])
    def scale(self, instance): return 1.0
    def read(self, document): return list(document["values"])
    def write(self, instance): return {"values": instance}
    def write_solution(self, solution, instance): return {"pick": solution}
'''


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands") / "data"
    assert main(["generate", "single-machine", str(folder), "--count", "3", "--jobs", "6,9", "--rho", "0.5"]) == 0
    return folder


@pytest.fixture(scope="module")
def model(data: Path) -> Path:
    path = data.parent / "model.json"
    assert main(["train", "single-machine", str(data), "-o", str(path), "--evaluations", "30", "--features", "27"]) == 0
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command line in a folder of its own; its stdout, which is one JSON document with `--json`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def call(*arguments: Any) -> Any:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert status == 0, err
        return json.loads(out) if "--json" in arguments else out

    return call


def optimum(instance: Any) -> float:
    solution, _, proved = SingleMachine().exact(instance)
    assert proved
    return SingleMachine().cost(solution, instance)


@pytest.mark.parametrize("kind", ["json", "npz"])
def test_generate_makes_every_combination(kind: str, run: Any, tmp_path: Path) -> None:
    """`--count` instances for each pair of sizes, in order; options may stand anywhere."""
    run("generate", "--jobs", "3,5", "single-machine", "--rho=0.2,2", "a", "--count", 2, "--format", kind)
    instances = read_instances(tmp_path / "a")
    assert [x.jobs for x in instances] == [3] * 4 + [5] * 4
    assert len({x.release.tobytes() + x.processing.tobytes() for x in instances}) == 8
    assert all(path.suffix == f".{kind}" for path in (tmp_path / "a").iterdir())


def test_generate_is_the_seed_alone(run: Any, tmp_path: Path) -> None:
    """The same seed gives the same files, also for a larger count; another seed gives others."""
    for name, seed, count in (("a", 5, 3), ("b", 5, 4), ("c", 6, 3)):
        run("generate", "single-machine", name, "--seed", seed, "--count", count, "--jobs", 8)
    a, b, c = ([p.read_bytes() for p in sorted((tmp_path / name).iterdir())] for name in "abc")
    assert a == b[:3]
    assert not set(a) & set(c)
    child = np.random.SeedSequence(5).spawn(3)[1]
    expected = SingleMachine().generate(child, jobs=8, rho=1.0)
    assert np.array_equal(read_instances(tmp_path / "a")[1].release, expected.release)


def test_generate_into_an_empty_folder(run: Any, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    run("generate", "single-machine", "here", "--count", 1, "--jobs", 2)
    assert [p.name for p in (tmp_path / "here").iterdir()] == ["0000.json"]


def test_solve_one(data: Path, model: Path, run: Any, tmp_path: Path) -> None:
    """`-o` holds what `--json` prints; cost, gap and completion times are those of the sequence."""
    document = run("solve", data / "0000.json", "--model", model, "--json", "-o", "out.json", "--plot", "out.svg")
    assert list(document) == ["problem", "cost", "bound", "gap", "seconds", "source", "solution"]
    assert json.loads((tmp_path / "out.json").read_text()) == document
    instance = read_instances(data)[0]
    assert document["cost"] == SingleMachine().cost(np.array(document["solution"]["sequence"]), instance)
    assert document["cost"] == sum(document["solution"]["completion"])
    assert document["bound"] == SingleMachine().bound(instance) <= document["cost"]
    assert document["gap"] == pytest.approx((document["cost"] - document["bound"]) / document["bound"])
    assert "<svg" in (tmp_path / "out.svg").read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.json", "out.svg"]


def test_solve_several(data: Path, model: Path, run: Any) -> None:
    """A list in the order of the files, the same for any number of workers, and as Python gives it."""
    files = sorted(data.glob("000?.json"))[::-1]
    common = ("solve", *files, "--model", model, "--samples", 5, "--seed", 3, "--json")
    one, two = run(*common, "--workers", 1), run(*common, "--workers", 2)
    assert [d["solution"] for d in one] == [d["solution"] for d in two]
    pipeline = Pipeline.load(model)
    for document, instance in zip(one, read_instances(data)[::-1], strict=True):
        solved = pipeline.solve(instance, samples=5, seed=3)
        assert (document["cost"], document["source"]) == (solved.cost, solved.source)


def test_solve_through_another_decoder_is_no_worse(data: Path, model: Path, run: Any) -> None:
    """The same weights through descent: never above the plain order, by the safe weights no worse than those."""
    files = sorted(data.glob("000?.json"))
    plain = run("solve", *files, "--model", model, "--json")
    descended = run("solve", *files, "--model", model, "--decoder", "ls", "--json")
    assert all(b["cost"] <= a["cost"] for a, b in zip(plain, descended, strict=True))


def test_solve_without_a_model(data: Path, run: Any) -> None:
    """A table for people, one line per file."""
    out = run("solve", data / "0000.json", data / "0001.json")
    assert out.count("\n") == 4
    assert out.split()[:4] == ["file", "cost", "bound", "gap"]


def test_solve_certified_is_optimal(data: Path, run: Any) -> None:
    """With a proof the bound is the cost, and the cost is the optimum."""
    documents = run("solve", *sorted(data.glob("000?.json")), "--certify", "--time-limit", 600, "--json")
    for document, instance in zip(documents, read_instances(data), strict=True):
        assert document["certified"] is True
        assert document["cost"] == document["bound"] == optimum(instance)
        assert document["gap"] == 0
    assert "yes" in run("solve", data / "0000.json", "--certify")


def test_bound(data: Path, run: Any, tmp_path: Path) -> None:
    """The tight bound lies between the cheap one and the optimum; `-o` holds what is printed."""
    files = sorted(data.glob("000?.json"))
    cheap = run("bound", *files, "--json", "-o", "bounds.json")
    assert json.loads((tmp_path / "bounds.json").read_text()) == cheap
    tight = run("bound", *files, "--tight", "--time-limit", 600, "--json")
    for low, high, instance in zip(cheap, tight, read_instances(data), strict=True):
        assert set(low) == set(high) == {"problem", "bound", "seconds"}
        assert low["bound"] <= high["bound"] == optimum(instance)
    assert run("bound", files[0], "--json")["bound"] == cheap[0]["bound"]


def test_train_writes_model_journal_and_picture(data: Path, run: Any, tmp_path: Path) -> None:
    """The model is the one Python learns with the same settings; a finished journal returns it at once."""
    common = ("train", "single-machine", data, "-o", "m.json", "--evaluations", 20, "--seed", 1, "--decoder", "ls")
    document = run(*common, "--method", "direct", "--plot", "curve.png", "--json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curve.png", "m.json", "m.json.journal"]
    assert (document["model"], document["journal"], document["evaluations"]) == ("m.json", "m.json.journal", 20)
    pipeline = Pipeline(SingleMachine(decoder="ls"), SingleMachine().safe_weights)
    pipeline.fit(read_instances(data), evaluations=20, seed=1, method="direct")
    loaded = Pipeline.load("m.json")
    assert np.array_equal(loaded.weights_, pipeline.weights_)
    assert loaded.problem.options == {"features": "66", "decoder": "ls"}
    assert document["loss"] == pipeline.loss_
    before = (tmp_path / "m.json").read_bytes()
    out = run(*common, "--method", "direct")
    assert (tmp_path / "m.json").read_bytes() == before
    assert "safe weights" in out


def test_train_without_a_journal(data: Path, run: Any, tmp_path: Path) -> None:
    run("train", "single-machine", data, "-o", "m.json", "--evaluations", 5, "--no-journal", "--validation", 0)
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]


def test_train_refuses_a_journal_of_another_run(data: Path, run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Other settings are another run: its journal is not overwritten, and no model is written."""
    common = ["train", "single-machine", str(data), "-o", "m.json", "--journal", "j"]
    run(*common, "--evaluations", 5)
    Path("m.json").unlink()
    assert main([*common, "--evaluations", "6"]) == 2
    assert capsys.readouterr().err.startswith("error: j")
    assert not Path("m.json").exists()


def test_evaluate(data: Path, model: Path, run: Any, tmp_path: Path) -> None:
    """Every learner without and with the safe weights, the safe weights alone, and every plain rule."""
    document = run("evaluate", "single-machine", data, "--model", model, "--json", "-o", "e.json", "--plot", "e.png")
    assert json.loads((tmp_path / "e.json").read_text()) == document
    assert document["contenders"] == ["model", "model, safe", "safe weights", *SingleMachine().baselines]
    summary = {row["contender"]: row for row in document["summary"]}
    assert summary["model, safe"]["mean_cost"] <= min(
        summary["model"]["mean_cost"], summary["safe weights"]["mean_cost"]
    )
    costs = [Pipeline.load(model, safe=False).solve(x).cost for x in read_instances(data)]
    assert summary["model"]["mean_cost"] == pytest.approx(np.mean(costs))
    assert (tmp_path / "e.png").stat().st_size > 1000
    safe_only = run("evaluate", "single-machine", data, "--model", model, "--safe", "--json")
    assert safe_only["contenders"][:2] == ["model, safe", "safe weights"]
    assert "model " in run("evaluate", "single-machine", data, "--model", model, "--no-safe", "--samples", 2)


def test_label_resumes(run: Any, tmp_path: Path) -> None:
    """What has a label keeps it; the others get optimal ones, from two processes."""
    run("generate", "single-machine", "d", "--count", 4, "--jobs", 7)
    limit = ("--time-limit", 600)  # first use compiles
    first = run("label", "single-machine", "d", "--workers", 1, *limit, "--json")
    assert first == {"problem": "single-machine", "instances": 4, "labelled": 4, "proved": 4}
    labels = {path.name: path.read_bytes() for path in (tmp_path / "d").glob("*.solution.json")}
    for name in ("0001.solution.json", "0003.solution.json"):
        (tmp_path / "d" / name).unlink()
    assert run("label", "single-machine", "d", "--workers", 2, *limit, "--json")["labelled"] == 2
    assert {path.name: path.read_bytes() for path in (tmp_path / "d").glob("*.solution.json")} == labels
    document = json.loads(labels["0000.solution.json"])
    assert document["cost"] == document["bound"] == optimum(read_instances("d")[0])
    assert "0 labelled, 4 had a label; 4 proved optimal" in run("label", "single-machine", "d")


def test_demo(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The story in small: a table on stdout, a model and pictures in the folder."""
    for name, number in (("TRAINING", 6), ("TEST", 3), ("EVALUATIONS", 12)):
        monkeypatch.setattr(f"colayer.commands.demo.{name}", number)
    out = run("demo", "-o", "story")
    names = sorted(p.name for p in (tmp_path / "story").iterdir())
    assert names == ["gaps.png", "learning.png", "model.json", "solution.png"]
    for contender in ("learned", "learned + ls", "learned + rdi", "safe weights", *SingleMachine().baselines):
        assert f"\n{contender} " in out
    learned = Pipeline.load("story/model.json")
    assert learned.provenance["evaluations"] == 12
    assert f"{np.count_nonzero(learned.weights_)} of 66 weights are not zero" in out


def test_a_problem_of_the_users_own(run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """MODULE:NAME, with the five methods and a file format alone: train, evaluate, solve; what it lacks is refused."""
    (tmp_path / "toy_problem.py").write_text(TOY)
    (tmp_path / "d").mkdir()
    for k in range(3):
        document = {"format": 1, "problem": "toy", "values": [3 + k, 1, 2]}
        (tmp_path / f"d/{k:04d}.json").write_text(json.dumps(document))
    train = run("train", "toy_problem:Toy", "d", "-o", "toy.json", "--evaluations", 30, "--workers", 1, "--json")
    assert train["loss"] == 1.0
    solved = run("solve", "d/0001.json", "--problem", "toy_problem:Toy", "--model", "toy.json", "--json")
    assert (solved["cost"], solved["bound"], solved["gap"], solved["solution"]) == (1.0, None, None, {"pick": 1})
    assert run("bound", "d/0001.json", "--problem", "toy_problem:Toy", "--json")["bound"] is None
    evaluated = run("evaluate", "toy_problem:Toy", "d", "--model", "toy.json", "--json")
    assert evaluated["summary"][0]["mean_cost"] == 1.0
    for arguments, what in (
        ("generate toy_problem:Toy new", "toy has no instance generator"),
        ("label toy_problem:Toy d", "toy has no exact solver"),
        ("solve d/0000.json --problem toy_problem:Toy --certify", "--certify: toy has no exact solver"),
        ("solve d/0000.json --problem toy_problem:Toy --plot x.png", "--plot: toy has no picture"),
        ("solve d/0000.json --problem toy_problem:Toy", "toy has neither shipped nor safe weights"),
        ("solve d/0000.json --problem toy_problem:Toy --decoder ls", "--decoder: toy has no decoders"),
        ("evaluate toy_problem:Toy d", "--model: toy has no weights and no baselines"),
        ("solve d/0000.json", "d/0000.json: problem: no problem 'toy'"),
    ):
        assert main(arguments.split()) == 2, arguments
        err = capsys.readouterr().err
        assert what in err
        assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_goes_away_is_no_fault(data: Path) -> None:
    """`colayer … | head` ends quietly, whatever was still to be printed."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "colayer.cli", "bound", str(data / "0000.json")]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nothing_of_that_name", "needs 'nothing_of_that_name'"),
        ("def (", "SyntaxError"),
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("class Own:\n    def __init__(self, size): pass", "cannot be made without arguments"),
    ],
)
def test_a_problem_of_ones_own_that_cannot_be_loaded_is_bad_usage(source, message, tmp_path, monkeypatch, capsys):
    """The user's mistake, so one line and exit status 2."""
    monkeypatch.chdir(tmp_path)
    name = f"broken_{abs(hash(source))}"
    (tmp_path / f"{name}.py").write_text(source)
    assert main(["generate", f"{name}:Own", "data"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: PROBLEM: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["train single-machine {file} -o model.json", "evaluate single-machine {file}"])
def test_a_file_where_a_folder_is_expected_is_refused(command, tmp_path, monkeypatch, capsys):
    """Or -o might overwrite the data."""
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "single-machine", "data", "--count", "2", "--jobs", "5"]) == 0
    capsys.readouterr()
    assert main(command.format(file="data/0000.json").split()) == 2
    assert "is not a folder" in capsys.readouterr().err


def test_evaluate_tight_takes_the_labels_bounds_where_there_are(
    data: Path, model: Path, run: Any, tmp_path: Path
) -> None:
    """Gaps to the exact bound, which is at least the cheap one; a label's bound is used as it stands."""
    folder = tmp_path / "data"
    shutil.copytree(data, folder)
    command = ("evaluate", "single-machine", folder, "--model", model, "--json")

    def bounds(*more: str) -> list[float]:
        document = run(*command, *more)
        return [result["bound"] for result in document["results"][:: len(document["contenders"])]]

    optima = [optimum(instance) for instance in read_instances(folder)]
    assert bounds("--tight") == optima
    assert all(cheap <= best for cheap, best in zip(bounds(), optima, strict=True))
    run("label", "single-machine", folder)
    label = folder / "0000.solution.json"
    known = json.loads(label.read_text())
    label.write_text(json.dumps({**known, "bound": optima[0] - 0.25}))
    assert bounds("--tight") == [optima[0] - 0.25, *optima[1:]]
    label.write_text(json.dumps({"sequence": known["sequence"], "completion": known["completion"]}))  # no bound in it
    assert bounds("--tight") == optima
    label.write_text(json.dumps({**known, "bound": optima[0] + 1}))
    assert main([str(word) for word in (*command, "--tight")]) == 2
