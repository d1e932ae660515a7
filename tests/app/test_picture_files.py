"""The picture that is downloaded as HTML, opened from the disk."""

from __future__ import annotations

import io

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.plot.export import html
from kanon_engine.release.publication import release_picture
from pages._shared.files import atlas
from tests.app.conftest import foreign
from tests.app.visit import first_sample, read
from tests.compiled import thorough_only

PLOT = 'document.querySelector(".js-plotly-plot")'
LOADED = f"() => {PLOT}?._fullLayout?.map?._subplot?.map?.loaded()"


@pytest.mark.thorough
@pytest.mark.parametrize("family", ["rectangles", *thorough_only(["regions"])])
def test_a_map_opens_from_a_file(page, tmp_path, family):
    entry = first_sample(family)
    instance = read(entry)
    algorithm, options = {"regions": ("tree-split", {}), "rectangles": ("kd-tree", {"snap": 0.01})}[family]
    around = {"background": atlas()} if family == "rectangles" else {}  # names, for which a font is needed
    figure = release_picture(instance, kanon.generalize(instance, entry["k"], algorithm, **options), **around)
    file = tmp_path / "picture.html"
    file.write_text(html(figure), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_function(LOADED, timeout=60_000)
    page.wait_for_timeout(500)  # the last frame
    shown = colors(page.screenshot())
    assert shown >= 4, "nothing but paper and letters is to be seen"
    assert [url for url in foreign(page.asked) if not url.startswith("file:")] == []


def colors(png: bytes) -> int:
    """How many colors that are no gray fill at least 1 in 1,000 of the picture's middle."""
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(png)).convert("RGB")
    pixels = np.asarray(image)[100:, 200:-200].reshape(-1, 3)
    found, counts = np.unique(pixels, axis=0, return_counts=True)
    gray = np.ptp(found.astype(int), axis=1) < 25
    return int((~gray & (counts >= len(pixels) / 1000)).sum())
