"""What is proven of a grouping of areas before anything is searched, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_engine.regions.instance import Regions
from kanon_engine.regions.recombine import QUICK

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

DEGREES = {"hamiltonian": 2, "degree-3": 3}


def promise(
    regions: Regions, k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None = None
) -> str:
    """The ceiling on the largest class of this map; with a result, what that run has kept of it.

    >>> promise(Regions(range(3), [4, 2, 3], [(0, 1), (1, 2)]), 3, "tree-split", {"tree": "hamiltonian"})
    'at most 8, the heaviest area plus 2 × (k − 1): never above 3 times the best possible'
    """
    heaviest = regions.heaviest
    alone = "the heaviest areas that stay together" if regions.together else "the heaviest area"
    if algorithm == "tree-split":
        degree = DEGREES.get(options["tree"]) if g is None else g.details.degree
        ratio = "never above {} times the best possible"
        if degree is None:
            d = "where d is the largest number of branches of an area in the tree"
            words = f"at most {heaviest:,} ({alone}) plus d × {k - 1:,}, {d}"
            return f"{words}: {ratio.format('(1 + d)')}"
        most = heaviest + degree * (k - 1)
        return f"at most {most:,}, {alone} plus {degree} × (k − 1): {ratio.format(1 + degree)}"
    if algorithm == "general-graph":
        least = max(3 * k - 3, heaviest)
        if g is None:
            return (
                f"at most {least:,} or the best possible plus {k - 1:,}, whichever is more: below 3 times the best "
                "possible, unless the search is stopped early"
            )
        if g.guarantee is None:
            return (
                f"none, because the search was stopped while the largest group was above {least:,} and not yet close "
                "to the best possible"
            )
        return f"at most {g.guarantee:,}: below 3 times the best possible"
    if algorithm == "recombine":
        plain = options["objective"] == "largest" and options["compactness"] == 0
        if not plain or (g is not None and g.status == "stopped"):
            return "none"
        tree = "tree split" if options["effort"] >= QUICK else "tree split on a tree with few branches at each area"
        merged = ", with groups merged where they miss a minimum" if g is not None and g.require else ""
        stop = ", unless the search is stopped early" if g is None else ""
        return f"never above the result of {tree} with the same seed{merged}{stop}; no other guarantee"
    return "none, only the lower bound that the search proves" if algorithm == "exact" else "none"
