"""Data sets: round trips, what is refused, and readers that never do anything but return or raise `InputError`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from colayer.errors import InputError
from colayer.io import dataset
from colayer.io.dataset import read_instance, read_instances, write_instance, write_instances
from colayer.problem.bind import bind
from colayer.problem.protocol import BaseProblem
from colayer.problems import SingleMachine
from colayer.problems.single_machine.instance import Instance
from support.errors import rejects

PROBLEM = SingleMachine()
FUZZ = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
VALID: dict[str, Any] = {"format": 1, "problem": "single-machine", "release": [0, 1.5], "processing": [3, 2]}


def same(one: Any, two: Any) -> bool:
    return np.array_equal(one.release, two.release) and np.array_equal(one.processing, two.processing)


class Nested(BaseProblem):
    """A problem with text and nested keys, which declares no fields."""

    name = "nested"
    feature_names = ("one",)

    def read(self, document: Any) -> Any:
        return document["title"], document["city"]["width"], list(document["city"]["start"])

    def write(self, instance: Any) -> dict[str, Any]:
        return {"title": instance[0], "city": {"width": instance[1], "start": instance[2]}}

    def features(self, instance: Any) -> Any:
        return np.ones((1, 1))

    def layer(self, theta: Any, instance: Any) -> int:
        return 0

    def cost(self, solution: int, instance: Any) -> float:
        return 1.0


@pytest.mark.parametrize("suffix", ["json", "npz"])
@pytest.mark.parametrize("seed", range(5))
def test_round_trip_is_exact(suffix: str, seed: int, tmp_path: Path) -> None:
    """Whole, fractional, tiny and huge numbers come back as they were, bit for bit."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    instance = Instance(
        rng.random(n) * 10.0 ** rng.integers(-300, 300), rng.random(n) * 10.0 ** rng.integers(-200, 200) + 1e-250
    )
    path = tmp_path / f"x.{suffix}"
    write_instance(path, instance, PROBLEM)
    assert same(read_instance(path), instance)
    assert same(read_instance(str(path), PROBLEM), instance)


@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_nested_keys_and_text_round_trip(suffix: str, tmp_path: Path) -> None:
    """In npz, strings are 0-d arrays and nested keys are dotted."""
    path = tmp_path / f"x.{suffix}"
    write_instance(path, ("étude", 3.5, [1, 2]), Nested())
    assert read_instance(path, Nested()) == ("étude", 3.5, [1, 2])
    if suffix == "npz":
        with np.load(path, allow_pickle=False) as archive:
            assert sorted(archive.files) == ["city.start", "city.width", "format", "problem", "title"]
            assert archive["title"].shape == ()


def test_a_missing_key_is_named_also_where_no_fields_are_declared(tmp_path: Path) -> None:
    """A user's `read` that indexes the document gives a clean error without writing one."""
    path = tmp_path / "x.json"
    path.write_text('{"format": 1, "problem": "nested", "title": "a"}')
    with rejects(InputError, where="x.json: city"):
        read_instance(path, Nested())


def test_a_reader_that_raises_says_that_it_is_no_instance(tmp_path: Path) -> None:
    """As readers do with a file that is not theirs; an error with a place keeps it."""

    class Reads(Nested):
        def read(self, document: Any) -> Any:
            if "rows" in document:
                raise InputError("too few", where="rows")
            return len(document["title"][3])

    path = tmp_path / "x.json"
    for key, where in (("title", str(path)), ("rows", f"{path}: rows")):
        path.write_text(json.dumps({"format": 1, "problem": "nested", key: "a"}))
        with pytest.raises(InputError) as caught:
            read_instance(path, Reads())
        assert caught.value.where == where


@pytest.mark.parametrize("kind", ["json", "npz"])
def test_a_written_data_set_is_read_in_order(kind: str, tmp_path: Path) -> None:
    """Names sort as numbers do; labels, hidden files and others are not instances."""
    instances = [PROBLEM.generate(seed, jobs=3) for seed in range(12)]
    files = write_instances(tmp_path / "new" / "set", instances, PROBLEM, kind)
    assert [path.name for path in files] == [f"{i:04d}.{kind}" for i in range(12)]
    for name in ("0000.solution.json", ".hidden.json", "notes.txt"):
        (tmp_path / "new" / "set" / name).write_text("not an instance")
    back = read_instances(tmp_path / "new" / "set")
    assert len(back) == 12
    assert all(same(a, b) for a, b in zip(instances, back, strict=True))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["set"]


def test_names_stay_in_order_beyond_four_digits(tmp_path: Path) -> None:
    """10000 comes after 9999: all names are as long as the longest needs to be."""
    instance = PROBLEM.generate(0, jobs=1)
    files = write_instances(tmp_path / "set", [instance] * 10_001, PROBLEM)
    assert (files[0].name, files[-1].name) == ("00000.json", "10000.json")
    assert sorted(files) == files


@pytest.mark.parametrize("kind", ["json", "npz"])
def test_the_same_instances_give_the_same_bytes(kind: str, tmp_path: Path) -> None:
    """No time stamps: data sets can be compared and hashed as files."""
    for name in ("a", "b"):
        write_instances(tmp_path / name, [PROBLEM.generate(7, jobs=5)], PROBLEM, kind)
    assert (tmp_path / f"a/0000.{kind}").read_bytes() == (tmp_path / f"b/0000.{kind}").read_bytes()


@pytest.mark.parametrize("existing", [False, True])
def test_a_generator_that_fails_leaves_nothing(existing: bool, tmp_path: Path) -> None:
    """All instances or none, in a new folder and in one that is there."""
    folder = tmp_path / "set"
    if existing:
        folder.mkdir()
        (folder / "notes.txt").write_text("kept")

    def instances() -> Any:
        yield PROBLEM.generate(0, jobs=2)
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        write_instances(folder, instances(), PROBLEM)
    assert sorted(p.name for p in tmp_path.rglob("*")) == (["notes.txt", "set"] if existing else [])


def test_a_write_that_fails_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new file takes the old one's place whole, or not at all."""
    path = tmp_path / "x.json"
    write_instance(path, PROBLEM.generate(0, jobs=2), PROBLEM)
    old = path.read_bytes()

    def fail(self: Path, target: Any) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with rejects(InputError, where="x.json"):
        write_instance(path, PROBLEM.generate(1, jobs=2), PROBLEM)
    monkeypatch.undo()
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda p: read_instances(p / "empty"), "empty: an empty data set"),
        (lambda p: read_instances(p / "nowhere.json"), "there is no such file"),
        (lambda p: read_instance(p / "empty"), "is a folder"),
        (lambda p: dataset.instance_files(p / "nowhere"), "there is no such folder"),
        (lambda p: dataset.instance_files(p / "one.json"), "is not a folder"),
        (lambda p: read_instance(p / "one.json", Nested()), "problem: 'single-machine', expected 'nested'"),
        (lambda p: write_instances(p / "new", [], PROBLEM), "no instance to write"),
        (lambda p: write_instances(p / "new", [], PROBLEM, "csv"), "no format 'csv'"),
        (lambda p: write_instances(p / "one.json", [], PROBLEM), "is not a folder"),
        (lambda p: write_instance(p / "x.csv", PROBLEM.generate(0, jobs=2), PROBLEM), "expected .json or .npz"),
        (lambda p: write_instance(p / "x.npz", ("a", 1, [[1], [2, "b", None]]), Nested()), "has no npz form"),
        (lambda p: dataset.read_files([]), "no instance given"),
        (lambda p: dataset.read_files([], bind(PROBLEM)), "no instance given"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_by_name(call: Any, names: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "one.json").write_text(json.dumps(VALID))
    before = sorted(tmp_path.rglob("*"))
    with rejects(InputError, *names):
        call(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def returns_or_refuses(path: Path, data: bytes) -> None:
    """The contract of the readers, whatever the bytes."""
    path.write_bytes(data)
    try:
        instance = read_instance(path)
    except InputError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 both outcomes are fine, if they are these
    else:
        assert isinstance(instance, Instance)
        assert instance.jobs >= 1
        assert np.isfinite(PROBLEM.scale(instance))


numbers = st.one_of(st.integers(), st.floats(), st.integers(-3, 3), st.sampled_from([10**30, 1e308, -0.0, 2**63]))
scalars = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=5), st.just("single-machine"))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
keys = st.one_of(st.sampled_from(list(VALID)), st.text(max_size=6))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@FUZZ
@given(
    changes=st.dictionaries(keys, st.one_of(values, st.lists(numbers, max_size=4)), max_size=4),
    drop=st.sets(keys, max_size=1),
)
def test_fuzz_changed_documents(changes: dict[str, Any], drop: set[str], scratch: Path) -> None:
    """Valid documents with keys changed, added and dropped (also NaN and infinities, as Python's json writes them)."""
    document = {key: value for key, value in {**VALID, **changes}.items() if key not in drop}
    returns_or_refuses(scratch / "x.json", json.dumps(document).encode("utf-8", "surrogatepass"))


@FUZZ
@given(
    places=st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=3), st.integers(0, 3)), min_size=1, max_size=4)
)
def test_fuzz_changed_bytes(places: list[tuple[int, bytes, int]], scratch: Path) -> None:
    """Valid text with bytes cut out and put in."""
    data = json.dumps(VALID).encode()
    for at, new, cut in places:
        data = data[:at] + new + data[at + cut :]
    returns_or_refuses(scratch / "x.json", data)


@FUZZ
@given(data=st.binary(max_size=200), suffix=st.sampled_from(["json", "npz"]))
def test_fuzz_random_bytes(data: bytes, suffix: str, scratch: Path) -> None:
    returns_or_refuses(scratch / f"x.{suffix}", data)


arrays = hnp.arrays(
    dtype=st.one_of(hnp.scalar_dtypes(), hnp.unicode_string_dtypes(max_len=20), hnp.array_dtypes(max_size=2)),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
)


@pytest.mark.filterwarnings("ignore:Stored array in format")
@FUZZ
@given(changes=st.dictionaries(st.sampled_from([*VALID, "release.x", "city.width", "extra"]), arrays, max_size=3))
def test_fuzz_arrays(changes: dict[str, Any], scratch: Path) -> None:
    """npz files with arrays of any type and shape in place of the right ones."""
    data = io.BytesIO()
    np.savez(data, **{**VALID, **changes})
    returns_or_refuses(scratch / "x.npz", data.getvalue())


@FUZZ
@given(
    places=st.lists(st.tuples(st.integers(0, 1400), st.binary(max_size=3), st.integers(0, 3)), min_size=1, max_size=4)
)
def test_fuzz_damaged_archives(places: list[tuple[int, bytes, int]], scratch: Path) -> None:
    """Valid npz files with bytes changed: names, headers, check sums, compressed data."""
    data = bytearray(_archive())
    for at, new, cut in places:
        data[at : at + cut] = new
    returns_or_refuses(scratch / "x.npz", bytes(data))


def _archive() -> bytes:
    data = io.BytesIO()
    np.savez(data, **VALID)
    return data.getvalue()
