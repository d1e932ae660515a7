"""What is proven of a packing of labels before anything is searched, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_engine.labels.instance import HANDLE_CONFLICTS, Labels
from kanon_engine.labels.packing import sorted_fold, sorted_packing
from kanon_engine.labels.scheme import exact

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def promise(labels: Labels, k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None = None) -> str:
    """The ceiling on the largest class of these labels; with a result, what that run has kept of it.

    >>> promise(Labels("abcde", [9, 7, 5, 4, 2]), 10, "two-approximation", {})
    "at most 16, which is Fold's result for the sorted labels: never above 2 times the best possible"
    """
    if labels.items.conflicts:
        if algorithm not in HANDLE_CONFLICTS:
            return "none, because this algorithm cannot keep labels apart"
        return "none, only a lower bound, because labels are kept apart"
    if algorithm == "exact":
        return "none, only the lower bound that the search proves"
    items = labels.items
    heaviest = int(items.counts.max())
    if algorithm == "ordered":
        most = min(labels.total, 2 * (k - 1) + heaviest)
        return f"at most {most:,}, and the best possible among all ways to cut the ordered labels into intervals"
    if algorithm in ("fold", "spread"):
        most = min(labels.total, max(k - 1 + heaviest, 3 * k - 3)) if g is None or g.guarantee is None else g.guarantee
        also = "; never above Fold's result for the same order" if algorithm == "spread" else ""
        return f"at most {most:,}: below 3 times the best possible{also}"
    most = sorted_fold(items, sorted_packing(items, k)).cost
    return f"at most {most:,}, which is Fold's result for the sorted labels{_ratio(k, algorithm, options, g)}"


def _ratio(k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None) -> str:
    fixed = {"near-optimal": "2", "two-approximation": "2", "five-halves": "5/2"}
    if algorithm in fixed:
        return f": never above {fixed[algorithm]} times the best possible"
    above = 1 + exact(options["epsilon"])
    best = f"(the best possible + {k:,})" if algorithm == "scheme" else "the best possible"
    words = f": never above {float(above):g} × {best}"
    if g is None:
        return f"{words}, unless the search is stopped early"
    if g.status == "relaxed" and g.cost > above * g.lower_bound:  # its status does not say whether it was stopped
        return f"{words}, unless the search was stopped early"
    return "" if g.status == "stopped" else words
