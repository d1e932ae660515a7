"""Histograms with intervals, sizes of groups and curves: what they draw is what the result says."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.plot import curve_figure
from kanon_engine.plot.colors import ORANGE, SILVER
from kanon_engine.tables.plot import columns_figure, release_figure, sizes_figure
from kanon_engine.tables.release import released_frame


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(20, 50, 200), "town": rng.choice(list("abcdef"), 200)})
    return kanon.Table(pd.concat([frame, pd.DataFrame({"age": [99], "town": ["z"]})]), ["age", "town"])


@pytest.fixture(scope="module", params=[0, None])
def result(request, table):
    return kanon.generalize(table, 6, "hill-climb", suppression_limit=request.param)


def bars(figure):
    return [trace for trace in figure.data if trace.type == "bar"]


def test_bars_count_records_and_lines_stand_at_cuts(table, result):
    figure = columns_figure(table, result)
    for place, name in enumerate(table.quasi_identifiers):
        shown, lost = bars(figure)[2 * place : 2 * place + 2]
        assert sum(shown.y) == result.class_weights.sum()
        assert sum(lost.y) == result.details.suppressed
        sizes = [len(part) for part in result.details.intervals[name]]
        colors = shown.marker.color
        starts = np.cumsum(sizes)[:-1].tolist()
        changes = [spot for spot in range(1, len(colors)) if colors[spot] != colors[spot - 1]]
        assert changes == starts
    drawn = [trace for trace in figure.data if trace.type == "scatter"]
    cuts = [x + 0.5 for trace in drawn for x in trace.x[::3]]
    assert sorted(cuts) == sorted(result.details.cuts[:, 1].tolist())


def test_the_picture_for_a_release_has_a_bar_for_each_interval_that_is_shown(table, result):
    figure = release_figure(table, result)
    released = released_frame(table, result)
    for place, name in enumerate(table.quasi_identifiers):
        counts = released[name].value_counts().to_dict()
        bar = bars(figure)[place]
        assert dict(zip((text.rpartition(":")[0] for text in bar.text), bar.y, strict=True)) == counts
        for text in bar.text:
            assert text.count(":") == 1  # the interval and its records, nothing of one value


def test_the_selected_group_stands_out(table, result):
    figure = columns_figure(table, result, 0)
    record = int(np.flatnonzero(result.assignment == 0)[0])
    for place in range(2):
        colors = bars(figure)[2 * place].marker.color
        assert colors[table.codes[record, place]] == ORANGE
    assert all((trace.customdata == -1).all() for trace in bars(figure))


def test_hidden_cells_are_stacked_in_gray(table):
    g = kanon.generalize(table, 6, "cell-suppression")
    figure = columns_figure(table, g)
    hidden = bars(figure)[1::2]
    assert sum(sum(trace.y) for trace in hidden) == g.cost
    assert {trace.marker.color for trace in hidden} == {SILVER}
    shown = bars(figure)[::2]
    for place, axis in enumerate((figure.layout.yaxis, figure.layout.yaxis2)):
        assert axis.range[1] >= max(np.add(shown[place].y, hidden[place].y))


def test_the_picture_of_hidden_cells_for_a_release_names_nothing_that_is_not_shown(table):
    g = kanon.generalize(table, 6, "cell-suppression")
    released = released_frame(table, g)
    figure = release_figure(table, g)
    for place, name in enumerate(table.quasi_identifiers):
        shown = bars(figure)[place]
        counts = released[name].value_counts().drop("*", errors="ignore")
        assert sorted(shown.y) == sorted(counts)
        assert len(shown.text) == len(counts) < len(table.domains[place])
    assert "99" not in figure.to_json()
    assert "<b>z" not in figure.to_json()


def test_the_selected_group_stands_out_among_cells(table):
    g = kanon.generalize(table, 6, "cell-suppression")
    figure = columns_figure(table, g, 0)
    record = int(np.flatnonzero(g.assignment == 0)[0])
    for place, star in enumerate(g.details.stars[0]):
        texts = np.array(bars(figure)[2 * place].text)[np.array(bars(figure)[2 * place].marker.color) == ORANGE]
        value = table.domains[place][table.codes[record, place]]
        assert [text.split("</b>")[0] for text in texts] == ([] if star else [f"<b>{value}"])


def test_sizes_add_up_to_all(table, result):
    groups, records = sizes_figure(table, result).data
    assert np.isclose(sum(groups.x), 100)
    assert np.isclose(sum(records.x), 100)
    first = groups.y[0]
    assert first == f"{result.k}–{2 * result.k - 1}"
    share = 100 * (result.class_weights < 2 * result.k).mean()
    assert np.isclose(groups.x[0], share)


def test_curves_keep_their_rows_and_turn_logarithmic_when_long():
    rows = np.array([[0, 90, 10], [5, 60, 10], [5000, 50, 50]])
    best, bound = curve_figure(rows, "nodes", "Cost").data
    assert (list(best.x), list(best.y), list(bound.y)) == ([5, 5, 5000], [90, 60, 50], [10, 10, 50])
    assert curve_figure(rows, "nodes", "Cost").layout.xaxis.type == "log"
    assert curve_figure(rows[:2], "nodes", "Cost").layout.xaxis.type == "linear"
    assert len(curve_figure(np.zeros((0, 3)), "nodes", "Cost").data[0].x) == 0


def test_few_values_are_all_named_and_of_many_the_ends():
    frame = pd.DataFrame({"sex": list("fmfm") * 5, "age": range(20), "town": list("abcde") * 4, "one": ["x"] * 20})
    table = kanon.Table(frame, ["sex", "age", "town", "one"])
    figure = columns_figure(table, kanon.generalize(table, 5, "hill-climb"))
    axes = [figure.layout[f"xaxis{number}"] for number in ("", 2, 3, 4)]
    assert [axis.ticktext for axis in axes] == [("f", "m"), ("10",), (), ("x",)]
    ends = [(one.text, one.xanchor, one.xref) for one in figure.layout.annotations if not one.text.startswith("<b>")]
    assert ends == [
        ("0", "left", "x2 domain"),
        ("19", "right", "x2 domain"),
        ("a", "left", "x3 domain"),
        ("e", "right", "x3 domain"),
    ]


def test_long_names_of_three_values_are_named_at_the_ends():
    frame = pd.DataFrame({"kind": ["measles", "flu", "pneumonia"] * 5})
    table = kanon.Table(frame, ["kind"])
    figure = columns_figure(table, kanon.generalize(table, 5, "hill-climb"))
    assert figure.layout.xaxis.ticktext == ()
    assert [one.text for one in figure.layout.annotations][1:] == ["flu", "pneum…"]


def test_a_narrow_picture_keeps_titles_bars_and_lines_alone():
    frame = pd.DataFrame({"kind": list("abcdef") * 5})
    table = kanon.Table(frame, ["kind"])
    g = kanon.generalize(table, 5, "hill-climb")
    wide, narrow = columns_figure(table, g), columns_figure(table, g, narrow=True)
    assert [one.text[:3] for one in narrow.layout.annotations] == ["<b>"]
    assert len(wide.layout.annotations) > 1
    assert narrow.layout.xaxis.showticklabels is narrow.layout.yaxis.showticklabels is False
    assert len(narrow.data) == len(wide.data)
