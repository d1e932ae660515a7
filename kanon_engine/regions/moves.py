"""Groups changed by hand: areas moved into another group, and groups locked for the next search."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.generalize import verify
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome
from kanon_engine.model.wishes import checked_sets, parts_of, places_by_name
from kanon_engine.model.words import counted
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees import forest_of_classes
from kanon_engine.regions.wishes import HANDLE_ALL, Items, prepared
from kanon_engine.validate import told

BY_HAND = "by hand"  # the algorithm of such a result; `FAMILY.by_hand`


def moved(regions: Regions, g: Generalization, areas: Iterable[Any], to: int | None = None) -> Generalization:
    """The result with some areas in another class, verified like every result.

    Its lower bound is that of `g`, which holds for the instance rather than for a partition. If that bound is only
    reported by a search, the family's own is used, so that nobody has to repeat a search that made another result.
    There is no ceiling. Classes are renumbered, heaviest first.

    `g`: of this instance.
    `areas`: ids of the areas to move.
    `to`: the class that they move to, as in `g.assignment`; None makes them a new class. A class whose areas all move
        away disappears.
    Returns: of the algorithm "by hand", with status "feasible", or "optimal" where the cost meets the bound.
    Raises `InvalidInput`: another instance's result, an unknown area or class, or no change;
        `Infeasible`: the partition would break a requirement; the sentence says which class, and which one.

    >>> import kanon_engine as kanon
    >>> line = Regions("abcdef", [3, 2, 3, 2, 3, 2], [(i, i + 1) for i in range(5)], unit="people")
    >>> g = kanon.generalize(line, 5, "tree-split")
    >>> g.assignment.tolist(), moved(line, g, "cd", 0).assignment.tolist()
    ([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1])
    >>> moved(line, g, "c", 0)
    Traceback (most recent call last):
    kanon_engine.errors.Infeasible: Group 2 would hold 2 people, fewer than k = 5; move the rest too, or other areas.
    """
    start = time.perf_counter()
    _require_own(regions, g)
    places = _places(regions, areas)
    target = g.classes if to is None else _group_of(g, to, "to")  # the number after the last is free
    labels = g.assignment.astype(np.int64)
    labels[places] = target
    assignment = numbered(labels, regions.weights)
    if np.array_equal(assignment, numbered(g.assignment, regions.weights)):
        raise InvalidInput("That group already consists of exactly these areas; choose other areas, or another group.")
    instance = prepared(regions, g.k, g.require, HANDLE_ALL[0])
    _require_valid_move(regions, instance, g, labels, target)
    details = _details(instance, assignment)
    bound = Bound(g.lower_bound, g.bound_name, g.bound_kind, g.bound_witness)
    if bound.kind != "checked":
        bound = lower_bound(instance, g.k, g.require)
    weights = np.bincount(assignment, regions.weights).astype(np.int64)  # exact: totals stay below 2^53
    cost = int(weights.max())
    result = replace(
        g,
        algorithm=BY_HAND,
        options={},
        seed=0,
        assignment=assignment,
        class_weights=weights,
        cost=cost,
        lower_bound=bound.value,
        bound_name=bound.name,
        bound_kind=bound.kind,
        bound_witness=bound.witness,
        guarantee=None,
        status="optimal" if cost == bound.value else "feasible",
        seconds=time.perf_counter() - start,
        details=details,
    ).sealed()
    verify(regions, result)
    return result


def locked(regions: Regions, g: Generalization, classes: Iterable[int]) -> Regions:
    """The same areas with some classes of a result locked: their areas stay together behind a barrier.

    A new search keeps a locked class unless adjacent areas cannot form classes without it; `details.joined` then says
    so. When such areas could go elsewhere: docs/proofs/regions/wishes.md, groups changed by hand.

    Raises `InvalidInput`: another instance's result, or an unknown class.

    >>> import kanon_engine as kanon
    >>> line = Regions("abcdef", [3, 2, 3, 2, 3, 2], [(i, i + 1) for i in range(5)])
    >>> locked(line, kanon.generalize(line, 5, "tree-split"), [0]).together
    (('a', 'b'),)
    """
    _require_own(regions, g)
    if not isinstance(classes, Iterable):
        raise InvalidInput(f"The groups to lock are {told(classes)}; give a list of them.", parameter="classes")
    numbers = [_group_of(g, number, "classes") for number in classes]
    return with_locks(regions, [tuple(regions.ids[g.assignment == number]) for number in numbers])


def with_locks(regions: Regions, sets: Sequence[tuple[Any, ...]]) -> Regions:
    """The same areas with these sets of ids locked, each like a class in `locked`.

    Raises `InvalidInput`: a set with an unknown area.
    """
    if not sets:
        return regions
    parsed = checked_sets(sets, regions.ids, "in a locked group", "area", 1)
    together = (*regions.together, *(members for members in parsed if len(members) > 1))
    barriers = (*regions.barriers, *parsed)
    note = f"{counted(len(parsed), 'group')} {'is' if len(parsed) == 1 else 'are'} locked."
    return replace(
        regions,
        together=together,
        barriers=barriers,
        notes=(*regions.notes, note),
        reading={**regions.reading, "together": together, "barriers": barriers},  # so that a certificate records them
    )


def unlocked_wishes(regions: Regions, sets: Sequence[tuple[Any, ...]]) -> dict[str, tuple[tuple[Any, ...], ...]]:
    """The wishes on the areas before `with_locks` locked these sets.

    >>> line = Regions("abc", [1, 1, 1], [(0, 1), (1, 2)], together=[("a", "b")])
    >>> unlocked_wishes(with_locks(line, [("c",)]), [("c",)])
    {'together': (('a', 'b'),), 'apart': (), 'barriers': ()}
    """
    several = sum(len(members) > 1 for members in sets)
    return {
        "together": regions.together[: len(regions.together) - several],
        "apart": regions.apart,
        "barriers": regions.barriers[: len(regions.barriers) - len(sets)],
    }


def _require_own(regions: Regions, g: Generalization) -> None:
    if g.instance_digest != regions.digest:
        raise InvalidInput(
            "The result belongs to a different instance, so its groups cannot be changed or locked here."
        )


def _group_of(g: Generalization, number: Any, parameter: str) -> int:
    """The number of a class as in `g.assignment`, or `InvalidInput`."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or not 0 <= number < g.classes:
        message = f"No group has the number {told(number)}; give a whole number from 0 to {g.classes - 1}."
        raise InvalidInput(message, parameter=parameter, value=number)
    return int(number)


def _details(instance: Regions, assignment: np.ndarray) -> Any:
    """The record of a tree that shows the classes of the areas."""
    words = "groups changed by hand"
    if not isinstance(instance, Items):
        return forest_of_classes(instance, assignment, words)
    item_classes = assignment[np.unique(instance.item_of, return_index=True)[1]]
    return instance.restored(Outcome(item_classes, forest_of_classes(instance, item_classes, words), None)).details


def _places(regions: Regions, areas: Iterable[Any]) -> np.ndarray:
    """The positions of the areas, or `InvalidInput`."""
    if not isinstance(areas, Iterable):
        raise InvalidInput(f"The areas to move are {told(areas)}; give a list of their ids.", parameter="areas")
    positions = places_by_name(regions.ids.tolist())
    listed = list(areas)
    unknown = [name for name in listed if not isinstance(name, Hashable) or name not in positions]
    if unknown:
        raise InvalidInput(f"There is no area {told(unknown[0])}; correct it or leave it out.", parameter="areas")
    if not listed:
        raise InvalidInput("No areas were selected; select the areas to move.", parameter="areas")
    return np.unique([positions[name] for name in listed])


def _require_valid_move(
    regions: Regions, instance: Regions, g: Generalization, labels: np.ndarray, target: int
) -> None:
    """Raise `Infeasible` for the first wish, group or requirement that this partition breaks."""
    for members in regions.places(regions.together):
        if len(set(labels[members].tolist())) > 1:
            raise Infeasible(f"{regions.listing(members)} must stay together; move all of them, or none.")
    for members in regions.places(regions.apart):
        for place, v in enumerate(members):
            met = [u for u in members[:place] if labels[u] == labels[v]]
            if met:
                raise Infeasible(
                    f"{regions.listing([met[0], v])} must be kept apart, but would share {_group(g, labels[v])}."
                )
    block = instance.components[instance.item_of] if isinstance(instance, Items) else instance.components
    classes = [np.flatnonzero(labels == number) for number in np.unique(labels)]
    for areas in classes:
        across = areas[block[areas] != block[areas[0]]]
        if len(across) and regions.barriers:
            pair, where = regions.listing([int(areas[0]), int(across[0])]), _group(g, labels[areas[0]])
            raise Infeasible(f"A barrier separates {pair}, and {where} does not need to cross it.")
    inside = regions.edges[labels[regions.edges[:, 0]] == labels[regions.edges[:, 1]]]
    pieces = parts_of(inside, len(regions))
    for areas in classes:
        number = int(labels[areas[0]])
        count = len(np.unique(pieces[areas]))
        if count > 1:
            raise Infeasible(f"{_group(g, number).capitalize()} would split into {count:,} parts that share no border.")
        weight = int(regions.weights[areas].sum())
        if weight < g.k:
            raise Infeasible(
                f"{_group(g, number).capitalize()} would hold {weight:,} {regions.unit}, fewer than k = {g.k:,}; "
                + ("move more areas." if number == target else "move the rest too, or other areas.")
            )
        for requirement in g.require:
            if not requirement.holds(regions, areas):
                raise Infeasible(f"{_group(g, number).capitalize()} would have {requirement.missing(regions, areas)}.")


def _group(g: Generalization, number: int) -> str:
    return f"group {number + 1:,}" if number < g.classes else "the new group"
