"""The numbers in the prose of docs/errata.md; its snippets run by themselves."""

import pandas as pd

import kanon_engine as kanon
from tests.docs.pages import said, text

ERRATA = "docs/errata.md"


def cost(algorithm, k, counts):
    return kanon.generalize(kanon.Labels([f"n{i}" for i in range(len(counts))], counts), k, algorithm).cost


def test_numbers_of_labels():
    *counts, k, wrong, right = said(
        ERRATA, r"labels (\d+), (\d+), (\d+), (\d+) and k = (\d+) any other choice costs (\d+), where (\d+)"
    )
    assert cost("fold", k, counts) == right < wrong
    others = [counts[0] + counts[-1], sum(counts[1:3])]  # the last label onto the bin that is not the lightest
    assert max(others) == wrong
    *counts, k, largest, ceiling = said(
        ERRATA, r"(\d+), (\d+), (\d+) with k = (\d+) would cost (\d+), above its bound of (\d+)"
    )
    assert (largest, ceiling) == (sum(counts), max(k - 1 + max(counts), 3 * k - 3))
    assert cost("spread", k, counts) <= ceiling


def test_numbers_of_tables():
    split, whole = said(ERRATA, r"splitting costs (\d+) and not splitting costs (\d+)")
    eight = kanon.Table(pd.DataFrame({"x": [0] * 7 + [1]}), ["x"])
    assert kanon.generalize(eight, 4, "k-optimize", metric="DM").cost == split == 7 * 7 + 8 < whole == 8 * 8
    wrong, right = said(ERRATA, r"\{0\}, \{1\} with k = 1 would cost (\d+) instead of (\d+)")
    two = kanon.Table(pd.DataFrame({"x": [0, 1]}), ["x"])
    assert kanon.generalize(two, 1, "k-optimize", metric="DM").cost == right < wrong == 2 * 2
    everything, enough = said(ERRATA, r"with k = 2 cost (\d+) where (\d+) cells are enough")
    rows = pd.DataFrame([("a", "b", "c")] * 100 + [("p", "q", "r"), ("p", "q", "s")], columns=list("xyz"))
    assert everything == rows.size
    assert kanon.generalize(kanon.Table(rows, list("xyz")), 2, "cell-suppression").cost == enough


def test_the_count_of_pairs_of_patterns_and_rows():
    """Where m^(2 s + 1) is too small for (s + 1)^m patterns and s^m rows, and that (s + 1)^(2 m) never is."""
    pairs = {(m, s): (s + 1) ** m * s**m for m in range(1, 60) for s in range(1, 12)}
    small = {(m, s) for (m, s), count in pairs.items() if count > m ** (2 * s + 1)}
    assert "for m = 1, for m = 2 with |Σ| = 2 or 3, and for every |Σ| once m is large" in text(ERRATA)
    assert all((1, s) in small for s in range(1, 12))
    assert {s for s in range(1, 12) if (2, s) in small} == {2, 3}
    assert all((59, s) in small for s in range(1, 12))
    assert said(ERRATA, r"m = 4 and \|Σ\| = 2 there are ([\d,]+) pairs, not ([\d,]+)") == [pairs[4, 2], 4**5]
    assert all(count <= (s + 1) ** (2 * m) for (m, s), count in pairs.items())
