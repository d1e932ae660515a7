"""Reading in the test's own process."""

import pyogrio
import pytest

from kanon_engine.io import geofile


@pytest.fixture
def here(monkeypatch):
    """Read in this process, which spares a worker for every file; GDAL has its drivers back afterwards."""
    monkeypatch.setattr("kanon_engine.io.confined._within", True)
    monkeypatch.setenv("GDAL_SKIP", "")
    before = list(pyogrio.list_drivers())
    yield
    geofile.allow(*before)
