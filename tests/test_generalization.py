import json
from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon


@pytest.fixture
def regions():
    return kanon.Regions(["a", "b", "c", "d"], [2, 3, 4, 3], [(0, 1), (1, 2), (2, 3)])


def test_json_and_back_is_the_same_result(regions):
    g = kanon.generalize(regions, 5)
    back = kanon.Generalization.from_json(g.to_json())
    assert back.digest == g.digest == back.content_digest()
    assert back.assignment.dtype == np.int32
    assert kanon.verify(regions, back) == kanon.verify(regions, g)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "other"}', '{"format": "kanon generalization 1", "k": 3}'])
def test_other_files_are_refused_in_words(text):
    with pytest.raises(kanon.InvalidInput, match="certificate"):
        kanon.Generalization.from_json(text)


def test_an_edited_file_builds_nothing_unknown(regions):
    content = json.loads(kanon.generalize(regions, 5).to_json())
    content["details"]["record"] = "Popen"
    with pytest.raises(kanon.InvalidInput, match="Popen"):
        kanon.Generalization.from_json(json.dumps(content))


def test_derived_figures(regions):
    g = kanon.generalize(regions, 5)
    assert (g.classes, g.cost, g.overfull_ratio) == (2, 7, 1.4)
    assert replace(g, lower_bound=6).gap == pytest.approx(7 / 6 - 1)
    assert replace(g, lower_bound=g.cost).gap == 0
    assert replace(g, lower_bound=0).gap == float("inf")


def test_nothing_can_be_written_to(regions):
    g = kanon.generalize(regions, 5)
    for array in (g.assignment, g.class_weights, regions.weights, regions.edges, regions.ids):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
