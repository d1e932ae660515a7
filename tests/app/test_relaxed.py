"""A relaxed result on its page: red words first, and nothing to download but the certificate."""

import kanon_engine as kanon
from pages._shared.result import NOT_ANONYMOUS
from tests.app.visit import downloads, first_sample, headline, k_of, open_tab, read, visit
from tests.sentences import CERTIFICATE_JSON


def test_red_words_and_no_release():
    app = visit("labels", algorithm="relaxed-scheme", epsilon=0.4)
    assert headline(app).startswith(f":red[**{NOT_ANONYMOUS}")
    assert "Groups only had to reach a size of 1,800" in headline(app)
    open_tab(app, "labels", "Publish")
    assert any("this cannot be released" in error.value for error in app.error)
    assert downloads(app) == [CERTIFICATE_JSON]


def test_every_tab_opens():
    app = visit("labels", algorithm="relaxed-scheme")
    for tab in ("What if", "How it works", "Compare", "Groups"):
        open_tab(app, "labels", tab)
        assert not app.error


def test_other_results_have_no_red_words():
    app = visit("labels", algorithm="scheme")
    g = kanon.generalize(read(first_sample("labels")), k_of(app, "labels"), "scheme")
    assert ":red[" not in headline(app)
    assert f"{g.cost:,}" in headline(app)
