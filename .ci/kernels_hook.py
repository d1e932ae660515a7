"""A wheel with compiled kernels where `KANON_KERNELS` names their folder (`.ci/wheel`), else one for any platform."""

import os
import platform
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):
    def initialize(self, version, build_data):
        folder = os.environ.get("KANON_KERNELS")
        if folder and version != "editable":
            build_data["force_include"][str(Path(folder).resolve())] = "kanon_engine/_kernels"
            build_data["pure_python"] = False
            python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
            build_data["tag"] = f"{python}-none-manylinux_2_28_{platform.machine()}"
