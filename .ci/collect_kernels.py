"""Copy the kernels that `kanon warm` compiled into the folder that a wheel carries; fails where one is missing."""

import shutil
import sys
from pathlib import Path

from numba.core import config

from kanon_engine import shipped
from kanon_engine.kernel_cache import all_kernels


def main(target: Path) -> None:
    if config.USING_SVML:
        sys.exit("Kernels compiled with Intel's SVML need it everywhere; uninstall icc_rt or intel-cmplr-lib-rt.")
    if (config.CPU_NAME, config.CPU_FEATURES) != (shipped.LEVEL, ""):
        sys.exit(f"Set NUMBA_CPU_NAME={shipped.LEVEL} and NUMBA_CPU_FEATURES='' before kernels are compiled.")
    missing, count = [], 0
    for kernel in sorted(all_kernels(), key=lambda kernel: (kernel.py_func.__module__, kernel.py_func.__name__)):
        module, cache = kernel.py_func.__module__, kernel._cache
        files = cache._cache_file._load_index().values() if hasattr(cache, "_cache_file") else ()
        if not files:
            missing.append(f"{module}.{kernel.py_func.__name__}")
            continue
        folder = target / shipped.BUILD / module
        folder.mkdir(parents=True, exist_ok=True)
        for name in (cache._cache_file._index_name, *files):
            shutil.copyfile(Path(cache.cache_path) / name, folder / name)
        count += len(files)
    if missing:
        sys.exit("`kanon warm` does not compile these kernels: " + ", ".join(missing))
    print(f"{count} compiled signatures in {target / shipped.BUILD}")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
