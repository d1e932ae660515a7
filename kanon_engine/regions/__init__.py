"""Zip codes and other areas: connected classes (Du et al. 2009, section 2)."""

from kanon_engine.model.algorithm import Algorithm, Family, Option
from kanon_engine.model.lazy import Lazy
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.verify import verify
from kanon_engine.regions.verify.small import beaten

ALGORITHMS = {
    "recombine": Algorithm(
        name="recombine",
        family="regions",
        title="Recombine",
        summary="Makes neighbouring groups anew, again and again, and keeps the best that it finds.",
        function=Lazy("kanon_engine.regions.recombine:recombine"),
        guarantee="none; for the largest group, without compactness, at an effort of 0.1 or more and if it is not "
        "stopped, never above tree split with the same seed",
        source="Annealing along random spanning trees, after DeFord, Duchin, Solomon 2021",
        complexity="a fixed number of steps, at most 10,250 an area, each linear in the classes that it touches",
        options=(
            Option(
                "compactness",
                "number",
                0.0,
                (),
                "What shorter borders are worth: 0, they decide between equals; 1, a hundredth less of all borders is "
                "worth a hundredth more of the largest class.",
                0,
            ),
            Option(
                "objective",
                "choice",
                "largest",
                ("largest", "sum"),
                "What shall be small: the largest group, or the sum of w (w − k) over all groups of weight w, which is "
                "the discernibility metric less k for every person.",
            ),
            Option(
                "effort",
                "number",
                1.0,
                (),
                "How long to search: 1 is usual; 0.01 answers at once, less well; 10 may take ten times as long.",
                0.001,
                1000,
            ),
        ),
    ),
    "exact": Algorithm(
        name="exact",
        family="regions",
        title="Exact search",
        summary="Finds the smallest possible largest group and proves it, or says how far the proof has come.",
        function=Lazy("kanon_engine.regions.exact:exact"),
        guarantee="none; the lower bound that the search proves, with the result",
        source="Dynamic programming over connected sets; CP-SAT with the cuts of Validi, Buchanan, Lykhovyd 2022",
        complexity="exponential; O(3^n) up to 14 areas",
        max_items=400,
        claims=("solver",),
    ),
    "tree-split": Algorithm(
        name="tree-split",
        family="regions",
        title="Tree split",
        summary="Cuts a spanning tree, always taking off the lightest piece that is heavy enough.",
        function=Lazy("kanon_engine.regions.tree_split:tree_split"),
        guarantee="heaviest area + d (k − 1), where d is the largest degree of the tree: "
        "never above 1 + d times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 2, Lemmas 1 and 2, Theorem 3",
        complexity="O(n log n) for each tree",
        options=(
            Option(
                "tree",
                "choice",
                "auto",
                ("auto", "hamiltonian", "degree-3", "low-degree", "random"),
                "Which spanning tree is cut: the best of several of low degree, a path (the areas must be 4-connected "
                "and planar), one of degree 3 (3-connected, planar), one of low degree, or any.",
            ),
        ),
    ),
    "general-graph": Algorithm(
        name="general-graph",
        family="regions",
        title="General graph",
        summary="Splits heavy groups, and moves light branches that hang on one area to groups beside them.",
        function=Lazy("kanon_engine.regions.general_graph:general_graph"),
        guarantee="max(3k − 3, heaviest area, best possible + k − 1): below 3 times the best possible, "
        "if it is not stopped",
        source="Derived for kanon (split, star, push-relabel); cf. Berman, Raskhodnikova 2010",
        complexity="polynomial; about O(n log n) for each of O(log W) limits on maps",
    ),
}

FAMILY = Family(
    "regions",
    Regions,
    ALGORITHMS,
    "recombine",
    "tree-split",
    Lazy("kanon_engine.regions.bounds:lower_bound"),
    verify,
    Lazy("kanon_engine.regions.promises:promise"),
    beaten=beaten,
)
