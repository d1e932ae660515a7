"""What rests on a search's word: told apart from what was recomputed, and repeated when asked."""

import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.labels.instance import BinDetails
from kanon_engine.model.known import FAMILIES
from kanon_engine.tables.instance import IntervalDetails
from pages._shared.result import headline
from pages._tables.result import small_print
from tests.cli.command import kanon as command
from tests.corruption import failed
from tests.regions.graphs import grid
from tests.sentences import AMONG_SUCH_CUTS, NO_GROUPING_BY_CUTS, PROVEN_BEST_POSSIBLE, REPORTED_BY_THE_SOLVER

K = 1500
NOT_CHECKED = f"({REPORTED_BY_THE_SOLVER}, not re-checked)"


@pytest.fixture(autouse=True)
def nobody_looks_at_all_solutions(monkeypatch):
    """What is small enough for that here stands for what is not, or for what takes a check too many steps."""
    monkeypatch.setattr("kanon_engine.labels.cover.CHECKED_STEPS", 0)
    for family in FAMILIES.values():
        monkeypatch.setattr(family.verifier, "better_exists", lambda instance, g: None)


def labels():
    return kanon.Labels(range(20), np.random.default_rng(1).integers(100, 1000, 20))


def relabeled(instance, g, **details):
    """Another algorithm's result as an optimum on the word of the family's exact search."""
    algorithm = "k-optimize" if g.family == "tables" else "exact"
    options = next(one for one in kanon.algorithms(g.family) if one.name == algorithm).checked_options({})
    claims = {
        "bound_name": "search tree" if g.family == "tables" else "exact search",
        "bound_kind": "solver",
        "bound_witness": (),
    }
    claims |= {"algorithm": algorithm, "options": options, "lower_bound": g.cost, "status": "optimal"}
    return replace(g, details=replace(g.details, **details), **claims).sealed()


def fold_as_exact():
    instance = labels()
    g = kanon.generalize(instance, K, "fold")
    order = np.concatenate([np.flatnonzero(g.assignment == number) for number in range(g.classes)]).astype(np.int32)
    details = BinDetails(order, g.k, "the best packing found by the solver CP-SAT")
    return instance, relabeled(instance, replace(g, details=details, guarantee=None))


def tree_split_as_exact():
    weights = np.random.default_rng(5).integers(10, 99, 36)
    instance = kanon.Regions(range(36), weights, grid(6, 6))
    g = kanon.generalize(instance, 220, "tree-split")
    return instance, relabeled(instance, replace(g, guarantee=None), theorem="")


def kd_tree_as_exact():
    rng = np.random.default_rng(5)
    instance = kanon.Points(rng.integers(0, 1000, (25, 2)), rng.integers(1, 99, 25))
    return instance, relabeled(instance, kanon.generalize(instance, 200, "kd-tree"), cut="exact")


def hill_climb_as_k_optimize():
    rng = np.random.default_rng(0)
    instance = kanon.Table(pd.DataFrame({name: rng.integers(0, 7, 80) for name in "abc"}), ["a", "b", "c"])
    g = kanon.generalize(instance, 8, "hill-climb", restarts=0)
    curve = np.array([[7, g.cost, g.cost]])
    return instance, relabeled(instance, g, curve=curve, nodes=7)


FORGED = [fold_as_exact, tree_split_as_exact, kd_tree_as_exact, hill_climb_as_k_optimize]


@pytest.mark.parametrize("forge", FORGED)
def test_a_relabeled_result_is_a_searchs_word_and_does_not_survive_the_search(forge):
    instance, g = forge()
    assert kanon.verify(instance, g).proof == "solver"
    with pytest.raises(kanon.CertificateError) as caught:
        kanon.verify(instance, g, rerun=True)
    assert caught.value.check == "search repeated"


def solved():
    instance = labels()
    g = kanon.generalize(instance, K, "exact")
    assert (g.bound_kind, g.status) == ("solver", "optimal")
    return instance, g


def test_a_true_word_survives_the_search_and_stays_a_word():
    instance, g = solved()
    assert kanon.verify(instance, g).proof == "solver"
    certificate = kanon.verify(instance, g, rerun=True)
    assert certificate.proof == "solver"
    assert certificate.checks[-1].name == "search repeated"
    assert f"proves the bound {g.lower_bound:,}" in certificate.checks[-1].detail


def test_a_stopped_run_says_that_it_cannot_be_repeated():
    instance, g = solved()
    claim = replace(g, lower_bound=g.lower_bound - 1, status="stopped").sealed()
    assert kanon.verify(instance, claim).proof == "solver"
    with pytest.raises(kanon.CertificateError, match="cannot be repeated"):
        kanon.verify(instance, claim, rerun=True)


def test_a_recomputed_witness_needs_no_search(monkeypatch):
    instance = labels()
    g = kanon.generalize(instance, K, "fold")
    monkeypatch.setattr(sys.modules["kanon_engine.generalize"], "generalize", None)
    assert kanon.verify(instance, g, rerun=True).proof == "checked"


def test_a_search_that_cannot_be_made_again_is_told(monkeypatch):
    def refuses(*args, **options):
        raise kanon.InvalidInput("This file is too large now.")

    instance, g = hill_climb_as_k_optimize()
    monkeypatch.setattr(sys.modules["kanon_engine.generalize"], "generalize", refuses)
    with pytest.raises(kanon.CertificateError, match="cannot be repeated .This file is too large now"):
        kanon.verify(instance, g, rerun=True)


def test_the_sentence_says_whose_word_it_is():
    instance, g = solved()
    assert "proven" not in headline(g, instance.unit, "solver")
    assert headline(g, instance.unit, "solver").endswith(f"largest group smaller: best possible {NOT_CHECKED}.")
    assert headline(g, instance.unit, "checked").endswith(f"largest group smaller: {PROVEN_BEST_POSSIBLE}.")
    below = replace(g, lower_bound=g.lower_bound - 1, status="feasible")
    assert headline(below, instance.unit, "solver").endswith(f"of the best possible {NOT_CHECKED}.")


def test_a_tables_sentence_says_against_what():
    table, g = hill_climb_as_k_optimize()
    assert isinstance(g.details, IntervalDetails)
    words = small_print(table, g, "solver")
    assert words.endswith(f"{NO_GROUPING_BY_CUTS} costs less: best possible {NOT_CHECKED} {AMONG_SUCH_CUTS}.")
    words = small_print(table, replace(g, lower_bound=g.cost - 1, status="feasible"), "checked")
    assert f"{NO_GROUPING_BY_CUTS} loses less than 45.7 %; this result is within" in words
    assert words.endswith(f"of the best possible {AMONG_SUCH_CUTS}.")


def test_the_command_line_says_whose_word_it_is(tmp_path):
    instance, g = solved()
    data, certificate = tmp_path / "labels.csv", tmp_path / "certificate.json"
    lines = [f"{name},{count}" for name, count in zip(instance.names, instance.counts, strict=True)]
    data.write_text("name,count\n" + "\n".join(lines) + "\n", "utf-8")
    asked = ["labels", data, "-k", g.k, "--algorithm", "exact"]
    made = command(*asked, "--certificate", certificate)
    assert f"best possible {NOT_CHECKED}" in made.stdout
    assert json.loads(command(*asked, "--format", "json").stdout)["proof"] == "solver"
    assert f"is {REPORTED_BY_THE_SOLVER}" in command("verify", certificate, data).stdout
    told = json.loads(command("verify", certificate, data, "--rerun", "--format", "json").stdout)
    assert (told["proof"], told["checks"][-1]["name"]) == ("solver", "search repeated")


def test_a_forged_certificate_is_refused_on_the_command_line(tmp_path):
    instance, g = fold_as_exact()
    assert failed(instance, replace(g, lower_bound=g.cost + 1).sealed()) == "lower bound"
    data, certificate = tmp_path / "labels.csv", tmp_path / "certificate.json"
    lines = [f"{name},{count}" for name, count in zip(instance.names, instance.counts, strict=True)]
    data.write_text("name,count\n" + "\n".join(lines) + "\n", "utf-8")
    read = kanon.read_labels(data)
    forged = replace(g, instance_digest=read.digest, reading=read.reading).sealed()
    certificate.write_text(forged.to_json(), "utf-8")
    assert command("verify", certificate, data).exit_code == 0
    result = command("verify", certificate, data, "--rerun")
    assert result.exit_code == 1
    assert "search repeated" in result.output
