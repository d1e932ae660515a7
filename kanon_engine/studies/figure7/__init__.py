"""The paper's experiment: the overfull ratio of Fold and Spread for every k (Figure 7), with near-optimal beside."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pandas as pd

from kanon_engine.errors import Infeasible, InvalidInput, Remedy
from kanon_engine.labels.bounds import lower_bounds
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.near_optimal import packed_for_each
from kanon_engine.labels.packing import packing_order
from kanon_engine.labels.packing.even_packings import Packings
from kanon_engine.labels.packing.kernels import fold_costs, spread_costs
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.validate import checked_seed, positive_k, told

# name → (algorithm, order), in the paper's order
VARIANTS = {
    "Random Fold": ("fold", "random"),
    "Random Spread": ("spread", "random"),
    "Sorted Fold": ("fold", "sorted"),
    "Sorted Spread": ("spread", "sorted"),
}
NEAR_OPTIMAL = "Near-optimal"
KERNELS = {"fold": fold_costs, "spread": spread_costs}
CHUNK = 5_000  # values of k between two reports
MOST_KS = 1_000_000  # some 0.3 GB of rows
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

    Of a few hundred labels `generalize` may better Near-optimal and its lower bound by exact covers, which would take
    too long at every k.

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
        Called with `Progress` after every 5,000 values of k; returns False to stop: the table holds what is done.
    variants : iterable of str, optional
        Some of `VARIANTS` and `NEAR_OPTIMAL`; all when None. Sorted is by descending count. Near-optimal takes the
        first seed and is computed once; where its cost is the lower bound, it is the optimum.

    Returns
    -------
    DataFrame
        A row a variant, seed and k: variant, seed (of random orders), k, cost, classes, lower_bound, overfull_ratio.

    Raises
    ------
    InvalidInput
        A k or seed that is no whole number, none of them, an unknown variant; labels that are kept apart; without
        `ks`, more than 1,000,000 values of k.
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
    labels = labels.items
    if labels.conflicts:
        raise InvalidInput("Fold and Spread cannot keep labels apart; take that rule out to compare them at every k.")
    values = _range_of_k(labels) if ks is None else np.unique([positive_k(k) for k in ks]).astype(np.int64)
    if not len(values):
        raise InvalidInput("There is no k to compute; give at least one.")
    labels.require_feasible(int(values[-1]))
    known = [*VARIANTS, NEAR_OPTIMAL]
    chosen = known if variants is None else list(variants)
    for name in chosen:
        if name not in known:
            raise InvalidInput(f"There is no variant {name!r}; choose among {', '.join(known)}.")
    if isinstance(seeds, str) or not isinstance(seeds, Sequence) or not len(seeds):
        raise InvalidInput(f"The seeds are {told(seeds)}; give a list with at least one whole number.")
    seeds = [checked_seed(seed) for seed in seeds]
    packings = Packings(labels, *seeds[:1])
    bounds = lower_bounds(labels, values, packings)
    runs = [(name, seed) for name in chosen for seed in (seeds if name.startswith("Random") else (None,))]
    parts = []
    for number, (name, seed) in enumerate(runs):
        if name == NEAR_OPTIMAL:
            pieces = _searched(labels, values, bounds, packings)
        else:
            algorithm, order = VARIANTS[name]
            permutation = packing_order(labels, order, np.random.default_rng(seed))
            pieces = _chunks(labels, permutation, algorithm, values)
        stopped = False
        for start, stop, costs, classes in pieces:
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
            "from there on leaves two groups",
            remedy=Remedy(f"name values of k up to {last:,}", "ks"),
        )
    if last - first >= MOST_KS:
        raise InvalidInput(
            f"From k = {first:,} to {last:,} there are more than {MOST_KS:,} values of k",
            remedy=(Remedy(f"count the {labels.unit} in a larger unit"), Remedy("name the values of k", "ks")),
        )
    return np.arange(first, last + 1)


def _chunks(
    labels: Labels, permutation: np.ndarray, algorithm: str, values: np.ndarray
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Costs and numbers of classes, piece by piece, on all cores; values of k with the same labels >= k share sums."""
    weights = labels.counts[permutation]
    heavy = np.searchsorted(np.sort(-weights), -values, side="right")
    starts = np.unique(heavy[::-1], return_index=True)[1]
    borders = sorted({0, *(len(values) - starts).tolist()})

    def compute(start: int, stop: int, prefix: np.ndarray, alone: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        costs, classes = np.empty(stop - start, dtype=np.int64), np.empty(stop - start, dtype=np.int64)
        KERNELS[algorithm](prefix, alone, values[start:stop], costs, classes)
        return costs, classes

    pool = ThreadPoolExecutor(os.cpu_count())
    waiting = []
    try:
        for group, end in pairwise(borders):
            light = weights < values[group]
            sums = np.concatenate([[0], np.cumsum(weights[light])])
            for start in range(group, end, CHUNK):
                stop = min(end, start + CHUNK)
                waiting.append((start, stop, pool.submit(compute, start, stop, sums, weights[~light])))
        for start, stop, piece in waiting:
            yield start, stop, *piece.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _searched(
    labels: Labels, values: np.ndarray, bounds: np.ndarray, packings: Packings
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """The same for near-optimal."""
    for start in range(0, len(values), CHUNK):
        stop = min(start + CHUNK, len(values))
        yield start, stop, *packed_for_each(labels, values[start:stop], bounds[start:stop], packings)


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
