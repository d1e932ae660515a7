"""What is drawn becomes the instance that it looks like, and what cannot be one is told."""

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.teaching.studies.beat import MOST, duel
from kanon_engine.teaching.studies.draft import FARTHEST, Draft, emptied
from kanon_engine.teaching.studies.instances import SMALL, TIGHT
from tests.sentences import NOTHING_IS_DRAWN


@pytest.mark.parametrize("name", TIGHT)
def test_a_tight_instance_is_as_bad_when_it_is_drawn(name):
    preset = TIGHT[name]
    drawn = Draft.of_instance(preset.instance(preset.k))
    assert drawn.family == preset.family
    found, known = duel(drawn.instance(), preset.k, preset.opponent, seed=preset.seed), preset.duel()
    assert (found.cost, found.optimum, found.ratio) == (known.cost, known.optimum, known.ratio)


@pytest.mark.parametrize("family", FAMILIES)
def test_small_instances_keep_weights_and_borders(family):
    for small in SMALL[family]:
        instance = small.make()
        drawn = Draft.of_instance(instance)
        again = drawn.instance()
        assert again.weights.tolist() == instance.weights.tolist()
        assert Draft.of_text(family, drawn.text) == drawn or family == "tables"
        assert drawn.edited(drawn.frame) == drawn
        if family == "regions":
            assert sorted(map(tuple, again.edges.tolist())) == sorted(map(tuple, instance.edges.tolist()))
            assert drawn.bordered(drawn.borders) == drawn
            assert len({item[:2] for item in drawn.items}) == len(drawn.items)
        if family in ("rectangles", "clusters"):
            assert (
                [item[:2] for item in drawn.items] == [tuple(place) for place in again.points.tolist()]
                if (family == "clusters")
                else again.xy.tolist() == instance.xy.tolist()
            )


def test_borders_of_areas_that_are_deleted_in_the_table_go_and_others_stay():
    drawn = Draft.of("regions", [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4)], [(0, 1), (1, 2), (2, 3)])
    assert drawn.edited(drawn.frame.drop(index=1)).edges == ((1, 2),)
    lacking = drawn.frame.astype(float)
    lacking.loc[3, "weight"] = None
    assert drawn.edited(lacking).edges == ((0, 1), (1, 2))


@pytest.mark.parametrize(
    ("family", "items", "edges", "words"),
    [
        ("rectangles", [(0, 0, 0)], [], "weight is 0"),
        ("regions", [(0, 0, -1)], [], "weight is -1"),
        ("rectangles", [(0, float("nan"), 1)], [], "An item is at"),
        ("rectangles", [(FARTHEST + 1, 0, 1)], [], "An item is at"),
        ("rectangles", [(0, 0, 1.5)], [], "whole number"),
        ("rectangles", [(0, 0)], [], "numbers"),
        ("rectangles", [("a", 0, 1)], [], "numbers"),
        ("regions", [(0, 0, 1), (1, 1, 1)], [(0, 0)], "no border 1-1"),
        ("regions", [(0, 0, 1), (1, 1, 1)], [(0, 2)], "no border 1-3"),
        ("labels", [(0, 0, 1)] * (MOST + 1), [], "too many"),
    ],
)
def test_what_is_no_instance_is_refused(family, items, edges, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        Draft.of(family, items, edges)


def test_text_that_is_no_drawing_is_refused():
    for text in ("", "[]", '{"items": 3}', '{"edges": []}', '{"items": [[1, 2, true]], "edges": []}'):
        with pytest.raises(kanon.InvalidInput):
            Draft.of_text("rectangles", text)
    drawn = Draft.of("regions", [(0, 0, 1), (1, 1, 1)], [(0, 1)])
    for line in ("1-2-3", "1", "a-b", "0-1", "1-1", "1-²", "1-" + "9" * 5000):
        with pytest.raises(kanon.InvalidInput, match="not? (a )?border"):
            drawn.bordered(line)
    for line in ("five", "²", "9" * 5000):
        with pytest.raises(kanon.InvalidInput, match="not a count"):
            Draft("labels").counted(line)


def test_an_area_may_have_nobody_and_a_border_is_there_once():
    assert Draft.of("regions", [(0, 0, 0), (1, 1, 1)], [(1, 0), (0, 1)]).edges == ((0, 1),)


def test_a_table_keeps_its_columns_when_it_is_emptied():
    drawn = Draft.of_frame(pd.DataFrame({"a": [1, 2], "b": ["x", None]}))
    assert drawn.rows == ((1, "x"),)
    assert emptied(drawn).frame.columns.tolist() == ["a", "b"]
    with pytest.raises(kanon.InvalidInput, match=NOTHING_IS_DRAWN):
        emptied(drawn).instance()
    with pytest.raises(kanon.InvalidInput, match="too many"):
        Draft.of_frame(pd.DataFrame({"a": range(MOST + 1)}))
