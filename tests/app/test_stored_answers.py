"""Pages show the answers that came with the samples: verified first, and without a search."""

import gzip
from dataclasses import replace

import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.workers.search import Search
from pages._home import gallery
from pages._shared import files
from tests.app.visit import CATALOG, ROOT, assert_says, first_sample, go, read, visit

pytestmark = pytest.mark.stored


def stored(family):
    path = ROOT / "sample_data" / "answers" / f"{first_sample(family)['key']}.json.gz"
    return kanon.Generalization.from_json(gzip.decompress(path.read_bytes()))


@pytest.fixture
def searches(monkeypatch):
    """Families whose instances were searched."""
    begun, run = [], Search.run

    def counted(search, request):
        begun.append(type(search._instance).__name__)
        return run(search, request)

    monkeypatch.setattr(Search, "run", counted)
    gallery._of_all_visits.clear()
    yield begun
    gallery._of_all_visits.clear()


def test_home_searches_for_nothing(searches):
    app = visit()
    shown = " ".join(element.value for element in app.caption)
    for name, family in FAMILIES.items():
        g = stored(name)
        sizes = f"{g.classes:,} groups of {g.class_weights.min():,} to {g.class_weights.max():,}"
        assert f"k = {g.k:,}: {sizes}" in shown
        assert f"Found earlier by {family.makers[g.algorithm].title}." in shown
    assert searches == []


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry["key"])
def test_a_page_shows_it_and_says_so(entry, searches):
    app = visit(entry["family"], sample=entry["key"])
    title = FAMILIES[entry["family"]].algorithm(None).title
    assert any(f"Found earlier by {title} and rechecked now." in element.value for element in app.caption)
    assert searches == []


def test_another_k_is_searched(searches):
    entry = first_sample("labels")
    visit("labels", k=entry["k"] + 1)
    assert searches


def test_one_that_fails_the_check_is_searched_for(searches, monkeypatch):
    g = stored("labels")
    forged = replace(g, lower_bound=g.lower_bound + 1, cost=g.cost + 1).sealed()
    monkeypatch.setattr(files, "_stored_answers", lambda family: {g.instance_digest: forged})
    app = go(visit(), "labels")
    entry = first_sample("labels")
    assert_says(app, read(entry), entry["k"])
    assert "Labels" in searches
    assert not any("Found earlier" in element.value for element in app.caption)
