"""Where torch computes: a GPU that is not there is refused or done without, and one thread for a while."""

from __future__ import annotations

import pytest
import torch

from colayer.errors import OptionError
from colayer.evaluators.gpu import say_why
from colayer.learning.network.device import device_named, one_thread


def test_a_device_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [device_named(name) for name in ("cpu", "cuda", "auto")] == ["cpu", "cuda", "cuda"]


def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_named("cpu") == "cpu"
    with pytest.raises(OptionError, match=r"^device: there is no GPU that torch can use, expected cpu"):
        device_named("cuda")
    say_why.cache_clear()
    with pytest.warns(UserWarning, match="on the processor: there is no GPU"):
        assert device_named("auto") == "cpu"


def test_one_thread_for_a_while() -> None:
    """The setting is put back, also after an exception."""
    before = torch.get_num_threads()
    seen = []

    def inside() -> None:
        with one_thread():
            seen.append(torch.get_num_threads())
            raise ValueError("inside")

    torch.set_num_threads(2)
    try:
        with pytest.raises(ValueError, match="inside"):
            inside()
        assert [*seen, torch.get_num_threads()] == [1, 2]
    finally:
        torch.set_num_threads(before)
