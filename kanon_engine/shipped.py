"""Kernels that were compiled when the wheel was built (`.ci/wheel`), for processors of the level x86-64-v3 and newer.

They are read after numba's own cache, and never written. With another Python, numba or platform, an older processor,
or a damaged file, kernels are compiled as if none were shipped.
"""

from __future__ import annotations

import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding as llvm
from numba.core import config as numba_config
from numba.core.caching import IndexDataCacheFile

from kanon_engine.folders import KERNELS

LEVEL = "x86-64-v3"
# The features of that level, as LLVM names them.
NEEDED = "cx16 sahf popcnt sse3 ssse3 sse4.1 sse4.2 avx avx2 bmi bmi2 f16c fma lzcnt movbe"
BUILD = f"{sys.implementation.cache_tag}-numba{numba.__version__}-{sys.platform}-{platform.machine()}-{LEVEL}"


@cache
def folder() -> Path | None:
    """The kernels that fit this Python, numba, platform and processor; None if there are none."""
    config: Any = numba_config
    fits = config.CPU_NAME is None and config.CPU_FEATURES is None and config.ENABLE_AVX
    if not fits or not (KERNELS / BUILD).is_dir():
        return None
    features = llvm.get_host_cpu_features()
    return KERNELS / BUILD if all(features.get(name) for name in NEEDED.split()) else None


class Shipped:
    """The shipped code of one kernel: a module's kernels are a folder of numba's index and data files.

        `module`: the kernel's module. `name`: its file name, without ending. `stamp`: stamp of the sources that it was
    compiled from.
    """

    def __init__(self, module: str, name: str, stamp: Any) -> None:
        kernels = folder()
        self._file: Any = None if kernels is None else IndexDataCacheFile(str(kernels / module), name, stamp)
        self._names: dict[Any, str] | None = None

    @property
    def names(self) -> dict[Any, str]:
        """The file of each signature and bytecode; empty if nothing fits or can be read."""
        if self._names is None:
            try:
                index = {} if self._file is None else self._file._load_index()
                self._names = {(key[0], key[2]): name for key, name in index.items() if key[1][1:] == (LEVEL, "")}
            except Exception:  # a damaged pickle can raise anything
                self._names = {}
        return self._names

    def load(self, key: Any) -> Any:
        """The compiled kernel as numba writes it, or None. `key`: the key in numba's index."""
        name = self.names.get((key[0], key[2]))
        try:
            return None if name is None else self._file._load_data(name)
        except Exception:
            return None
