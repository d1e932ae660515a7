"""What the classes of a release reveal about a sensitive column, by every model that measures it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.measure import Measure
from kanon_engine.release.audit_figures import distances
from kanon_engine.release.released import Released
from kanon_engine.release.sets import coded
from kanon_engine.risk.words import decimal
from kanon_engine.shown import Shown
from kanon_engine.validate import require_known_name

L_DIVERSITY = "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, “l-Diversity”, TKDD 1, 2007"
ALPHA = "R. Wong, J. Li, A. Fu, K. Wang, “(α, k)-Anonymity”, KDD 2006"
CLOSENESS = "N. Li, T. Li, S. Venkatasubramanian, “t-Closeness”, ICDE 2007"
LIKENESS = "J. Cao, P. Karras, “Publishing Microdata with a Robust Privacy Guarantee”, PVLDB 5, 2012"
DISCLOSURE = "J. Brickell, V. Shmatikov, “The Cost of Privacy”, KDD 2008"
MODELS = {
    "distinct-l": (
        "Fewest distinct values of {} in a group",
        "If a group has only 1, anyone who knows that a person is in the group knows the value.",
        f"Distinct l-diversity. {L_DIVERSITY}",
    ),
    "entropy-l": (
        "Entropy l of {}",
        "The least diverse group is as diverse as a group with this many equally frequent values.",
        f"exp(−Σ q ln q), where q is the share of a value in a group. {L_DIVERSITY}",
    ),
    "recursive-c": (
        "Recursive (c, l) of {}",
        "In every group, the number of records with the most common value is less than c times the number of records "
        "with the l-th most common value or a less common one.",
        f"max r₁ / (r_l + … + r_m), where r are the counts of a group's values in descending order. {L_DIVERSITY}",
    ),
    "alpha": (
        "Largest share of one value of {}",
        "How certain someone can be of a value by knowing a person's group.",
        f"α = max q, where q is the share of a value in a group. {ALPHA}",
    ),
    "t": (
        "t of {}",
        "Largest distance of a group's shares of values from those of all released records, from 0 to 1.",
        "For numbers, the earth mover's distance over their order; for other values, ½ Σ |q − p|, where q is the share "
        f"of a value in a group and p its share in all records. {CLOSENESS}",
    ),
    "beta": (
        "β of {}",
        "Largest relative increase of a value's share in a group: 1 means that the share doubles.",
        f"max (q − p) / p. {LIKENESS}",
    ),
    "enhanced-beta": (
        "Enhanced β of {}",
        "Like β, but no increase of a value's share may exceed a second limit, which is lower for more common values.",
        f"(q − p) / p ≤ min(β, −ln p). {LIKENESS}",
    ),
    "delta": (
        "δ of {}",
        "Largest logarithmic change, up or down, from a value's share in all records to its share in the group, over "
        "the values that the group has.",
        f"max |ln(q / p)|. {DISCLOSURE}",
    ),
}


@dataclass(frozen=True)
class Diversity(Shown):
    """The worst class of a release, for each model."""

    column: str
    # fewest distinct values in a class
    l: int  # noqa: E741 - the name that the field has for it
    entropy_l: float  # e to the least entropy: the number of equally frequent values with that entropy
    # recursive (c, l)-diversity with this l holds for every greater c, and no other; None if l is 1
    c: float | None
    alpha: float  # largest share of one value in a class
    # largest distance of a class from all records: for numbers the earth mover's over their order, otherwise half the
    # sum of differences of shares
    t: float
    beta: float  # largest relative gain of a value's share: (q − p) / p
    # β, if no value with share p gains more than −ln p; enhanced β-likeness then holds with it. Otherwise None: it
    # holds with no β
    enhanced_beta: float | None
    delta: float  # largest |ln(q / p)| of a value that a class has
    lacking: int  # classes that lack a value; by the definition of δ-disclosure no δ is large enough for these


def class_diversity(released: Released, column: str, whole: pd.DataFrame | None = None) -> pd.DataFrame:
    """How diverse the values of each class are. Internal.

    Parameters
    ----------
    column : One of its columns. A missing value counts as a value, the last in the order of numbers.
    whole : DataFrame, optional
        The records that classes are compared with, for example including those left out; the release if None.

    Returns
    -------
    DataFrame
        One row per class: class, records, l, entropy_l, alpha, t, beta, tightest (the least of −ln p − (q − p) / p for
        shares p in all records and q in the class; enhanced β-likeness requires that it is nowhere negative), delta,
        lacking (whether it lacks a value), and `counts`, how often each value occurs, in descending order.

    Raises
    ------
    InvalidInput : No such column, or a release without records; a value that is nowhere in the whole.

    >>> ill = ["flu", "flu", "cold", "cold", "flu", "gout"]
    >>> release = Released(pd.DataFrame({"age": ["≤ 39"] * 3 + ["≥ 40"] * 3, "ill": ill}), ("age",), ("ill",))
    >>> class_diversity(release, "ill")[["records", "l", "alpha", "t"]].round(3).values.tolist()
    [[3.0, 2.0, 0.667, 0.167], [3.0, 3.0, 0.333, 0.167]]
    """
    require_known_name(list(released.frame.columns), column, "columns of the release")
    if not released.records:
        raise InvalidInput("The release has no records and thus no values; release something first.")
    if whole is not None:
        require_known_name(list(whole.columns), column, "columns of the records to compare with")
    class_column, codes = coded(released.frame[column])
    whole_column, table = (class_column, codes) if whole is None else coded(whole[column])
    occurring = np.bincount(table, released.weights if whole is None else None, len(whole_column.cells) + 1)
    present = released.weights > 0
    values = class_column.places_in(whole_column, occurring, codes[present], column)
    overall = occurring[: int(table.max()) + 1] / occurring.sum()
    numbers, place = np.unique(released.classes[present] * len(overall) + values, return_inverse=True)
    members = np.bincount(place.reshape(-1), weights=released.weights[present])
    group, value = numbers // len(overall), numbers % len(overall)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    share = members / released.sizes[group]
    p = overall[value]
    gain = (share - p) / p
    with np.errstate(divide="ignore"):
        slack = np.where(gain > 0, -np.log(p) - gain, np.inf)
    distinct = np.diff(np.append(starts, len(group)))
    return pd.DataFrame(
        {
            "class": group[starts],
            "records": released.sizes[group[starts]],
            "l": distinct,
            "entropy_l": np.exp(np.add.reduceat(-share * np.log(share), starts)),
            "alpha": np.maximum.reduceat(share, starts),
            "t": distances(group, value, share, overall, whole_column.numbers is not None),
            "beta": np.maximum.reduceat(gain, starts),
            "tightest": np.minimum.reduceat(slack, starts),
            "delta": np.maximum.reduceat(np.abs(np.log(share / p)), starts),
            "lacking": distinct < int((overall > 0).sum()),
            "counts": [np.sort(some)[::-1] for some in np.split(members, starts[1:])],
        }
    )


def diversity(released: Released, column: str, whole: pd.DataFrame | None = None) -> Diversity:
    """The worst class of each model; parameters and errors as in `class_diversity`.

    >>> ill = ["flu", "flu", "cold", "cold", "flu", "gout"]
    >>> release = Released(pd.DataFrame({"age": ["≤ 39"] * 3 + ["≥ 40"] * 3, "ill": ill}), ("age",), ("ill",))
    >>> found = diversity(release, "ill")
    >>> found.l, found.c, round(found.alpha, 3), round(found.beta, 3), found.lacking
    (2, 2.0, 0.667, 1.0, 1)
    """
    classes = class_diversity(released, column, whole)
    least = int(classes["l"].min())
    ratios = [float(counts[0] / counts[least - 1 :].sum()) for counts in classes["counts"]] if least > 1 else []
    beta = float(classes["beta"].max())
    return Diversity(
        column,
        least,
        round(float(classes["entropy_l"].min()), 9),
        max(ratios, default=None),
        float(classes["alpha"].max()),
        float(classes["t"].max()),
        beta,
        beta if classes["tightest"].min() >= 0 else None,
        float(classes["delta"].max()),
        int(classes["lacking"].sum()),
    )


def diversity_measures(released: Released, column: str, whole: pd.DataFrame | None = None) -> Iterator[Measure]:
    """The same as measures, without values if nothing is released; parameters and errors as in `class_diversity`."""
    result = diversity(released, column, whole) if released.records else None
    for key, (title, meaning, source) in MODELS.items():
        value, words = (None, "nothing is released") if result is None else _told(key, result)
        yield Measure(f"{key}:{column}", title.format(f"“{column}”"), value, words, meaning, source)


def _told(key: str, result: Diversity) -> tuple[float | int | None, str]:
    """The figure of a model and its words."""
    if key == "distinct-l":
        return result.l, f"{result.l:,}"
    if key == "recursive-c":
        if result.c is None:
            return None, "none: in some group, all records have the same value"
        return result.c, f"every c above {decimal(result.c)}, with l = {result.l:,}"
    if key == "enhanced-beta" and result.enhanced_beta is None:
        return None, (
            "no β fits: a frequent value's share increases too much (by more than −ln of its share in all records)"
        )
    value = {
        "entropy-l": result.entropy_l,
        "alpha": result.alpha,
        "t": result.t,
        "beta": result.beta,
        "enhanced-beta": result.beta,
        "delta": result.delta,
    }[key]
    if key == "delta" and result.lacking:
        lack = "1 group lacks" if result.lacking == 1 else f"{result.lacking:,} groups lack"
        return value, f"{decimal(value)}; {lack} a value, and no limit δ, however large, allows this"
    return value, decimal(value)
