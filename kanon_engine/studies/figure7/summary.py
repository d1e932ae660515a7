"""What the ratios of Figure 7 come to: maxima of sub-ranges, distance from the optimum, where a group fewer fits."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.studies.figure7 import NEAR_OPTIMAL
from kanon_engine.validate import positive_k


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
        reached, floor: the largest lower_bound / k there, below which no partition can keep this maximum, and
        lowest_order and median_order: least and median of the maxima that the random orders have, one a seed.
    """
    if positive_k(ranges) and frame.empty:
        raise InvalidInput("There are no ratios to summarize; compute at least one k.")
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
    """How far above k, and how far above the proven lower bound, the largest class of each variant is.

    Where near-optimal meets the bound at every k, the ratios to the bound are the ratios to the true optimum.

    Returns
    -------
    DataFrame
        A row a variant: variant, k_from, k_to, mean_ratio and largest_ratio to k with at_k where that is,
        mean_ratio_to_bound, largest_ratio_to_bound with its bound_at_k, and optimal_share: at how many k, as a share,
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
    """The last k at which near-optimal makes so many classes, for each number of classes up to `most`.

    Returns
    -------
    DataFrame
        k, classes, and then: how many classes there are at k + 1. Empty where near-optimal is not in the frame.
    """
    rows = frame[frame["variant"] == NEAR_OPTIMAL].sort_values("k")
    then = rows["classes"].shift(-1)
    drops = (then < rows["classes"]) & (rows["k"].shift(-1) == rows["k"] + 1) & (rows["classes"] <= most)
    return rows.loc[drops, ["k", "classes"]].assign(then=then[drops].astype("int64")).reset_index(drop=True)
