"""Labels: Du, Eppstein, Goodrich and Lueker (2009), sections 4 and 5."""

from __future__ import annotations

from kanon_engine.generalize import generalize
from kanon_engine.labels.plot import bins_figure
from kanon_engine.studies.beat.tight import labels_of
from kanon_engine.studies.errata.entry import Erratum, Parameter, Played, Row
from kanon_engine.studies.errata.places import DU

K = 10


def _next_fit(counts: list[int], k: int) -> tuple[list[int], list[int]]:
    """Levels of the bins that are full, in this order of labels, and the counts that are left over."""
    full: list[int] = []
    left: list[int] = []
    for count in counts:
        left.append(count)
        if sum(left) >= k:
            full.append(sum(left))
            left = []
    return full, left


def leftover_bin(heaviest: int) -> Played:
    """Labels of this many, 6, 6 and 3, k = 10: merge what is left over into each bin in turn.

    Example
    -------
    >>> leftover_bin(30).holds, leftover_bin(12).holds
    (False, True)
    """
    counts = [heaviest, 6, 6, 3]
    full, left = _next_fit(counts, K)
    costs = [max(level + sum(left) * (bin == other) for other, level in enumerate(full)) for bin in range(len(full))]
    labels = labels_of(counts)
    g, best = (generalize(labels, K, name) for name in ("fold", "exact"))
    rows = (
        Row("bins, and what is left over", "", f"{', '.join(map(str, full))}; {sum(left)}"),
        Row.of("largest group, merged into the heaviest bin", best.cost, max(costs)),
        Row.of("largest group, merged into the lightest bin", best.cost, g.cost),
    )
    return Played(rows, max(costs) == best.cost, bins_figure(labels, g))


def six_fifths(small: int) -> Played:
    """Labels of 8, 8, 7 and this many, k = 10: is it case 2.2 of the proof, and what is possible then?

    Example
    -------
    >>> six_fifths(1).holds, six_fifths(2).holds
    (False, True)
    """
    labels = labels_of([8, 8, 7, small])
    best, ours = (generalize(labels, K, name) for name in ("exact", "five-halves"))
    case = "2.2" if 8 + small < K else "2.1"
    high = generalize(labels_of([35, 9, 9, 4]), K, "five-halves")
    rows = (
        Row("case of the proof: largest label and small ones against k", "", f"{case}: {8 + small} against {K}"),
        Row.of("best possible ÷ k", "at most 6/5 in case 2.2", best.cost / K),
        Row.of("Five halves ÷ best possible", "at most 5/2", ours.cost / best.cost),
        Row.of("largest level ÷ k for 35, 9, 9, 4", "below 2", high.cost / K),
    )
    return Played(rows, case != "2.2" or best.cost <= 6 * K / 5, bins_figure(labels, ours))


def lowered_labels(first: int) -> Played:
    """Labels above k are lowered by the same number; two of them share a bin.

    Example
    -------
    >>> lowered_labels(100).holds, lowered_labels(10).holds
    (False, True)
    """
    by = first - K  # the lightest of the three becomes k
    bin, lowered = 2 * first + 1, 2 * first + 1 - 2 * by
    labels = labels_of([first, first + 1, first + 3, 3, 3, 2])
    g, best = (generalize(labels, K, name) for name in ("scheme", "exact"))
    rows = (
        Row("labels above k, and as they are lowered", "", f"{first}, {first + 1} → {first - by}, {first + 1 - by}"),
        Row.of("a bin of both, raised again", lowered + by, bin),
        Row.of("kanon's variant without lowering", "", g.cost),
        Row.of("best possible", "", best.cost),
    )
    return Played(rows, lowered + by == bin, bins_figure(labels, g))


def halved_epsilon(percent: int) -> Played:
    """The lightest group of the sketch, as a share of k, run with ε and with half of it.

    Example
    -------
    >>> halved_epsilon(50).holds
    False
    """
    epsilon = percent / 100
    whole, half = (1 / (1 + e) - e for e in (epsilon, epsilon / 2))
    labels = labels_of([7, 5, 4, 4])
    g = generalize(labels, K, "relaxed-scheme", epsilon=epsilon)
    rows = (
        Row.of("lightest group ÷ k, run with ε", f"at least 1 − ε = {1 - epsilon:g}", round(whole, 4)),
        Row.of("lightest group ÷ k, run with ε / 2", f"at least 1 − ε = {1 - epsilon:g}", round(half, 4)),
        Row.of("what kanon allows a group at least, k = 10", "", g.details.threshold),
    )
    return Played(rows, whole >= 1 - epsilon, bins_figure(labels, g))


def own_bins(middle: int) -> Played:
    """Labels of 3, this many and 3, k = 4, spread without bins of their own for labels of at least k.

    Example
    -------
    >>> own_bins(9).holds, own_bins(2).holds
    (False, True)
    """
    k, counts = 4, [3, middle, 3]
    full, left = _next_fit(counts, k)  # there is one bin, which takes what is left over
    together = sum(full) + sum(left)
    ceiling = max(k - 1 + max(counts), 3 * k - 3)
    labels = labels_of(counts)
    g = generalize(labels, k, "spread")
    rows = (
        Row.of("largest group, labels in their order", f"at most {ceiling}", together),
        Row.of("largest group, labels of at least k in bins of their own", f"at most {ceiling}", g.cost),
    )
    return Played(rows, together <= ceiling, bins_figure(labels, g))


BINS = (
    Erratum(
        "Theorem 7 and Theorem 10: where the leftover bin goes",
        DU,
        "Fold may merge a last bin below k into any other bin, and still costs what the proof of Theorem 10 needs.",
        "It has to be the lightest bin.",
        Parameter("count of the heaviest label", 30, 10, 40),
        leftover_bin,
    ),
    Erratum(
        "Theorem 9: “Opt ≥ 6/5”",
        DU,
        "Without loss of generality Opt ≥ 6/5; case 2.2 then uses Opt ≤ 6/5, and all levels are below 2.",
        "Neither is needed: case 2.2 forces Opt > 3/2 by itself, and 5/2 holds with levels above 2 too.",
        Parameter("count of the small label", 1, 1, 9),
        six_fifths,
    ),
    Erratum(
        "Theorem 10: two labels above k in one bin",
        DU,
        "All labels above k can be lowered by the same number, and the cost with them.",
        "Two of them in one bin get that number back twice. kanon's variant lowers nothing.",
        Parameter("count of the first label", 100, 10, 200),
        lowered_labels,
    ),
    Erratum(
        "Theorem 11: ε must be halved",
        DU,
        "The relaxed scheme, run with ε, leaves groups of at least (1 − ε) k.",
        "It leaves 1 / (1 + ε) − ε of k. Run with ε / 2 it keeps (1 − ε) k.",
        Parameter("ε in percent", 50, 20, 100),
        halved_epsilon,
    ),
    Erratum(
        "Section 5: Spread needs bins of their own for labels of at least k",
        DU,
        "The simplified algorithm, with labels in their order, keeps the ceiling max(k − 1 + h, 3k − 3).",
        "It does where labels of at least k have bins of their own.",
        Parameter("count of the label in the middle", 9, 1, 20),
        own_bins,
    ),
)
