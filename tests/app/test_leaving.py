"""What left in a visit is remembered: another release of the same data is compared with it before it leaves."""

from __future__ import annotations

import kanon_engine as kanon
from pages._shared.results import title
from pages._shared.wording import escaped
from tests.app.visit import first_sample, open_tab, pick_k, read, visit


def test_a_second_release_of_the_same_areas_is_compared_with_the_first():
    entry = first_sample("regions")
    regions = read(entry)
    one, two = (kanon.generalize(regions, k, "tree-split") for k in (entry["k"], entry["k"] + 5_000))
    app = visit("regions", algorithm="tree-split")
    open_tab(app, "regions", "Publish")
    assert not app.warning
    app.session_state["_left"] = {regions.digest: {one.digest: one}}
    open_tab(app, "regions", "Publish")
    assert not app.warning  # the same release again
    pick_k(app, "regions", entry["k"] + 5_000)
    open_tab(app, "regions", "Publish")
    found = kanon.intersect(regions, two, one)
    assert found.exposed
    words = f"Another release of these data was made in this session ({title(one)}). {escaped(found.sentence)}"
    assert [element.value for element in app.warning] == [words]
