"""The release of every family as its reader has it."""

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.release.made import released_of
from kanon_engine.tables.release import files, words_frame
from tests.sentences import MADE_FROM_DIFFERENT_DATA, NOT_K_ANONYMOUS, RECTANGLES_MAY_NOT_BE_RELEASED


def line(**more):
    return kanon.Regions(["06604", "06605", "06606", "06607"], [3, 2, 2, 4], [(0, 1), (1, 2), (2, 3)], **more)


def test_areas_are_groups_with_what_was_named():
    regions = line(columns={"cases": [11, 12, 13, 14], "homes": [1, 1, 1, 1]}, unit="people")
    g = kanon.generalize(regions, 5)
    plain = released_of(regions, g)
    assert list(plain.frame) == ["group", "weight"]
    assert (plain.quasi_identifiers, plain.counts, plain.unit, plain.meanings) == (("group",), "weight", "people", {})
    assert plain.sizes.tolist() == g.class_weights.tolist()
    public = released_of(regions, g, ["cases"], codes_are_public=True)
    assert public.quasi_identifiers == ("group", "name")
    assert public.sums == ("cases",)
    sums = np.bincount(g.assignment, weights=regions.columns["cases"])
    assert public.frame["cases"].tolist() == sums.tolist()
    held = {number: set(codes) for number, codes in public.meanings["group"].items()}
    assert held == {c + 1: set(regions.ids[g.assignment == c]) for c in range(g.classes)}
    with pytest.raises(kanon.InvalidInput, match="too small to publish"):
        released_of(regions, g, ["homes"])


def test_rectangles_only_where_they_may_leave():
    points = kanon.Points(np.random.default_rng(1).uniform(0, 10, (60, 2)))
    with pytest.raises(kanon.InvalidInput, match=RECTANGLES_MAY_NOT_BE_RELEASED):
        released_of(points, kanon.generalize(points, 5))
    g = kanon.generalize(points, 5, snap=0.5)
    made = released_of(points, g)
    assert list(made.frame) == ["group", "xmin", "ymin", "xmax", "ymax", "weight"]
    assert made.frame[["xmin", "ymin", "xmax", "ymax"]].to_numpy().tolist() == g.details.rectangles.tolist()
    assert len(made.sizes) == g.classes


def test_labels_tell_which_are_in_a_group():
    labels = kanon.Labels(["flu", "cold", "gout"], [5, 4, 1], class_names="largest")
    g = kanon.generalize(labels, 5, "fold")
    made = released_of(labels, g)
    assert made.quasi_identifiers == ("group", "name")
    assert set(made.meanings["group"].values()) == {("flu",), ("cold", "gout")}
    with pytest.raises(kanon.InvalidInput, match="labels are not released one by one"):
        released_of(labels, g, ["count"])


def test_kept_columns_of_clusters_stand_record_by_record():
    kept = pd.DataFrame({"illness": ["flu", "flu", None, "flu", "cold"], "weight": [1, 2, 3, 4, 5]})
    space = kanon.MetricSpace([(0, 0), (0, 1), (9, 9), (9, 8), (8, 9)], counts=[1, 2, 1, 1, 1], frame=kept)
    g = kanon.generalize(space, 2)
    made = released_of(space, g)
    assert made.sensitive == ("illness",)
    assert made.kept == ("illness", "kept_weight")
    assert made.records == space.total
    assert sorted(made.sizes.tolist()) == sorted(g.class_weights.tolist())
    assert not any("0.0" in text for text in made.frame["illness"])
    assert released_of(space, g, []).frame["weight"].tolist() == g.class_weights.tolist()


@pytest.mark.parametrize("algorithm", ["k-optimize", "local-cuts", "cell-suppression"])
def test_words_of_tables_mean_what_is_public(algorithm):
    rng = np.random.default_rng(2)
    towns = rng.choice(["Bern", "Genf", "Rom"], 80)
    people = pd.DataFrame({"town": towns, "age": rng.integers(1, 9, 80), "illness": rng.choice(["flu", "cold"], 80)})
    rows = [("Bern", "Swiss", "*"), ("Genf", "Swiss", "*"), ("Rom", "Italy", "*"), ("Pisa", "Italy", "*")]
    table = kanon.Table(people, ["town", "age"], orders={"age": list(range(10))},
                        trees={"town": kanon.Tree.from_levels(rows)})  # fmt: skip
    g = kanon.generalize(table, 12, algorithm)
    made = released_of(table, g, ["illness"])
    assert made.sensitive == ("illness",)
    assert made.records + made.left_out == len(table)
    assert np.sort(made.sizes).tolist() == np.sort(g.class_weights).tolist()
    inside = g.assignment >= 0
    for name, words in made.meanings.items():
        shown = made.frame[name]
        assert set(map(str, words)) >= {cell for cell in map(str, shown.unique()) if cell in ("Swiss", "Italy")}
        counted = {word: int((shown == word).sum()) for word in words}
        place = table.quasi_identifiers.index(name)
        values = [table.domains[place][code] for code in table.codes[inside, place]]
        for word, meant in words.items():
            assert counted[word] <= sum(value in meant for value in values)
            assert set(meant) <= {*range(10), "Bern", "Genf", "Rom", "Pisa"}
    assert "age" in made.meanings or algorithm == "cell-suppression"


def test_an_attacker_knows_what_a_word_means_also_where_the_release_does_not_list_it():
    towns = ["Bern"] * 3 + ["Genf"] * 2 + ["Rom"] * 9
    rows = [("Bern", "Swiss", "*"), ("Genf", "Swiss", "*"), ("Rom", "Italy", "*")]
    people = pd.DataFrame({"town": towns})
    table = kanon.Table(people, ["town"], trees={"town": kanon.Tree.from_levels(rows)})
    g = kanon.generalize(table, 5)
    assert "Swiss" in set(released_of(table, g).frame["town"])
    assert released_of(table, g).meanings == {"town": {"Swiss": ("Bern", "Genf")}}
    assert words_frame(table, g)["values"].tolist() == ["…"]


def test_words_of_a_hierarchy_are_offered_only_where_a_value_may_be_listed():
    rows = [("Bern", "Swiss", "*"), ("Genf", "Swiss", "*"), ("Rom", "Italy", "*")]
    for often, is_offered in ((3, False), (9, True)):
        people = pd.DataFrame({"town": ["Bern"] * often + ["Genf"] * 2 + ["Rom"] * 4})
        table = kanon.Table(people, ["town"], trees={"town": kanon.Tree.from_levels(rows)})
        assert ("words" in {one.key for one in files(table, kanon.generalize(table, 5))}) == is_offered


def test_other_data_are_refused():
    labels = kanon.Labels("ab", [5, 5])
    g = kanon.generalize(labels, 5, "fold")
    with pytest.raises(kanon.InvalidInput, match=MADE_FROM_DIFFERENT_DATA):
        released_of(kanon.Labels("ab", [5, 6]), g)
    loose = kanon.Labels("abcdef", [5, 5, 5, 5, 5, 9])
    with pytest.raises(kanon.InvalidInput, match=NOT_K_ANONYMOUS):
        released_of(loose, kanon.generalize(loose, 10, "relaxed-scheme", epsilon=0.9))


def test_areas_with_shapes_release_the_same_groups():
    frame = geopandas.GeoDataFrame(
        {"id": list("abcd"), "population": [3, 2, 2, 4]}, geometry=[shapely.box(x, 0, x + 1, 1) for x in range(4)]
    )
    regions = kanon.Regions.from_frame(frame)
    g = kanon.generalize(regions, 5)
    assert released_of(regions, g).frame.equals(released_of(regions, g, ()).frame)
