"""The paper's experiment: the overfull ratio of Fold and Spread for every k, random and sorted (Figure 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.labels.bounds import lower_bounds
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.kernels import fold_costs, spread_costs
from kanon_engine.labels.packing import packing_order
from kanon_engine.run import Progress, ProgressCallback
from kanon_engine.validate import positive_k

# name → (algorithm, order), in the paper's order
VARIANTS = {
    "Random Fold": ("fold", "random"),
    "Random Spread": ("spread", "random"),
    "Sorted Fold": ("fold", "sorted"),
    "Sorted Spread": ("spread", "sorted"),
}
KERNELS = {"fold": fold_costs, "spread": spread_costs}
CHUNK = 1_000  # values of k between two reports
COLUMNS = {
    "variant": "str",
    "seed": "Int64",
    "k": "int64",
    "cost": "int64",
    "classes": "int64",
    "lower_bound": "int64",
    "overfull_ratio": "float64",
}


def overfull_ratios(
    labels: Labels,
    ks: Iterable[int] | None = None,
    seeds: Sequence[int] = (0,),
    progress: ProgressCallback | None = None,
    variants: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Largest class of each variant for each k; the same numbers as `generalize` gives, without the classes.

    Parameters
    ----------
    labels : Labels
    ks : iterable of int, optional
        The values of k. None is the paper's range: from the most common label's count to the k that leaves two
        classes, which is read as the largest k at which the variant's own packing still has two classes (so the
        variants may end at slightly different k, none above half the total).
    seeds : sequence of int
        One random order each, the one that `generalize` takes with this seed. Sorted variants are computed once.
    progress : callable, optional
        Called with `Progress` after each thousand values of k; returns False to stop: the table holds what is done.
    variants : iterable of str, optional
        Some of `VARIANTS`; all when None. Sorted is by descending count.

    Returns
    -------
    DataFrame
        A row a variant, seed and k: variant, seed (missing for sorted), k, cost, classes, lower_bound, overfull_ratio.

    Raises
    ------
    InvalidInput
        A k that is no positive whole number, no k, an unknown variant.
    Infeasible
        A k above the total; without `ks`, a label that holds more than half of everything.

    Complexity
    ----------
    For each k, Fold takes O(W / k log n) by binary search on prefix sums, Spread O(log n) more for each leftover label.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 5, Figure 7.

    Example
    -------
    >>> frame = overfull_ratios(Labels("abcdef", [5, 4, 3, 2, 2, 2]), variants=["Sorted Fold"])
    >>> frame[["k", "cost", "classes"]].values.tolist()
    [[5, 7, 3], [6, 9, 2], [7, 9, 2], [8, 9, 2], [9, 9, 2]]
    """
    values = _range_of_k(labels) if ks is None else np.unique([positive_k(k) for k in ks]).astype(np.int64)
    if not len(values):
        raise InvalidInput("There is no k to compute; give at least one.")
    labels.require_feasible(int(values[-1]))
    chosen = list(VARIANTS) if variants is None else list(variants)
    for name in chosen:
        if name not in VARIANTS:
            raise InvalidInput(f"There is no variant {name!r}; choose among {', '.join(VARIANTS)}.")
    bounds = lower_bounds(labels, values)
    runs = [(name, seed) for name in chosen for seed in (seeds if VARIANTS[name][1] == "random" else (None,))]
    parts = []
    for number, (name, seed) in enumerate(runs):
        algorithm, order = VARIANTS[name]
        permutation = packing_order(labels, order, np.random.default_rng(seed))
        stopped = False
        for start, stop, costs, classes in _chunks(labels, permutation, algorithm, values):
            inside = classes >= (2 if ks is None else 1)
            parts.append(_part(name, seed, values[start:stop], costs, classes, bounds[start:stop])[inside])
            done = (number + stop / len(values)) / len(runs)
            report = Progress(done, None, None, f"{name}, k up to {int(values[stop - 1]):,}")
            stopped = progress is not None and progress(report) is False
            if stopped:
                break
        if stopped:
            break
    return pd.concat(parts, ignore_index=True).astype(COLUMNS)


def _range_of_k(labels: Labels) -> np.ndarray:
    top = int(labels.descending[0])
    first, last = int(labels.counts[top]), labels.total // 2
    if first > last:
        raise Infeasible(
            f"{labels.label(top)} holds {first:,} of {labels.total:,} {labels.unit}, more than half, so that no k "
            f"from there on leaves two groups; name the values of k yourself, up to {last:,}."
        )
    return np.arange(first, last + 1)


def _chunks(
    labels: Labels, permutation: np.ndarray, algorithm: str, values: np.ndarray
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Costs and numbers of classes, piece by piece; values of k with the same labels >= k share their prefix sums."""
    weights = labels.counts[permutation]
    heavy = np.searchsorted(np.sort(-weights), -values, side="right")
    starts = np.unique(heavy[::-1], return_index=True)[1]
    borders = sorted({0, *(len(values) - starts).tolist()})
    for group, end in pairwise(borders):
        light = weights < values[group]
        prefix = np.concatenate([[0], np.cumsum(weights[light])])
        alone = weights[~light]
        for start in range(group, end, CHUNK):
            piece = values[start : min(end, start + CHUNK)]
            costs, classes = np.empty(len(piece), dtype=np.int64), np.empty(len(piece), dtype=np.int64)
            KERNELS[algorithm](prefix, alone, piece, costs, classes)
            yield start, start + len(piece), costs, classes


def _part(
    name: str, seed: int | None, ks: np.ndarray, costs: np.ndarray, classes: np.ndarray, bounds: np.ndarray
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "variant": name,
            "seed": pd.array([seed] * len(ks), dtype="Int64"),
            "k": ks,
            "cost": costs,
            "classes": classes,
            "lower_bound": bounds,
            "overfull_ratio": costs / ks,
        }
    )


def sub_range_maxima(frame: pd.DataFrame, ranges: int = 60) -> pd.DataFrame:
    """The largest overfull ratio of each variant in each of equally long sub-ranges of k, over all seeds.

    Parameters
    ----------
    frame : DataFrame
        From `overfull_ratios`.
    ranges : int
        Number of sub-ranges between the smallest and the largest k, at least 1.

    Returns
    -------
    DataFrame
        A row a variant and sub-range: variant, k_from, k_to (both included), overfull_ratio, k and classes where it is
        reached, and floor: the largest lower_bound / k there, below which no partition can keep this maximum.
    """
    if positive_k(ranges) and frame.empty:
        raise InvalidInput("There are no ratios to summarize; compute at least one k.")
    first, last = int(frame["k"].min()), int(frame["k"].max())
    edges = np.unique(np.linspace(first, last + 1, ranges + 1).round().astype(np.int64))
    number = np.searchsorted(edges, frame["k"].to_numpy(), side="right") - 1
    marked = frame.assign(number=number, floor=frame["lower_bound"] / frame["k"])
    groups = marked.groupby(["variant", "number"], sort=False)
    best = marked.loc[groups["overfull_ratio"].idxmax()].set_index(["variant", "number"])
    best["floor"] = groups["floor"].max()
    best = best.reset_index()
    best["k_from"], best["k_to"] = edges[best["number"]], edges[best["number"] + 1] - 1
    return best[["variant", "k_from", "k_to", "overfull_ratio", "k", "classes", "floor"]]
