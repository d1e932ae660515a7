"""Tests in a process of their own, in which one file's modules have another source: `fresh OTHER FILE TEST …`.

Assertions stay plain: to rewrite them, pytest would import a module whose doctests are among the tests by itself.
"""

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

if __name__ == "__main__":
    other, file, *tests = sys.argv[1:]
    get_code = SourceFileLoader.get_code

    def changed(self, name):
        """The code of the other source in place of the file's, under whatever name it is imported."""
        if Path(self.path) == Path(file):
            return compile(Path(other).read_text(encoding="utf-8"), self.path, "exec")
        return get_code(self, name)

    SourceFileLoader.get_code = changed
    sys.exit(pytest.main(["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", *tests]))
