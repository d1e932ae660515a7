"""Near-optimal classes on real maps: a few neighbouring classes are made anew, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from kanon_engine.model.requirement import Minimum, all_hold
from kanon_engine.model.run import Outcome, Run
from kanon_engine.regions.borders import border_lengths
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.bounds.average import average_classes
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.merge import merge
from kanon_engine.regions.partitions.possible import any_partition
from kanon_engine.regions.partitions.small import SMALL
from kanon_engine.regions.recombine.search import Search
from kanon_engine.regions.tree_split import numbered, tree_split
from kanon_engine.regions.trees.forest import forest_of_classes

HOT, COLD, COOLER = 1.0, 1e-3, 0.7  # temperatures of a round, in squares of a typical class; each round begins cooler
HOT_ONCE = 0.3  # where the map is so large that there is one round only
STEPS, MOST_STEPS = 10_000, 1_750_000  # for each area, for all
ROUNDS = 8  # at most
IDLE, IDLE_AT_BOUND = 3, 2  # rounds in a row without a better partition, after which no other is begun
QUICK = 0.1  # below this effort trees and bounds that would take longer than the search are left out
BATCH, COOLINGS = 2_000, 10  # steps between reports, and reports in a round, at least
EVENING, EVENINGS = 0.23, 3  # share of the steps that are made after a proof, and their rounds, at most
BORDERS = 0.13  # their share for borders
POLISH = 0.3, 0.1, 0.03, 0.01  # temperatures at which the rounds for the best's largest class begin
SEARCH, POLISHED = 0.65, 0.9  # shares of the steps after which those begin and end; the last round is for borders
FINE_CHANGES = 30  # how often in a round the fines rise by their factor, at most
DOING = "recombining neighbouring classes"
MENDINGS = 10  # how often in a round the partition is mended and weighed


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
        The number of steps, as a multiple of the usual one.
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
    A step takes time linear in the classes that it touches; the number of steps is at most that of `steps_for`, and
    less when rounds pass without a better partition or no largest class can be smaller.

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
    known = Run(run.seed, progress=lambda report: run.goes_on(0.0, report.best, None, report.message))
    trees = tree_split(regions, k, known, tree="low-degree" if quick else "auto")
    if require:
        trees = merge(regions, trees, "tree-split", all_hold(require, regions))
    lengths = border_lengths(regions) if compactness else None
    bound = None if quick else lower_bound(regions, k, require)
    aim = _plain_bound(regions, k, require) if bound is None else bound.value
    search = Search(regions, k, aim, lengths, compactness, run.generator(), objective, require)
    search.proof = bound
    search.begin(trees.assignment)
    if not search.found and int(np.bincount(regions.components).max()) <= SMALL:
        search.begin(any_partition(regions, k, run, require))
    if not run.stopped and len(regions.edges):
        _rounds(search, run, steps_for(len(regions), effort))
    if not search.found:
        search.begin(any_partition(regions, k, run, require))
        if not run.stopped and len(regions.edges):
            _rounds(search, run, steps_for(len(regions), effort))
    return _best(search)


def _best(search: Search) -> Outcome:
    """The best partition so far."""
    regions, best = search.regions, search.state.best
    return Outcome(
        assignment=numbered(best, regions.weights),
        details=forest_of_classes(regions, best, "recombined from neighbouring classes"),
        guarantee=None,
        bound=search.proof,
    )


def steps_for(areas: int, effort: float = 1.0) -> int:
    """How many steps are made at most: with effort 1, seconds for 500 areas, some ten seconds for 33,000."""
    return max(round(effort * (min(STEPS * areas, MOST_STEPS) + 250 * areas)), 1)


def _plain_bound(regions: Regions, k: int, require: Sequence[Minimum]) -> int:
    """The heaviest area, or the average class of a part: two of the bounds of `lower_bound`, at no cost."""
    averages = average_classes(regions, k, require)
    return max(int(regions.weights.max()), int(averages.max()))


def _rounds(search: Search, run: Run, steps: int) -> None:
    """Rounds of annealing; once no largest class can be smaller, what is left of them gives way to evening out."""
    _search(search, run, steps)
    left = min(EVENING, 1 - search.done) * steps
    if search.proven and not run.stopped and left >= 1:
        _even_out(search, run, left)


def _search(search: Search, run: Run, steps: int) -> None:
    """Rounds for more and smaller classes, then some from the best on: for its largest, at last for its borders."""
    rounds = min(max(steps // (600 * len(search.state.label)), 1), ROUNDS)
    idle = 0
    for number in range(rounds):
        if search.proven:
            return
        hot = HOT * COOLER**number if rounds > 1 else HOT_ONCE
        search.aim(more_classes=True)
        share = SEARCH / rounds
        found = _cool(search, run, share * steps, (share * number, share * (number + 1)), (hot, COLD))
        idle = 0 if found else idle + 1
        if run.stopped or idle == (IDLE_AT_BOUND if search.largest == search.bound else IDLE):
            break
    shares = [*np.linspace(SEARCH, POLISHED, len(POLISH) + 1), 1.0]
    for span, heat in zip(pairwise(shares), (*POLISH, None), strict=True):
        if run.stopped or search.proven:
            return
        search.return_to_best()
        search.aim(more_classes=False)
        hottest = heat or 3 * search.price_borders()
        _cool(search, run, (span[1] - span[0]) * steps, span, (hottest, hottest / 100))


def _even_out(search: Search, run: Run, steps: float) -> None:
    """A few short rounds for more and smaller classes below the proven largest, the last one for their borders."""
    search.ends_proven = False
    rounds = int(min(max(steps // (250 * len(search.state.label)), 1), EVENINGS))
    shares = [0.0, *np.linspace(0, 1 - BORDERS, rounds + 1)[1:], 1.0]
    begun = search.done
    for number, (low, high) in enumerate(pairwise(shares)):
        if run.stopped:
            return
        last = number == rounds
        if number == 0 or last:
            search.return_to_best()
        search.aim(more_classes=not last)
        hot, cold = HOT_ONCE * COOLER**number, COLD
        if last:
            hot = 3 * search.price_borders()
            cold = hot / 100
        span = (begun + (1 - begun) * low, begun + (1 - begun) * high)
        _cool(search, run, (high - low) * steps, span, (hot, cold))


def _cool(search: Search, run: Run, steps: float, span: tuple[float, float], heats: tuple[float, float]) -> int:
    """Anneal from hot to cold over a span of the whole work; returns how often the best was improved."""
    hot, cold = heats
    size = max(min(max(BATCH, len(search.state.label)), int(steps / COOLINGS)), 1)
    batches = max(round(steps / size), 1)
    found = 0
    for number in range(batches):
        found += search.batch(size, hot * (cold / hot) ** (number / batches), min(FINE_CHANGES / batches, 1.0))
        if (number + 1) * MENDINGS // batches > number * MENDINGS // batches:
            found += search.mend_and_record()
        search.done = span[0] + (span[1] - span[0]) * (number + 1) / batches
        shown = partial(_best, search) if search.found else None
        if not run.goes_on(search.done, search.largest, search.bound, DOING, shown):
            found += search.mend_and_record()
            break
        if search.ends_proven and search.proven:
            break
    return found
