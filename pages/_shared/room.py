"""What a family's page differs in; everything else is shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd
from plotly import graph_objects as go

from kanon_engine import Generalization
from kanon_engine.model.family import Family
from kanon_engine.plot import class_sizes_figure
from kanon_engine.registry import family_named

Draw = Callable[[Any, Generalization, int | None], go.Figure]


@dataclass(frozen=True)
class Room:
    """A family's page.

    Attributes
    ----------
    family : str
        Whose `FAMILY` says all that is more than a part of the page.
    settings : callable, optional
        ``settings(key, columns)`` draws the widgets that say how a person's own file is read, returns the reader's
        arguments.
    columns : callable, optional
        Instead of `settings`, and for samples too: ``columns(place, name, file, settings, read)`` draws a button that
        opens an editor, returns the reader's arguments and what was changed, in words.
    view : callable
        ``view(key)`` draws the widgets of the picture, returns ``draw(instance, g, selected)`` → Figure.
    members : callable
        ``members(instance, positions)`` → a few words on what is in a class; not where there is a `table`.
    steps : callable
        ``steps(instance, g)`` → (number of steps, ``show(step)`` → (Figure, sentence)); not where there is a `how`.
    what_if : callable, optional
        ``what_if(family, instance, k, choice)`` draws the tab "What if", where a family has its own.
    rules : callable, optional
        ``rules(family, instance)`` draws widgets for what a person asks of groups besides k, returns the instance with
        that; `KanonError` where it makes no sense.
    prepare : callable, optional
        ``prepare(instance, k)`` gives options of algorithms a first value that suits the data.
    figure : callable, optional
        ``figure(instance, g)`` → a sentence with one more figure about the groups, or None.
    sentence : callable, optional
        ``sentence(instance, g, proof)``, where the cost is not the largest group.
    sizes : callable
        ``sizes(instance, g)`` → the small picture of the groups' sizes.
    table : callable, optional
        ``table(instance, g)`` → the table of the groups, with the columns "Group" and "× k".
    how : callable, optional
        ``how(instance, answer)`` draws the tab "How it works".
    more : tuple of pairs
        Further tabs: title and ``draw(instance, g)``.
    surroundings : callable
        ``surroundings(instance)`` → further arguments of `kanon_engine.release.publication.outputs`.
    exact_picture : bool
        Whether the picture on the page shows more than a release may, so that what its camera takes is internal.
    first_k : callable
        ``first_k(instance)`` → the k with which a person's own data begins.
    """

    family: str
    view: Callable[[str], Draw]
    settings: Callable[[str, list[str]], dict[str, Any]] = lambda key, columns: {}
    columns: Callable[..., tuple[dict[str, Any], str]] | None = None
    members: Callable[[Any, Any], str] | None = None
    steps: Callable[[Any, Generalization], tuple[int, Callable[[int], tuple[go.Figure, str]]]] | None = None
    what_if: Callable[..., None] | None = None
    rules: Callable[[str, Any], Any] | None = None
    prepare: Callable[[Any, int], None] | None = None
    figure: Callable[[Any, Generalization], str | None] | None = None
    sentence: Callable[[Any, Generalization, str], str] | None = None
    sizes: Callable[[Any, Generalization], go.Figure] = class_sizes_figure
    table: Callable[[Any, Generalization], pd.DataFrame] | None = None
    how: Callable[[Any, Any], None] | None = None
    more: tuple[tuple[str, Callable[[Any, Generalization], None]], ...] = ()
    surroundings: Callable[[Any], dict[str, Any]] = lambda instance: {}
    exact_picture: bool = True
    first_k: Callable[[Any], int] = lambda instance: max(1, instance.total // 20)

    @property
    def about(self) -> Family:
        """The family."""
        return family_named(self.family)


def class_table(room: Room, instance: Any, g: Generalization) -> pd.DataFrame:
    """One row a group: number, weight, number of items, weight / k and what is in it."""
    if room.table is not None:
        return room.table(instance, g)
    members = room.members or (lambda instance, positions: "")
    order = g.assignment.argsort(kind="stable")
    ends = g.assignment[order].searchsorted(range(g.classes + 1))
    parts = [order[start:stop] for start, stop in pairwise(ends)]
    names = instance.named_classes(g.assignment) if hasattr(instance, "named_classes") else None
    return pd.DataFrame(
        {
            "Group": range(1, g.classes + 1),
            **({} if names is None else {"Name": names}),
            instance.unit.capitalize(): g.class_weights,
            room.about.items.capitalize(): [len(part) for part in parts],
            "× k": g.class_weights / g.k,
            "Contents": [members(instance, part) for part in parts],
        }
    )
