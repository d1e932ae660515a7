"""The paper's experiment: the overfull ratio of Fold and Spread for every k (Figure 7), and of near-optimal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import Infeasible, InvalidInput, Remedy
from kanon_engine.generalize import generalize
from kanon_engine.labels.bounds import lower_bounds
from kanon_engine.labels.even_packing import Packings
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.near_optimal import packed_for_each
from kanon_engine.labels.packing import packing_order
from kanon_engine.labels.packing_kernels import fold_costs, spread_costs
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.sweep import sweep
from kanon_engine.teaching.reductions import reduction_named
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
MOST_KS = 1_000_000  # about 0.3 GB of rows
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
    """Largest class of each variant for each k; the same numbers as from `generalize`, without the classes.

    For a few hundred labels `generalize` may improve Near-optimal and its lower bound by exact covers, which would take
    too long at every k.

    Parameters
    ----------
    ks : By default the paper's range: from the most common label's count to the largest k at which the variant's own
        packing still has two classes (so variants may end at slightly different k, all at most half the total).
    seeds : One random order each, the same as in `generalize` with this seed. Sorted variants are computed once.
    progress : Called with `Progress` after every 5,000 values of k; returns False to stop: the table holds the
        rows so far.
    variants : Some of `VARIANTS` and `NEAR_OPTIMAL`; all by default. Near-optimal uses the first seed and is computed
        once; if its cost is the lower bound, it is the optimum.

    Returns
    -------
    DataFrame : `COLUMNS`, a row per variant, seed (of random orders) and k.

    Raises
    ------
    InvalidInput : Not a whole number, no k, an unknown variant, labels that are kept apart, or too many k without `ks`.
    Infeasible : A k above the total; without `ks`, a label that holds more than half of everything.

    Complexity
    ----------
    For each k, Fold takes O(W / k log n) by binary search on prefix sums, Spread O(log n) more for each leftover label.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 5, Figure 7.

    >>> frame = overfull_ratios(Labels("abcdef", [5, 4, 3, 2, 2, 2]), variants=["Sorted Fold"])
    >>> frame[["k", "cost", "classes"]].values.tolist()
    [[5, 7, 3], [6, 9, 2], [7, 9, 2], [8, 9, 2], [9, 9, 2]]
    """
    labels = labels.items
    if labels.conflicts:
        raise InvalidInput(
            "Fold and Spread cannot keep labels apart; remove the rule that keeps labels apart to compare the "
            "two algorithms at every k."
        )
    values = _range_of_k(labels) if ks is None else np.unique([positive_k(k) for k in ks]).astype(np.int64)
    if not len(values):
        raise InvalidInput("There is no k to compute ratios for; give at least one value of k.")
    labels.require_feasible(int(values[-1]))
    names = [*VARIANTS, NEAR_OPTIMAL]
    chosen = names if variants is None else list(variants)
    for name in chosen:
        if name not in names:
            raise InvalidInput(f"There is no variant {name!r}; choose from {', '.join(names)}.")
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
            k_values, inside = values[start:stop], classes >= (2 if ks is None else 1)
            columns = {
                "variant": name,
                "seed": pd.array([seed] * len(k_values), dtype="Int64"),
                "k": k_values,
                "cost": costs,
            }
            columns |= {"classes": classes, "lower_bound": bounds[start:stop], "overfull_ratio": costs / k_values}
            parts.append(pd.DataFrame(columns)[inside])
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
            f"{labels.label(top)} holds {first:,} of {labels.total:,} {labels.unit}, more than half, so two "
            f"groups are impossible for k = {first:,} or more",
            remedy=Remedy(f"give values of k up to {last:,}", "ks"),
        )
    if last - first >= MOST_KS:
        raise InvalidInput(
            f"From k = {first:,} to {last:,} there are more than {MOST_KS:,} values of k",
            remedy=(Remedy(f"count the {labels.unit} in a larger unit"), Remedy("give the values of k", "ks")),
        )
    return np.arange(first, last + 1)


def _chunks(
    labels: Labels, permutation: np.ndarray, algorithm: str, values: np.ndarray
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Costs and numbers of classes, in chunks, on all cores; values of k with the same labels >= k share sums."""
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


# ---------------------------------------------------------------------------------------------------------------------
# Summaries of Figure 7: maxima of sub-ranges, distance from the optimum, and where the number of groups drops.
# ---------------------------------------------------------------------------------------------------------------------


def sub_range_maxima(frame: pd.DataFrame, ranges: int = 60) -> pd.DataFrame:
    """The largest overfull ratio of each variant in each of equally long sub-ranges of k, over all seeds.

    Returns
    -------
    DataFrame
        A row per variant and sub-range: variant, k_from, k_to (both included), overfull_ratio, k and classes where it
        is reached, floor: the largest lower_bound / k there, below which no partition can keep this maximum, and
        lowest_order and median_order: least and median of the maxima of the random orders, one per seed.
    """
    if positive_k(ranges) and frame.empty:
        raise InvalidInput("There are no ratios to summarize; compute the ratios of at least one k.")
    first, last = int(frame["k"].min()), int(frame["k"].max())
    edges = np.unique(np.linspace(first, last + 1, ranges + 1).round().astype(np.int64))
    number = np.searchsorted(edges, frame["k"].to_numpy(), side="right") - 1
    marked = frame.assign(number=number, floor=frame["lower_bound"] / frame["k"], seed=frame["seed"].fillna(-1))
    groups = marked.groupby(["variant", "number"], sort=False)
    orders = marked.groupby(["variant", "number", "seed"], sort=False)["overfull_ratio"].max()
    of_orders = orders.groupby(["variant", "number"], sort=False)
    best = marked.loc[groups["overfull_ratio"].idxmax()].set_index(["variant", "number"])
    best["floor"], best["lowest_order"], best["median_order"] = (
        groups["floor"].max(),
        of_orders.min(),
        of_orders.median(),
    )
    best = best.reset_index()
    best["k_from"], best["k_to"] = edges[best["number"]], edges[best["number"] + 1] - 1
    names = ["variant", "k_from", "k_to", "overfull_ratio", "k", "classes", "floor", "lowest_order", "median_order"]
    return best[names]


def distances(frame: pd.DataFrame) -> pd.DataFrame:
    """Ratios of the largest class of each variant to k and to the proven lower bound.

    If near-optimal meets the bound at every k, the ratios to the bound are the ratios to the true optimum.

    Returns
    -------
    DataFrame
        A row per variant: variant, k_from, k_to, mean_ratio and largest_ratio to k with at_k where that occurs,
        mean_ratio_to_bound, largest_ratio_to_bound with its bound_at_k, and optimal_share: the share of k at which
        the largest class is proven to be the best possible.
    """
    rows = []
    for variant, part in frame.groupby("variant", sort=False):
        worst = part.iloc[int(part["overfull_ratio"].to_numpy().argmax())]
        above = (part["cost"] / part["lower_bound"]).to_numpy()
        farthest = int(above.argmax())
        rows.append(
            {
                "variant": str(variant),
                "k_from": int(part["k"].min()),
                "k_to": int(part["k"].max()),
                "mean_ratio": float(part["overfull_ratio"].mean()),
                "largest_ratio": float(worst["overfull_ratio"]),
                "at_k": int(worst["k"]),
                "mean_ratio_to_bound": float(above.mean()),
                "largest_ratio_to_bound": float(above[farthest]),
                "bound_at_k": int(part["k"].iloc[farthest]),
                "optimal_share": float((above == 1).mean()),
            }
        )
    return pd.DataFrame(rows)


def thresholds(frame: pd.DataFrame, most: int = 10) -> pd.DataFrame:
    """The last k at which near-optimal makes each number of classes up to `most`.

    Returns
    -------
    DataFrame : k, classes, and then: the number of classes at k + 1. Empty if near-optimal is not in the frame.
    """
    rows = frame[frame["variant"] == NEAR_OPTIMAL].sort_values("k")
    then = rows["classes"].shift(-1)
    drops = (then < rows["classes"]) & (rows["k"].shift(-1) == rows["k"] + 1) & (rows["classes"] <= most)
    return rows.loc[drops, ["k", "classes"]].assign(then=then[drops].astype("int64")).reset_index(drop=True)


# ---------------------------------------------------------------------------------------------------------------------
# The paper's observations on its Figure 7, tested and quantified on computed ratios.
# ---------------------------------------------------------------------------------------------------------------------


FOURTH = "The ratio is far below the worst case"
WORST_CASE = 3.0  # the ceiling of Theorem 7 over k, when no label weighs more than k


@dataclass(frozen=True)
class Observation:
    """One observation of section 5."""

    name: str
    holds: bool
    sentence: str  # the figures behind it


def observations(frame: pd.DataFrame) -> tuple[Observation, ...]:
    """The paper's four observations on the ratios of `overfull_ratios`, if the frame has their variants.

    Spread counts as superior to Fold when its mean ratio is lower and it is at most Fold's at nine of ten k;
    random order is often superior to sorted when it is strictly lower at a quarter of all k; drops are harmful
    when the ratio rises at more than half of the k at which the number of classes falls; the worst case is far
    when the mean stays below two thirds of it. Variants are compared at the k that they share, over all seeds.
    """
    ratio = {name: frame[frame["variant"] == name] for name in VARIANTS if (frame["variant"] == name).any()}
    results = []
    for order in ("Random", "Sorted"):
        if {f"{order} Fold", f"{order} Spread"} <= ratio.keys():
            both = ratio[f"{order} Fold"].merge(ratio[f"{order} Spread"], on=["seed", "k"])
            a, b = both["overfull_ratio_x"], both["overfull_ratio_y"]
            at_most, below = float((b <= a).mean()), float((b < a).mean())
            name, holds = f"Spread is better than Fold in {order.lower()} order", at_most >= 0.9 and b.mean() < a.mean()
            words = (
                f"Spread's ratio is no higher than Fold's at {at_most:.1%} of {len(both):,} values of k, and lower "
                f"than Fold's at {below:.1%}. The mean ratio is {b.mean():.3f} for Spread and {a.mean():.3f} for Fold."
            )
            results.append(Observation(name, bool(holds), words))
    for algorithm in ("Fold", "Spread"):
        if {f"Random {algorithm}", f"Sorted {algorithm}"} <= ratio.keys():
            both = ratio[f"Random {algorithm}"].merge(ratio[f"Sorted {algorithm}"], on="k")
            a, b = both["overfull_ratio_x"], both["overfull_ratio_y"]
            below, above = float((a < b).mean()), float((a > b).mean())
            words = (
                f"Random order has a lower ratio than sorted order at {below:.1%} of the values of k, and a higher "
                f"ratio at {above:.1%}. "
            )
            words += f"The mean ratio is {a.mean():.3f} in random order and {b.mean():.3f} in sorted order."
            results.append(
                Observation(f"{algorithm} is often better in random order than in sorted order", below >= 0.25, words)
            )
    results += [_drops(name, rows) for name, rows in ratio.items()]
    for name, rows in ratio.items():
        mean, most = float(rows["overfull_ratio"].mean()), float(rows["overfull_ratio"].max())
        words = (
            f"The mean ratio is {mean:.3f}, and the largest is {most:.3f}. The worst case is a ratio of {WORST_CASE:g}."
        )
        results.append(Observation(f"{FOURTH}, {name}", mean < WORST_CASE * 2 / 3, words))
    return tuple(results)


def _drops(name: str, rows: pd.DataFrame) -> Observation:
    """Steps from k to k + 1 within one seed, split by whether the number of classes falls."""
    rows = rows.sort_values(["seed", "k"])
    next_to = (rows["k"].diff() == 1).to_numpy()
    change = rows["overfull_ratio"].diff()[next_to]
    fell = (rows["classes"].diff() < 0)[next_to]
    at_drops, elsewhere = change[fell], change[~fell]
    rises = float((at_drops > 0).mean()) if len(at_drops) else 0.0
    return Observation(
        f"The ratio of {name} jumps where the number of groups drops",
        rises > 0.5 and float(at_drops.mean()) > float(elsewhere.mean()),
        f"The number of groups drops at {len(at_drops):,} steps from one k to the next. The ratio rises at "
        f"{rises:.1%} of these steps and changes by {at_drops.mean():+.4f} on average. At all other steps, it changes "
        f"by {elsewhere.mean():+.6f} on average.",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Proven ratios next to those of Figure 7: guarantees of algorithms, and limits that none can beat.
# ---------------------------------------------------------------------------------------------------------------------


EPSILON = 0.5  # of the scheme
HARD = ("partition-to-labels", "3-partition-to-raised-labels")
GUARANTEED = ("fold", "spread", "five-halves", "two-approximation", "scheme")


@dataclass(frozen=True)
class Limit:
    """A ratio to the best possible cost from a theorem."""

    ratio: float
    words: str  # the claim in words


def limits(epsilon: float = EPSILON) -> tuple[Limit, ...]:
    """The ratios of Theorems 6, 7, 9 and 10, ascending; epsilon is the scheme's.

    >>> [round(limit.ratio, 2) for limit in limits(0.25)]
    [1.33, 2, 2.5, 2.5, 3]
    """
    every = (
        Limit(4 / 3, "unless P = NP, no fast algorithm guarantees a lower ratio, even for small counts (Theorem 6)"),
        Limit(2, "unless P = NP, no fast algorithm guarantees a lower ratio for large counts (Theorem 6)"),
        Limit(2.5, "guarantee of Five halves (Theorem 9)"),
        Limit(2 * (1 + epsilon), f"guarantee of the scheme with ε = {epsilon:g} (Theorem 10)"),
        Limit(3, "guarantee of Fold (Theorem 7)"),
    )
    return tuple(sorted(every, key=lambda limit: limit.ratio))


@dataclass(frozen=True)
class Remark:
    """A run of the scheme, compared with Theorem 10 and the remark after it."""

    # cost, optimum: of the run, and the best possible
    cost: int
    optimum: int
    theorem: float  # (1 + ε)(Opt + k), which Theorem 10 allows
    remark: float  # 2 (1 + ε) Opt, which follows because Opt is at least k

    @property
    def holds(self) -> bool:
        """Whether the cost is within both, and the remark is not sharper than the theorem."""
        return self.cost <= self.theorem <= self.remark


def remark(labels: Labels, k: int, epsilon: float = EPSILON) -> Remark:
    """The scheme compared with the best possible cost.

    >>> found = remark(Labels("abcdef", [9, 7, 5, 4, 4, 3]), 16)
    >>> found.cost, found.optimum, found.theorem, found.remark
    (16, 16, 48.0, 48.0)
    """
    cost = int(generalize(labels, k, "scheme", epsilon=epsilon).cost)
    optimum = int(generalize(labels, k, "exact").cost)
    return Remark(cost, optimum, (1 + epsilon) * (optimum + k), 2 * (1 + epsilon) * optimum)


def on_hard_instances(epsilon: float = EPSILON) -> pd.DataFrame:
    """The largest ratio to the best possible cost of each algorithm on all tiny targets of the reductions.

    Returns
    -------
    DataFrame
        A row per reduction and algorithm: reduction, algorithm, instances, wrong (the number with a missed answer
        “yes”), largest_ratio.
    """
    algorithms: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in (*GUARANTEED, "exact")}
    algorithms["scheme"] = ("scheme", {"epsilon": epsilon})
    runs = []
    for name in HARD:
        reduction = reduction_named(name)
        for target in map(reduction.build, reduction.source.tiny()):
            table = sweep(target.instance, [target.k], algorithms)
            costs = dict(zip(table["algorithm"], map(int, table["cost"]), strict=True))
            best = costs.pop("exact")
            runs += [(name, one, best <= target.threshold < cost, cost / best) for one, cost in costs.items()]
    groups = pd.DataFrame(runs, columns=["reduction", "algorithm", "wrong", "ratio"]).groupby(
        ["reduction", "algorithm"], sort=False
    )
    return groups.agg(instances=("wrong", "size"), wrong=("wrong", "sum"), largest_ratio=("ratio", "max")).reset_index()
