"""The independent look at all choices among contents of classes: the witness of the bound "exact cover"."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

MOST_BITS = 124  # for the numbers of labels of each weight
MOST_SUMS = 1 << 20  # of one half of the weights
MOST_CONTENTS = 1 << 20
MOST_TRIES = 24_000_000


def refuted(counts: list[int], k: int, cap: int, most: int) -> bool | None:
    """Whether no packing into at most so many classes has each between k and the cap; None where it is too much.

    What a class holds is one number: its weight, and below that, in fields of bits, how many labels of each weight.
    Above each field lies a guard, from which a subtraction borrows where there are too few.
    """
    total = sum(counts)
    if cap < k or most * cap < total:
        return True
    numbers, width, guards = Counter(counts), 0, 0
    units: list[tuple[int, int]] = []  # of the lightest weight first: one label, and how many there are
    kind_of: list[int] = []  # of each bit
    for kind, weight in enumerate(sorted(numbers)):
        bits = numbers[weight].bit_length() + 1
        units.append((width, weight))
        kind_of += [kind] * bits
        width += bits
        guards |= 1 << (width - 1)
    if width > MOST_BITS:
        return None
    keys = [(weight << width | 1 << place, numbers[weight]) for place, weight in units]
    halves = _halves(keys, (cap + 1) << width)
    contents = None if halves is None else _contents(*halves, max(k, total - (most - 1) * cap), cap, width)
    if contents is None:
        return None
    by_kind: list[list[int]] = [[] for _ in units]
    fields = (1 << width) - 1
    for content in sorted(contents, reverse=True):
        by_kind[kind_of[(content & fields).bit_length() - 1]].append(content)
    return _impossible(sum(key * number for key, number in keys), by_kind, kind_of, guards, width, k, cap, most)


def _halves(keys: list[tuple[int, int]], above: int) -> tuple[list[int], list[int]] | None:
    """What a class may hold of either half of the labels, sorted."""
    one, other = [0], [0]
    for key, number in reversed(keys):
        if len(other) < len(one):
            one, other = other, one
        base = one
        for taken in range(1, number + 1):
            more = [held + taken * key for held in base if held + taken * key < above]
            if not more:
                break
            one = one + more
            if len(one) > MOST_SUMS:
                return None
    return sorted(one), sorted(other)


def _contents(one: list[int], other: list[int], low: int, cap: int, width: int) -> list[int] | None:
    """All that weigh `low` to the cap."""
    found: list[int] = []
    for held in one:
        weight = held >> width
        begin = bisect_left(other, max(low - weight, 0) << width)
        end = bisect_left(other, (cap - weight + 1) << width)
        found += [held + rest for rest in other[begin:end]]
        if len(found) > MOST_CONTENTS:
            return None
    return found


def _impossible(
    labels: int, by_kind: list[list[int]], kind_of: list[int], guards: int, width: int, k: int, cap: int, most: int
) -> bool | None:
    """Whether no choice of contents makes up the labels: the heaviest that is left gets one after another."""
    fields = (1 << width) - 1
    failed: dict[int, int] = {}  # labels that cannot be packed: into how many classes or fewer
    stack = [(labels, most, iter(by_kind[kind_of[(labels & fields).bit_length() - 1]]))]
    tries = 0
    while stack:
        left, classes, contents = stack[-1]
        weight = left >> width
        least = max(k, weight - (classes - 1) * cap) << width
        deeper = False
        for content in contents:
            tries += 1
            if content < least:
                break
            if ((left & fields | guards) - (content & fields)) & guards != guards:
                continue
            rest = left - content
            if rest == 0:
                return False
            others = min((rest >> width) // k, classes - 1)
            if -(-(rest >> width) // cap) <= others and failed.get(rest, 0) < others:
                stack.append((rest, others, iter(by_kind[kind_of[(rest & fields).bit_length() - 1]])))
                deeper = True
                break
        if tries > MOST_TRIES:
            return None
        if not deeper:
            failed[left] = classes
            stack.pop()
    return True
