"""The table of what a certificate checks: complete, as the docs show it, and true of every algorithm."""

from collections import defaultdict
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.labels.instance import BinDetails
from kanon_engine.model.known import FAMILIES
from kanon_engine.regions.instance import TreeDetails
from kanon_engine.tables.instance import BoxDetails, IntervalDetails
from kanon_engine.verification.checkable import CHECKED, PARTLY, RESULT, UNCHECKED
from kanon_engine.verification.core import STATUSES
from kanon_engine.verification.regions import THEOREMS
from tests.corruption import corrupted, passes, sealed
from tests.regions.graphs import grid

OWN = [(of, entries) for family in FAMILIES.values() for of, entries in family.verifier.CHECKABLE.items()]
ENTRIES = {  # of the fields of a result, of those of each record, of options
    (of, name): entry
    for of, entries in [("result", RESULT), *sorted(OWN, key=lambda own: own[0].islower())]
    for name, entry in entries.items()
}
DOC = Path(__file__).parents[1] / "docs" / "certificates.md"
ASKED = {
    "tree-split": [{}, {"tree": "random"}, {"tree": "degree-3"}],
    "recombine": [{"effort": 0.01}],
    "kd-tree": [{}, {"cut": "cyclic"}, {"snap": 2.0}],
    "balanced-kd-tree": [{}, {"snap": 0.5}],
    "exact": [{}, {"guillotine": False}],
    "fold": [{}, {"order": "random"}, {"order": "sorted"}],
    "spread": [{}, {"order": "random"}],
    "ordered": [{}, {"by": "number"}, {"by": "name"}],
    "k-optimize": [{}, {"metric": "LM", "weights": "a=2.0"}, {"metric": "CM", "suppression_limit": 2}],
    "mondrian": [{}, {"metric": "LM", "weights": "a=2.0"}, {"relaxed": True}],
    "local-cuts": [{"rounds": 30}, {"metric": "LM", "weights": "a=2.0", "rounds": 30}],
    "gather": [{}, {"centers": "input"}, {"centers": "means"}],
    "r-cellular": [{}, {"facility_cost": 0.5}],
    "gather-outliers": [{"epsilon": 0.2}],
    "center": [{"max_clusters": 2}],
    "center-outliers": [{"epsilon": 0.2, "max_clusters": 2}],
    "hill-climb": [{"restarts": 3}, {"metric": "LM", "weights": "a=2.0", "restarts": 3}],
}


def samples():
    rng = np.random.default_rng(4)
    octahedron = [(a, b) for a in range(6) for b in range(a) if (a, b) not in ((1, 0), (3, 2), (5, 4))]
    columns = {"a": rng.integers(0, 4, 20), "b": rng.integers(0, 3, 20), "c": rng.integers(0, 2, 20)}
    table = pd.DataFrame(columns | {"label": rng.integers(0, 2, 20)})
    return {
        "regions": [
            (kanon.Regions(range(6), [5, 3, 1, 4, 6, 2], octahedron), 7),
            (kanon.Regions(range(12), rng.integers(1, 9, 12), grid(3, 4)), 11),
            (kanon.Regions(range(12), [3] * 12, grid(3, 4), together=[(0, 1)], barriers=[(0, 1, 4), (11,)]), 7),
        ],
        "rectangles": [
            (kanon.Points(rng.integers(0, 7, (14, 2)), rng.integers(1, 5, 14)), 6),
            (kanon.Points([(i, j) for i in range(3) for j in range(3)], [1, 1, 1, 1, 2, 1, 1, 1, 1]), 2),
        ],
        "labels": [(kanon.Labels([11, 9, 30, 2, 100, 45, 7, 8], [5, 3, 1, 4, 6, 2, 9, 4]), 7)],
        "tables": [(kanon.Table(table, ["a", "b", "c"], "label"), 3)],
        "clusters": [
            (kanon.MetricSpace(rng.normal(size=(14, 2))), 3),
            (kanon.MetricSpace(table[["a", "b", "c"]], "gower"), 3),
        ],
    }


def made(algorithm):
    """Results of the algorithm with its instances; not those that it does not make of this instance."""
    for instance, k in samples()[algorithm.family]:
        for options in ASKED.get(algorithm.name, [{}]):
            known = {option.name for option in algorithm.options}
            if known.issuperset(options):
                try:
                    yield instance, kanon.generalize(instance, k, algorithm.name, seed=3, **options)
                except kanon.InvalidInput:
                    assert options == {"tree": "degree-3"} or algorithm.name in ("mdav", "v-mdav")


def other_values(option, value):
    """Proper values that the option does not have."""
    if option.kind == "choice":
        return [choice for choice in option.choices if choice != value]
    if option.kind == "flag":
        return [not value]
    if option.kind == "weights":
        return ["a=3.0"]
    near = [value - 1, value + 1, value / 2, value * 2, value * 0.9] if value is not None else [1, 3]
    least, most = option.minimum or 0, option.maximum or 10**9
    near = [one if option.kind == "number" else int(one) for one in near]
    return [option.checked(one) for one in near if least <= one <= most and one != value]


def option_place(algorithm, option):
    """Where the entry of an option is: under the algorithm's own name, or under the family's."""
    own = (f"{algorithm.family} {algorithm.name}", option)
    return own if own in ENTRIES else (algorithm.family, option)


def changes(algorithm, g):
    """(place of the entry, changed result, sealed again): every field, every field of the details, every option."""
    details = type(g.details).__name__
    for name, other in corrupted(g):
        if name not in ("options", "details", "digest"):
            yield ("result", name), sealed(other)
    for field in fields(g.details):
        inner = replace(g, details=replace(g.details))
        for name, other in corrupted(inner.details):
            if name == field.name:
                yield (details, name), sealed(replace(g, details=other))
    yield from together(g)
    for status in STATUSES:
        yield ("result", "status"), sealed(replace(g, status=status))
    for name in FAMILIES[g.family].algorithms:
        yield ("result", "algorithm"), sealed(replace(g, algorithm=name))
    for option in algorithm.options:
        for value in other_values(option, g.options[option.name]):
            changed = replace(g, options=dict(g.options) | {option.name: value})
            yield option_place(algorithm, option.name), sealed(changed)


def together(g):
    """What passes alone or with another change, so that it is no more than checked in part."""
    details = g.details
    if isinstance(details, TreeDetails):
        for words in ("", *THEOREMS):
            yield (type(details).__name__, "theorem"), sealed(replace(g, details=replace(details, theorem=words)))
    if isinstance(details, BinDetails):
        order = np.concatenate([np.flatnonzero(g.assignment == number)[::-1] for number in range(g.classes)])
        yield ("BinDetails", "order"), sealed(replace(g, details=replace(details, order=order.astype(np.int32))))
    if isinstance(details, IntervalDetails):
        curve = details.curve.copy()
        curve[-1, 0] += 1
        longer = replace(details, nodes=details.nodes + 1, curve=curve)
        yield ("IntervalDetails", "nodes"), sealed(replace(g, details=longer))
        yield ("IntervalDetails", "curve"), sealed(replace(g, details=longer))
    if isinstance(details, BoxDetails) and details.rounds:
        curve = details.curve.copy()
        curve[-1, 0] -= 1
        shorter = replace(details, rounds=details.rounds - 1, curve=curve)
        yield ("BoxDetails", "rounds"), sealed(replace(g, details=shorter))
        yield ("BoxDetails", "curve"), sealed(replace(g, details=shorter))
    if g.algorithm == "kd-tree":
        options = dict(g.options) | {"cut": "longest-side"}
        other = replace(g, options=options, details=replace(details, cut="longest-side"))
        yield ("rectangles", "cut"), sealed(other)


def weaker(g, other):
    """A word that claims less: it is still true."""
    return other.bound_kind == "solver" and other.lower_bound < g.lower_bound


@pytest.mark.thorough(one_in=6)
@pytest.mark.parametrize("algorithm", kanon.algorithms(), ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_what_the_table_calls_checked_cannot_be_changed(algorithm):
    seen = defaultdict(set)
    for instance, g in made(algorithm):
        assert passes(instance, g)
        for place, other in changes(algorithm, g):
            accepted = passes(instance, other) and not weaker(g, other)
            seen[place].add(accepted)
            assert not (accepted and ENTRIES[place].checked == CHECKED), (place, g, other)
    for place, outcomes in seen.items():
        assert ENTRIES[place].checked != UNCHECKED or True in outcomes, place


@pytest.mark.thorough
def test_what_it_calls_checked_in_part_is_refused_sometimes_and_passes_sometimes():
    seen = defaultdict(set)
    for algorithm in kanon.algorithms():
        for instance, g in made(algorithm):
            for place, other in changes(algorithm, g):
                if ENTRIES[place].checked == PARTLY:
                    seen[place].add(passes(instance, other))
    parts = {place for place, entry in ENTRIES.items() if entry.checked == PARTLY} - {("result", "options")}
    assert set(seen) | {("result", "details")} == parts
    assert {place for place, outcomes in seen.items() if outcomes != {True, False}} == set()


def test_every_field_record_and_option_is_in_the_table():
    named = {("result", field.name) for field in fields(kanon.Generalization)}
    for algorithm in kanon.algorithms():
        for _, g in made(algorithm):
            named |= {(type(g.details).__name__, field.name) for field in fields(g.details)}
        for option in algorithm.options:
            named.add(option_place(algorithm, option.name))
    assert named == set(ENTRIES)
    assert len(ENTRIES) == len(RESULT) + sum(len(entries) for _, entries in OWN)


def test_the_docs_show_the_table():
    rows = ["| of | field or option | | how it is checked, or why not |", "| --- | --- | --- | --- |"]
    rows += [f"| {of} | `{name}` | {entry.checked} | {entry.words} |" for (of, name), entry in ENTRIES.items()]
    assert "\n".join(rows) in DOC.read_text("utf-8")
