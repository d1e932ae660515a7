"""The two forms of columns give the same values."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from kanon_engine.verification import arrays


def plain_form():
    """`arrays` as it is where NumPy cannot be imported."""
    spec = importlib.util.spec_from_file_location("plain_arrays", Path(arrays.__file__))
    module = sys.modules["plain_arrays"] = importlib.util.module_from_spec(spec)
    numpy = sys.modules["numpy"]
    sys.modules["numpy"] = None
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules["numpy"] = numpy
    return module


PLAIN = plain_form()
FORMS = (arrays, PLAIN)


def values(found):
    """What a primitive gives, as lists and numbers of Python."""
    if isinstance(found, tuple):
        return tuple(map(values, found))
    found = found.tolist() if hasattr(found, "tolist") else found
    assert found is None or {type(one) for one in (found if isinstance(found, list) else [found])} <= {int, float, bool}
    return found


def same(function, seed):
    """What a function of a form and a generator gives, when both forms agree."""
    one, other = (values(function(form, np.random.default_rng(seed))) for form in FORMS)
    assert one == other
    return one


def numbers(form, rng, most=9, count=12):
    return form.column(rng.integers(-most, most, count).tolist())


def reals(form, rng):
    return form.floats((rng.normal(size=12) * 10.0 ** rng.integers(-3, 4)).tolist())


def test_the_fast_form_of_a_function_runs_where_numpy_is():
    for form, expected in zip(FORMS, ("fast", "plain"), strict=True):
        assert form.numpy_form(lambda: "fast")(lambda: "plain")() == expected


OPERATIONS = {
    "sums": lambda one, other: one + other - 3 * one * 2,
    "from numbers": lambda one, other: (5 - one) + (1 + other),
    "parts": lambda one, other: one // (other * other + 1) + one % 4,
    "quotients": lambda one, other: one / (other * other + 1),
    "masks": lambda one, other: ((one < other) | (one == other)) & ~(one >= 3) & (one != -2),
    "more masks": lambda one, other: (one <= other) | (one > 4),
    "sizes": lambda one, other: abs(one - other),
    "some": lambda one, other: one[one > other],
    "a run": lambda one, other: one[1:][:5],
    "rows": lambda one, other: one[other % 12],
}
WHOLE = ("parts", "rows")  # operations on whole numbers alone


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in OPERATIONS for kind in (numbers, reals) if kind is numbers or name not in WHOLE],
)
def test_operators_agree(name, kind):
    for seed in range(20):
        same(lambda form, rng: OPERATIONS[name](kind(form, rng), kind(form, rng)), seed)


PRIMITIVES = {
    "filled": lambda form, rng: form.filled(3, 7),
    "places": lambda form, rng: form.places(4),
    "mapped": lambda form, rng: form.mapped(math.atan2, reals(form, rng), reals(form, rng)),
    "differences": lambda form, rng: form.differences(reals(form, rng), numbers(form, rng, 9, 5)),
    "smallest": lambda form, rng: form.column(sorted(form.smallest(reals(form, rng), 4, 3).tolist())),
    "least_but": lambda form, rng: form.least_but(reals(form, rng), 5),
    "sums_of_floats": lambda form, rng: form.sums_of(numbers(form, rng) % 5, reals(form, rng), 7),
    "sine": lambda form, rng: form.nearest_whole(form.sine(reals(form, rng)) * 1e9),
    "cosine": lambda form, rng: form.nearest_whole(form.cosine(reals(form, rng)) * 1e9),
    "arcsine": lambda form, rng: form.nearest_whole(form.arcsine(form.sine(reals(form, rng))) * 1e9),
    "added": lambda form, rng: form.added(reals(form, rng) for _ in range(4)),
    "replaced": lambda form, rng: form.replaced(reals(form, rng), form.column([7, 2]), reals(form, rng)[:2]),
    "replaced_again": lambda form, rng: form.replaced(form.filled(6, 0), numbers(form, rng) % 5, numbers(form, rng)),
    "rows_where": lambda form, rng: form.rows_where(numbers(form, rng) > 0),
    "where": lambda form, rng: form.where(numbers(form, rng) > 0, numbers(form, rng), 5),
    "minimum": lambda form, rng: form.minimum(numbers(form, rng), numbers(form, rng)),
    "maximum": lambda form, rng: form.maximum(reals(form, rng), 0.25),
    "concatenated": lambda form, rng: form.concatenated([numbers(form, rng), numbers(form, rng)]),
    "running_sums": lambda form, rng: form.running_sums(numbers(form, rng)),
    "square_root": lambda form, rng: form.square_root(reals(form, rng) * reals(form, rng) + 1e6),
    "nearest_whole": lambda form, rng: form.nearest_whole(reals(form, rng) * 2 + 0.5),
    "floored": lambda form, rng: form.floored(reals(form, rng)),
    "halves": lambda form, rng: form.nearest_whole(form.floats([0.5, 1.5, 2.5, -0.5])),
    "least": lambda form, rng: form.least(numbers(form, rng)),
    "greatest": lambda form, rng: form.greatest(reals(form, rng)),
    "total": lambda form, rng: form.total(numbers(form, rng)),
    "true": lambda form, rng: form.total(numbers(form, rng) > 0),
    "equal": lambda form, rng: form.equal(numbers(form, rng, 2, 2), numbers(form, rng, 2, 2)),
    "sums_of": lambda form, rng: form.sums_of(numbers(form, rng) % 5, numbers(form, rng), 7),
    "order": lambda form, rng: form.order([numbers(form, rng, 3), numbers(form, rng, 3)]),
    "ranked": lambda form, rng: form.ranked(numbers(form, rng)),
    "insertion": lambda form, rng: form.insertion(form.places(8) // 2, numbers(form, rng), "left"),
    "after": lambda form, rng: form.insertion(form.places(8) // 2, numbers(form, rng), "right"),
    "changes": lambda form, rng: form.changes([numbers(form, rng, 2), numbers(form, rng, 2)]),
    "run_starts": lambda form, rng: form.run_starts(form.changes([numbers(form, rng, 2)])),
    "run_least": lambda form, rng: form.run_least(form.changes([numbers(form, rng, 2)]), numbers(form, rng)),
    "run_greatest": lambda form, rng: form.run_greatest(form.changes([numbers(form, rng, 2)]), numbers(form, rng)),
    "nearest": lambda form, rng: form.nearest([numbers(form, rng, 90, 60) for _ in range(3)], 7)[0],
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives_agree(name):
    found = [same(PRIMITIVES[name], seed) for seed in range(20)]
    assert name in ("filled", "places", "halves") or len({str(one) for one in found}) > 1


def test_the_smallest_are_those_that_numpy_promises(monkeypatch):
    """It may leave the values before a place, and those behind it, in any order."""

    def parted(rows, place, axis):
        order = np.argsort(rows, axis=axis)
        return np.concatenate([order[:, :place], order[:, place : place + 1], order[:, :place:-1]], axis=axis)

    monkeypatch.setattr(np, "argpartition", parted)
    values = np.random.default_rng(6).permutation(60)
    for count in (1, 2, 7, 19, 20):
        found = arrays.smallest(arrays.column(values.tolist()), 20, count).reshape(3, count)
        assert np.sort(values[found], axis=1).tolist() == np.sort(values.reshape(3, 20), axis=1)[:, :count].tolist()


@pytest.mark.parametrize("kind", arrays.CODES)
def test_columns_have_the_same_bytes(kind):
    own = [0, 1, 1, 0] if kind == "|b1" else [0, 1, 2**31 - 1, -(2**31)]
    own = [value + 0.1 for value in own] if kind == "<f8" else [bool(one) for one in own] if kind == "|b1" else own
    assert same(lambda form, rng: form.of_kind(own, kind), 0) == own
    assert arrays.packed(arrays.of_kind(own, kind), kind) == PLAIN.packed(PLAIN.of_kind(own, kind), kind)
    for largest in {"<i4": [2**31 - 1], "<i8": [2**63 - 1]}.get(kind, []):
        for form in FORMS:
            assert form.of_kind([largest, -largest - 1], kind).tolist() == [largest, -largest - 1]
            for beyond in (largest + 1, -largest - 2):
                with pytest.raises(OverflowError):
                    form.of_kind([beyond], kind)


@pytest.mark.parametrize("given", [0, 1, 7, 2**32 - 1, 2**32, 2**33 - 1, 2**64 + 3, 2**130 + 12345])
def test_the_written_generator_is_that_of_numpy(given):
    for count in (0, 1, 2, 3, 100, 1_000):
        assert PLAIN.permutation(given, count) == np.random.default_rng(given).permutation(count).tolist()


def test_floats_have_no_sum_that_depends_on_their_order():
    """NumPy adds them in pairs; both forms refuse, so that nobody forgets `math.fsum`."""
    for form in FORMS:
        with pytest.raises(TypeError):
            form.total(form.floats([0.1] * 10))
    assert math.fsum(arrays.floats([0.1] * 10).tolist()) == 1.0


@pytest.mark.parametrize("form", [*FORMS, "without SciPy"])
@pytest.mark.parametrize("seed", range(5))
def test_nearest_rows_are_those_that_trying_all_finds(form, seed, monkeypatch):
    if form == "without SciPy":
        form = arrays
        monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 6, (50, int(rng.integers(1, 4))))
    between = np.abs(points[:, None] - points[None]).sum(axis=2)
    for count in (1, 4, 50):
        far, near = (
            np.array(own.tolist()).reshape(50, count)
            for own in form.nearest(list(map(form.column, points.T.tolist())), count)
        )
        assert far.tolist() == np.sort(between, axis=1)[:, :count].tolist()
        assert np.take_along_axis(between, near, axis=1).tolist() == far.tolist()
        assert {len(set(row)) for row in near.tolist()} == {count}
