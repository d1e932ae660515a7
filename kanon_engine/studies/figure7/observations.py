"""What the paper observed in its Figure 7, checked on computed ratios and put in figures."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from kanon_engine.studies.figure7 import VARIANTS

FOURTH = "The ratio is far below the worst case"
WORST_CASE = 3.0  # the ceiling of Theorem 7 over k, when no label weighs more than k


@dataclass(frozen=True)
class Observation:
    """One observation of section 5.

    Attributes
    ----------
    name : str
    holds : bool
    sentence : str
        The figures on which this rests.
    """

    name: str
    holds: bool
    sentence: str


def observations(frame: pd.DataFrame) -> tuple[Observation, ...]:
    """The paper's four observations on the ratios of `overfull_ratios`, as far as the frame has the variants for them.

    Spread is taken to be superior to Fold when its mean ratio is lower and it is at most Fold's at nine of ten k;
    random order to be often superior to sorted when it is strictly lower at a quarter of all k; drops to be harmful
    when the ratio rises at more than half of the k at which the number of classes falls; the worst case to be far
    when the mean stays below two thirds of it. Variants are compared at the k that they share, over all seeds.
    """
    known = [name for name in VARIANTS if (frame["variant"] == name).any()]
    ratio = {name: frame[frame["variant"] == name] for name in known}
    found = []
    for order in ("Random", "Sorted"):
        if {f"{order} Fold", f"{order} Spread"} <= ratio.keys():
            found.append(_spread_or_fold(order, ratio[f"{order} Fold"], ratio[f"{order} Spread"]))
    for algorithm in ("Fold", "Spread"):
        if {f"Random {algorithm}", f"Sorted {algorithm}"} <= ratio.keys():
            found.append(_random_or_sorted(algorithm, ratio[f"Random {algorithm}"], ratio[f"Sorted {algorithm}"]))
    found += [_drops(name, rows) for name, rows in ratio.items()]
    found += [_worst_case(name, rows) for name, rows in ratio.items()]
    return tuple(found)


def _spread_or_fold(order: str, fold: pd.DataFrame, spread: pd.DataFrame) -> Observation:
    both = fold.merge(spread, on=["seed", "k"], suffixes=("_fold", "_spread"))
    a, b = both["overfull_ratio_fold"], both["overfull_ratio_spread"]
    at_most, below = float((b <= a).mean()), float((b < a).mean())
    return Observation(
        f"Spread is better than Fold, {order.lower()} order",
        bool(at_most >= 0.9 and b.mean() < a.mean()),
        f"Spread is at most Fold at {at_most:.1%} of {len(both):,} values of k, below it at {below:.1%}; "
        f"mean {b.mean():.3f} against {a.mean():.3f}.",
    )


def _random_or_sorted(algorithm: str, random: pd.DataFrame, ordered: pd.DataFrame) -> Observation:
    both = random.merge(ordered, on="k", suffixes=("_random", "_sorted"))
    a, b = both["overfull_ratio_random"], both["overfull_ratio_sorted"]
    below, above = float((a < b).mean()), float((a > b).mean())
    return Observation(
        f"Random order is often better than sorted, {algorithm}",
        below >= 0.25,
        f"Random is below sorted at {below:.1%} of the values of k, above it at {above:.1%}; "
        f"mean {a.mean():.3f} against {b.mean():.3f}.",
    )


def _drops(name: str, rows: pd.DataFrame) -> Observation:
    """Steps from k to k + 1 within one seed, split by whether the number of classes falls."""
    rows = rows.sort_values(["seed", "k"])
    next_to = (rows["k"].diff() == 1).to_numpy()
    change = rows["overfull_ratio"].diff()[next_to]
    fell = (rows["classes"].diff() < 0)[next_to]
    at_drops, elsewhere = change[fell], change[~fell]
    rises = float((at_drops > 0).mean()) if len(at_drops) else 0.0
    return Observation(
        f"The ratio jumps where the number of classes drops, {name}",
        rises > 0.5 and float(at_drops.mean()) > float(elsewhere.mean()),
        f"At {len(at_drops):,} drops the ratio rises in {rises:.1%} of cases, on average by {at_drops.mean():+.4f}; "
        f"at all other steps it changes by {elsewhere.mean():+.6f}.",
    )


def _worst_case(name: str, rows: pd.DataFrame) -> Observation:
    mean, most = float(rows["overfull_ratio"].mean()), float(rows["overfull_ratio"].max())
    return Observation(
        f"{FOURTH}, {name}",
        mean < WORST_CASE * 2 / 3,
        f"Mean {mean:.3f}, largest {most:.3f}, where the worst case is {WORST_CASE:g}.",
    )
