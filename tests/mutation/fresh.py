"""Tests in a process of their own, in which one module is imported from another source: `fresh FILE MODULE TEST …`.

Assertions stay plain: to rewrite them, pytest would import a module whose doctests are among the tests by itself.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import pytest


class _Changed(MetaPathFinder):
    def __init__(self, module, source):
        self.module, self.source = module, source

    def find_spec(self, name, path, target=None):
        if name != self.module:
            return None
        spec = PathFinder.find_spec(name, path)
        source = self.source

        class Loader(SourceFileLoader):
            def get_code(self, fullname):
                return compile(source, self.path, "exec")

        spec.loader = Loader(name, spec.origin)
        return spec


if __name__ == "__main__":
    file, module, *tests = sys.argv[1:]
    sys.meta_path.insert(0, _Changed(module, Path(file).read_text(encoding="utf-8")))
    sys.exit(pytest.main(["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", *tests]))
