"""The clock stands still while kernels are compiled, and who waits is told once."""

from __future__ import annotations

import gc
import itertools
import logging
from typing import Any

import numba
import pytest

from colayer._runtime import clock as module
from colayer._runtime.clock import LOG, the_clock


class Ticking:
    """A clock that moves by one second whenever it is looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ticks = itertools.count(1.0)
        monkeypatch.setattr(module.time, "monotonic", lambda: next(self._ticks))
        self.clock = module._Clock()


def test_it_stands_still_between_the_first_stop_and_the_last_go(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Ticking(monkeypatch).clock
    assert clock.seconds() == 1.0
    clock.stop()  # at 2
    assert [clock.seconds(), clock.seconds()] == [2.0, 2.0]
    clock.stop()
    clock.go()
    assert clock.seconds() == 2.0
    clock.go()  # at 3
    assert [clock.seconds(), clock.seconds()] == [3.0, 4.0]  # 4 and 5, less the second that it stood still


def test_nested_compiling_counts_once_and_is_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Ticking(monkeypatch).clock
    with caplog.at_level(logging.WARNING, logger=LOG.name):
        for _ in range(2):
            clock.on_start(None)
            clock.on_start(None)
            clock.on_end(None)
            before = clock.compiled()
            clock.on_end(None)
            assert clock.compiled() > before
    assert caplog.messages == ["compiling kernels, once: about 10 s"]


@pytest.mark.parametrize(("terminal", "said"), [(True, 1), (False, 0)])
def test_one_second_is_said_at_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, terminal: bool, said: int
) -> None:
    monkeypatch.setattr(module, "_at_terminal", lambda: terminal)
    clock = Ticking(monkeypatch).clock
    with caplog.at_level(logging.WARNING, logger=LOG.name):
        clock.on_start(None)
        clock.on_end(None)  # 1 to 2 seconds by this clock
    assert len(caplog.messages) == said


def test_compiling_a_kernel_takes_no_time() -> None:
    def double(x: Any) -> Any:
        return 2 * x

    before = the_clock.compiled()
    begin = the_clock.seconds()
    assert numba.njit(double)(3) == 6
    compiled = the_clock.compiled() - before
    assert compiled > 0.0
    assert the_clock.seconds() - begin < compiled


@pytest.mark.parametrize("collected", [True, False])
def test_no_garbage_is_collected_meanwhile(collected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would find next to none, and the compiler would wait for it; whoever had switched it off finds it off."""
    clock = Ticking(monkeypatch).clock
    seen = []
    try:
        if not collected:
            gc.disable()
        clock.on_start(None)
        clock.on_start(None)
        clock.on_end(None)
        seen.append(gc.isenabled())
        clock.on_end(None)
        seen.append(gc.isenabled())
    finally:
        gc.enable()
    assert seen == [False, collected]
