"""Near-optimal classes on real maps: a few neighbouring classes are made anew, again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from kanon_engine.model.requirement import Minimum, all_hold
from kanon_engine.model.run import Outcome, Run
from kanon_engine.regions.borders import border_lengths
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.bounds.average import average_classes
from kanon_engine.regions.frontier import refutation_bound
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.merge import merge
from kanon_engine.regions.partitions.possible import any_partition
from kanon_engine.regions.partitions.small import SMALL
from kanon_engine.regions.recombine.annealing import anneal_in_rounds
from kanon_engine.regions.recombine.search import Search
from kanon_engine.regions.recombine.turns import go_on, steps_for
from kanon_engine.regions.tree_split import tree_split

QUICK = 0.1  # below this effort trees and bounds that would take longer than the search are left out
FIRST, LAST = 0.4, 0.9  # shares of the work after which the first annealing and the turns end, as it is told
GLANCE = 0.1  # share of the attempts to refute what is below the largest class that are made before the turns
REFUTING = "looking for a proof that no largest class is smaller"


def recombine(
    regions: Regions,
    k: int,
    run: Run,
    *,
    compactness: float,
    objective: str = "largest",
    effort: float = 1.0,
    require: Sequence[Minimum] = (),
) -> Outcome:
    """Connected classes by annealing: the smallest largest class, then the smallest sum of squared class weights.

    Guarantee: no ceiling is proven. With objective "largest", compactness 0 and no stop, never worse than `tree-split`
    with the same seed (with an effort below a tenth: than its tree "low-degree"). Proof:
    docs/proofs/regions/recombine.md.

    It begins with the classes of tree-split, or with balanced cuts of random trees where they are better. A step merges
    one to three neighbouring classes and cuts a random spanning tree of them where the parts are priced lowest, or
    moves an area over a border. The price of a class is its squared weight, and a fine for what it misses to k or to a
    minimum, for what it exceeds the largest class aimed at, and for each wish that it breaks. Steps that raise the
    price are made with a probability that falls with the temperature. Only partitions in which every class reaches k
    and every minimum, and that keep all wishes, are kept; of these the best is returned. Once no largest class can be
    smaller, and nothing else counts more, the search for it ends; a small part of the steps evens the others out.

    Where it is not proven then, turns follow (`turns`): classes within a cap near to what is proven are looked for from
    nothing (`most_classes`), neighbourhoods of the best partition are made anew along a frontier (`neighbourhoods`, of
    narrow maps all classes: `narrow`), and beside that another annealing begins. Before and after them a proof is
    looked for that no largest class is smaller (`refutation_bound`). All this is left out at an effort below a tenth;
    neighbourhoods and proof, where compactness, a sum or a wish counts too.

    Parameters
    ----------
    regions : Regions
    k : int
    run : Run
        A stop returns the best so far.
    compactness : float
        0: of partitions with the same largest class and sum of squares the one with the fewest neighbours apart.
        Above 0: the smallest sum of the largest class, the mean class (of a record, not of a class), and `compactness`
        times the share of the border length that lies between classes times the lower bound on the largest class: at
        1, a hundredth less of all borders is worth a hundredth more of the largest class.
    objective : str
        "largest": as above. "sum": the smallest sum of w (w - k) over the classes, which is the smallest sum of
        squares, the discernibility metric DM: both differ by k W (`partition_cost`); the largest class counts for
        nothing then, and leaves the sum that compactness is weighed against.
    effort : float
        How long the search may go on, as a multiple of the usual work. From 1 on, more effort is never worse: a run
        makes all that a shorter one makes, and then goes on.
    require : sequence of Minimum
        It then begins with the classes of tree-split, merged as long as one misses a minimum.

    Returns
    -------
    Outcome
        `details` is a `TreeDetails` of a spanning forest that shows the classes.

    Raises
    ------
    Infeasible
        No partition keeps all wishes, as a search that looks at all of them proves.
    InvalidInput
        None was found that does, and it is not known whether there is one.

    Complexity
    ----------
    A step takes time linear in the classes that it touches; an annealing makes at most `steps_for` steps, and fewer
    when rounds pass without a better partition or no largest class can be smaller. Neighbourhoods look at a number of
    states that grows with the effort. Both cores are used after the first annealing.

    References
    ----------
    Recombination: D. DeFord, M. Duchin, J. Solomon, "Recombination: A Family of Markov Chains for Redistricting",
    Harvard Data Science Review 3.1 (2021). Annealing: S. Kirkpatrick, C. Gelatt, M. Vecchi, Science 220 (1983).

    Example
    -------
    >>> path = Regions(range(7), [2, 1, 1, 2, 2, 1, 1], [(i, i + 1) for i in range(6)])
    >>> classes = recombine(path, 3, Run(), compactness=0.0).assignment
    >>> sorted(int(path.weights[classes == c].sum()) for c in range(3))
    [3, 3, 4]
    """
    quick = effort < QUICK
    search, another, known = begun(
        regions, k, run, compactness=compactness, objective=objective, effort=effort, require=require
    )
    if not search.found and int(np.bincount(regions.components).max()) <= SMALL:
        search.begin(any_partition(regions, k, run, require))
    anneal = partial(anneal_in_rounds, steps=steps_for(regions, k, min(effort, 1.0)))
    first = run if quick else run.part(0.0, FIRST)
    if not run.stopped and len(regions.edges):
        anneal(search, first)
    if not search.found:
        search.begin(any_partition(regions, k, run, require))
        if not run.stopped and len(regions.edges):
            anneal(search, first)
    if not quick:
        _raise_bound(search, run, FIRST, GLANCE * min(effort, 1.0))
        if not run.stopped:
            go_on(search, another, run.part(FIRST, LAST), effort, known)
        _raise_bound(search, run, LAST, effort)
    return search.outcome()


def begun(
    regions: Regions,
    k: int,
    run: Run,
    *,
    compactness: float,
    objective: str,
    effort: float,
    require: Sequence[Minimum] = (),
) -> tuple[Search, Callable[..., Search], np.ndarray]:
    """The search at its beginning, what makes others for the same, and the classes of the tree that it began with."""
    quick = effort < QUICK
    known = Run(run.seed, progress=lambda report: run.goes_on(0.0, report.best, None, report.message))
    trees = tree_split(regions, k, known, tree="low-degree" if quick else "auto")
    if require:
        trees = merge(regions, trees, "tree-split", all_hold(require, regions))
    lengths = border_lengths(regions) if compactness else None
    bound = None if quick else lower_bound(regions, k, require)
    aim = _plain_bound(regions, k, require) if bound is None else bound.value
    settings = (regions, k, aim, lengths, compactness)
    search = Search(*settings, run.generator(), objective, require)
    search.proof = bound
    search.begin(trees.assignment)
    return search, partial(Search, *settings, objective=objective, minima=require), trees.assignment


def _raise_bound(search: Search, run: Run, done: float, effort: float) -> None:
    """Look round the heaviest classes for a proof that none of them can be lighter, or not much."""
    if run.stopped or search.proven or not search.found or not search.remakes:
        return
    if run.goes_on(done, search.largest, search.bound, REFUTING, search.outcome):
        best = search.state.best
        search.raise_to(refutation_bound(search.regions, search.k, search.bound, search.largest, best, effort))


def _plain_bound(regions: Regions, k: int, require: Sequence[Minimum]) -> int:
    """The heaviest area, or the average class of a part: two of the bounds of `lower_bound`, at no cost."""
    averages = average_classes(regions, k, require)
    return max(int(regions.weights.max()), int(averages.max()))
