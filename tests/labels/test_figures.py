"""Figures hold the numbers of the result and load nothing."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.plot import MOST_STACKED, bins_figure
from kanon_engine.teaching.studies.figure7 import overfull_ratios, sub_range_maxima, thresholds
from kanon_engine.teaching.studies.plot import figure7
from tests.labels.samples import labels_of

LABELS = labels_of(np.random.default_rng(0).integers(1, 60, 400).tolist())


def heights(figure):
    """Height of each stacked bar by class number."""
    sums = {}
    for trace in figure.data:
        if trace.customdata is not None:
            for number, height in zip(trace.customdata, trace.y, strict=True):
                sums[int(number)] = sums.get(int(number), 0) + height
    return sums


@pytest.mark.parametrize("k", [70, 500])
def test_bars_add_up_to_the_class_weights(k):
    g = kanon.generalize(LABELS, k)
    figure = bins_figure(LABELS, g)
    assert heights(figure) == dict(enumerate(g.class_weights.tolist()))
    assert (len(figure.data) == 1) == (g.classes > MOST_STACKED)
    tops = [heights(figure)[int(number)] for number in figure.data[0].customdata]
    assert tops == sorted(tops, reverse=True)
    assert {shape.y0 for shape in figure.layout.shapes} == {k, g.cost}


def test_hover_tells_group_weight_and_number_of_labels_but_no_label():
    g = kanon.generalize(LABELS, 500)
    figure = bins_figure(LABELS, g)
    number = int(figure.data[0].customdata[0])
    weight = g.class_weights[number]
    first, second, third = figure.data[0].text[0].split("<br>")
    assert first == f"<b>Group {number + 1}</b>"
    assert second == f"{weight:,} records ({weight / 500:.3g} × k)"
    assert third == f"{(g.assignment == number).sum()} labels"
    assert "most common" not in "".join(figure.data[0].text)
    assert [bars.name for bars in figure.data[:2]] == ["most common label of the group", "second most common label"]


def test_selected_class_is_framed():
    g = kanon.generalize(LABELS, 500)
    frame = next(shape for shape in bins_figure(LABELS, g, selected=2).layout.shapes if shape.type == "rect")
    assert (frame.y0, frame.y1) == (0, g.class_weights[2])


@pytest.fixture(scope="module")
def frame():
    return overfull_ratios(labels_of(np.random.default_rng(0).integers(1, 60, 80).tolist()))


@pytest.mark.thorough
def test_figure_7_draws_the_maxima(frame):
    figure = figure7(frame, ranges=12, unit="people", k=200)
    maxima = sub_range_maxima(frame, 12)
    drawn = {trace.name: list(trace.y) for trace in figure.data}
    names = ["Random Fold", "Random Spread", "Sorted Fold", "Sorted Spread", "Near-optimal"]
    for variant in names:
        assert drawn[variant] == maxima[maxima["variant"] == variant]["overfull_ratio"].tolist()
    looks = {(trace.line.color, trace.line.dash, trace.marker.symbol) for trace in figure.data if trace.name in names}
    assert len(looks) == 5
    floor = maxima.groupby("k_from")["floor"].max().tolist()
    assert drawn["ratios proven impossible"] == floor
    assert "people" in figure.layout.xaxis.title.text
    marked = [shape.x0 for shape in figure.layout.shapes]
    assert sorted(marked) == sorted([200, *thresholds(frame)["k"].tolist()])
    assert 200 not in [shape.x0 for shape in figure7(frame, k=10**9).layout.shapes]


@pytest.mark.thorough
def test_figure_7_shows_how_far_random_orders_differ():
    frame = overfull_ratios(LABELS, seeds=range(5), variants=["Random Fold", "Sorted Fold"])
    figure = figure7(frame, ranges=12)
    maxima = sub_range_maxima(frame, 12)
    rows = maxima[maxima["variant"] == "Random Fold"]
    band = next(trace for trace in figure.data if trace.fill == "toself")
    assert sorted(band.y) == sorted([*rows["overfull_ratio"], *rows["lowest_order"]])
    line = next(trace for trace in figure.data if trace.name == "Random Fold, median of 5 orders")
    assert list(line.y) == rows["median_order"].tolist()
    assert (rows["lowest_order"] < rows["overfull_ratio"]).any()
    assert sum(trace.fill == "toself" for trace in figure.data) == 1


@pytest.mark.thorough
def test_figures_are_plain_and_transparent(frame):
    g = kanon.generalize(LABELS, 500)
    for figure in (bins_figure(LABELS, g), figure7(frame)):
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
        assert "http" not in figure.to_json()
        assert figure.layout.title.text
        assert figure.layout.xaxis.title.text
        assert figure.layout.yaxis.title.text
