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


#: file name → content, the place that the error names
BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty.json": (b"", "empty.json"),
    "blank.json": (b" \n\t", "blank.json"),
    "text.json": (b"hello", "text.json"),
    "truncated.json": (changed()[:-5], "truncated.json"),
    "comma.json": (changed()[:-1] + b",}", "comma.json"),
    "trailing.json": (changed() + b"x", "trailing.json"),
    "bom.json": (b"\xef\xbb\xbf" + changed(), "bom.json"),
    "utf16.json": (changed().decode().encode("utf-16"), "utf16.json"),
    "latin1.json": ('{"problem": "é"}'.encode("latin-1"), "latin1.json"),
    "deep.json": (b"[" * 200_000, "deep.json"),
    "list.json": (b"[1, 2]", "list.json"),
    "number.json": (b"1", "number.json"),
    "null.json": (b"null", "null.json"),
    "nan.json": (b'{"format": 1, "problem": "single-machine", "release": [0, NaN], "processing": [1, 2]}',
                 "release[1]: "),
    "infinity.json": (b'{"format": 1, "problem": "single-machine", "release": [0, 1], "processing": [-Infinity, 2]}',
                      "processing[0]: "),
    "overflow.json": (b'{"format": 1, "problem": "single-machine", "release": [1e999, 1], "processing": [1, 2]}',
                      "release[0]: "),
    "digits.json": (b'{"format": 1, "release": ' + b"9" * 5000 + b"}", "digits.json"),
    "huge_int.json": (changed(release=[10**400 % 10**300 + 10**308 * 9, 1]), "release: "),
    "no_format.json": (changed(format="DROP"), "format: "),
    "no_problem.json": (changed(problem="DROP"), "problem: "),
    "format_2.json": (changed(format=2), "format: "),
    "format_text.json": (changed(format="1"), "format: "),
    "format_true.json": (changed(format=True), "format: "),
    "format_float.json": (b'{"format": 1.0, "problem": "single-machine", "release": [1], "processing": [1]}',
                          "format: "),
    "unknown_problem.json": (changed(problem="knapsack"), "problem: "),
    "module_problem.json": (changed(problem="antigravity:geohash"), "problem: "),
    "problem_number.json": (changed(problem=7), "problem: "),
    "problem_list.json": (changed(problem=["single-machine"]), "problem: "),
    "unknown_key.json": (changed(weights=[1, 2]), "weights: "),
    "newline_key.json": (changed(**{"a\nb": 1}), "newline_key.json"),
    "no_release.json": (changed(release="DROP"), "release: "),
    "no_processing.json": (changed(processing="DROP"), "processing: "),
    "no_jobs.json": (changed(release=[], processing=[]), "release: "),
    "lengths.json": (changed(processing=[1, 2, 3]), "processing: "),
    "negative_release.json": (changed(release=[0, -1]), "release[1]: "),
    "zero_processing.json": (changed(processing=[3, 0]), "processing[1]: "),
    "negative_processing.json": (changed(processing=[-3, 1]), "processing[0]: "),
    "text_entry.json": (changed(release=[0, "1"]), "release[1]: "),
    "null_entry.json": (changed(release=[None, 1]), "release[0]: "),
    "true_entry.json": (changed(release=[0, True]), "release[1]: "),
    "nested_entry.json": (changed(processing=[[1], 2]), "processing[0]: "),
    "release_object.json": (changed(release={"0": 1}), "release: "),
    "release_number.json": (changed(release=3), "release: "),
    "infinite_sum.json": (changed(processing=[1.5e308, 1.5e308]), "processing: "),
    "text.npz": (b"hello", "text.npz"),
    "empty.npz": (b"", "empty.npz"),
    "json.npz": (changed(), "json.npz"),
    "truncated.npz": (npz()[:-40], "truncated.npz"),
    "damaged.npz": (damaged(npz()), "damaged.npz"),
    "object.npz": (npz(release=np.array([None, 1], dtype=object)), "release: "),
    "plain.npz": (plain_zip(), "problem: "),
    "complex.npz": (npz(release=np.array([1j, 2])), "release: "),
    "strings.npz": (npz(release=np.array(["a", "b"])), "release: "),
    "dates.npz": (npz(release=np.array([0, 1], dtype="M8[D]")), "release: "),
    "bytes.npz": (npz(problem=np.bytes_(b"single-machine")), "problem: "),
    "bool.npz": (npz(release=np.array([True, False])), "release: "),
    "nan.npz": (npz(release=np.array([0, np.nan])), "release[1]: "),
    "two_d.npz": (npz(release=np.ones((2, 2))), "release: "),
    "zero_d.npz": (npz(release=np.float64(3)), "release: "),
    "long_double.npz": (npz(processing=np.array([1, 1.5], dtype=np.longdouble) * np.longdouble("1e4000")),
                        "processing[0]: "),
    "format.npz": (npz(format=2), "format: "),
    "format_array.npz": (npz(format=[1]), "format: "),
    "missing.npz": (npz(processing="DROP"), "processing: "),
    "unknown.npz": (npz(color=1), "color: "),
    "dotted.npz": (npz(**{"city.width": 1}), "city: "),
    "twice.npz": (npz(**{"release.x": 1}), "release.x: "),
}  # fmt: skip

#: model file name → changes, the place that the error names
BAD_MODELS: dict[str, tuple[Any, str]] = {
    "format.json": ({"format": 3}, "format: "),
    "kind.json": ({"model": "neural"}, "model: "),
    "problem.json": ({"problem": "knapsack"}, "problem: "),
    "module.json": ({"problem": "antigravity:geohash"}, "problem: "),
    "options.json": ({"options": {"speed": 3}}, "options: "),
    "option_value.json": ({"options": {"features": [], "decoder": "none"}}, "options: "),
    "names.json": ({"feature_names": ["a"], "weights": [1.0], "feature_scale": [1.0]}, "feature_names: "),
    "weights.json": ({"weights": [1.0]}, "weights: "),
    "text.json": ({"weights": "x"}, "weights: "),
    "scale.json": ({"feature_scale": [0.0] * 66}, "feature_scale: "),
    "extra.json": ({"bias": 1}, "bias: "),
}

#: arguments, what the error names. Files: see `place`.
BAD_USAGE: list[tuple[str, str]] = [
    ("frobnicate", "frobnicate"),
    ("solv good.json", "solve"),
    ("--frob", "--frob: "),
    ("solve", "INSTANCE...: "),
    ("solve good.json --modle m.json", "--modle: "),
    ("solve good.json --samples", "--samples: "),
    ("solve good.json --certify=yes", "--certify: "),
    ("solve nothing.json", "nothing.json: "),
    ("bound data", "data: "),
    ("solve good.json nothing.json -o out.json", "nothing.json: "),
    ("solve good.json --samples -1", "--samples: "),
    ("solve good.json --samples ten", "--samples: "),
    ("solve good.json --samples 1.5", "--samples: "),
    ("solve good.json --sigma nan", "--sigma: "),
    ("solve good.json --sigma -1", "--sigma: "),
    ("solve good.json --sigma x", "--sigma: "),
    ("solve good.json --seed -1", "--seed: "),
    ("solve good.json --seed 1e3", "--seed: "),
    ("solve good.json --workers 0", "--workers: "),
    ("solve good.json --decoder x", "--decoder: "),
    ("solve good.json --decoder lss", "--decoder: "),
    ("solve good.json --certify --time-limit 0", "--time-limit: "),
    ("solve good.json --certify --time-limit inf", "--time-limit: "),
    ("solve good.json --time-limit 0", "--time-limit: "),
    ("solve good.json --candidates 0", "--candidates: "),
    ("train single-machine data -o out.json --portfolio 0", "--portfolio: "),
    ("solve good.json -o nowhere/out.json", "-o: nowhere/out.json: "),
    ("solve good.json -o data", "-o: data: "),
    ("solve good.json -o /dev/null", "-o: /dev/null: "),
    ("solve good.json -o good.json", "-o: "),
    ("solve good.json -o ./data/../good.json", "-o: "),
    ("solve good.json --model m.json -o m.json", "-o: "),
    ("solve good.json --plot out.txt", "--plot: "),
    ("solve good.json --plot nowhere/out.png", "--plot: nowhere/out.png: "),
    ("solve good.json good.json --plot out.png", "--plot: "),
    ("solve good.json --plot a.png -o a.png", "--plot: "),
    ("solve good.json --problem knapsack", "PROBLEM: "),
    ("solve good.json --model nothing.json", "nothing.json: "),
    ("solve good.json --model good.json", "good.json: "),
    ("bound", "INSTANCE...: "),
    ("bound nothing.json", "nothing.json: "),
    ("bound good.json --time-limit 3", "--time-limit: "),
    ("bound good.json --tight --time-limit -3", "--time-limit: "),
    ("bound good.json -o good.json", "-o: "),
    ("generate", "PROBLEM: "),
    ("generate single-machine", "DIR: "),
    ("generate single-machine new extra", "extra: "),
    ("generate single-machin new", "PROBLEM: "),
    ("generate : new", "PROBLEM: "),
    ("generate no_such_module:X new", "no_such_module"),
    ("generate json:nothing new", "nothing"),
    ("generate math:pi new", "PROBLEM: "),
    ("generate single-machine new --count 0", "--count: "),
    ("generate single-machine new --count x", "--count: "),
    ("generate single-machine new --format csv", "--format: "),
    ("generate single-machine new --jobs 0", "--jobs: "),
    ("generate single-machine new --jobs -5", "--jobs: "),
    ("generate single-machine new --jobs 5,,6", "--jobs: "),
    ("generate single-machine new --jobs 99999999999999", "--jobs: "),
    ("generate single-machine new --jobs 5 --jobs 6", "--jobs: "),
    ("generate single-machine new --jobs", "--jobs: "),
    ("generate single-machine new --rho nan", "--rho: "),
    ("generate single-machine new --rho -0.5", "--rho: "),
    ("generate single-machine new --rho x", "--rho: "),
    ("generate single-machine new --job 3", "--job: "),
    ("generate single-machine data", "data: "),
    ("generate single-machine good.json", "good.json: "),
    ("generate single-machine good.json/new", "good.json"),
    ("train single-machine", "DIR: "),
    ("train single-machine data", "-o: "),
    ("train single-machine nowhere -o out.json", "nowhere: "),
    ("train single-machine empty -o out.json", "empty: "),
    ("train single-machine good.json -o out.json", "good.json: "),
    ("evaluate single-machine good.json", "good.json: "),
    ("compare single-machine good.json", "good.json: "),
    ("train single-machine mixed -o out.json", "mixed/0001.json: problem: "),
    ("train single-machine both -o out.json", "both: "),
    ("train single-machine data -o nowhere/out.json", "-o: nowhere/out.json: "),
    ("train single-machine data -o data/out.json", "-o: "),
    ("train single-machine data -o out.json --method newton", "--method: "),
    ("train single-machine data -o out.json --evaluations 0", "--evaluations: "),
    ("train single-machine data -o out.json --radius 0", "--radius: "),
    ("train single-machine data -o out.json --sigma inf", "--sigma: "),
    ("train single-machine data -o out.json --samples 0", "--samples: "),
    ("train single-machine data -o out.json --validation 1", "--validation: "),
    ("train single-machine data -o out.json --features 28", "--features: "),
    ("train single-machine data -o out.json --decoder x", "--decoder: "),
    ("train single-machine data -o out.json --learn-decoder x", "--learn-decoder: "),
    ("train single-machine data -o out.json --time-limit soon", "--time-limit: "),
    ("train single-machine data -o out.json --workers -1", "--workers: "),
    ("train single-machine data -o out.json --journal out.json", "--journal: "),
    ("train single-machine data -o out.json --journal j --no-journal", "--no-journal: "),
    ("train single-machine data -o out.json --journal good.json", "good.json:1: "),
    ("train single-machine data -o out.json --plot out.gif", "--plot: "),
    ("evaluate single-machine empty", "empty: "),
    ("evaluate single-machine data --model m.json --model ./m.json", "--model: "),
    ("evaluate single-machine data --model nothing.json", "nothing.json: "),
    ("evaluate single-machine data --samples x", "--samples: "),
    ("evaluate single-machine data -o data/out.json", "-o: "),
    ("label single-machine empty", "empty: "),
    ("label single-machine data --time-limit 0", "--time-limit: "),
    ("label single-machine data x", "x"),
    ("label single-machine labelled", "labelled/0000.solution.json: sequence[1]: "),
    ("demo knapsack", "PROBLEM: "),
    ("demo -o good.json", "-o: "),
    ("demo -o nowhere/demo", "-o: nowhere/demo: "),
    ("demo --seed x", "--seed: "),
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
    assert capsys.readouterr().err.startswith(f"error: {tmp_path}/x.json: ")


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ("solve bad/deep.json", "bad/deep.json: "),
        ("solve bad/newline_key.json", "a\\nb"),
        ("solve good.json --samples -1", "--samples: "),
        ("frobnicate", "frobnicate"),
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
