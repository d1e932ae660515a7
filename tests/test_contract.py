"""Every registered algorithm on suitable instances: certified, repeatable, input unchanged, stoppable."""

import ast
import json
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import verification
from kanon_engine.cli.compile import INSTANCES
from kanon_engine.io.answers import answer_of, value_of
from kanon_engine.model.algorithm import Lazy
from kanon_engine.model.known import FAMILIES
from kanon_engine.report.members import instance_text
from kanon_engine.verification import core
from tests import compiled
from tests.regions.graphs import grid

FOLDER = Path(__file__).parents[1] / "sample_data"


def samples(family):
    """Small instances with values of k; every algorithm runs three times on each, and exact searches are among them."""
    rng = np.random.default_rng(7)
    if family == "regions":
        yield kanon.Regions(range(42), rng.integers(0, 30, 42), grid(6, 7)), (1, 50, 200)
        yield kanon.Regions(["only"], [9], []), (9,)
    if family == "rectangles":
        yield kanon.Points(rng.integers(0, 8, (60, 2)), rng.integers(1, 9, 60)), (1, 20, 100)
        yield kanon.Points([[1.0, 2.0]], [9]), (9,)
    if family == "tables":
        columns = {"a": rng.integers(0, 6, 40), "b": rng.integers(0, 3, 40), "c": rng.integers(0, 2, 40)}
        frame = pd.DataFrame(columns | {"label": rng.integers(0, 2, 40)})
        yield kanon.Table(frame, ["a", "b", "c"], "label"), (1, 3, 12)
        yield kanon.Table(pd.DataFrame({"a": [None]}), ["a"]), (1,)
    if family == "labels":
        yield kanon.Labels([f"name {i}" for i in range(30)], rng.integers(1, 60, 30)), (1, 60, 300)
        yield kanon.Labels(["only"], [9]), (9,)
    if family == "clusters":
        yield kanon.MetricSpace(rng.integers(0, 9, (40, 2))), (1, 3, 12)
        yield kanon.MetricSpace([[1.0, 2.0]] * 3), (3,)


CASES = [
    pytest.param(algorithm, instance, k, id=f"{algorithm.family}-{algorithm.name}-{len(instance)}-{k}")
    for algorithm in kanon.algorithms()
    for instance, ks in samples(algorithm.family)
    for k in ks
]
SAMPLES = json.loads((FOLDER / "catalog.json").read_text())
QUICK = {"st-louis-homicides", "carshare", "adult-occupation", "figure-1"}  # where no search is long
NEED_MEANS = {"mdav", "v-mdav"}
ALSO_QUICK = {("k-optimize", "adult-coarse"), ("gather", "car-sharing")}
REAL_CASES = [
    pytest.param(
        algorithm,
        sample,
        id=f"{algorithm.name}-{sample['key']}",
        marks=[] if sample["key"] in QUICK or (algorithm.name, sample["key"]) in ALSO_QUICK else [pytest.mark.thorough],
    )
    for sample in SAMPLES
    for algorithm in kanon.algorithms(sample["family"])
    if algorithm.max_items is None
    if algorithm.name not in NEED_MEANS or sample["options"]["metric"] == "euclidean"
]


def test_a_plain_run_has_a_sample_of_each_family():
    plain = {case.values[1]["family"] for case in REAL_CASES if not case.marks}
    assert plain == {sample["family"] for sample in SAMPLES} == set(FAMILIES)


def test_every_family_is_compiled_beforehand():
    assert set(INSTANCES) == set(FAMILIES)


def test_every_algorithm_has_a_case():
    assert {(case.values[0].family, case.values[0].name) for case in CASES} == {
        (algorithm.family, algorithm.name) for algorithm in kanon.algorithms()
    }


@cache
def real(key):
    sample = next(sample for sample in SAMPLES if sample["key"] == key)
    return FAMILIES[sample["family"]].reader.function(FOLDER / sample["file"], **sample["options"])


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(("algorithm", "sample"), REAL_CASES)
def test_contract_on_real_data(algorithm, sample, monkeypatch):
    """Long searches are cut short here, for each runs three times; of a table a plain run takes the first records."""
    monkeypatch.setattr(import_module("kanon_engine.tables.k_optimize"), "BUDGET", 1_000)
    options = {"effort": 0.05} if algorithm.name == "recombine" else {}
    instance = real(sample["key"])
    if isinstance(instance, kanon.Table) and not compiled.THOROUGH:
        instance = rebuilt(instance, records=2_000)
    check_contract(algorithm, instance, sample["k"], **options)


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(("algorithm", "instance", "k"), CASES)
def test_contract(algorithm, instance, k):
    check_contract(algorithm, instance, k)


@pytest.mark.thorough(one_in=6)
@pytest.mark.parametrize(("algorithm", "instance", "k"), CASES)
def test_contract_of_what_was_written_and_read_back(algorithm, instance, k):
    """The instance as a worker sends it, the result as JSON, and both as `python check` reads them."""
    head, body = answer_of(instance)
    back = value_of(json.loads(json.dumps(head)), memoryview(body))
    assert (type(back), back.digest) == (type(instance), instance.digest)
    check_contract(algorithm, back, k)
    g = kanon.generalize(instance, k, algorithm.name)
    again = kanon.Generalization.from_json(g.to_json())
    certificate = kanon.verify(back, again)
    assert certificate.checks == kanon.verify(instance, g).checks
    parts = core.read_instance(instance_text(back), verification.FAMILIES)
    verdict = core.verdict(parts, core.read_certificate(again.to_json()), verification.FAMILIES)
    assert (verdict.failed, verdict.proof) == (None, certificate.proof)


MOST_SHOWN = 3  # solutions of a search that goes on; each is verified
# These make the other classes smaller after a proof; tests of their own bound how long.
EVEN_OUT = {
    ("regions", "recombine"),
    ("regions", "exact"),
    ("rectangles", "exact"),
    ("clusters", "gather"),
    ("clusters", "exact"),
}


def assert_a_proof_ended_it(algorithm, reports):
    """Nothing is reported after the first cost that equals its bound."""
    proven = [report.best is not None and report.best == report.lower_bound for report in reports]
    if any(proven) and (algorithm.family, algorithm.name) not in EVEN_OUT:
        assert proven.index(True) == len(reports) - 1


def check_contract(algorithm, instance, k, **options):
    before, reports, shown = instance.digest, [], []

    def listen(report):
        reports.append(report)
        if report.solution is not None and len(shown) < MOST_SHOWN:
            shown.append(report.solution())

    first = kanon.generalize(instance, k, algorithm.name, seed=5, progress=listen, **options)
    assert_a_proof_ended_it(algorithm, reports)
    for g in shown:  # the best so far is a result like any other, and the end is no worse
        kanon.verify(instance, g)
        assert g.cost >= first.cost
    second = kanon.generalize(instance, k, algorithm.name, seed=5, **options)
    assert np.array_equal(first.assignment, second.assignment)
    least = first.details.threshold if "relaxed" in algorithm.claims else k
    assert first.cost == second.cost >= first.lower_bound
    own = FAMILIES[algorithm.family].lower_bound
    assert first.lower_bound >= (0 if own is None else own(instance, least).value)
    assert first.guarantee is None or first.cost <= first.guarantee
    assert rebuilt(instance).digest == before
    assert first.bound_name in FAMILIES[algorithm.family].bounds
    assert type(first.details) in FAMILIES[algorithm.family].records
    certificate = kanon.verify(instance, first)
    named = {check.name for check in certificate.checks}
    assert named >= {"partition", "feasibility", "cost", "digest"}
    assert "bound witness" in named or first.bound_kind == "solver"
    assert kanon.Generalization.from_json(first.to_json()).digest == first.digest
    stopped = kanon.generalize(instance, k, algorithm.name, seed=5, progress=lambda report: False, **options)
    assert stopped.cost >= first.lower_bound


@pytest.mark.parametrize(
    ("family", "name"),
    [("regions", "recombine"), ("rectangles", "balanced-kd-tree"), ("labels", "near-optimal"), ("tables", "hill-climb"),
     ("tables", "k-optimize"), ("clusters", "gather")],
)  # fmt: skip
def test_the_best_so_far_can_be_shown(family, name, monkeypatch):
    monkeypatch.setattr(import_module("kanon_engine.tables.k_optimize"), "BUDGET", 200)
    instance, ks = next(samples(family))
    if name == "k-optimize":  # which ends on small tables before it reports
        instance = rebuilt(real("adult-coarse"), records=1_000)
    shown = []

    def listen(report):
        if report.solution is not None:
            shown.append((report.best, report.solution()))
        return len(shown) < 3

    kanon.generalize(instance, ks[1], name, progress=listen)
    for cost, g in shown:
        assert (g.cost, g.algorithm) == (cost, name)
        kanon.verify(instance, g)
    assert shown


def rebuilt(instance, records=None):
    """The same instance (so many records of a table) from its arrays: what was written to them shows in the digest."""
    if records is None:
        return replace(instance)
    return replace(instance, frame=instance.frame.head(records), weights=instance.weights[:records])


@pytest.mark.parametrize("algorithm", kanon.algorithms(), ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_the_registry_describes_it(algorithm):
    for text in (algorithm.title, algorithm.summary, algorithm.guarantee, algorithm.source, algorithm.complexity):
        assert text
    for option in algorithm.options:
        assert option.help
        assert option.checked(option.default) == option.default


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_a_family_says_what_every_bound_that_its_code_names_argues(family):
    """A page shows the sentence; a bound without one would break it where a rare instance has that bound."""
    named = set()
    for path in (Path(kanon.__file__).parent / family.name).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Bound":
                names = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "name")]
                named |= {name.value for name in names if isinstance(name, ast.Constant)}
    assert named
    assert named <= set(family.bounds)
    assert all(family.bounds.values())


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_what_a_family_names_by_its_place_is_there(family):
    release, reader = family.release, family.reader
    named = [reader.function, *reader.also, reader.rehearsal, release.files, release.picture, release.pictured]
    named += [family.lower_bound, family.promise, family.picture]
    named += [parameter.parse for parameter in reader.parameters]
    for place in named:
        if isinstance(place, Lazy):
            assert callable(getattr(import_module(place.module), place.name)), place


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_a_family_knows_its_default_and_its_quick_algorithm(family):
    assert family.algorithm(None).name == family.default
    assert family.quick in family.algorithms
