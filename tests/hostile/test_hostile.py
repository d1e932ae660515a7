"""Hostile files, each to the readers that it was made for or to some by turns; all of them by `campaign`.

A plain run leaves out those that take until a limit is met.
"""

from __future__ import annotations

import pytest

import kanon_engine as kanon
from kanon_engine.processes.nursery import SUPPORTED
from tests.compiled import THOROUGH
from tests.hostile.campaign import Campaign, readers
from tests.hostile.files import cases

pytestmark = pytest.mark.skipif(not SUPPORTED, reason="workers need a system that forks")

MEANT = {
    "links: vrt in json 0": ("shapes",),
    "links: vrt in json 1": ("preview",),
    "links: vrt before json 0": ("regions",),
    "links: vrt after json 1": ("shapes",),
    "links: vrt that writes": ("shapes", "preview"),
    "links: gdalg features": ("shapes",),
    "links: oapif": ("shapes",),
    "links: stac": ("shapes",),
    "crs: link": ("regions",),
    "crs: url": ("shapes",),
    "crs: link, escaped": ("shapes",),
    "crs: grids": ("regions",),
    "crs: init": ("shapes",),
    "crs: prj of grids": ("regions",),
    "crs: prj of datum grids": ("shapes",),
    "crs: prj of deep": ("shapes",),
    "zip: four gigabytes": ("regions",),
    "zip: four gigabytes, told as few": ("preview",),
    "zip: workbook told as small": ("frame",),
    "zip: up the tree": ("shapes",),
    "zip: link": ("shapes",),
    "zip: broken stream": ("shapes",),
    "zip: method 99": ("shapes",),
    "zip: many rings told": ("shapes",),
    "gpkg: endless view": ("shapes",),
    "gpkg: file": ("shapes",),
    "gpkg: written file": ("shapes",),
    "gpkg: geocode": ("shapes",),
    "gpkg: virtual VirtualOGR": ("shapes",),
    "gpkg: log": ("shapes",),
    "excel: far cell": ("labels",),
    "excel: laughs in xl/sharedStrings.xml": ("frame",),
    "excel: entities in xl/worksheets/sheet1.xml": ("frame",),
    "excel: row numbers": ("table",),
    "parquet: sixty million rows": ("points",),
    "parquet: one long text": ("labels",),
    "parquet: lists": ("labels", "table"),
    "parquet: geo deep": ("shapes",),
    "parquet: geo crs": ("shapes",),
    "parquet: zones": ("frame",),
    "json: star": ("regions",),
    "json: equal squares": ("regions",),
    "json: combs": ("regions",),
    "json: far islands": ("regions",),
    "json: small coordinates": ("regions",),
    "json: deep lists": ("shapes",),
    "json: deep other": ("shapes",),
    "json: half a character": ("shapes", "columns"),
    "text: equal headers": ("table",),
    "text: commas": ("labels",),
    "text: headers that count": ("preview",),
    "text: long numbers": ("labels",),
    "text: hierarchy": ("hierarchy alone",),
    "text: edges": ("edges",),
    "text: gal": ("edge list",),
    "text: formulas": ("table",),
    "magic: parquet ends": ("points",),
    "magic: pickle": ("labels",),
    "magic: shapefile head": ("regions",),
}
MUTATIONS = 26 if THOROUGH else 13
UNTIL_LIMIT = {  # of time, memory or size
    "text: edges",
    "text: hierarchy",
    "gpkg: endless view",
    "text: commas",
    "excel: row numbers",
    "zip: four gigabytes, told as few",
    "excel: far cell",
    "json: equal squares",
    "json: star",
}


@pytest.fixture(scope="module")
def campaign():
    with Campaign(seconds=3) as running:
        yield running


@pytest.mark.timeout(900)
def test_no_hostile_file_does_what_it_must_not(campaign):
    names = list(readers())
    seen = set()
    for case in cases(campaign.canaries, seed=1, mutations=MUTATIONS):
        if case.name in UNTIL_LIMIT and not THOROUGH:
            continue
        if case.name in MEANT:
            seen.add(case.name)
            for reader in MEANT[case.name]:
                campaign.run(case, reader)
        elif case.name.startswith("mutation"):
            campaign.run(case, names[len(seen) % len(names)])
            seen.add(case.name)
    assert campaign.failures == []
    assert len(seen) == len(MEANT) + MUTATIONS - (0 if THOROUGH else len(UNTIL_LIMIT))
    assert campaign.found["refused"] > 40
    assert campaign.found["read"] > 5


@pytest.mark.thorough
def test_equal_squares_are_no_map():
    from tests.hostile.files import collection, feature, square

    data = collection(*(feature(square(), id=f"{i}") for i in range(700)))
    with pytest.raises(
        kanon.InvalidInput, match=r"244,650 pairs of areas .* limit of 214,000; load a map whose areas do"
    ):
        kanon.read_regions(data)


def test_a_linked_system_is_dropped_with_a_word():
    from tests.hostile.files import collection, feature, square

    entry = {"type": "link", "properties": {"href": "http://127.0.0.1:9/", "type": "proj4"}}
    regions = kanon.read_regions(collection(feature(square()), crs=entry))
    assert "The file gives its coordinate system as a link, which was not followed." in regions.notes
    assert regions.geometry.crs == "EPSG:4326"


def test_the_campaign_sees_what_must_not_happen(campaign):
    """The canaries sing: a secret that is said, a file that appears, a request, are counted."""
    import urllib.request
    from pathlib import Path

    from tests.hostile.campaign import SECRET
    from tests.hostile.files import Case

    Path(campaign.canaries.written).write_text("x")
    urllib.request.urlopen(campaign.canaries.address).read()
    before = len(campaign.failures)
    campaign.run(Case("canaries", "a.csv", SECRET.encode()), "labels")
    found = campaign.failures[before:]
    assert any("written" in failure for failure in found)
    assert any("requests" in failure for failure in found)
    del campaign.failures[before:]
