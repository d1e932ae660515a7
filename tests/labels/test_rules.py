"""Rules from files, text and lists, and how a certificate keeps them."""

import json

import pytest

import kanon_engine as kanon
from kanon_engine.labels.read import with_rules
from kanon_engine.model.wishes import KEPT

DATA = b"label,count\nflu,50\ncold,40\ngout,30\nmumps,20\nrash,10\n"
LABELS = kanon.read_labels(DATA)


@pytest.mark.parametrize("sets", [b"flu, cold\n\ngout,mumps,rash\n", [["flu", "cold"], ("gout", "mumps", "rash")]])
def test_a_set_a_line(sets, tmp_path):
    expected = (("flu", "cold"), ("gout", "mumps", "rash"))
    assert kanon.read_labels(DATA, together=sets).together == expected
    labels = kanon.read_labels(DATA, apart=sets)
    assert labels.apart == expected
    assert "2 sets of labels have each member in a different group." in labels.notes
    if isinstance(sets, bytes):
        (tmp_path / "sets.csv").write_bytes(sets)
        for path in (tmp_path / "sets.csv", str(tmp_path / "sets.csv")):
            assert kanon.read_labels(DATA, together=path).together == expected


def test_quoted_names_may_hold_commas():
    data = b'label,count\n"Smith, A",5\n"Smith, B",4\nJones,6\n'
    labels = kanon.read_labels(data, together=b'"Smith, A", "Smith, B"\n')
    assert labels.items.counts.tolist() == [9, 6]


def test_none_leaves_a_rule_and_empty_takes_it_away():
    labels = with_rules(LABELS, together=[("flu", "cold")], class_names="largest")
    assert with_rules(labels, apart=[("gout", "rash")]).together == labels.together
    assert with_rules(labels, together=[]).together == ()
    assert with_rules(LABELS) is LABELS


@pytest.mark.parametrize(("value", "names"), [("A, B,C", ("A", "B", "C")), ("largest", "largest"), (["A"], ("A",))])
def test_class_names_as_text(value, names):
    assert with_rules(LABELS, class_names=value).class_names == names


def test_what_was_read_can_be_read_again():
    labels = kanon.read_labels(DATA, together=[("flu", "cold")], apart=[("flu", "gout")], class_names="A,B")
    g = kanon.Generalization.from_json(kanon.generalize(labels, 50).to_json())
    settings = {name: value for name, value in g.reading.items() if name != "reader"}
    again = kanon.read_labels(DATA, **settings)
    assert again.digest == labels.digest != LABELS.digest
    kanon.verify(again, g)
    with pytest.raises(kanon.CertificateError, match="instance"):
        kanon.verify(LABELS, g)
    assert "together" in json.dumps(g.to_json())


def test_unknown_labels_are_named():
    with pytest.raises(kanon.InvalidInput, match=f"Set 2 of the labels {KEPT['apart']} lists ague"):
        kanon.read_labels(DATA, apart=b"flu,cold\nflu,ague\n")
