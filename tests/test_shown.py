"""Public records in a terminal and a notebook: short, and with nothing of a file that either would obey."""

import dataclasses
import re

import geopandas
import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from tests.sentences import NOT_K_ANONYMOUS

EVIL = "<script>alert(1)</script>\x1b[31m\n"


def evil_records():
    """One of each kind, with names, units and columns of a file that means harm."""
    line = [(i, i + 1) for i in range(299)]
    ids = [f"{EVIL}{i}" for i in range(300)]
    labels = kanon.Labels(ids, range(1, 301), unit=EVIL)
    regions = kanon.Regions(ids, [1] * 300, line, unit=EVIL)
    frame = pd.DataFrame({f"{EVIL}{i}": [1, 1, 2, 2] for i in range(30)})
    table = kanon.Table(frame, list(frame.columns), unit=EVIL)
    g = kanon.generalize(labels, 500, "fold")
    kept = kanon.Table(frame.assign(**{EVIL: [EVIL, "b", "c", "c"]}), [f"{EVIL}0"])
    audit = kanon.audit(kept, kanon.generalize(kept, 2), [EVIL])
    certificate = kanon.verify(labels, g)
    people = pd.DataFrame({EVIL: ids, f"{EVIL}ill": [EVIL] * 300})
    own = kanon.apply(labels, g, people, EVIL, sensitive=[f"{EVIL}ill"])
    return [
        labels, regions, table, kanon.Points(np.arange(600).reshape(300, 2), unit=EVIL), g,
        kanon.MetricSpace(frame, names=[f"{EVIL}{i}" for i in range(30)], unit=EVIL), certificate,
        *certificate.checks, kanon.intersect(labels, g, g), kanon.Minimum(EVIL, 3), kanon.Progress(0.5, 3, 2, EVIL),
        kanon.Diversity(EVIL, 3), kanon.Closeness(EVIL, 0.5),
        *kanon.algorithms(), *(option for one in kanon.algorithms() for option in one.options),
        kanon.Tree.from_levels([(f"{EVIL}{i}", EVIL) for i in range(30)]),
        kanon.Remedy(EVIL, EVIL, EVIL), audit, *audit.findings, *audit.findings[0].remedy,
        kanon.utility(table, kanon.generalize(table, 2, "cell-suppression")),
        own,
    ]  # fmt: skip


def test_every_record_is_short_and_obeyed_by_nothing():
    records = evil_records()
    for record in records:
        page = record._repr_html_()
        assert re.fullmatch(r"<table><caption>\w+</caption>(<tr><th>[^<>]*</th><td>[^<>]*</td></tr>)+</table>", page)
        assert len(page) < 1_500
        assert "\x1b" not in page + repr(record)
        assert len(repr(record).splitlines()) == 1
        assert len(repr(record)) < 600 or isinstance(record, kanon.Check | kanon.Setting)  # their own words
    public = {getattr(kanon, name) for name in kanon.__all__ if dataclasses.is_dataclass(getattr(kanon, name))}
    assert public <= {type(record) for record in records}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (kanon.Labels("abc", [5, 4, 1]), "<Labels: labels 3, records 10>"),
        (kanon.Table(pd.DataFrame({"age": [1, 2], "sex": ["f", "m"]}), ["age", "sex"]),
         "<Table: records 2, quasi-identifiers age, sex, class label none>"),
        (kanon.generalize(kanon.Labels("abc", [5, 4, 1]), 5, "fold"),
         "<Generalization: family labels, algorithm fold, k 5, groups 2, cost 5, lower bound 5, status optimal>"),
    ],
)  # fmt: skip
def test_what_is_worth_knowing_is_said(record, words):
    assert repr(record) == words


def people():
    ages, sexes = [31, 34, 36, 52, 55, 58], list("fmfmfm")
    illness = ["flu", "gout", "flu", "mumps", "gout", "flu"]
    return pd.DataFrame({"name": list("uvwxyz"), "age": ages, "sex": sexes, "illness": illness})


def test_a_release_of_a_table_holds_what_was_named_alone():
    table = kanon.read_table(people(), ["age"], keep=["illness"], identifiers=["name"])
    g = kanon.generalize(table, 3, "k-optimize")
    assert list(kanon.release(table, g).columns) == ["age", "illness"]
    table = kanon.Table(people(), ["age"])
    g = kanon.generalize(table, 3, "k-optimize")
    assert list(kanon.release(table, g).columns) == ["age"]
    frame = kanon.release(table, g, ["sex", "illness"])
    assert list(frame.columns) == ["age", "sex", "illness"]
    assert frame.groupby("age").size().tolist() == [3, 3]
    with pytest.raises(kanon.InvalidInput, match="is a quasi-identifier, so it is generalized in the release"):
        kanon.release(table, g, ["age"])
    other = kanon.Table(people().assign(age=[1, 2, 3, 4, 5, 6]), ["age"])
    with pytest.raises(kanon.CertificateError):
        kanon.release(other, g)
    with pytest.raises(kanon.CertificateError):
        kanon.release(table, dataclasses.replace(g, k=2))


def test_shapes_leave_with_exact_borders_only_where_codes_are_public():
    corners = np.array([[0.03, 0.04], [1.03, 0.04], [2.03, 0.04], [3.03, 0.04]])
    squares = geopandas.GeoSeries(geopandas.points_from_xy(*corners.T).buffer(0.5, cap_style="square"))
    line = kanon.Regions("abcd", [5, 5, 5, 5], [(0, 1), (1, 2), (2, 3)], squares)
    g = kanon.generalize(line, 10, "tree-split")
    exact, coarse = kanon.release(line, g, codes_are_public=True), kanon.release(line, g)
    assert exact.weight.tolist() == coarse.weight.tolist() == [10, 10]
    assert exact.union_all().equals(squares.union_all())
    assert not {*exact.get_coordinates().x} & {*coarse.get_coordinates().x}
    assert not set("abcd") & {*exact.astype(str).drop(columns="geometry").to_numpy().ravel()}
    plain = kanon.Regions("abcd", [5, 5, 5, 5], [(0, 1), (1, 2), (2, 3)])
    assert type(kanon.release(plain, kanon.generalize(plain, 10, "tree-split"))) is pd.DataFrame
    with pytest.raises(kanon.InvalidInput, match="No column of areas can be kept"):
        kanon.release(line, g, ["weight"])


def test_rectangles_leave_where_they_were_made_on_a_grid():
    points = kanon.Points(np.random.default_rng(1).random((60, 2)))
    with pytest.raises(kanon.InvalidInput, match=r"may not be released: without a grid.*snap=0\.01"):
        kanon.release(points, kanon.generalize(points, 10, "kd-tree"))
    g = kanon.generalize(points, 10, "kd-tree", snap=0.1)
    frame = kanon.release(points, g)
    assert len(frame) == g.classes
    assert np.allclose(frame.xmin * 10, (frame.xmin * 10).round())
    labels = kanon.Labels("abc", [5, 4, 1])
    assert kanon.release(labels, kanon.generalize(labels, 5, "fold")).weight.tolist() == [5, 5]
    with pytest.raises(kanon.InvalidInput, match=NOT_K_ANONYMOUS):
        kanon.release(labels, kanon.generalize(labels, 5, "relaxed-scheme"))
