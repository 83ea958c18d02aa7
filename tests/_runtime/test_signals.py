"""Signals as exceptions: raised, remembered where they are swallowed, and left to others where those want them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from colayer._runtime.signals import asked, stop_if_asked, stopping
from colayer.errors import Terminated


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    """As in a terminal, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("number", "error"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)])
def test_a_signal_that_was_swallowed_is_raised_again(number: signal.Signals, error: type[BaseException]) -> None:
    before = signal.getsignal(number)
    with stopping():
        stop_if_asked()
        with pytest.raises(error):
            signal.raise_signal(number)
        assert asked() is error
        with pytest.raises(error):
            stop_if_asked()
    assert signal.getsignal(number) is before
    with stopping():
        assert asked() is None


def test_ctrl_c_that_others_handle_is_left_to_them() -> None:
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    with stopping():
        signal.raise_signal(signal.SIGINT)
        assert asked() is None
    assert pressed == [signal.SIGINT]


def test_outside_the_main_thread_nothing_is_changed() -> None:
    found: list[object] = []

    def work() -> None:
        with stopping():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]
