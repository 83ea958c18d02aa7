"""`colayer warmup`: compile the kernels now, so that nobody waits for them later."""

from __future__ import annotations

from typing import Annotated

import typer

from colayer.cli import options as arguments


def warmup(
    problem: Annotated[
        str | None, typer.Argument(metavar="PROBLEM", help="A registered problem, or MODULE:NAME; all by default.")
    ] = None,
    as_json: arguments.Json = False,
) -> None:
    """Compile the kernels of one problem, or of all.

    They are kept on this machine: solving and learning then start at once.
    """
    from colayer._runtime.clock import the_clock
    from colayer.cli.console import emit
    from colayer.cli.lookup import find
    from colayer.problems import problem_names
    from colayer.solving.warmup import warm

    seconds = {}
    for found in [find(name) for name in ([problem] if problem else problem_names())]:
        before = the_clock.compiled()
        for decoder in found.decoders or (None,):
            warm(found.variant(decoder=decoder))
        seconds[found.name] = the_clock.compiled() - before
    lines = [f"{name}: {f'compiled in {s:.1f} s' if s else 'nothing to compile'}\n" for name, s in seconds.items()]
    emit(seconds, "".join(lines), as_json=as_json, out=None)
