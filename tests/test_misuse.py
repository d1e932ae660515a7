"""What people hand over by mistake: a sentence, never a traceback from within."""

from dataclasses import fields
from datetime import date

import networkx
import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon

LABELS = kanon.Labels("abc", [3, 4, 5])


@pytest.mark.parametrize(
    "make",
    [
        lambda: kanon.Labels(None, None),
        lambda: kanon.Labels("a", 3),
        lambda: kanon.Labels(None, [1]),
        lambda: kanon.Labels([pd.NA, "a"], [1, 2]),
        lambda: kanon.Labels([float("nan"), "a"], [1, 2]),
        lambda: kanon.Points([(1, 2)], 3),
        lambda: kanon.Points([(1, 2)], crs="nowhere"),
        lambda: kanon.Regions(None, None, None),
        lambda: kanon.Regions.from_graph([1]),
        lambda: kanon.Table(pd.DataFrame({"a": [1.0, float("inf")]}), ["a"]),
        *(
            lambda read=read, what=what: read(what)
            for read in (kanon.read_table, kanon.read_points, kanon.read_labels, kanon.read_regions, kanon.preview)
            for what in (None, 5, [1, 2], {"a": [1]}, pd.DataFrame({"a": [1, 2], "read": [3, 4]}))
        ),
        lambda: kanon.algorithms(["labels"]),
        lambda: kanon.generalize(LABELS, 3, ["fold"]),
        lambda: kanon.sweep(LABELS, 5),
        lambda: kanon.sweep(LABELS, [3], 5),
        lambda: kanon.sweep(LABELS, [3], {"one": "fold"}),
        lambda: kanon.sweep(LABELS, [3], {"one": ("fold", None)}),
    ],
)
def test_misuse_is_told_in_words(make):
    with pytest.raises(kanon.KanonError, match=r"^[A-Z“].*\.$"):
        make()


def test_ids_of_other_types_become_text():
    names = kanon.Labels([date(2020, 1, 2), (1, 2), [3], 1.5, np.int64(7), "\ud800"], [1] * 6)
    assert names.names.tolist() == ["2020-01-02", "(1, 2)", "[3]", "1.5", 7, "\ud800"]
    assert len(names.digest) == 64


def test_a_multigraph_is_a_graph():
    graph = networkx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    networkx.set_node_attributes(graph, 2, "weight")
    assert kanon.Regions.from_graph(graph).edges.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize("crs", [4326, "epsg:4326", "EPSG:4326"])
def test_one_coordinate_system_has_one_name(crs):
    points = kanon.Points([(1, 2), (3, 4)], crs=crs)
    assert points.crs == "EPSG:4326"
    assert points.digest == kanon.Points([(1, 2), (3, 4)], crs="EPSG:4326").digest


@pytest.mark.parametrize(
    "instance", [LABELS, kanon.Points([(0, 0), (1, 1)]), kanon.Regions("ab", [1, 2], [(0, 1)])], ids=type
)
def test_details_cannot_be_written_to(instance):
    details = kanon.generalize(instance, 1).details
    arrays = [getattr(details, field.name) for field in fields(details)]
    assert not any(array.flags.writeable for array in arrays if isinstance(array, np.ndarray))


def test_nobody_is_told_to_lower_k_to_zero():
    with pytest.raises(kanon.Infeasible, match="All weights are 0"):
        kanon.generalize(kanon.Regions("ab", [0, 0], [(0, 1)]), 1)
