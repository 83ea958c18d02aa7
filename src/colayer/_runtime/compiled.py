"""`njit`, numba's, quicker to compile. Kernels are `@njit(cache=True, nogil=True)`, imported from here.

A kernel is compiled when first called, then kept beside its module, in the user's cache folder, or where
NUMBA_CACHE_DIR says.

This module builds on numba's internals because a user waits for the first solve. CPU seconds of a first `colayer solve`
with plain `numba.njit` and with this module, medians of three on two busy cores: single-machine 9.2 and 7.3,
spanning-tree 7.7 and 6.8, vehicle-scheduling 9.9 and 7.5. For vehicle-scheduling, about half of that is saved by one
kernel for all constants, the rest by kernels without entries (`inner`) and by fewer passes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, cached_property, partial, update_wrapper
from typing import Any

import numba
from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.extending import typeof_impl

from colayer._runtime.clock import the_clock

_log = logging.getLogger(__name__)


class _TimedCache(FunctionCache):
    """Numba's cache on disk; the clock stands still while it is read."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled before, or None."""
        the_clock.stop()
        try:
            return super().load_overload(sig, target_context)
        finally:
            the_clock.go()


class _Linked(JITCodeLibrary):
    """Optimised code that other kernels link: it needs no machine code of its own."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    @property
    def codegen(self) -> Any:
        """Return what is told where an environment is: only code that runs has one."""
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: there is no place for it."""


class _Compiler(CompilerBase):
    """Numba's compiler for plain loops over arrays, without the passes that look for anything else."""

    #: Kernels have no `with`, closures, `literally`, or expressions of whole arrays that are worth a loop of their own.
    _NEEDLESS = frozenset(
        ("with_lifting", "inline_closure_likes", "make_function_op_code_to_jit_function", "find_literally",
         "literal_unroll", "nopython_rewrites"),
    )  # fmt: skip

    def define_pipelines(self) -> list[Any]:
        """Return the passes, and set the library that they write to."""
        state = self.state
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.passes = [(one, text) for one, text in passes.passes if one.name() not in self._NEEDLESS]
        passes.finalize()
        kind = _Linked if state.flags.no_cpython_wrapper else JITCodeLibrary
        state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [passes]


def njit(**options: Any) -> Any:
    """Compile as `numba.njit(**options)` does, but quicker.

    A kernel is compiled once for all constants that other kernels hand it, and without an entry for C, which nobody
    uses: numba would compile it anew for each of 0, 1, True and False.
    """
    return partial(_compiled, options={"no_cfunc_wrapper": True, "pipeline_class": _Compiler, **options})


def inner(**options: Any) -> Any:
    """Compile a kernel that kernels call as `njit` does; its entry for Python is compiled if Python ever calls it.

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
    """Return what numba takes it for when a kernel calls it."""
    return types.Dispatcher(value.kernel)


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return the kernel, numba's dispatcher; without a cache where numba finds no folder that it can write to."""
    try:
        kernel = numba.njit(**options)(function)
        if options.get("cache"):
            kernel._cache = _TimedCache(kernel.py_func)
    except RuntimeError:
        _warn_once()
        kernel = numba.njit(**{**options, "cache": False})(function)
    typed = kernel.get_call_template
    kernel.get_call_template = lambda args, kws: typed(
        [types.unliteral(t) for t in args], {name: types.unliteral(t) for name, t in kws.items()}
    )
    return kernel


@cache
def _warn_once() -> None:
    _log.warning(
        "there is no folder for compiled kernels: each process compiles them anew. "
        "Set NUMBA_CACHE_DIR to a folder that can be written to"
    )


@inner(cache=True, nogil=True)
def copy_into(source, target):  # type: ignore[no-untyped-def]
    """Copy one array to another of its length; `target[:] = source` compiles for a second, for its messages."""
    for i in range(target.shape[0]):
        target[i] = source[i]
