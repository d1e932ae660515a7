"""What follows the first annealing: neighbourhoods of its best, and other beginnings, in turns that grow."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial

import numpy as np

from kanon_engine.model.run import Progress, Run
from kanon_engine.regions.bounds.average import average_classes
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.recombine.annealing import EVENING, anneal_in_rounds, even_out
from kanon_engine.regions.recombine.most_classes import most_classes
from kanon_engine.regions.recombine.narrow import narrowed
from kanon_engine.regions.recombine.neighbourhoods import remade
from kanon_engine.regions.recombine.search import Search
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.search.parts import sums_of

STEPS, MOST_STEPS = 10_000, 1_750_000  # of an annealing of size 1: for each area, for all
TOUCHED = 80_000_000  # and what they may touch, in areas of a class as light as k
WORK, MOST_WORK = 150_000, 20_000_000  # of the neighbourhoods of size 1, in states: for each area, for all
FILLING, MOST_FILLING = 1_000_000, 150_000_000  # of the search for classes within a cap, likewise
LARGEST = 5_000  # areas of a part that it is made for, at most
CAPS = 1.03, 1.01  # the largest class that it may make, as multiples of what is proven to be needed
AGAIN = 1_000  # areas up to which the first turn too has another beginning
THREADS = min(os.cpu_count() or 1, 2)
WAIT = 0.1  # seconds between questions whether to go on
NARROWED, FILLED = 0.3, 0.6  # shares of the work on neighbourhoods after which these end, as it is told
DOING = "making neighbourhoods of classes anew"
MORE = "looking for classes near to what is proven"


def steps_for(regions: Regions, k: int, size: float = 1.0) -> int:
    """How many steps an annealing makes at most: of size 1, seconds for 500 areas, half a minute for 33,000.

    A step takes time by the areas of a class, so there are fewer where classes have many.
    """
    areas = len(regions)
    steps = min(STEPS * areas, MOST_STEPS) + 250 * areas
    return max(round(size * min(steps, TOUCHED * regions.total / (areas * k))), 1)


def sizes_for(effort: float) -> list[float]:
    """The sizes of the turns: those of a smaller effort, from 1 on, and then perhaps more.

    Example
    -------
    >>> sizes_for(0.5), sizes_for(1), sizes_for(4), sizes_for(10)
    ([0.5], [1.0], [1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 4.0])
    """
    sizes, left = [float(min(effort, 1))], effort - 1
    while left >= 2 ** (len(sizes) - 1):
        sizes.append(float(2 ** (len(sizes) - 1)))
        left -= sizes[-1]
    return sizes


def go_on(search: Search, another: Callable[..., Search], run: Run, effort: float, known: np.ndarray) -> None:
    """Turns, until the largest class is proven or the effort is used up.

    A turn has two parts that know nothing of each other: neighbourhoods of the best partition, and another beginning
    with neighbourhoods of its own. They may run at the same time; what they found is taken in this order. A larger
    effort makes the turns of a smaller one first, with the same random numbers.

    Parameters
    ----------
    search : Search
        It keeps the best.
    another : callable
        ``another(generator=…)`` makes a search for the same.
    run : Run
    effort : float
    known : (n,) int array
        Classes that the other beginnings begin with.
    """
    sizes = sizes_for(effort)
    ends = np.cumsum(sizes) / sum(sizes)
    for number, size in enumerate(sizes):
        if run.stopped or search.proven or not search.found or len(search.regions.edges) == 0:
            return
        told = run.part(0.0 if number == 0 else float(ends[number - 1]), float(ends[number]))
        _turn(search, another, told, size, number, known)


def _turn(
    search: Search, another: Callable[..., Search], run: Run, size: float, number: int, known: np.ndarray
) -> None:
    """Neighbourhoods of the best, and another beginning; then the other classes of what was found are evened out."""
    random = [np.random.default_rng((run.seed, number, part)) for part in range(2)]
    largest = search.largest
    again = number > 0 or (search.remakes and len(search.regions) <= AGAIN)
    begin = partial(_beginning, search, another, size, random[1], known)
    with ThreadPoolExecutor(1) as pool:
        waiting: Future[np.ndarray] | None = None
        if again and THREADS > 1:
            quiet = Run(run.seed, progress=lambda said: not (run.stopped or search.proven))
            waiting = pool.submit(begin, quiet)
        if search.remakes:
            search.offer(_remade(search, search.state.best, size, random[0], run.part(0.0, 0.5 if again else 0.9)))
        while waiting is not None and not waiting.done():
            wait([waiting], WAIT)
            if not run.stopped:
                run.goes_on(0.5, search.largest, search.bound, DOING, search.outcome)
        if again and not run.stopped and not search.proven:
            search.offer(begin(_told_of(search, run)) if waiting is None else waiting.result())
    if search.largest < largest and not run.stopped:
        search.done = 0.0
        even_out(search, run.part(0.9, 1.0), EVENING * steps_for(search.regions, search.k, size))


def _told_of(search: Search, run: Run) -> Run:
    """The surroundings of another beginning, which tells of the best of all."""

    def heard(said: Progress) -> bool:
        return run.goes_on(0.5 + 0.4 * said.done, search.largest, search.bound, said.message, search.outcome)

    return Run(run.seed, progress=heard)


def _beginning(
    search: Search,
    another: Callable[..., Search],
    size: float,
    random: np.random.Generator,
    known: np.ndarray,
    run: Run,
) -> np.ndarray:
    """The best classes of another annealing, and of neighbourhoods of them."""
    own = another(generator=random)
    own.bound = search.bound
    own.begin(known)
    anneal_in_rounds(own, run.part(0.0, 0.5), steps_for(own.regions, own.k, size))
    if own.remakes and not run.stopped:
        own.offer(_remade(own, own.state.best, size, random, run.part(0.5, 1.0)))
    return own.state.best


def _remade(search: Search, label: np.ndarray, size: float, random: np.random.Generator, run: Run) -> np.ndarray:
    """Classes with a smaller largest one, if they are found: those of a narrow map, within a cap, of parts of any."""
    work = int(size * min(WORK * len(search.regions), MOST_WORK))
    graph = Graph(search.graph.start, search.graph.neighbours, search.graph.weights)

    def goes_on(begin: float, end: float, share: float, largest: int) -> bool:
        return run.goes_on(begin + min(share, 1.0) * (end - begin), largest, search.bound, DOING)

    label, bound = narrowed(
        graph, search.k, label, search.bound, work // 2, random, search.admits, partial(goes_on, 0.0, NARROWED)
    )
    if not run.stopped:
        label = _filled(search, graph, label, bound, size, random.spawn(1)[0], run.part(NARROWED, FILLED))
    if run.stopped:
        return label
    return remade(graph, search.k, label, bound, work // 2, random, search.admits, partial(goes_on, FILLED, 1.0))


def _filled(
    search: Search,
    graph: Graph,
    label: np.ndarray,
    bound: int,
    size: float,
    random: np.random.Generator,
    run: Run,
) -> np.ndarray:
    """Classes with a smaller largest one, if they are found: in parts, as many as leave most slack within a cap."""
    if len(search.state.minima) > 0:
        return label
    regions, label = search.regions, label.copy()
    averages = average_classes(regions, search.k)
    wanted: dict[tuple[int, int, int], None] = {}  # parts, and how many classes of which largest weight
    for part, total in enumerate(regions.component_weights.tolist()):
        members = np.flatnonzero(regions.components == part)
        own = np.unique(label[members], return_inverse=True)[1]
        largest = int(sums_of(graph.weights[members], own).max())
        least = max(bound, int(averages[part]))
        if len(members) <= LARGEST:
            tried = (counted(total, search.k, int(least * above)) for above in CAPS)
            wanted.update({(part, count, cap): None for count, cap in tried if count > 1 and cap < largest})
    left = int(size * min(FILLING * len(regions), MOST_FILLING))
    for number, (part, count, cap) in enumerate(wanted):

        def goes_on(share: float, number: int = number) -> bool:
            done = (number + min(share, 1.0)) / len(wanted)
            return run.goes_on(done, search.largest, search.bound, MORE)

        if run.stopped:
            break
        members = np.flatnonzero(regions.components == part)
        work = left // (len(wanted) - number)
        made, spent = most_classes(graph, members, count, search.k, cap, work, random, goes_on)
        left -= min(spent, work)
        if made is not None:
            for new in made:
                label[new] = label.max() + 1
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def counted(total: int, k: int, cap: int) -> tuple[int, int]:
    """How many classes between k and the cap have about as much to spare above k as below it, and what one can weigh.

    Example
    -------
    >>> counted(100, 8, 12), counted(100, 33, 60), counted(10, 6, 7)
    ((10, 12), (2, 60), (1, 7))
    """
    count = min(max(round(2 * total / (k + cap)), -(-total // cap)), total // k)
    return count, min(cap, total - (count - 1) * k)
