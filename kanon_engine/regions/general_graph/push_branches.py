"""Push branches of overloaded stars to other classes, with labels as in push-relabel flow."""

from __future__ import annotations

from kanon_engine.regions.general_graph.stars import Stars


def push_branches(stars: Stars) -> list[int]:
    """Bring every class to the limit, or find a separator that proves that no partition stays below limit - k + 2.

    Returns
    -------
    list of int
        Empty: every class weighs at most the limit. Else the centers Y of closed classes that weigh at least limit - k
        + 2 each, whose atoms are components of the graph without Y.
    """
    separator = None
    while separator is None:
        separator = _phase(stars)
    return separator


def _phase(stars: Stars) -> list[int] | None:
    """Push until done, until a level of labels is empty (the centers above it), or until the anchors change (None).

    label[A] <= label[B] + 1 whenever an atom of A can be moved to B. A label above 0 was given to a class that was
    overloaded and whose atoms touched no other atoms; its load has been at least limit - k + 2 since then.
    """
    label = [0] * len(stars.load)
    count = [0] * (len(label) + 1)
    count[0] = len(label)
    before = stars.changes
    waiting = [number for number, load in enumerate(stars.load) if load > stars.limit]
    while waiting:
        number = waiting.pop()
        stars.clean(number)
        if stars.changes != before:
            return None
        while stars.load[number] > stars.limit:
            lowest = _push_down(stars, number, label, waiting)
            if stars.changes != before:
                return None
            if stars.load[number] <= stars.limit:
                break
            old, label[number] = label[number], lowest + 1
            count[old] -= 1
            count[lowest + 1] += 1
            if count[old] == 0 or lowest + 1 == len(label):
                gap = count.index(0)
                return [stars.center[other] for other, own in enumerate(label) if own > gap]
    return []


def _push_down(stars: Stars, number: int, label: list[int], waiting: list[int]) -> int:
    """Push atoms, heavy ones first, one level down while the class is overloaded; the lowest label the others reach."""
    lowest = len(label) - 1
    before = stars.changes
    for atom in sorted(stars.atoms[number], key=stars.weight.__getitem__, reverse=True):
        targets = [(label[own], stars.load[own], own) for own in stars.anchors[atom] if own != number]
        if not targets:
            continue
        level, _, target = min(targets)
        if level >= label[number]:
            lowest = min(lowest, level)
            continue
        stars.push(number, atom, target)
        if stars.load[target] > stars.limit:
            waiting.append(target)
        if stars.changes != before or stars.load[number] <= stars.limit:
            break
    return lowest
