"""The engines that tests of records run on."""

import importlib
import os
import shutil
from dataclasses import replace

import pytest

from kanon_engine.io.limits import FileLimits
from kanon_engine.records import Records


def why_no_spark():
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed (kanon-engine[spark])"
    return "" if shutil.which("java") else "there is no Java for Spark"


@pytest.fixture(params=["DuckDB", "Spark"])
def address(request):
    """address(path): where the records of a path are, for the engine of the test."""
    if request.param == "DuckDB":
        return str
    if why_no_spark():
        pytest.skip(why_no_spark())
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # short runs, few cores
    return "spark:local?path={}".format


@pytest.fixture
def opened(address):
    """opened(path): records on the engine of the test, which is let go at its end."""
    every = []

    def open_path(path):
        every.append(Records.open(address(path)))
        return every[-1]

    yield open_path
    for records in every:
        records.close()


@pytest.fixture
def at_most(monkeypatch):
    """at_most(rows): as if `count` could fetch no more distinct values."""
    counting = importlib.import_module("kanon_engine.records.count")
    return lambda rows: monkeypatch.setattr(counting, "limits", lambda: replace(FileLimits(), rows=rows))
