"""The compiler of every kernel: numba, with a cache that may fail.

Compiled kernels are kept between runs if a folder is writable, and some come with a wheel (`shipped`); a cache that
fails costs time, never a run."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numba
from numba.core import bytecode, dispatcher, registry, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator
from numba.core.dispatcher import Dispatcher

from kanon_engine import shipped
from kanon_engine.shipped import Shipped

__all__ = ["njit", "uncounted_njit"]

# numba numbers the functions that a process compiles, and a function's number and types are its name in compiled code.
# Where a process loads what several processes compiled (forks, families, days), equal names are taken for one function,
# and a kernel that calls argsort may run another's sort (numba issue 10486). Random numbers are never equal.
cast(Any, bytecode.FunctionIdentity)._unique_ids = iter(partial(secrets.randbits, 63), None)
NAMES = "random"  # part of the stamp: what was compiled with counted numbers is compiled again

_IMPORTS = re.compile(r"^from (kanon_engine\.\S+) import", re.MULTILINE)
PLAIN = 0.3  # seconds; about as long as a kernel takes to compile


def njit(**options: Any) -> Any:
    """As numba's `njit`, compiled once for whole numbers, whether a caller passes literals or variables.

    numba compiles a kernel again for each 0 or 1 that another kernel passes to it, to nearly the same code.
    """

    def made(function: Callable[..., Any]) -> Any:
        # Nothing calls a kernel by its address; without the code for that, there is less to compile and to ship.
        kernel = numba.njit(**options | {"no_cfunc_wrapper": True})(function)
        if isinstance(kernel, Dispatcher):  # plain Python if numba is set not to compile
            cast(Any, kernel).get_call_template = partial(_call_of_numbers, kernel)
        return kernel

    return made


def _call_of_numbers(kernel: Any, args: Iterable[Any], kws: dict[str, Any]) -> Any:
    plain = {name: _number(kind) for name, kind in kws.items()}
    return type(kernel).get_call_template(kernel, tuple(map(_number, args)), plain)


def _number(kind: Any) -> Any:
    return types.unliteral(kind) if isinstance(kind, types.IntegerLiteral) else kind


def uncounted_njit(**options: Any) -> Any:
    """As `njit`, for kernels that make no array: numba refuses one that does.

    Otherwise each array that a kernel takes out of a named tuple, or passes on in one, changes a reference count by
    atomic instructions that LLVM does not remove. They took more than half the time of an annealing.
    """
    return njit(_nrt=False, **options)


class _Nowhere(InTreeCacheLocator):
    """The cache location of a kernel if its folder, or that of the user, is writable."""

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))


class _Files(CompileResultCacheImpl):
    _locator_classes = [*CompileResultCacheImpl._locator_classes, _Nowhere]  # noqa: RUF012


class KernelCache(FunctionCache):
    """A cache that is emptied when it cannot be read, and ignored when it cannot be written.

    numba keeps a kernel as long as its own file is unchanged. But the kernel holds the code and the constants of other
    kernels' files, too: with outdated ones it may write where there is no longer an array. So it is kept only as long
    as all of them are unchanged.
    """

    _impl_class = _Files

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        files = cast(Any, self._cache_file)
        others = _imported(function.__module__) - {function.__module__}
        files._source_stamp = NAMES, files._source_stamp, *(_content(name) for name in sorted(others))
        self._shipped = Shipped(function.__module__, cast(Any, self._impl).filename_base, files._source_stamp)

    def entries(self) -> list[Any]:
        """The kept or shipped kernels: signature, computer and code of each; without unreadable ones."""
        try:
            stored = set(self._cache_file._load_index())
        except Exception:
            stored = set()
        codegen = registry.cpu_target.target_context.codegen()
        return [*stored, *({self._index_key(signature, codegen) for signature, _ in self._shipped.names} - stored)]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None if none can be used."""
        try:
            loaded = super().load_overload(sig, target_context)
            if loaded is None:
                payload = self._shipped.load(self._index_key(sig, target_context.codegen()))
                loaded = None if payload is None else self._impl.rebuild(target_context, payload)
            return loaded
        except Exception:  # a damaged pickle can raise anything
            try:
                self.flush()
            except OSError as error:
                self._give_up(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:  # the index is read again before it is written
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.disable()
        reason = getattr(error, "strerror", None) or type(error).__name__
        _tell(
            f"kanon cannot keep compiled code in {self.cache_path} ({reason}), so it compiles it again at every start; "
            "make room there, delete the .nbi and .nbc files there, or set another folder in NUMBA_CACHE_DIR."
        )


@cache
def _imported(module: str) -> frozenset[str]:
    """This module of kernels and those that it imports, directly or not."""
    names = set(_IMPORTS.findall(_source(module))) - {__name__}
    return frozenset({module}).union(*map(_imported, names))


@cache
def _content(module: str) -> str:
    return hashlib.sha256(_source(module).encode()).hexdigest()


def _source(module: str) -> str:
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        return "" if path is None else Path(path).read_text("utf-8")
    except OSError:  # such as of a module in a zip
        return ""


def cache_for(function: Callable[..., Any]) -> Any:
    """The cache of a function that numba compiles; kanon's kernels get one that never fails a run."""
    is_kanon = str(function.__module__).startswith("kanon_engine.")
    return KernelCache(function) if is_kanon else FunctionCache(function)


def kernels_of(modules: Iterable[ModuleType]) -> set[Dispatcher[Any]]:
    return {kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, Dispatcher)}


def all_kernels() -> set[Dispatcher[Any]]:
    """Every kernel of the engine; its module is imported."""
    engine = Path(__file__).parent
    paths = [path.relative_to(engine.parent).with_suffix("") for path in sorted(engine.rglob("*_kernels.py"))]
    return kernels_of([import_module(".".join(path.parts)) for path in paths])


def uncompiled() -> bool:
    """Whether a kernel has no compiled code yet, though it could be kept; never where a wheel brought the kernels."""
    if shipped.folder() is not None:
        return False
    caches = [cast(Any, kernel)._cache for kernel in all_kernels()]
    return any(
        isinstance(one, KernelCache) and not isinstance(one._impl.locator, _Nowhere) and not one.entries()
        for one in caches
    )


def load_cached(kernels: Iterable[Dispatcher[Any]]) -> Iterator[None]:
    """Load the kept code of these kernels if it is not loaded yet, one at a time; nothing is compiled or run."""
    for kernel in kernels:
        stored, context = getattr(kernel, "_cache", None), cast(Any, kernel.targetctx)
        if not isinstance(stored, KernelCache):
            continue
        for entry in stored.entries():
            signature = entry[0]
            if signature not in kernel.overloads and entry == stored._index_key(signature, context.codegen()):
                loaded = stored.load_overload(signature, context)
                if loaded is not None:  # as the dispatcher does when the kernel is called
                    context.insert_user_function(loaded.entry_point, loaded.fndesc, [loaded.library])
                    kernel.add_overload(loaded)
                yield


@contextmanager
def nothing_compiled(kernels: Iterable[Dispatcher[Any]]) -> Iterator[None]:
    """Within this, a kernel that is not loaded raises an error instead of being compiled."""
    compiling = [(cast(Any, kernel), cast(Any, kernel)._can_compile) for kernel in kernels]
    try:
        for kernel, _ in compiling:
            kernel._can_compile = False
        yield
    finally:
        for kernel, could in compiling:
            kernel._can_compile = could


@contextmanager
def compiled_where_slow(kernels: Iterable[Dispatcher[Any]]) -> Iterator[None]:
    """Within this, an uncompiled kernel runs as plain Python until it has taken as long as compiling takes."""
    cached = [cast(Any, kernel) for kernel in kernels if isinstance(getattr(kernel, "_cache", None), KernelCache)]
    clock = _PlainClock()
    try:
        for kernel in cached:
            if not kernel.overloads and not kernel._cache.entries():
                kernel._compile_for_args = _PlainFirst(kernel, clock)  # the dispatcher's call, and then its answer
        yield
    finally:
        for kernel in cached:
            vars(kernel).pop("_compile_for_args", None)


@dataclass
class _PlainClock:
    """The times of kernels that run as plain Python."""

    spent: float = 0.0  # seconds in finished calls, and in compiling


@dataclass
class _PlainFirst:
    """Replaces a kernel that has to be compiled."""

    kernel: Any
    clock: _PlainClock
    seconds: float = 0.0  # as plain Python, without the calls that it made and their compilation

    def __call__(self, *arguments: Any) -> Callable[..., Any]:
        """The function to call in place of the kernel."""
        if self.seconds < PLAIN:
            return self._plain
        vars(self.kernel).pop("_compile_for_args", None)  # another thread may have been first
        began = time.thread_time()
        try:
            return cast(Callable[..., Any], self.kernel._compile_for_args(*arguments))
        finally:
            self.clock.spent += time.thread_time() - began

    def _plain(self, *arguments: Any) -> Any:
        began, before = time.thread_time(), self.clock.spent
        try:
            return self.kernel.py_func(*arguments)
        finally:
            spent = time.thread_time() - began - (self.clock.spent - before)
            self.seconds += spent
            self.clock.spent += spent


@cache
def _tell(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)


dispatcher.FunctionCache = cache_for  # type: ignore[attr-defined]  # numba has no other way to choose it; kernels are imported after this
