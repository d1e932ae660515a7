"""The claims of a certificate of grouped labels: how bins were filled, the ceiling, the bound."""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from . import arrays
from .checkable import CHECKED, PARTLY, UNCHECKED, Entry
from .codec import Array, listed
from .core import (
    MINIMUM,
    Budget,
    Check,
    Instance,
    Maker,
    Option,
    TooMuch,
    bound_check,
    details_checks,
    merge_overlapping,
    most_classes,
    require_names,
    set_checks,
)

LARGEST_CLASS = WHOLE = True
REQUIREMENTS = MINIMUM
_ORDER = {"order": Option("choice", ("given", "random", "sorted"))}
_EPSILON = {"epsilon": Option("number", least=0.01, greatest=1)}
ALGORITHMS = {
    "near-optimal": Maker(searches=True),
    "spread": Maker(_ORDER),
    "two-approximation": Maker(),
    "scheme": Maker(_EPSILON),
    "relaxed-scheme": Maker(_EPSILON, relaxed=True),
    "five-halves": Maker(),
    "fold": Maker(_ORDER),
    "exact": Maker(searches=True),
    "ordered": Maker({"by": Option("choice", ("given", "number", "name"))}),
}
SORTED_FOLD = ("five-halves", "two-approximation", "scheme", "relaxed-scheme", "near-optimal")  # never above that
RECORDS = {
    "LabelDetails": {
        "order": ("<i4",), "alone": int, "placed": int, "leftover_classes": ("<i4",), "threshold": int,
    },
    "BinDetails": {"order": ("<i4",), "threshold": int, "method": str},
}  # fmt: skip
MERGED = "; groups that failed a requirement were then merged with others"
OLDER_MERGED = ", then merged as long as one fails a requirement"  # in results of earlier versions


CHECKABLE = {
    "LabelDetails": {
        "order": Entry(CHECKED, "the order given by the option and the seed"),
        "alone": Entry(CHECKED, "how many labels weigh at least k"),
        "placed": Entry(
            CHECKED, "recomputed: how many labels were placed before the rest were too few to fill another bin"
        ),
        "leftover_classes": Entry(CHECKED, "recomputed by the rule of Fold or Spread, step by step"),
        "threshold": Entry(CHECKED, "k"),
    },
    "BinDetails": {
        "order": Entry(
            PARTLY,
            "this list holds every label once, and classes are numbered in the order in which they were opened; for "
            "`ordered`, the list is in the requested order; for other algorithms, the order within a class does not "
            "matter",
        ),
        "threshold": Entry(CHECKED, "k, or (1 − epsilon) k for the relaxed scheme"),
        "method": Entry(
            PARTLY,
            "for `ordered`, this text names the order; for other algorithms, it describes how the result was found",
        ),
    },
    "labels": {
        "order": Entry(CHECKED, "the order in which labels were packed"),
        "epsilon": Entry(
            UNCHECKED,
            "epsilon limits how far the cost can be above the best possible cost, but the best possible cost is "
            "unknown; the guarantee given as a number does not depend on epsilon",
        ),
        "by": Entry(CHECKED, "the order is recomputed, and no other way to cut it into intervals is better"),
    },
    "labels relaxed-scheme": {
        "epsilon": Entry(
            PARTLY,
            "epsilon determines the threshold of classes; it also limits how far the cost can be above the best "
            "possible cost, but the best possible cost is unknown",
        ),
    },
}


def weights(parts: Mapping[str, Any]) -> Array:
    """How often each label occurs."""
    return parts["counts"]  # type: ignore[no-any-return]


def require_form(parts: Mapping[str, Any]) -> None:
    """ValueError unless the parts are labels with counts of at least 1."""
    require_names(parts, "names", len(parts["counts"].numbers), ("together", "apart"))
    if min(parts["counts"].numbers) < 1:
        raise ValueError("a label has no records")


def checks(instance: Instance, g: Any) -> Iterator[Check]:
    """Every claim specific to labels."""
    yield from set_checks(instance.parts, "names", "labels", g)
    firsts, counts = items_of(instance)
    assignment = g.assignment.column[arrays.column(firsts)]
    yield bound_check(g, BOUNDS, counts, threshold(g))
    if g.algorithm in ("fold", "spread") and not g.require:  # merged bins are no longer filled by next fit
        yield from _next_fit(g, counts, assignment)
        return
    details = g.details
    yield from details_checks(g, ["BinDetails"])
    yield Check("method", details.method.strip() != "", f"the method is called “{details.method}”.")
    yield Check("threshold", details.threshold == threshold(g), f"every bin had to reach {threshold(g):,}.")
    relaxed = (g.status == "relaxed") == (g.algorithm == "relaxed-scheme")
    yield Check("relaxed", relaxed, f"the status is {g.status}, and the algorithm is {g.algorithm}.")
    order = details.order.column
    whole = sorted(order.tolist()) == list(range(len(counts)))
    yield Check("packing order", whole, f"each of {len(counts):,} labels was placed once.")
    opened = list(dict.fromkeys(assignment[order].tolist()))
    yield Check(
        "order of bins",
        opened == list(range(g.classes)),
        f"{g.classes:,} bins are numbered in the order in which they were opened.",
    )
    ceiling = None if g.require or instance.parts.get("apart") else _ceiling(g, counts)
    detail = "no guarantee is proven before the run." if ceiling is None else f"the proven guarantee is {ceiling:,}."
    yield Check("guarantee formula", g.guarantee == ceiling, detail)
    if g.algorithm == "ordered":
        yield from _intervals(instance, g, order.tolist())


def items_of(instance: Instance) -> tuple[Sequence[int], list[int]]:
    """Labels that stay together count as one, at the place of the first: those places, and the count of each."""
    counts, together = instance.weights.numbers, instance.parts.get("together", [])
    if not together:
        return range(len(counts)), counts
    sums: Counter[int] = Counter()
    for number, count in zip(_first_of(instance).values(), counts):
        sums[number] += count
    return sorted(sums), [sums[number] for number in sorted(sums)]


def _first_of(instance: Instance) -> dict[Any, int]:
    """For the name of each label, the place of the first of those that stay together with it."""
    first = {name: number for number, name in enumerate(listed(instance.parts["names"]))}
    for names in merge_overlapping(instance.parts.get("together", [])):
        first.update(dict.fromkeys(names, min(first[name] for name in names)))
    return first


def threshold(g: Any) -> int:
    """k, or (1 - epsilon) k, rounded up, where classes may be lighter."""
    if g.algorithm != "relaxed-scheme":
        return int(g.k)
    return max(1, math.ceil((1 - Fraction(repr(g.options["epsilon"]))) * int(g.k)))


def _ceiling(g: Any, counts: Sequence[int]) -> int | None:
    """The most that the cost can be by the algorithm's theorem, where that is known before the run."""
    if g.algorithm == "ordered":  # next fit, the rest joins the last interval: each below k, twice, around one label
        return min(sum(counts), 2 * (int(g.k) - 1) + max(counts))
    if g.algorithm not in SORTED_FOLD:
        return None
    levels, level = [], 0
    for count in sorted(counts, reverse=True):
        level += count
        if level >= g.k:
            levels.append(level)
            level = 0
    return max(max(levels), min(levels) + level)


# ---------------------------------------------------------------------------------------------------------------------
# Fold and Spread
# ---------------------------------------------------------------------------------------------------------------------


def _next_fit(g: Any, counts: Sequence[int], assignment: Any) -> Iterator[Check]:
    """Labels of k or more alone, then bin after bin, then the rest by the rule of Fold or Spread."""
    details, k, order_name, weights = g.details, g.k, g.options["order"], arrays.column(counts)
    yield from details_checks(g, ["LabelDetails"])
    yield Check("threshold", details.threshold == k, f"every bin had to reach {k:,}.")
    order, packed = details.order.column, details.placed
    promised = arrays.places(len(counts))
    if order_name == "random":
        promised = arrays.column(arrays.permutation(g.seed, len(counts)))
    if order_name == "sorted":
        promised = arrays.order([0 - weights])
    heavy_first = [promised[weights[promised] >= k], promised[weights[promised] < k]]
    good = arrays.equal(order, arrays.concatenated(heavy_first))
    yield Check("packing order", good, f"all {len(counts):,} labels were packed in {order_name} order.")
    classes, in_order = assignment[order], weights[order]
    heavy = len(heavy_first[0])
    good = details.alone == heavy and arrays.equal(classes[:heavy], arrays.places(heavy))
    yield Check("heavy labels", good, f"{heavy:,} labels of at least k have bins of their own.")
    bins, number, level = [], heavy, 0
    for count in in_order[heavy:].tolist():
        bins.append(number)
        level += count
        if level >= k:
            number, level = number + 1, 0
    filled = bins[: bisect_left(bins, number)]
    good = packed == heavy + len(filled) and classes[heavy:packed].tolist() == filled
    detail = f"{len(filled):,} labels fill {number - heavy:,} bins one after another; the other labels weigh {level:,}."
    yield Check("next fit", good, detail)
    left, targets = in_order[packed:].tolist(), details.leftover_classes.numbers
    detail = f"{len(left):,} labels were left over and are in the recorded classes."
    yield Check("leftover classes", classes[packed:].tolist() == targets, detail)
    levels = arrays.sums_of(classes[:packed], in_order[:packed], g.classes).tolist()
    if g.algorithm == "fold":
        expected, rule = [levels.index(min(levels))] * len(left), "in the lightest bin"
    else:
        expected, rule = (
            _spread(levels, left),
            ("in the lightest bin as long as the maximum did not rise, then in each bin in turn"),
        )
    yield Check("leftover rule", targets == expected, f"the leftover labels were put {rule}.")
    full = k - 1 + max((count for count in counts if count < k), default=0)
    large = [count for count in counts if count >= k] + [full] * (g.classes > heavy)
    ceiling = max(max(large), min(large) + (k - 1 if left else 0))
    detail = f"the guarantee proven for Fold and Spread is {ceiling:,}."
    yield Check("guarantee formula", g.guarantee == ceiling, detail)


def _spread(levels: Sequence[int], weights: Sequence[int]) -> list[int]:
    """In the lightest bin as long as the largest stays the largest, then in turn."""
    largest = max(levels)
    targets: list[int] = []
    queue = [(level, number) for number, level in enumerate(levels)]
    heapq.heapify(queue)
    while len(targets) < len(weights) and queue[0][0] + weights[len(targets)] <= largest:
        level, number = queue[0]
        heapq.heapreplace(queue, (level + weights[len(targets)], number))
        targets.append(number)
    turn = [number for _, number in sorted(queue)]
    return targets + [turn[place % len(turn)] for place in range(len(weights) - len(targets))]


# ---------------------------------------------------------------------------------------------------------------------
# Intervals of an order
# ---------------------------------------------------------------------------------------------------------------------


def _intervals(instance: Instance, g: Any, order: list[int]) -> Iterator[Check]:
    """The requested order, its intervals, and that no intervals are better."""
    by, names = g.options["by"], [str(name) for name in listed(instance.parts["names"])]
    keys: dict[str, Callable[[int], Any]] = {
        "given": lambda place: place,
        "name": names.__getitem__,
        "number": lambda place: (int if re.fullmatch(r"\s*[+-]?\d+\s*", names[place]) else float)(names[place]),
    }
    detail = f"all {len(order):,} labels are in {by} order."
    yield Check("order", order == sorted(range(len(names)), key=keys[by]), detail)
    method = f"the best intervals by {by} order"
    methods = (f"{method}{MERGED}", f"{method}{OLDER_MERGED}") if g.require else (method,)
    yield Check("method", g.details.method in methods, f"the method is called “{g.details.method}”.")
    row = [g.assignment.numbers[place] for place in order]
    good = not instance.parts.get("together") and all(b - a in (0, 1) for a, b in zip(row, row[1:]))
    yield Check("intervals", good, f"the {g.classes:,} classes are intervals of that order.")
    if not g.require:
        better = _intervals_below([instance.weights.numbers[place] for place in order], g.k, g.cost)
        detail = f"{'a' if better else 'no'} partition into intervals keeps every class below {g.cost:,}."
        yield Check("best intervals", not better, detail)


def _intervals_below(counts: Sequence[int], k: int, cost: int) -> bool:
    """Whether intervals of k to below the cost make up the whole."""
    upto = [0, *accumulate(counts)]
    good, first = [0], 0  # ends of what can be divided; the first that is not too far back
    for end in range(1, len(upto)):
        while first < len(good) and upto[end] - upto[good[first]] >= cost:
            first += 1
        if first < len(good) and upto[end] - upto[good[first]] >= k:
            good.append(end)
    return good[-1] == len(counts)


# ---------------------------------------------------------------------------------------------------------------------
# Lower bounds: what a witness proves for classes of at least k; None where it is no witness
# ---------------------------------------------------------------------------------------------------------------------

MINUTES: dict[str, int] = {}
LISTED = 16  # labels up to which every sum is listed
HALVED = 40  # labels up to which every sum of each half is listed
MOST_BITS, MOST_WORK = 1 << 26, 1 << 33  # of a table of sums; written in all


def _heaviest_label(counts: list[int], k: int, witness: list[int]) -> int | None:
    (place,) = witness
    return counts[place] if 0 <= place < len(counts) else None


def _class_of_label(counts: list[int], k: int, witness: list[int]) -> int | None:
    """A label is in some class, with others that make up what it lacks."""
    (place,) = witness
    if not 0 <= place < len(counts):
        return None
    least = least_sum(counts[:place] + counts[place + 1 :], k - counts[place])
    return None if least is None else counts[place] + least


def _average_class(counts: list[int], k: int, witness: list[int]) -> int | None:
    most = _most_classes(counts, k, *witness)
    return None if most is None else -(-sum(counts) // most)


def _crowded_class(counts: list[int], k: int, witness: list[int]) -> int | None:
    """When the heaviest labels go to a limited number of classes, several share one: at least the lightest of them."""
    dealt, *places = witness
    most = _most_classes(counts, k, *places)
    if most is None or not 0 < dealt <= len(counts):
        return None
    return sum(sorted(counts, reverse=True)[dealt - -(-dealt // most) : dealt])


def _sum_of_labels(counts: list[int], k: int, witness: list[int]) -> int | None:
    """The next sum of labels from the average class on."""
    most, least = _most_classes(counts, k, *witness), least_sum(counts, k)
    if most is None or least is None:
        return None
    most = min(most, sum(counts) // least)
    return least_sum(counts, max(k, *counts, -(-sum(counts) // most)))


def _exact_cover(counts: list[int], k: int, witness: list[int]) -> int | None:
    """No choice of contents of classes from k to a cap holds every label once."""
    cap, *places = witness
    most = _most_classes(counts, k, *places)
    return cap + 1 if most is not None and cover_is_impossible(counts, k, cap, most) else None


BOUNDS: dict[str, Callable[[list[int], int, list[int]], int | None]] = {
    "k": lambda counts, k, witness: k if witness == [] else None,
    "heaviest label": _heaviest_label,
    "average class": _average_class,
    "crowded class": _crowded_class,
    "class of a label": _class_of_label,
    "sum of labels": _sum_of_labels,
    "exact cover": _exact_cover,
}


def _most_classes(counts: list[int], k: int, excluded: int, middle: int) -> int | None:
    """`most_classes`, where a witness names two places."""
    fits = 0 <= excluded <= middle <= len(counts)
    return most_classes([0, *accumulate(sorted(counts, reverse=True))], k, excluded, middle) if fits else None


def _all_sums(numbers: Sequence[int]) -> list[int]:
    """Every sum of some numbers, in ascending order; sorting merges two runs that are sorted."""
    sums = [0]
    for number in numbers:
        sums = sorted(sums + [other + number for other in sums])
    return sums


def least_sum(counts: list[int], value: int) -> int | None:
    """The least sum of some counts that is at least the value: one count, or a sum of counts below the value.

    None where there is none, or where finding it takes too much work.
    """
    if value <= 0:
        return 0
    light, sums_above = [count for count in counts if count < value], [count for count in counts if count >= value]
    unit = math.gcd(*light)
    aim = -(-value // unit) if unit else 0
    if len(light) > LISTED and aim <= MOST_BITS and aim * len(light) <= MOST_WORK:
        below, sums = (1 << aim) - 1, 1  # bit s: some counts add up to s units
        for count in light:
            sums |= sums << count // unit
            above = sums >> aim
            if above:
                sums_above.append((aim + (above & -above).bit_length() - 1) * unit)
                sums &= below
        return min(sums_above, default=None)
    if len(light) > HALVED:
        return None
    one, other = _all_sums(light[::2]), _all_sums(light[1::2])
    place = len(other)
    for some in one:  # as it grows, what is needed of the other half falls
        while place and other[place - 1] >= value - some:
            place -= 1
        if place < len(other):
            sums_above.append(some + other[place])
    return min(sums_above, default=None)


COVER_BITS, COVER_SUMS, COVER_TRIES = 124, 1 << 20, 24_000_000


def cover_is_impossible(counts: list[int], k: int, cap: int, most: int) -> bool:
    """Whether it is shown that no packing into at most a given number of classes keeps each from k to the cap.

    What a class holds is one number: its weight, and below that, in fields of bits, how many labels of each weight.
    Above each field is a guard bit, from which a subtraction borrows where there are too few.
    """
    total = sum(counts)
    if cap < k or most * cap < total:
        return True
    numbers, width, guards = Counter(counts), 0, 0
    units: list[tuple[int, int]] = []  # of the lightest weight first: one label, and how many there are
    kind_of: list[int] = []  # of each bit
    for kind, weight in enumerate(sorted(numbers)):
        bits = numbers[weight].bit_length() + 1
        units.append((1 << width, weight))
        kind_of += [kind] * bits
        width += bits
        guards |= 1 << (width - 1)
    if width > COVER_BITS:
        return False
    keys = [(weight << width | unit, numbers[weight]) for unit, weight in units]
    contents = _contents(keys, max(k, total - (most - 1) * cap), cap, width)
    if contents is None:
        return False
    fields = (1 << width) - 1

    def heaviest(content: int) -> int:
        return kind_of[(content & fields).bit_length() - 1]

    by_kind: list[list[int]] = [[] for _ in units]
    for content in sorted(contents, reverse=True):
        by_kind[heaviest(content)].append(content)
    labels, tries = sum(key * number for key, number in keys), 0
    failed: dict[int, int] = {}  # labels that cannot be packed: into how many classes or fewer
    stack = [(labels, most, iter(by_kind[heaviest(labels)]))]  # the heaviest that is left gets one after another
    while stack:
        left, classes, mine = stack[-1]
        least = max(k, (left >> width) - (classes - 1) * cap) << width
        for content in mine:
            tries += 1
            if content < least:
                failed[left] = classes
                break
            if ((left & fields | guards) - (content & fields)) & guards != guards:
                continue
            rest = left - content
            if rest == 0:
                return False
            others = min((rest >> width) // k, classes - 1)
            if -(-(rest >> width) // cap) <= others and failed.get(rest, 0) < others:
                stack.append((rest, others, iter(by_kind[heaviest(rest)])))
                break
        else:
            failed[left] = classes
        if tries > COVER_TRIES:
            return False
        if failed.get(left, 0) >= classes:
            stack.pop()
    return True


def _contents(keys: list[tuple[int, int]], low: int, cap: int, width: int) -> list[int] | None:
    """What a class that weighs `low` to the cap can hold; None if that is too much to list."""
    one, other, contents = [0], [0], []
    for key, number in reversed(keys):
        one, other = sorted((one, other), key=len)  # the next labels go to the shorter half
        base = one
        for count in range(1, number + 1):
            more = [content + count * key for content in base if content + count * key < (cap + 1) << width]
            one = one + more
            if len(one) > COVER_SUMS:
                return None
            if not more:
                break
    other.sort()
    for content in one:
        weight = content >> width
        begin = bisect_left(other, max(low - weight, 0) << width)
        contents += [content + rest for rest in other[begin : bisect_left(other, (cap - weight + 1) << width)]]
        if len(contents) > COVER_SUMS:
            return None
    return contents


# ---------------------------------------------------------------------------------------------------------------------
# All packings of few labels, where a bound is reported by the solver
# ---------------------------------------------------------------------------------------------------------------------

MOST = 60  # labels
WORK = 300_000  # labels put into a class, in all tries together


def better_exists(instance: Instance, g: Any) -> bool:
    """Whether a packing has every class below the claimed bound; TooMuch where there are too many to examine.

    The heaviest label that is left gets every class that it could have, and the rest is packed likewise. Labels of one
    weight that nothing keeps apart are interchangeable. What proved impossible to pack is remembered.
    """
    firsts, counts = items_of(instance)
    if len(counts) > MOST:
        raise TooMuch
    item, first_of = {first: number for number, first in enumerate(firsts)}, _first_of(instance)
    rules = [{item[first_of[name]] for name in members} for members in instance.parts.get("apart", [])]
    separated = set().union(*rules)
    kinds = Counter((-count, number if number in separated else -1) for number, count in enumerate(counts))
    order = sorted(kinds)
    weights = [-count for count, _ in order]
    conflicts = [{i for i, (_, b) in enumerate(order) for rule in rules if {a, b} <= rule} for _, a in order]
    k, cap, budget, impossible = g.k, g.lower_bound - 1, Budget(WORK), set()

    def packs(left: tuple[int, ...], weight: int) -> bool:
        if weight == 0:
            return True
        if cap < k or -(-weight // cap) > weight // k or left in impossible:
            return False
        first = next(kind for kind, number in enumerate(left) if number)
        left_over = list(left)
        left_over[first] -= 1
        if any(packs(rest, weight - load) for rest, load in classes(left_over, first, weights[first], {first})):
            return True
        impossible.add(left)
        return False

    def classes(left: list[int], kind: int, load: int, inside: set[int]) -> Iterator[tuple[tuple[int, ...], int]]:
        budget.spend(1 + len(left) // 8)
        if k <= load <= cap:
            yield tuple(left), load
        for other in range(kind, len(left)):
            meets = conflicts[other] and not (conflicts[other] - {other}).isdisjoint(inside)
            if left[other] == 0 or load + weights[other] > cap or meets:
                continue
            left[other] -= 1
            yield from classes(left, other, load + weights[other], inside | {other})
            left[other] += 1

    return packs(tuple(kinds[kind] for kind in order), sum(counts))
