"""The independent check of constraints: labels that stay together, labels kept apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.verification.check import Check
from kanon_engine.verification.sets import sets_kept

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def constraints_kept(labels: Labels, g: Generalization) -> Iterator[Check]:
    """A check for each kind of constraint that there is."""
    classes = dict(zip(labels.names.tolist(), g.assignment.tolist(), strict=True))
    yield from sets_kept(classes, labels.together, labels.apart, "labels")


def as_items(labels: Labels, g: Generalization) -> tuple[Labels, Generalization]:
    """Every set of labels that stay together as one label, at the place of its first: what the algorithm packed."""
    if not labels.together:
        return labels, g
    names = labels.names.tolist()
    first: dict[Any, Any] = {name: name for name in names}
    rank = {name: place for place, name in enumerate(names)}
    changed = True
    while changed:
        changed = False
        for members in labels.together:
            lead = min((first[name] for name in members), key=rank.__getitem__)
            for name in members:
                changed = changed or first[name] != lead
                first[name] = lead
    sums: dict[Any, int] = {}
    for name, count in zip(names, labels.counts.tolist(), strict=True):
        sums[first[name]] = sums.get(first[name], 0) + count
    places = [rank[name] for name in sums]
    apart = [tuple({first[name] for name in members}) for members in labels.apart]
    items = Labels(list(sums), list(sums.values()), unit=labels.unit, apart=tuple(apart))  # type: ignore[arg-type]
    return items, replace(g, assignment=np.ascontiguousarray(g.assignment[places]))
