"""Where torch computes: on which device, and in how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from colayer.errors import OptionError
from colayer.evaluators.gpu import say_why


def device_named(name: str) -> str:
    """Return `cpu` or `cuda`; `auto` is the GPU where there is one, else the processor, with a warning."""
    if name == "cpu" or torch.cuda.is_available():
        return "cpu" if name == "cpu" else "cuda"
    why = "there is no GPU that torch can use"
    if name == "cuda":
        raise OptionError(f"{why}, expected cpu", where="--device")
    say_why(why)
    return "cpu"


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch in one thread, so that sums do not depend on the number of cores; the setting is put back."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
