"""The engines that tests of records run on."""

import os
import shutil

import pytest

from kanon_engine.records import Records


def why_no_spark():
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed (kanon[spark])"
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
