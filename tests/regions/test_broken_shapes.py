"""Every map that was read leaves as a package, however broken its shapes were."""

import datetime
import io
import zipfile
from itertools import product

import geopandas
import networkx as nx
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.regions.package import Publication, package
from kanon_engine.regions.print_map import on_plane
from kanon_engine.regions.utility import utility
from tests.compiled import THOROUGH, compiled_only, thorough_only
from tests.regions.broken_shapes import broken_map

pytestmark = pytest.mark.kernels

DAY = datetime.date(2031, 4, 5)


def require_good_package(content: bytes, regions, k: int) -> None:
    """What a stranger finds in it: shapes that a map program opens, and groups that are connected and large enough."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        files = {name: file.read(name) for name in file.namelist()}
    shapes = geopandas.read_file(io.BytesIO(files["groups.gpkg"]))
    assert shapes.geometry.is_valid.all()
    assert not shapes.geometry.is_empty.any()
    assert (shapes[regions.unit] >= k).all()
    if "codes.csv" not in files:
        return
    codes = pd.read_csv(io.BytesIO(files["codes.csv"]), dtype={"code": str})
    weight = dict(zip(regions.ids.tolist(), regions.weights.tolist(), strict=True))
    borders = nx.Graph([(regions.ids[one], regions.ids[other]) for one, other in regions.edges.tolist()])
    borders.add_nodes_from(weight)
    assert sorted(codes["code"]) == sorted(weight)
    for _, own in codes.groupby("group")["code"]:
        assert sum(weight[code] for code in own) >= k
        assert nx.is_connected(borders.subgraph(own))


def read(number):
    """The areas of a broken map; None where it is refused with a sentence."""
    try:
        return kanon.read_regions(broken_map(number)[0], "people", "id")
    except kanon.InvalidInput:
        return None


# could not be united for print; beyond what the display reaches; overlapping although they are said to fit together;
# with lines where areas were; with a needle whose end is a ring of three points
@compiled_only
@pytest.mark.parametrize("number", [2, 4, 118, 126, 265])
def test_a_broken_map_lies_on_paper(number):
    regions = read(number)
    for part in (2, 5):
        g = kanon.generalize(regions, max(1, regions.total // part), "tree-split")
        assert not shapely.is_empty(on_plane(regions, g, None).groups).any()
        assert utility(regions, g)


@compiled_only
@pytest.mark.filterwarnings("ignore:File /vsimem:RuntimeWarning")
@pytest.mark.parametrize("number", [2, *thorough_only(number for number in range(300) if number != 2)])
def test_a_broken_map_makes_a_package(number):
    regions = read(number)
    if regions is None:
        return
    for part, public in product((2, 5), (True, False)) if THOROUGH else [(2, True)]:
        k = max(1, regions.total // part)
        g = kanon.generalize(regions, k, "tree-split")
        require_good_package(package(regions, g, Publication(DAY, public)), regions, k)
