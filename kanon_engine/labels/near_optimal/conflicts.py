"""Near-optimal where some labels must not share a class: those are dealt out first, the others around them."""

from __future__ import annotations

from functools import partial

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.labels.bounds import most_classes
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.conflict_packings import ConflictPackings, Packed, pairs_in_order
from kanon_engine.labels.packing.integer_program import packing_up_to, sizes_of
from kanon_engine.labels.packing.subsets import SMALL, all_sets
from kanon_engine.model.run import Run

TRIES = 4  # numbers of bins below the largest that can be filled
LARGEST_MODEL = 20_000  # labels times bins up to which CP-SAT is asked where nothing was found


def packed_with_conflicts(labels: Labels, k: int, low: int, run: Run) -> Packed:
    """The best packing that can be found with no two labels of `labels.conflicts` in one bin.

    Few labels are solved by looking at all sets of them. For more, the labels with conflicts are dealt out to bins, the
    one with the fewest bins left first (as in Brélaz' colouring) and into the lightest of them; the others fill up as
    in `near_optimal`; then single labels move or change places where that makes bins more equal and is allowed.

    Raises
    ------
    Infeasible
        All sets of labels were looked at, or a search by CP-SAT proves that there is no such packing.
    InvalidInput
        No packing was found, and it is not known whether there is one.
    """
    weights = np.ascontiguousarray(labels.counts[labels.descending])
    if len(labels) <= SMALL:
        best, of_all = all_sets(weights, k, pairs_in_order(labels, labels.descending))
        if of_all is None:
            raise Infeasible(NONE.format(k=k, how="all sets of labels were looked at"))
        return Packed(best, of_all, "the best of all partitions")
    packer = ConflictPackings(labels, weights, run)
    most, fewest = most_classes(labels, k)[0], len(labels.clique)
    found: Packed | None = None

    def attempt(bins: int) -> bool:
        """Whether so many bins could be filled."""
        nonlocal found
        filled = False
        for packed in packer.packings(bins, k):
            filled = True
            if found is None or packed.cost < found.cost:
                found = packed
            if found.cost == low:
                break
        return filled

    def goes_on(done: float, bins: int) -> bool:
        better = found is None or (found.cost > low and -(-labels.total // bins) < found.cost)
        return better and run.goes_on(done, None if found is None else found.cost, low, f"packing into {bins:,} groups")

    tried: set[int] = set()
    empty, full, bins, step = most + 1, 0, most, 1
    while empty - full > 1 and bins >= fewest and goes_on(0.2, bins):
        tried.add(bins)
        full, empty = (bins, empty) if attempt(bins) else (full, bins)
        bins = (empty + full) // 2 if full else max(empty - step, fewest if empty > fewest else 0)
        step *= 2
    for bins in range(full - 1, max(full - 1 - TRIES, fewest - 1, 0), -1):
        if bins not in tried and goes_on(0.6, bins):
            attempt(bins)
    return found if found is not None else _by_model(labels, k, run)


NONE = "No grouping into groups of at least k = {k:,} keeps these labels apart ({how}); lower k or keep fewer apart."


def _by_model(labels: Labels, k: int, run: Run) -> Packed:
    """What CP-SAT finds, or proves not to be there."""
    order, sizes = sizes_of(labels, k, most_classes(labels, k)[0])
    if len(sizes.weights) * sizes.most <= LARGEST_MODEL:
        goes_on = partial(run.goes_on, 0.9, None, None, "asking")
        verdict, bins, _ = packing_up_to(sizes, run.seed, labels.total, 1.0, goes_on)
        if verdict == "impossible":
            raise Infeasible(NONE.format(k=k, how="a search by CP-SAT proves it"))
        if bins is not None:
            of_label = np.empty(len(labels), dtype=np.int64)
            of_label[order] = bins
            largest = int(np.bincount(of_label, labels.counts).max())
            return Packed(largest, of_label[labels.descending], "a packing that a search by CP-SAT found")
    raise InvalidInput(
        f"No grouping into groups of at least k = {k:,} was found that keeps these labels apart, and whether there is "
        f"one is not known; lower k, or keep fewer labels apart."
    )
