"""What all pictures share: one size for words, whole numbers with commas, a title, and words on each axis."""

import re
import tomllib

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.clusters.plot import clusters_figure
from kanon_engine.labels.plot import bins_figure
from kanon_engine.model.objective import LargestClass
from kanon_engine.plot import class_sizes_figure, colors, curve_figure, what_if_figure
from kanon_engine.plot.colors import TEXT, TITLE
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.regions.plot import regions_map
from kanon_engine.tables.plot import columns_figure, sizes_figure
from tests.strings import ROOT

LABELS = kanon.Labels([f"n{i}" for i in range(60)], np.arange(1, 61) ** 3)
POINTS = kanon.Points(np.random.default_rng(0).normal(size=(80, 2)))
AREAS = kanon.Regions([str(i) for i in range(9)], [2_000] * 9, [(i, i + 1) for i in range(8)])


def figures():
    labels, points, areas = (kanon.generalize(one, k) for one, k in ((LABELS, 50_000), (POINTS, 9), (AREAS, 4_000)))
    yield "bins", bins_figure(LABELS, labels)
    yield "packing", teaching.step_figure(LABELS, labels, list(teaching.steps(LABELS, labels))[3])
    yield "sizes", class_sizes_figure(LABELS, labels)
    table = kanon.sweep(LABELS, [5_000, 50_000, 200_000], ["fold"])
    for quantity in ("cost", "overfull_ratio", "classes"):
        yield quantity, what_if_figure(table, quantity, 50_000, "people", LargestClass())
    yield "rectangles", rectangles_figure(POINTS, points)
    yield "full rectangles", rectangles_figure(POINTS, points, color_by="fullness")
    for name, points in (("circles", [(i % 9, i // 9) for i in range(80)]), ("hulls", np.eye(80)[:, :9])):
        space = kanon.MetricSpace(points)
        yield name, clusters_figure(space, kanon.generalize(space, 9), color_by="fullness")
    yield "areas", regions_map(AREAS, areas, color_by="fullness")
    trees = kanon.generalize(AREAS, 4_000, "tree-split")
    steps = list(teaching.steps(AREAS, trees))
    yield "tree", teaching.step_figure(AREAS, trees, steps[1], steps[2].question)
    people = kanon.read_table(
        b"age,sex\n" + b"\n".join(b"%d,%d" % (i % 7, i % 2) for i in range(5_000)), ["age", "sex"]
    )
    g = kanon.generalize(people, 300, "hill-climb")
    yield "columns", columns_figure(people, g)
    yield "shares", sizes_figure(people, g)
    yield "curve", curve_figure(np.array([[1, 90_000, 1], [900, 80_000, 2]]), "nodes", "Discernibility")


@pytest.mark.parametrize(("name", "figure"), [pytest.param(*one, id=one[0]) for one in figures()])
def test_a_picture_has_a_title_and_words_of_one_size(name, figure):
    layout = figure.layout
    assert layout.title.text
    assert layout.title.font.size == TITLE
    assert layout.font.size == TEXT
    bars = [bar for trace in figure.data if (bar := color_bar(trace)) is not None]
    axes = [*figure.select_xaxes(), *figure.select_yaxes()]
    for one in (*axes, *bars):
        assert {one.title.font.size, one.tickfont.size} == {TEXT}
        assert not (getattr(one, "tickformat", None) or "").endswith("s")  # 3k
    assert {note.font.size for note in layout.annotations} <= {TEXT}
    if name in ("bins", "packing", "sizes", "cost", "overfull_ratio", "classes", "shares", "curve", "hulls", "circles"):
        assert all(axis.title.text for axis in axes)


def color_bar(trace):
    """That of a trace; None where it has none."""
    for holder in (trace, getattr(trace, "marker", None)):
        if holder is not None and "colorbar" in holder and holder.colorbar.tickvals is not None:
            return holder.colorbar
    return None


def test_icon_and_theme_have_the_colors_of_the_palette():
    """Scripts and style sheets are given colors; these two files are read by others, so they repeat them."""
    icon = re.findall(r'fill="(#\w{6})"', (ROOT / "pages" / "_shared" / "icon.svg").read_text())
    assert icon == [colors.SKY, colors.ORANGE, colors.GREEN, colors.PURPLE, colors.BLUE]
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    assert [theme["light"]["primaryColor"], theme["dark"]["primaryColor"]] == [colors.BLUE, colors.SKY]
