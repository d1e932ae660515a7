"""What people hand over by mistake: a sentence, never a traceback from within."""

from dataclasses import fields
from datetime import date

import networkx
import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.teaching.studies.figure7 import overfull_ratios
from tests.sentences import ALL_WEIGHTS_ARE_0, MUST_BE_A_WHOLE_NUMBER

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
            for what in (None, 5, [1, 2], {"a": [1]}, pd.Series([1, 2]))
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
    with pytest.raises(kanon.Infeasible, match=ALL_WEIGHTS_ARE_0):
        kanon.generalize(kanon.Regions("ab", [0, 0], [(0, 1)]), 1)


HUGE = [10**30, 10**5000, -(10**5000), 2**63]
INSTANCES = [
    kanon.Labels("abcd", [3, 4, 5, 6]),
    kanon.Points([(0, 0), (1, 0), (2, 5), (3, 3)]),
    kanon.Regions("abcd", [1, 2, 3, 4], [(0, 1), (1, 2), (2, 3)]),
    kanon.Table(pd.DataFrame({"a": [1, 2, 3, 4]}), ["a"]),
]


@pytest.mark.parametrize("k", HUGE, ids=["10^30", "10^5000", "-10^5000", "2^63"])
@pytest.mark.parametrize("instance", INSTANCES, ids=type)
def test_a_k_of_many_digits_is_told_in_words(instance, k):
    for run in (lambda: kanon.generalize(instance, k), lambda: kanon.sweep(instance, [2, k])):
        with pytest.raises(kanon.InvalidInput, match=rf"^k is .{{1,70}}; it {MUST_BE_A_WHOLE_NUMBER} 1"):
            run()


def test_a_k_above_every_total_is_a_row_of_a_sweep():
    table = kanon.sweep(LABELS, [3, 2**63 - 1])
    assert table[["k", "status"]].values.tolist() == [[3, "optimal"], [2**63 - 1, "infeasible"]]


@pytest.mark.parametrize("instance", INSTANCES, ids=type)
def test_every_seed_that_is_taken_can_be_read_back(instance):
    for algorithm in kanon.algorithms(kanon.generalize(instance, 2).family):
        for seed in (2**53 + 1, 2**63, 2**128 - 1):
            g = kanon.generalize(instance, 2, algorithm.name, seed=seed)
            again = kanon.Generalization.from_json(g.to_json())
            assert again.seed == seed
            kanon.verify(instance, again)
        for seed in (2**128, 10**5000, -(10**5000)):
            with pytest.raises(kanon.InvalidInput, match=r"^The seed is .{1,70}; it must be a whole number"):
                kanon.generalize(instance, 2, algorithm.name, seed=seed)


def test_a_time_limit_of_many_digits_is_no_limit():
    assert kanon.generalize(LABELS, 3, time_limit=10**5000).status == "optimal"


@pytest.mark.parametrize(
    "settings",
    [{}, {"ks": [10**30]}, *({"ks": [10**14], "seeds": seeds} for seeds in ([10**5000], [-1], ["a"], [], None, "0"))],
)
def test_overfull_ratios_are_refused_in_words(settings):
    with pytest.raises(kanon.InvalidInput, match=r"^[A-Zk].*\.$"):
        overfull_ratios(kanon.Labels("abcde", [10**14] * 5), **settings)
