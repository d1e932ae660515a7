"""Near-optimal classes on real maps: a few neighboring classes are re-formed repeatedly."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial

import numpy as np

from kanon_engine.model.requirement import Minimum, all_hold
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.model.wishes import sums_of
from kanon_engine.regions.annealing import EVENING, Annealing, anneal_in_rounds, border_lengths, even_out
from kanon_engine.regions.bounds import average_classes, lower_bound
from kanon_engine.regions.frontier import refutation_bound
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.merge import merge
from kanon_engine.regions.neighborhoods import classes_by_halving, narrowed, remade
from kanon_engine.regions.partitions import SMALL, any_partition
from kanon_engine.regions.tree_split import tree_split
from kanon_engine.regions.trees_kernels import Graph

QUICK = 0.1  # below this effort, trees and bounds that would take longer than the search are skipped
FIRST, LAST = 0.4, 0.9  # reported shares of the work after which the first annealing and the turns end
GLANCE = 0.1  # share of the attempts to refute caps below the largest class that come before the turns
REFUTING = "searching for a proof that the largest class cannot be smaller"


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

    A step merges one to three neighboring classes and cuts a random spanning tree of them where the parts are priced
    lowest, or moves an area over a border. The price of a class is its squared weight plus fines for its shortfall to k
    or to a minimum, for its excess over the target for the largest class, and for each wish that it breaks. If the best
    is not proven to have the smallest largest class, turns (`go_on`) and proofs (`refutation_bound`) follow, except at
    an effort below a tenth.

    `run`: a stop returns the best so far.
    `compactness`: 0: of partitions with the same largest class and sum of squares the one that separates the fewest
        neighbors. Above 0: the smallest sum of the largest class, the mean class (of a record, not of a class), and
        `compactness` times the share of the border length that lies between classes times the lower bound on the
        largest class: at 1, a hundredth less of all borders is worth a hundredth more of the largest class.
    `objective`: "largest": as above. "sum": the smallest sum of w (w - k) over the classes, which is the smallest sum
        of squares, the discernibility metric DM: both differ by k W (`partition_cost`); the largest class then does not
        count and drops out of the sum that compactness is weighed against.
    `effort`: how long the search may go on, as a multiple of the usual work. From 1 on, more effort is never worse: a
        run does everything that a shorter one does, and then continues.
    `require`: if set, it begins with the classes of tree-split, merged as long as one misses a minimum.
    Returns: `details` is a `TreeDetails` of a spanning forest that shows the classes.
    Raises `Infeasible`: no partition satisfies all wishes, as an exhaustive search proves; `InvalidInput`: none was
        found that does, and it is not known whether one exists.
    Complexity: a step takes time linear in the classes that it touches; an annealing makes at most `steps_for` steps,
        and fewer when rounds pass without a better partition or no largest class can be smaller. Neighborhoods examine
        a number of states that grows with the effort. Both cores are used after the first annealing.
    References: Recombination: D. DeFord, M. Duchin, J. Solomon, "Recombination: A Family of Markov Chains for
        Redistricting", Harvard Data Science Review 3.1 (2021). Annealing: S. Kirkpatrick, C. Gelatt, M. Vecchi, Science
        220 (1983).

    >>> path = Regions(range(7), [2, 1, 1, 2, 2, 1, 1], [(i, i + 1) for i in range(6)])
    >>> classes = recombine(path, 3, Run(), compactness=0.0).assignment
    >>> sorted(int(path.weights[classes == c].sum()) for c in range(3))
    [3, 3, 4]
    """
    quick = effort < QUICK
    search, another, start = begun(
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
            go_on(search, another, run.part(FIRST, LAST), effort, start)
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
) -> tuple[Annealing, Callable[..., Annealing], np.ndarray]:
    """The initial search, a function that makes others for the same input, and the classes of its first tree."""
    quick = effort < QUICK
    tree_run = Run(run.seed, progress=lambda report: run.goes_on(0.0, report.best, None, report.message))
    trees = tree_split(regions, k, tree_run, tree="low-degree" if quick else "auto")
    if require:
        trees = merge(regions, trees, "tree-split", all_hold(require, regions))
    lengths = border_lengths(regions) if compactness else None
    bound = None if quick else lower_bound(regions, k, require)
    if bound is None:  # two of the bounds of `lower_bound`, at no cost
        aim = max(int(regions.weights.max()), int(average_classes(regions, k, require).max()))
    else:
        aim = bound.value
    settings = (regions, k, aim, lengths, compactness)
    search = Annealing(*settings, run.generator(), objective, require)
    search.proof = bound
    search.begin(trees.assignment)
    return search, partial(Annealing, *settings, objective=objective, minima=require), trees.assignment


def _raise_bound(search: Annealing, run: Run, done: float, effort: float) -> None:
    """Search around the heaviest classes for a proof that they cannot be lighter, or not by much."""
    if run.stopped or search.proven or not search.found or not search.remakes:
        return
    if run.goes_on(done, search.largest, search.bound, REFUTING, search.outcome):
        best = search.state.best
        proof = refutation_bound(search.regions, search.k, search.bound, search.largest, best, effort)
        if proof is not None:
            search.proof, search.bound = proof, int(proof.value)


# ---------------------------------------------------------------------------------------------------------------------
# After the first annealing: neighborhoods of its best partition, and restarts, in growing turns
# ---------------------------------------------------------------------------------------------------------------------


STEPS, MOST_STEPS = 10_000, 1_750_000  # of an annealing of size 1: for each area, for all
TOUCHED = 80_000_000  # and what they may touch, in areas of a class of weight k
WORK, MOST_WORK = 150_000, 20_000_000  # of the neighborhoods of size 1, in states: per area, in total
FILLING, MOST_FILLING = 1_000_000, 150_000_000  # of the search for classes within a cap, likewise
LARGEST = 5_000  # most areas of a part that it is applied to
CAPS = 1.03, 1.01  # the largest class that it may make, as multiples of what is proven to be needed
AGAIN = 1_000  # areas up to which the first turn also has a restart
THREADS = min(os.cpu_count() or 1, 2)
WAIT = 0.1  # seconds between checks whether to continue
NARROWED, FILLED = 0.3, 0.6  # reported shares of the work on neighborhoods after which these end
DOING = "re-forming neighborhoods of classes"
MORE = "searching for classes close to the proven bound"


def steps_for(regions: Regions, k: int, size: float = 1.0) -> int:
    """The most steps of an annealing; at size 1, seconds for 500 areas and half a minute for 33,000.

    A step takes time in proportion to the areas of a class, so there are fewer steps if classes are large.
    """
    areas = len(regions)
    steps = min(STEPS * areas, MOST_STEPS) + 250 * areas
    return max(round(size * min(steps, TOUCHED * regions.total / (areas * k))), 1)


def sizes_for(effort: float) -> list[float]:
    """The sizes of the turns: those of a smaller effort, from 1 on, and then perhaps more.

    >>> sizes_for(0.5), sizes_for(1), sizes_for(4), sizes_for(10)
    ([0.5], [1.0], [1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 4.0])
    """
    sizes, left = [float(min(effort, 1))], effort - 1
    while left >= 2 ** (len(sizes) - 1):
        sizes.append(float(2 ** (len(sizes) - 1)))
        left -= sizes[-1]
    return sizes


def go_on(search: Annealing, another: Callable[..., Annealing], run: Run, effort: float, start: np.ndarray) -> None:
    """Turns, until the largest class is proven or the effort is used up.

    A turn has two independent parts: neighborhoods of the best partition, and a restart with its own neighborhoods.
    They may run in parallel; their results are taken in this order. A larger effort first makes the turns of a smaller
    one, with the same random numbers.

    `search`: it keeps the best.
    `another`: ``another(generator=…)`` makes a search for the same input.
    `known`: (n,) int. Classes from which the restarts begin.
    """
    sizes = sizes_for(effort)
    ends = np.cumsum(sizes) / sum(sizes)
    for number, size in enumerate(sizes):
        if run.stopped or search.proven or not search.found or len(search.regions.edges) == 0:
            return
        turn_run = run.part(0.0 if number == 0 else float(ends[number - 1]), float(ends[number]))
        _turn(search, another, turn_run, size, number, start)


def _turn(
    search: Annealing, another: Callable[..., Annealing], run: Run, size: float, number: int, start: np.ndarray
) -> None:
    """Neighborhoods of the best, and a restart; then the other classes of the result are evened out."""
    random = [np.random.default_rng((run.seed, number, part)) for part in range(2)]
    largest = search.largest
    again = number > 0 or (search.remakes and len(search.regions) <= AGAIN)

    def begin(surroundings: Run) -> np.ndarray:
        """The best classes of another annealing and of its neighborhoods."""
        annealing = another(generator=random[1])
        annealing.bound = search.bound
        annealing.begin(start)
        anneal_in_rounds(annealing, surroundings.part(0.0, 0.5), steps_for(annealing.regions, annealing.k, size))
        if annealing.remakes and not surroundings.stopped:
            annealing.offer(_remade(annealing, size, random[1], surroundings.part(0.5, 1.0)))
        return annealing.state.best

    def heard(report: Progress) -> bool:
        """Progress of a restart that is waited for, reported with the best of all."""
        return run.goes_on(0.5 + 0.4 * report.done, search.largest, search.bound, report.message, search.outcome)

    with ThreadPoolExecutor(1) as pool:
        waiting: Future[np.ndarray] | None = None
        if again and THREADS > 1:
            quiet = Run(run.seed, progress=lambda report: not (run.stopped or search.proven))
            waiting = pool.submit(begin, quiet)
        if search.remakes:
            search.offer(_remade(search, size, random[0], run.part(0.0, 0.5 if again else 0.9)))
        while waiting is not None and not waiting.done():
            wait([waiting], WAIT)
            if not run.stopped:
                run.goes_on(0.5, search.largest, search.bound, DOING, search.outcome)
        if again and not run.stopped and not search.proven:
            search.offer(begin(Run(run.seed, progress=heard)) if waiting is None else waiting.result())
    if search.largest < largest and not run.stopped:
        search.done = 0.0
        even_out(search, run.part(0.9, 1.0), EVENING * steps_for(search.regions, search.k, size))


def _remade(search: Annealing, size: float, random: np.random.Generator, run: Run) -> np.ndarray:
    """The best with a smaller largest class, if found: of a narrow map, within a cap, of parts of any."""
    work = int(size * min(WORK * len(search.regions), MOST_WORK))
    graph = Graph(search.graph.start, search.graph.neighbors, search.graph.weights)
    label = search.state.best

    def goes_on(begin: float, end: float, share: float, largest: int) -> bool:
        return run.goes_on(begin + min(share, 1.0) * (end - begin), largest, search.bound, DOING)

    progress = partial(goes_on, 0.0, NARROWED)
    label, bound = narrowed(graph, search.k, label, search.bound, work // 2, random, search.admits, progress)
    if not run.stopped:
        label = _filled(search, graph, label, bound, size, random.spawn(1)[0], run.part(NARROWED, FILLED))
    if run.stopped:
        return label
    return remade(graph, search.k, label, bound, work // 2, random, search.admits, partial(goes_on, FILLED, 1.0))


def _filled(
    search: Annealing,
    graph: Graph,
    label: np.ndarray,
    bound: int,
    size: float,
    random: np.random.Generator,
    run: Run,
) -> np.ndarray:
    """Classes with a smaller largest one, if found: in parts, with the number of classes that leaves the most slack
    within a cap."""
    if len(search.state.minima) > 0:
        return label
    regions, label = search.regions, label.copy()
    averages = average_classes(regions, search.k)
    tasks: dict[tuple[int, int, int], None] = {}  # parts, each with its number of classes and their largest weight
    for part, total in enumerate(regions.component_weights.tolist()):
        members = np.flatnonzero(regions.components == part)
        part_labels = np.unique(label[members], return_inverse=True)[1]
        largest = int(sums_of(graph.weights[members], part_labels).max())
        least = max(bound, int(averages[part]))
        if len(members) <= LARGEST:
            tried = (counted(total, search.k, int(least * above)) for above in CAPS)
            tasks.update({(part, count, cap): None for count, cap in tried if count > 1 and cap < largest})
    left = int(size * min(FILLING * len(regions), MOST_FILLING))
    for number, (part, count, cap) in enumerate(tasks):

        def goes_on(share: float, number: int = number) -> bool:
            done = (number + min(share, 1.0)) / len(tasks)
            return run.goes_on(done, search.largest, search.bound, MORE)

        if run.stopped:
            break
        members = np.flatnonzero(regions.components == part)
        work = left // (len(tasks) - number)
        classes, spent = classes_by_halving(graph, members, count, search.k, cap, work, random, goes_on)
        left -= min(spent, work)
        if classes is not None:
            for new in classes:
                label[new] = label.max() + 1
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def counted(total: int, k: int, cap: int) -> tuple[int, int]:
    """The number of classes for which the slack above k and below the cap is about equal, and their largest weight.

    >>> counted(100, 8, 12), counted(100, 33, 60), counted(10, 6, 7)
    ((10, 12), (2, 60), (1, 7))
    """
    count = min(max(round(2 * total / (k + cap)), -(-total // cap)), total // k)
    return count, min(cap, total - (count - 1) * k)
