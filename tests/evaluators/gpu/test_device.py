"""A GPU that is missing is said in one line; one that is there gets the kernels as they are written."""

from __future__ import annotations

import sys
import types
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.cli.app import main
from colayer.errors import MissingExtraError, OptionError
from colayer.evaluators.gpu import device as device_module
from colayer.evaluators.gpu import say_why
from colayer.evaluators.gpu.device import PARTS, Cuda, text
from colayer.problems import SingleMachine

EXTRA = "device: a GPU needs CuPy: pip install 'colayer[gpu]'"


@pytest.fixture(name="no_cupy")
def without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)


class Kernel:
    """Notes its launches."""

    def __init__(self, calls: list[Any]) -> None:
        self.calls, self.max_dynamic_shared_size_bytes, self.preferred_shared_memory_carveout = calls, 0, -1

    def __call__(self, grid: Any, block: Any, values: Any, *, shared_mem: int) -> None:
        assert shared_mem <= self.max_dynamic_shared_size_bytes
        assert self.preferred_shared_memory_carveout == (100 if shared_mem else -1)
        self.calls.append((grid, block, len(values), shared_mem))


class Stream:
    """Notes what happens to it; an event is the name of the stream that recorded it."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self.name, self.notes = name, notes

    def record(self) -> str:
        self.notes.append(f"{self.name} recorded")
        return self.name

    def wait_event(self, event: str) -> None:
        self.notes.append(f"{self.name} waits for {event}")

    def __enter__(self) -> None:
        self.notes.append(f"{self.name} begins")

    def __exit__(self, *_: object) -> None:
        self.notes.append(f"{self.name} ends")


def fake_cupy(count: int | Exception) -> Any:
    """A CuPy of numpy arrays whose kernels do nothing."""
    cupy = types.ModuleType("cupy")
    runtime = types.SimpleNamespace(
        getDeviceCount=lambda: _given(count),
        getDeviceProperties=lambda _: {"name": b"card", "sharedMemPerBlockOptin": 1000},
        memGetInfo=lambda: (800, 900),
    )
    cupy.calls, cupy.compiled = [], []  # type: ignore[attr-defined]

    def module(code: str, options: tuple[str, ...]) -> Any:
        cupy.compiled.append((code, options))
        return types.SimpleNamespace(get_function=lambda name: Kernel(cupy.calls))

    notes: list[str] = []
    cupy.streams, main, names = notes, Stream("main", notes), iter("0123456789")  # type: ignore[attr-defined]
    cupy.cuda = types.SimpleNamespace(  # type: ignore[attr-defined]
        runtime=runtime,
        Device=lambda: types.SimpleNamespace(id=0),
        Stream=lambda non_blocking: Stream(next(names), notes),
        get_current_stream=lambda: main,
    )
    cupy.RawModule, cupy.asarray, cupy.asnumpy, cupy.empty = module, np.asarray, np.asarray, np.empty  # type: ignore[attr-defined]
    cupy.get_default_memory_pool = lambda: types.SimpleNamespace(free_all_blocks=lambda: None)  # type: ignore[attr-defined]
    return cupy


def _given(count: int | Exception) -> int:
    if isinstance(count, Exception):
        raise count
    return count


@pytest.mark.usefixtures("no_cupy")
def test_a_missing_extra_is_named() -> None:
    problem = SingleMachine()
    with pytest.raises(MissingExtraError) as caught:
        Pipeline(problem).fit([problem.generate(seed=0, jobs=5)], evaluations=1, device="cuda")
    assert str(caught.value) == EXTRA


@pytest.mark.parametrize(
    ("count", "why"), [(0, ""), (RuntimeError("cudaErrorNoDevice\nmore"), " (RuntimeError: cudaErrorNoDevice)")]
)
def test_a_missing_gpu_is_said(count: Any, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(count))
    with pytest.raises(OptionError) as caught:
        Cuda()
    assert str(caught.value) == f"device: there is no GPU that CUDA can use{why}, expected cpu"


@pytest.mark.usefixtures("no_cupy")
@pytest.mark.filterwarnings("default")  # as outside tests: a warning is a line
def test_the_command_line_says_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    say_why.cache_clear()
    folder, model = str(tmp_path / "data"), tmp_path / "model.json"
    assert main(["generate", "single-machine", folder, "--count", "5", "--jobs", "6"]) == 0
    capsys.readouterr()
    train = ["train", "single-machine", folder, "-o", str(model), "--evaluations", "3", "--no-journal"]
    assert main([*train, "--device", "cuda"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"error: --{EXTRA}\n")
    assert not model.exists()
    assert main([*train, "--device", "auto"]) == 0
    said = capsys.readouterr()
    fallen = "warning: losses are computed on the processor: a GPU needs CuPy: pip install 'colayer[gpu]'"
    assert said.err.splitlines().count(fallen) == 1
    assert model.exists()


def test_kernels_are_compiled_once_and_launched(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = fake_cupy(1)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    device_module._module.cache_clear()
    device = Cuda()
    assert (device.name, device.shared, device.free()) == ("card", 1000, 800)
    array = device.empty((2, 3), np.float32)
    device.put(array, 1, np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    assert device.download(array)[:, 1:].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    for _ in range(2):
        device.launch("single_machine", "costs", (4, 1), 128, 64, [device.upload(np.arange(3)), np.int32(1)])
    device_module._module.cache_clear()
    assert cupy.calls == [((4, 1), (128,), 2, 64)] * 2
    ((code, options),) = cupy.compiled
    assert code.isascii()
    assert options == ("--fmad=false",)  # products are rounded before they are added, as on the processor


def test_works_side_by_side_have_streams_that_others_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = fake_cupy(1)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    device = Cuda()
    done: list[str] = []
    works = [partial(done.append, name) for name in "ab"]
    for _ in range(2):  # streams are kept
        device.side_by_side(works)
    assert done == ["a", "b"] * 2
    once = ["main recorded"]
    for name in "01":
        once += [
            f"{name} waits for main",
            f"{name} begins",
            f"{name} ends",
            f"{name} recorded",
            f"main waits for {name}",
        ]
    assert cupy.streams == once * 2


def test_all_sources_are_used() -> None:
    folder = Path(device_module.__file__).parent / "sources"
    parts = [name for names in PARTS.values() for name in names]
    assert {path.stem for path in folder.iterdir()} == set(parts)
    assert text("rdi") == "\n".join((folder / f"{name}.cu").read_text("utf-8") for name in PARTS["rdi"])
