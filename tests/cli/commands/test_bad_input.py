"""Bad usage and bad input: exit status 2, one line on stderr that names the place, nothing on stdout, no new files."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer.cli.app import main
from colayer.problems import SingleMachine

GOOD: dict[str, Any] = {"format": 1, "problem": "single-machine", "release": [0, 1], "processing": [3, 2]}


def changed(**changes: Any) -> bytes:
    return json.dumps({k: v for k, v in {**GOOD, **changes}.items() if v != "DROP"}).encode()


def npz(**changes: Any) -> bytes:
    arrays = {k: v for k, v in {**GOOD, **changes}.items() if not (isinstance(v, str) and v == "DROP")}
    data = io.BytesIO()
    np.savez(data, **arrays)
    return data.getvalue()


def damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(255 - b for b in data[middle : middle + 40]) + data[middle + 40 :]


def plain_zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("release.npy", "hello")
    return data.getvalue()


#: file name → content, fragment of the error
BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty.json": (b"", "empty, expected a JSON object"),
    "blank.json": (b" \n\t", "empty, expected a JSON object"),
    "text.json": (b"hello", "not JSON: invalid character (byte 0)"),
    "truncated.json": (changed()[:-5], "not JSON: it ends too early"),
    "comma.json": (changed()[:-1] + b",}", "not JSON: "),
    "trailing.json": (changed() + b"x", "not JSON: trailing characters"),
    "bom.json": (b"\xef\xbb\xbf" + changed(), "byte order mark"),
    "utf16.json": (changed().decode().encode("utf-16"), "not JSON"),
    "latin1.json": ('{"problem": "é"}'.encode("latin-1"), "not UTF-8"),
    "deep.json": (b"[" * 200_000, "nested too deeply"),
    "list.json": (b"[1, 2]", "not an object"),
    "number.json": (b"1", "not an object"),
    "null.json": (b"null", "not an object"),
    "nan.json": (b'{"format": 1, "problem": "single-machine", "release": [0, NaN], "processing": [1, 2]}',
                 "release[1]: not finite"),
    "infinity.json": (b'{"format": 1, "problem": "single-machine", "release": [0, 1], "processing": [-Infinity, 2]}',
                      "processing[0]: not finite"),
    "overflow.json": (b'{"format": 1, "problem": "single-machine", "release": [1e999, 1], "processing": [1, 2]}',
                      "release[0]: not finite"),
    "digits.json": (b'{"format": 1, "release": ' + b"9" * 5000 + b"}", "out of range"),
    "huge_int.json": (changed(release=[10**400 % 10**300 + 10**308 * 9, 1]), "release: a number too large"),
    "no_format.json": (changed(format="DROP"), "format: missing"),
    "no_problem.json": (changed(problem="DROP"), "problem: missing"),
    "format_2.json": (changed(format=2), "format: 2, expected 1"),
    "format_text.json": (changed(format="1"), "format: '1', expected 1"),
    "format_true.json": (changed(format=True), "format: True, expected 1"),
    "format_float.json": (b'{"format": 1.0, "problem": "single-machine", "release": [1], "processing": [1]}',
                          "format: 1.0, expected 1"),
    "unknown_problem.json": (changed(problem="knapsack"), "problem: no problem 'knapsack', expected one of"),
    "module_problem.json": (changed(problem="antigravity:geohash"), "problem: no problem 'antigravity:geohash'"),
    "problem_number.json": (changed(problem=7), "problem: no problem 7"),
    "problem_list.json": (changed(problem=["single-machine"]), "problem: no problem ['single-machine']"),
    "unknown_key.json": (changed(weights=[1, 2]), "weights: unknown key, expected release, processing"),
    "newline_key.json": (changed(**{"a\nb": 1}), "unknown key"),
    "no_release.json": (changed(release="DROP"), "release: missing"),
    "no_processing.json": (changed(processing="DROP"), "processing: missing"),
    "no_jobs.json": (changed(release=[], processing=[]), "release: empty"),
    "lengths.json": (changed(processing=[1, 2, 3]), "processing: 3 entries, expected 2"),
    "negative_release.json": (changed(release=[0, -1]), "release[1]: -1 is negative"),
    "zero_processing.json": (changed(processing=[3, 0]), "processing[1]: 0 is not positive"),
    "negative_processing.json": (changed(processing=[-3, 1]), "processing[0]: -3 is not positive"),
    "text_entry.json": (changed(release=[0, "1"]), "release[1]: '1' is not a number"),
    "null_entry.json": (changed(release=[None, 1]), "release[0]: None is not a number"),
    "true_entry.json": (changed(release=[0, True]), "release[1]: True is not a number"),
    "nested_entry.json": (changed(processing=[[1], 2]), "processing[0]: [1] is not a number"),
    "release_object.json": (changed(release={"0": 1}), "release: "),
    "release_number.json": (changed(release=3), "release: 3 is not a list"),
    "infinite_sum.json": (changed(processing=[1.5e308, 1.5e308]), "processing: "),
    "text.npz": (b"hello", "not an npz file"),
    "empty.npz": (b"", "not an npz file"),
    "json.npz": (changed(), "not an npz file"),
    "truncated.npz": (npz()[:-40], "not an npz file"),
    "damaged.npz": (damaged(npz()), "npz"),
    "object.npz": (npz(release=np.array([None, 1], dtype=object)), "release: not a plain array"),
    "plain.npz": (plain_zip(), "problem: missing"),
    "complex.npz": (npz(release=np.array([1j, 2])), "release: an array of complex128"),
    "strings.npz": (npz(release=np.array(["a", "b"])), "release: an array of <U1"),
    "dates.npz": (npz(release=np.array([0, 1], dtype="M8[D]")), "release: an array of datetime64"),
    "bytes.npz": (npz(problem=np.bytes_(b"single-machine")), "problem: an array of |S14"),
    "bool.npz": (npz(release=np.array([True, False])), "release: an array of bool"),
    "nan.npz": (npz(release=np.array([0, np.nan])), "release[1]: nan is not finite"),
    "two_d.npz": (npz(release=np.ones((2, 2))), "release: an array of 2 dimensions"),
    "zero_d.npz": (npz(release=np.float64(3)), "release: 3.0 is not a list"),
    "long_double.npz": (npz(processing=np.array([1, 1.5], dtype=np.longdouble) * np.longdouble("1e4000")),
                        "processing[0]: inf is not finite"),
    "format.npz": (npz(format=2), "format: 2, expected 1"),
    "format_array.npz": (npz(format=[1]), "format: array([1]), expected 1"),
    "missing.npz": (npz(processing="DROP"), "processing: missing"),
    "unknown.npz": (npz(color=1), "color: unknown key"),
    "dotted.npz": (npz(**{"city.width": 1}), "city: unknown key"),
    "twice.npz": (npz(**{"release.x": 1}), "release.x: given twice"),
}  # fmt: skip

#: model file name → changes, fragment of the error
BAD_MODELS: dict[str, tuple[Any, str]] = {
    "format.json": ({"format": 3}, "format: 3 is not supported"),
    "kind.json": ({"model": "neural"}, "model: 'neural' is not supported"),
    "problem.json": ({"problem": "knapsack"}, "problem: no problem 'knapsack'"),
    "module.json": ({"problem": "antigravity:geohash"}, "problem: no problem 'antigravity:geohash'"),
    "options.json": ({"options": {"speed": 3}}, "options: not options of single-machine"),
    "option_value.json": ({"options": {"features": [], "decoder": "none"}}, "options: not options of single-machine"),
    "names.json": ({"feature_names": ["a"], "weights": [1.0], "feature_scale": [1.0]}, "feature_names: "),
    "weights.json": ({"weights": [1.0]}, "weights: "),
    "text.json": ({"weights": "x"}, "weights: "),
    "scale.json": ({"feature_scale": [0.0] * 66}, "feature_scale: "),
    "extra.json": ({"bias": 1}, "bias: unknown key"),
}

#: arguments, fragment of the error. Files: see `place`.
BAD_USAGE: list[tuple[str, str]] = [
    ("frobnicate", "no such command 'frobnicate'"),
    ("solv good.json", "did you mean 'solve'?"),
    ("--frob", "--frob: no such option"),
    ("solve", "INSTANCE...: missing"),
    ("solve good.json --modle m.json", "--modle: no such option, did you mean --model"),
    ("solve good.json --samples", "--samples: expected a value"),
    ("solve good.json --certify=yes", "--certify: takes no value"),
    ("solve nothing.json", "nothing.json: there is no such file"),
    ("bound data", "data: is a folder, expected a file"),
    ("solve good.json nothing.json -o out.json", "nothing.json: there is no such file"),
    ("solve good.json --samples -1", "--samples: -1 is out of range"),
    ("solve good.json --samples ten", "--samples: 'ten' is not a whole number"),
    ("solve good.json --samples 1.5", "--samples: '1.5' is not a whole number"),
    ("solve good.json --sigma nan", "--sigma: nan is not finite"),
    ("solve good.json --sigma -1", "--sigma: -1 is out of range"),
    ("solve good.json --sigma x", "--sigma: 'x' is not a number"),
    ("solve good.json --seed -1", "--seed: -1 is out of range"),
    ("solve good.json --seed 1e3", "--seed: '1e3' is not a whole number"),
    ("solve good.json --workers 0", "--workers: 0 is out of range, expected at least 1"),
    ("solve good.json --decoder x", "--decoder: no decoder 'x', expected none, ls, rdi"),
    ("solve good.json --decoder lss", "--decoder: no decoder 'lss', expected ls (or none, rdi)"),
    ("solve good.json --certify --time-limit 0", "--time-limit: 0 is out of range"),
    ("solve good.json --certify --time-limit inf", "--time-limit: inf is not finite"),
    ("solve good.json --time-limit 0", "--time-limit: 0 is out of range"),
    ("solve good.json --candidates 0", "--candidates: 0 is out of range, expected at least 1"),
    ("train single-machine data -o out.json --portfolio 0", "--portfolio: 0 is out of range, expected at least 1"),
    ("solve good.json -o nowhere/out.json", "-o: nowhere/out.json: the folder to write to does not exist"),
    ("solve good.json -o data", "-o: data: is a folder"),
    ("solve good.json -o /dev/null", "-o: /dev/null: is not a plain file"),
    ("solve good.json -o good.json", "-o: good.json is an input as well"),
    ("solve good.json -o ./data/../good.json", "is an input as well"),
    ("solve good.json --model m.json -o m.json", "-o: m.json is an input as well"),
    ("solve good.json --plot out.txt", "--plot: 'out.txt' is not a picture"),
    ("solve good.json --plot nowhere/out.png", "--plot: nowhere/out.png: the folder"),
    ("solve good.json good.json --plot out.png", "--plot: 2 instances, expected one"),
    ("solve good.json --plot a.png -o a.png", "--plot: the same file as -o"),
    ("solve good.json --problem knapsack", "PROBLEM: no problem 'knapsack'"),
    ("solve good.json --model nothing.json", "nothing.json: "),
    ("solve good.json --model good.json", "good.json: "),
    ("bound", "INSTANCE...: missing"),
    ("bound nothing.json", "nothing.json: there is no such file"),
    ("bound good.json --time-limit 3", "--time-limit: works with --tight only"),
    ("bound good.json --tight --time-limit -3", "--time-limit: -3 is out of range"),
    ("bound good.json -o good.json", "-o: good.json is an input as well"),
    ("generate", "PROBLEM: missing"),
    ("generate single-machine", "DIR: missing"),
    ("generate single-machine new extra", "extra: an argument too many"),
    ("generate single-machin new", "PROBLEM: no problem 'single-machin', expected single-machine"),
    ("generate : new", "PROBLEM: no problem ':'"),
    ("generate no_such_module:X new", "there is no module 'no_such_module'"),
    ("generate json:nothing new", "has no 'nothing'"),
    ("generate math:pi new", "PROBLEM: float is not a problem"),
    ("generate single-machine new --count 0", "--count: 0 is out of range, expected at least 1"),
    ("generate single-machine new --count x", "--count: 'x' is not a whole number"),
    ("generate single-machine new --format csv", "--format: 'csv' is not one of 'json', 'npz'"),
    ("generate single-machine new --jobs 0", "--jobs: 0 is out of range"),
    ("generate single-machine new --jobs -5", "--jobs: -5 is out of range"),
    ("generate single-machine new --jobs 5,,6", "--jobs: '' is not a whole number"),
    ("generate single-machine new --jobs 99999999999999", "--jobs: 99999999999999 is out of range"),
    ("generate single-machine new --jobs 5 --jobs 6", "--jobs: given twice"),
    ("generate single-machine new --jobs", "--jobs: expected a value"),
    ("generate single-machine new --rho nan", "--rho: nan is out of range"),
    ("generate single-machine new --rho -0.5", "--rho: -0.5 is out of range"),
    ("generate single-machine new --rho x", "--rho: 'x' is not a number"),
    ("generate single-machine new --job 3", "--job: no such option of single-machine, expected --jobs"),
    ("generate single-machine data", "data: already holds instances"),
    ("generate single-machine good.json", "good.json: is not a folder"),
    ("generate single-machine good.json/new", "is not a folder"),
    ("train single-machine", "DIR: missing"),
    ("train single-machine data", "-o: missing, expected the model file to write"),
    ("train single-machine nowhere -o out.json", "nowhere: there is no such "),
    ("train single-machine empty -o out.json", "empty: an empty data set"),
    ("train single-machine good.json -o out.json", "good.json: is not a folder"),
    ("evaluate single-machine good.json", "good.json: is not a folder"),
    ("compare single-machine good.json", "good.json: is not a folder"),
    ("train single-machine mixed -o out.json", "mixed/0001.json: problem: 'knapsack', expected 'single-machine'"),
    ("train single-machine both -o out.json", "both: 0000.json and 0000.npz have one name"),
    ("train single-machine data -o nowhere/out.json", "-o: nowhere/out.json: the folder"),
    ("train single-machine data -o data/out.json", "-o: data/out.json lies in the data set"),
    ("train single-machine data -o out.json --method newton", "--method: no method 'newton', expected auto"),
    ("train single-machine data -o out.json --evaluations 0", "--evaluations: 0 is out of range"),
    ("train single-machine data -o out.json --radius 0", "--radius: 0 is out of range"),
    ("train single-machine data -o out.json --sigma inf", "--sigma: inf is not finite"),
    ("train single-machine data -o out.json --samples 0", "--samples: 0 is out of range"),
    ("train single-machine data -o out.json --validation 1", "--validation: 1 is out of range"),
    ("train single-machine data -o out.json --features 28", "--features: "),
    ("train single-machine data -o out.json --decoder x", "--decoder: no decoder 'x'"),
    ("train single-machine data -o out.json --learn-decoder x", "--learn-decoder: no decoder 'x'"),
    ("train single-machine data -o out.json --time-limit soon", "--time-limit: 'soon' is not a number"),
    ("train single-machine data -o out.json --workers -1", "--workers: -1 is out of range"),
    ("train single-machine data -o out.json --journal out.json", "--journal: out.json is an input as well"),
    ("train single-machine data -o out.json --journal j --no-journal", "--no-journal: given with --journal"),
    ("train single-machine data -o out.json --journal good.json", "good.json:1: is not a journal"),
    ("train single-machine data -o out.json --plot out.gif", "--plot: 'out.gif' is not a picture"),
    ("evaluate single-machine empty", "empty: an empty data set"),
    ("evaluate single-machine data --model m.json --model ./m.json", "--model: a model is given twice"),
    ("evaluate single-machine data --model nothing.json", "nothing.json: "),
    ("evaluate single-machine data --samples x", "--samples: 'x' is not a whole number"),
    ("evaluate single-machine data -o data/out.json", "-o: data/out.json lies in the data set"),
    ("label single-machine empty", "empty: an empty data set"),
    ("label single-machine data --time-limit 0", "--time-limit: 0 is out of range"),
    ("label single-machine data x", "unexpected extra argument"),
    ("label single-machine labelled", "labelled/0000.solution.json: sequence[1]: "),
    ("demo knapsack", "PROBLEM: no problem 'knapsack'"),
    ("demo -o good.json", "-o: good.json is a file, expected a folder"),
    ("demo -o nowhere/demo", "-o: nowhere/demo: the folder to make it in does not exist"),
    ("demo --seed x", "--seed: 'x' is not a whole number"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Good and bad files. No test may change anything in here."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "good.json").write_bytes(changed())
    for name in ("data", "empty", "mixed", "both", "labelled", "bad", "models"):
        (folder / name).mkdir()
    for name in ("data/0000.json", "mixed/0000.json", "both/0000.json", "labelled/0000.json"):
        (folder / name).write_bytes(changed())
    (folder / "empty/notes.txt").write_text("no instance")
    (folder / "mixed/0001.json").write_bytes(changed(problem="knapsack"))
    (folder / "both/0000.npz").write_bytes(npz())
    label = {"format": 1, "problem": "single-machine", "sequence": [0, 0], "completion": [3, 5], "cost": 8, "bound": 8}
    (folder / "labelled/0000.solution.json").write_text(json.dumps(label))
    for name, (content, _) in BAD_FILES.items():
        (folder / "bad" / name).write_bytes(content)
    problem = SingleMachine()
    names = list(problem.feature_names)
    model = {
        "format": 1, "model": "linear", "problem": "single-machine", "options": problem.options,
        "feature_names": names, "feature_scale": [1.0] * len(names), "weights": [1.0] * len(names), "provenance": {},
    }  # fmt: skip
    (folder / "m.json").write_text(json.dumps(model))
    for name, (changes, _) in BAD_MODELS.items():
        (folder / "models" / name).write_text(json.dumps({**model, **changes}))
    return folder


@pytest.fixture
def refused(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line in the place and check everything that holds for every refusal."""
    monkeypatch.chdir(place)
    # The folder is searched for MODULE:NAME; what that adds to the path goes with the test.
    monkeypatch.setattr(sys, "path", list(sys.path))

    def check(arguments: str, fragment: str) -> None:
        before = contents(place)
        status = main(arguments.split())
        out, err = capsys.readouterr()
        assert (status, out) == (2, ""), err
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        assert fragment.lower() in err.lower()
        assert contents(place) == before

    return check


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_instance_file_is_refused_by_name(name: str, refused: Any) -> None:
    """Also among good files: then nothing is solved and nothing is written."""
    refused(f"bound bad/{name}", f"bad/{name}: ")
    refused(f"solve good.json bad/{name} -o out.json", BAD_FILES[name][1])


@pytest.mark.parametrize("name", BAD_MODELS)
def test_bad_model_is_refused_by_name(name: str, refused: Any) -> None:
    refused(f"solve good.json --model models/{name}", f"models/{name}: {BAD_MODELS[name][1]}")
    refused(f"evaluate single-machine data --model models/{name}", f"models/{name}: ")


@pytest.mark.parametrize(("arguments", "fragment"), BAD_USAGE)
def test_bad_usage_is_refused_before_any_work(arguments: str, fragment: str, refused: Any) -> None:
    refused(arguments, fragment)


@pytest.mark.skipif(not hasattr(Path, "is_mount") or sys.platform == "win32", reason="POSIX permissions")
def test_unreadable_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read (simulated, since the tests may run as root) is the user's to mend, not a fault."""

    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", denied)
    (tmp_path / "x.json").write_text("{}")
    assert main(["solve", str(tmp_path / "x.json")]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path}/x.json: cannot be read: Permission denied\n"


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ("solve bad/deep.json", "bad/deep.json: nested too deeply"),
        ("solve bad/newline_key.json", "'a\\nb': unknown key"),
        ("solve good.json --samples -1", "--samples: -1 is out of range"),
        ("frobnicate", "no such command"),
    ],
)
def test_a_true_process_ends_the_same_way(arguments: str, fragment: str, place: Path) -> None:
    """In a process of its own nothing else (an exit handler, a traceback) reaches stdout or stderr."""
    command = [sys.executable, "-m", "colayer.cli.app", *arguments.split()]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert fragment in done.stderr.lower()
