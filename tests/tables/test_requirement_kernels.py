"""The kernel for diversity and closeness, and the plain way, against the definitions in exact arithmetic."""

import numba
import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.requirements import encoded
from kanon_engine.tables.requirements_kernels import add_records, all_hold, could_hold
from tests.oracles.diversity import distance, satisfied
from tests.tables.random_requirements import asked, random_column, requirement

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("count", [400, pytest.param(40_000, marks=pytest.mark.thorough)])
def test_kernel_and_plain_way_are_the_definitions(count):
    rng = np.random.default_rng(1)
    seen = dict.fromkeys(("distinct", "entropy", "recursive", "closeness"), 0)
    close = 0
    for _ in range(count):
        n = int(rng.integers(2, 15))
        column = random_column(rng, n)
        table = kanon.Table(pd.DataFrame({"age": range(n), "of": pd.Series(column, dtype=object)}), ["age"])
        wanted = asked(rng)
        one = requirement("of", wanted)
        required = encoded(table, [one])
        members = np.flatnonzero(rng.random(n) < rng.random() + 0.2)
        if len(members) == 0:
            continue
        values = [column[place] for place in members.tolist()]
        expected = satisfied(values, column, wanted)
        counts = np.zeros_like(required.whole)
        add_records(required, counts, members)
        assert bool(all_hold(required, counts)) == one.holds(table, members) == expected, (column, values, wanted)
        seen[wanted[0]] += expected
        close += wanted[0] == "entropy" and expected and not satisfied(values, column, ("entropy", wanted[1] + 1e-6))
        if not could_hold(required, counts):
            parts = [
                [value for place, value in enumerate(values) if number >> place & 1]
                for number in range(1, 1 << min(len(values), 6))
            ]
            assert not any(satisfied(part, column, wanted) for part in parts)
    assert all(seen.values())
    assert close  # entropies that are just enough


def test_two_classes_that_satisfy_it_do_as_one():
    rng = np.random.default_rng(2)
    merged = 0
    for _ in range(4000):
        column, wanted = random_column(rng, 10), asked(rng)
        one, other = column[:4], column[4:]
        if satisfied(one, column + one, wanted) and satisfied(other, column + one, wanted):
            merged += 1
            assert satisfied(column, column + one, wanted)
    assert merged > 100


def test_large_classes_are_decided_without_overflow():
    n = 60_000
    salary = np.random.default_rng(3).integers(0, 20_000, n)
    frame = pd.DataFrame({"age": np.arange(n) % 7, "salary": salary, "half": np.arange(n) % 2})
    table = kanon.Table(frame, ["age"])
    everybody = np.arange(n)
    for one in (kanon.Closeness("salary", 0), kanon.Diversity("half", 2, "entropy"), kanon.Closeness("half", 0.000001)):
        required = encoded(table, [one])
        counts = np.zeros_like(required.whole)
        add_records(required, counts, everybody)
        assert all_hold(required, counts)
        assert one.holds(table, everybody)
        counts[0] -= 1
        assert not all_hold(required, counts)
        assert not one.holds(table, np.delete(everybody, np.argmin(frame[one.column])))


def test_with_and_without_requirements_kernels_are_the_same():
    table = kanon.Table(pd.DataFrame({"age": [30, 30, 41, 44], "illness": ["flu", "flu", "gout", "flu"]}), ["age"])
    assert numba.typeof(encoded(table, [])) == numba.typeof(encoded(table, [kanon.Diversity("illness", 2)]))


@pytest.mark.parametrize("values", [[2, 5, 5, None, 2, 9, 5, 9], [2.5, 1, 1, 1, 4, 2.5, 4, None]])
@pytest.mark.parametrize("form", ["objects", "categories", "ordered categories"])
def test_numbers_are_in_their_order_however_a_column_holds_them(values, form):
    column = pd.Series(values, dtype=object)
    if form != "objects":
        known = sorted({value for value in values if value is not None}, reverse=True)
        column = pd.Series(pd.Categorical(values, known, ordered=form == "ordered categories"))
    table = kanon.Table(pd.DataFrame({"age": [1] * 4 + [2] * 4, "of": column}), ["age"])
    classes = [list(range(4)), list(range(4, 8))]
    far = max(distance([values[row] for row in own], values) for own in classes)
    enough, short = (kanon.Closeness("of", float(far) + change) for change in (0.000001, -0.000001))
    assert [all(one.holds(table, own) for own in classes) for one in (enough, short)] == [True, False]
    for one, number in ((enough, 2), (short, 1)):
        g = kanon.generalize(table, 4, "mondrian", require=[one])
        assert g.classes == number
    told = kanon.audit(table, kanon.generalize(table, 4, "mondrian"), keep=["of"], sensitive=["of"]).sensitive
    assert [one.t for one in told] == pytest.approx([float(far)], abs=1e-6)


def test_entropies_of_many_records_are_decided_exactly():
    even = [2**power for power in range(17, 1, -1)] + [1] * 4  # as diverse as 4 equally common values
    nearly = [10**7 + 1, 10**7]
    for counts, least, good in ((even, 4, True), (even, 4.000001, False), (nearly, 2, False)):
        frame = pd.DataFrame({"age": 1, "of": range(len(counts))})
        table, one = kanon.Table(frame, ["age"], weights=counts), kanon.Diversity("of", least, "entropy")
        assert one.holds(table, np.arange(len(counts))) == good
        if good:
            kanon.verify(table, kanon.generalize(table, 5, "mondrian", require=[one]))
