"""`njit`, numba's, with a cache that never stands in the way: one that cannot be written or read is done without.

Kernels import it from here. They are `@njit(cache=True, nogil=True)`: compiled when first called, then kept beside
their module, in the user's cache folder, or where NUMBA_CACHE_DIR says.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial, update_wrapper
from typing import Any

import numba
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.extending import typeof_impl

from colayer._runtime.clock import the_clock

_log = logging.getLogger(__name__)
_said: set[str] = set()


class _SoundCache(FunctionCache):
    """A cache on disk whose damaged or unwritable files are no worse than none."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled before, or None: then it is compiled again."""
        the_clock.stop()
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # truncated, of another version, unreadable: whatever the file holds
            _say(f"kernels that were kept cannot be read ({type(error).__name__}): they are compiled again")
            with suppress(Exception):
                self.flush()  # an index that is damaged would not take new ones either
            return None
        finally:
            the_clock.go()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where that can be done."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, a damaged index
            _say(f"kernels cannot be kept ({type(error).__name__}: {error}): they are compiled again next time")


class _Linked(JITCodeLibrary):
    """Code that other kernels link, optimised: it needs no machine code of its own."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    @property
    def codegen(self) -> Any:
        """Who is told where an environment is: only code that runs has one."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """There is no place for it."""


class _Compiler(CompilerBase):
    """Numba's compiler for plain loops over arrays, without the passes that look for anything else."""

    #: Kernels have no `with`, closures, `literally`, or expressions of whole arrays that are worth a loop of their own.
    _NEEDLESS = frozenset(
        ("with_lifting", "inline_closure_likes", "make_function_op_code_to_jit_function", "find_literally",
         "literal_unroll", "nopython_rewrites"),
    )  # fmt: skip

    def define_pipelines(self) -> list[Any]:
        """The passes, and the library that they write to."""
        state = self.state
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.passes = [(one, text) for one, text in passes.passes if one.name() not in self._NEEDLESS]
        passes.finalize()
        kind = _Linked if state.flags.no_cpython_wrapper else JITCodeLibrary
        state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [passes]


def njit(**options: Any) -> Any:
    """`numba.njit(**options)`, quicker to compile; where there is no place for a cache, without one.

    A kernel is compiled once for all constants that other kernels hand it, and without an entry for C, which nobody
    uses: numba would compile it anew for each of 0, 1, True and False.
    """
    return partial(_compiled, options={"no_cfunc_wrapper": True, "pipeline_class": _Compiler, **options})


def inner(**options: Any) -> Any:
    """`njit(**options)` for a kernel that kernels call: its entry for Python is compiled if Python ever calls it.

    The cache keeps that entry, and the kernels that call it with what they took from it.
    """
    return partial(_Inner, options=options)


class _Inner:
    """A kernel in two forms: what other kernels link, and what Python calls."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self._options = function, options
        self.kernel = njit(**{**options, "cache": False}, no_cpython_wrapper=True)(function)

    @cached_property
    def _entry(self) -> Any:
        return njit(**self._options)(self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self._entry(*arguments)


@typeof_impl.register(_Inner)
def _type_of_inner(value: _Inner, context: Any) -> Any:
    """What numba takes it for when a kernel calls it."""
    return types.Dispatcher(value.kernel)


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """The kernel, numba's dispatcher."""
    try:
        kernel = numba.njit(**options)(function)
        if options.get("cache"):
            kernel._cache = _SoundCache(kernel.py_func)
    except RuntimeError:  # numba found no folder that it can write to
        _say(
            "there is no folder for compiled kernels: each process compiles them anew. "
            "Set NUMBA_CACHE_DIR to a folder that can be written to"
        )
        kernel = numba.njit(**{**options, "cache": False})(function)
    typed = kernel.get_call_template
    kernel.get_call_template = lambda args, kws: typed(
        [types.unliteral(t) for t in args], {name: types.unliteral(t) for name, t in kws.items()}
    )
    return kernel


def _say(message: str) -> None:
    if message not in _said:
        _said.add(message)
        _log.warning(message)
