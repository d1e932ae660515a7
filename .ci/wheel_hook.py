"""Puts the app into the wheel, and compiled kernels where `KANON_KERNELS` names their folder (see `folders.py`).

An editable install gets neither: it uses those of the checkout. With kernels the wheel is for one Python (`.ci/wheel`).
"""

import os
import platform
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

APP = ("app.py", ".streamlit", "pages", "docs", "sample_data")


class WheelHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return
        build_data["force_include"].update({name: f"kanon_engine/_app/{name}" for name in APP})
        folder = os.environ.get("KANON_KERNELS")
        if folder:
            build_data["force_include"][str(Path(folder).resolve())] = "kanon_engine/_kernels"
            build_data["pure_python"] = False
            python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
            build_data["tag"] = f"{python}-none-manylinux_2_28_{platform.machine()}"
