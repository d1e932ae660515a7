"""A family is a module, its verifier and a line in the registry: this one is made here, and nothing else names it."""

import io
import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.cli import main
from kanon_engine.model.comparison import compare
from kanon_engine.model.known import FAMILIES, family_of
from kanon_engine.model.objective import Bound, OwnCost
from kanon_engine.plot import class_sizes_figure, what_if_figure
from kanon_engine.registry import add_family
from kanon_engine.release.publication import outputs, release_picture
from kanon_engine.verification.core import Check, bound_check
from pages._shared.result import headline
from pages._shared.stage import Pair, difference
from tests import corruption
from tests.app.visit import open_app, run, run_once
from tests.cli.command import kanon as command
from tests.cli.command import refused
from tests.sentences import (
    CERTIFICATE_JSON,
    CHOOSE_A_FILE,
    CLICK_A_POINT,
    CROSSWALK_CSV,
    FEWER_THAN_K,
    GROUPS_CSV,
    PICTURE_HTML,
    THE_SMALLEST_HOLDS,
)
from tests.toy import verifier
from tests.toy.numbers import FAMILY, Runs, read_numbers, runs

VALUES = [(place * 37) % 101 for place in range(23)]
CSV = "\n".join(["name,age", *(f"n{place},{value}" for place, value in enumerate(VALUES))]).encode()


@pytest.fixture(autouse=True)
def toys():
    add_family(FAMILY)
    yield
    del FAMILIES["toys"]


@pytest.fixture
def numbers():
    return read_numbers(CSV)


def test_it_is_read_generalized_and_verified(numbers):
    assert family_of(numbers) is FAMILY
    g = kanon.generalize(numbers, 5)
    assert (g.family, g.algorithm, g.classes, g.cost, g.lower_bound, g.status) == ("toys", "runs", 4, 6, 6, "optimal")
    means = [np.array(VALUES)[g.assignment == number].mean() for number in range(4)]
    assert means == sorted(means)
    certificate = kanon.verify(numbers, g)
    assert {"runs", "bound witness", "cost", "digest"} <= {check.name for check in certificate.checks}
    assert corruption.refused(numbers, g, details=Runs(np.array([0, 5, 11, 16]))) == "runs"
    assert corruption.refused(numbers, g, guarantee=10) == "guarantee formula"
    assert corruption.refused(numbers, g, bound_name="average group") == "bound witness"
    with pytest.raises(kanon.Infeasible, match=f"23 records, {FEWER_THAN_K} 24"):
        kanon.generalize(numbers, 24)


def test_it_is_swept(numbers):
    table = kanon.sweep(numbers, [2, 5, 99], {"even": ("runs", {}), "rest": ("runs", {"even": False})})
    assert table["cost"].tolist() == [3, 6, pd.NA, 3, 8, pd.NA]
    assert table["status"].tolist() == ["optimal", "optimal", "infeasible", "optimal", "feasible", "infeasible"]


def test_its_certificate_is_read_back(numbers):
    g = kanon.generalize(numbers, 5)
    back = kanon.Generalization.from_json(g.to_json())
    assert back.digest == g.digest
    assert isinstance(back.details, Runs)
    assert kanon.verify(numbers, back).proof == "checked"
    del FAMILIES["toys"]
    with pytest.raises(kanon.InvalidInput, match="an object of type 'Runs', which kanon does not know"):
        kanon.Generalization.from_json(g.to_json())
    add_family(FAMILY)


def test_it_has_its_files(numbers):
    g = kanon.generalize(numbers, 5)
    files = {output.ending: output for output in outputs(numbers, g)}
    assert set(files) >= {"groups.csv", "crosswalk.csv", "certificate.json", "picture.html"}
    assert {ending for ending, output in files.items() if output.publishable} == {
        "groups.csv",
        "groups.parquet",
        "groups.xlsx",
    }
    assert pd.read_csv(io.BytesIO(files["groups.csv"].make()))["items"].sum() == 23
    assert pd.read_csv(io.BytesIO(files["crosswalk.csv"].make()))["group"].tolist() == (g.assignment + 1).tolist()
    assert len(release_picture(numbers, g).data[0].x) == 23
    bare = replace(FAMILY, release=None)
    FAMILIES["toys"] = bare
    assert [output.ending for output in outputs(numbers, g)] == ["crosswalk.csv", "certificate.json"]


def test_it_is_run_by_the_command_line(tmp_path):
    data, certificate, out = tmp_path / "people.csv", tmp_path / "c.json", tmp_path / "groups.csv"
    data.write_bytes(CSV)
    done = command("toys", data, "-k", 3, "--column", "age", "--no-even", "--certificate", certificate, "--out", out)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert "data            23 numbers, 23 records" in lines
    assert "lower bound     4 records: no more runs fit, and the largest is at least their average" in lines
    assert pd.read_csv(out)["group"].nunique() == 7
    assert command("verify", certificate, data).stdout.rstrip().endswith("7 groups of at least 3 records.")
    other = refused(command("verify", certificate, data, "--counts", data))
    assert other == "This certificate is for numbers, which do not need --counts; leave it out."
    content = json.loads(certificate.read_text())
    content["reading"]["mapping"]["islands"] = "attach"
    certificate.write_text(json.dumps(content))
    refusal = refused(command("verify", certificate, data))
    assert "has the settings islands, which read_numbers does not accept" in refusal
    swept = command("sweep", "toys", data, "--ks", "3,5", "--algorithms", "runs,runs:even=false", "--format", "json")
    assert [row["cost"] for row in json.loads(swept.stdout)] == [4, 6, 5, 8]
    assert "kanon toys --algorithm runs, the default" in command("algorithms", "toys").stdout
    assert "Group numbers, at least k" in " ".join(command("--help").stdout.split())


def page():
    from pages._shared.plain import show_page
    from tests.toy.numbers import FAMILY

    show_page(FAMILY)


def said(app):
    return " ".join(element.value for element in [*app.markdown, *app.caption])


@pytest.mark.thorough
def test_it_is_shown_by_a_page_without_parts_of_its_own(numbers):
    assert "toys" in {link.proto.page for link in run_once(open_app()).page_link}
    app = AppTest.from_function(page, default_timeout=120)
    app.session_state["_entered"] = True
    run(app)
    assert f"{CHOOSE_A_FILE}." in app.info[0].value
    app.file_uploader(key="toys_upload").set_value(("people.csv", CSV, "text/csv"))
    run(app)
    app.session_state["toys_k"], app.session_state["toys_k_chosen"] = 5, True
    run(app)
    g = kanon.generalize(numbers, 5)
    assert f"4 groups. {THE_SMALLEST_HOLDS} 5 records, the largest 6 (1.20 × k). No grouping makes the largest" in said(
        app
    )
    assert "The lower bound is 6: no more runs fit, and the largest is at least their average." in said(app)
    assert "**Guarantee**: at most 9." in said(app)
    app.session_state["toys_tab"] = "Groups"
    run(app)
    table = next(shown.value for shown in app.dataframe if "Group" in shown.value)
    assert table["Numbers"].tolist() == np.bincount(g.assignment).tolist()
    for tab, words in (("What if", f"{CLICK_A_POINT}."), ("How it works", "Cuts the line.")):
        app.session_state["toys_tab"] = tab
        run(app)
        assert words in said(app)
    app.session_state["toys_tab"] = "Publish"
    run(app)
    labels = [button.label for button in app.get("download_button")]
    assert {GROUPS_CSV, CROSSWALK_CSV, CERTIFICATE_JSON, PICTURE_HTML} <= set(labels)
    widget = next(one for one in app.selectbox if one.label == "Column")
    widget.set_value("name")
    run(app)
    assert "Column name of people.csv holds what is no whole number" in app.error[0].value


@pytest.fixture
def spread():
    """The toys with a cost of their own: how far the values of a run are apart, summed, of which the bound is 1."""
    bounds = {"apart": lambda witness: 1 if witness == [] else None}

    def width(values, assignment):
        return sum(int(np.ptp(values[assignment == one])) for one in range(int(assignment.max()) + 1))

    def narrow(numbers, k, run, *, even):
        outcome = runs(numbers, k, run, even=even)
        return replace(outcome, guarantee=None, bound=Bound(1, "apart"), cost=width(numbers.values, outcome.assignment))

    def checks(instance, g):
        yield bound_check(g, bounds)
        cost = width(instance.parts["values"].column, g.assignment.column)
        yield Check("cost", g.cost == cost, "the values were compared again.")

    algorithm = replace(FAMILY.algorithms["runs"], function=narrow)
    FAMILIES["toys"] = replace(
        FAMILY,
        algorithms={"runs": algorithm},
        verifier=SimpleNamespace(**vars(verifier) | {"LARGEST_CLASS": False, "BOUNDS": bounds, "checks": checks}),
        lower_bound=None,
        bounds={"apart": "two values differ"},
        objective=lambda algorithm, options: OwnCost("width of the values"),
        picture=None,
    )
    return FAMILIES["toys"]


def test_a_cost_of_its_own_is_told_as_what_it_is(spread, numbers):
    g = kanon.generalize(numbers, 5)
    assert g.cost > g.class_weights.max() == 6
    words = headline(g, "records", "checked")
    assert f"the largest 6 (1.20 × k). The cost (width of the values) is {g.cost}. No grouping can do better" in words
    sizes = class_sizes_figure(numbers, replace(g, lower_bound=40))
    assert [trace.name for trace in sizes.data] == ["groups", "k: 5"]
    assert max(sizes.data[0].x) <= 7
    objective = spread.objective(g.algorithm, g.options)
    table = kanon.sweep(numbers, [3, 5])
    floors = [
        len(what_if_figure(table, quantity, 5, "records", objective).data) for quantity in ("cost", "overfull_ratio")
    ]
    assert floors == [3, 2]
    other = kanon.generalize(numbers, 3)
    pair = Pair(numbers, (other, g), ("", ""), compare(other, g, numbers.weights))
    assert f"; width of the values {other.cost} → {g.cost}; " in difference(pair)


def test_a_cost_that_nobody_works_out_again_passes_no_verification(spread, numbers):
    g = kanon.generalize(numbers, 5)
    assert kanon.verify(numbers, g).proof == "checked"
    with pytest.raises(kanon.CertificateError, match="“cost” failed: the values"):
        kanon.verify(numbers, replace(g, cost=g.cost + 1).sealed())
    silent = SimpleNamespace(**vars(spread.verifier) | {"checks": lambda instance, g: iter(())})
    FAMILIES["toys"] = replace(spread, verifier=silent)
    with pytest.raises(kanon.CertificateError, match="“cost” failed: no check of toys recomputes the cost"):
        kanon.verify(numbers, g)
    FAMILIES["toys"] = replace(FAMILY, objective=spread.objective)
    with pytest.raises(kanon.CertificateError, match="the algorithm does not report the cost"):
        kanon.generalize(numbers, 5)


def test_no_two_families_are_called_the_same():
    with pytest.raises(
        kanon.InvalidInput, match="The family toys already uses these names: Numbers, Runs, command toys"
    ):
        add_family(FAMILY)
    other = replace(FAMILY, name="others", instance=Runs, records=(), reader=replace(FAMILY.reader, command="labels"))
    with pytest.raises(kanon.InvalidInput, match="The family labels already uses these names: command labels"):
        add_family(other)
    assert "others" not in FAMILIES


def test_a_program_that_added_a_family_has_its_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["kanon", "toys", "--help"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert "Column of the numbers." in capsys.readouterr().out
