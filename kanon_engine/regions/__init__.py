"""Zip codes and other areas: connected classes (Du et al. 2009, section 2)."""

from kanon_engine.algorithm import Algorithm, Family, Option
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.tree_split import tree_split
from kanon_engine.regions.verify import verify

ALGORITHMS = {
    "tree-split": Algorithm(
        name="tree-split",
        family="regions",
        title="Tree split",
        summary="Cuts a spanning tree with few branches, always taking off the lightest piece that is heavy enough.",
        function=tree_split,
        guarantee="max(k, heaviest area) + d (k − 1), where d is the largest degree of the tree: "
        "never above 1 + d times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 2, Lemmas 1 and 2, Theorem 3",
        complexity="O(n log n) for each tree",
        options=(
            Option(
                "tree",
                "choice",
                "auto",
                ("auto", "hamiltonian", "degree-3", "low-degree", "random"),
                "Which spanning tree is cut: the best of several of the least degree that is proven, a path (the areas "
                "must be 4-connected and planar), one of degree 3 (3-connected, planar), one of low degree, or any.",
            ),
        ),
    ),
}

FAMILY = Family("regions", Regions, ALGORITHMS, "tree-split", lower_bound, verify)
