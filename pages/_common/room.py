"""What a family's page differs in; everything else is shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd
from plotly import graph_objects as go

from kanon_engine import Generalization

Draw = Callable[[Any, Generalization, int | None], go.Figure]


@dataclass(frozen=True)
class Download:
    """One file that a person can take away.

    Attributes
    ----------
    label, contents : str
        The button's text, and what is in the file and what is not.
    filename, mime : str
    make : callable
        Makes the content when the button is clicked.
    """

    label: str
    contents: str
    filename: str
    mime: str
    make: Callable[[], str | bytes]


@dataclass(frozen=True)
class Room:
    """A family's page.

    Attributes
    ----------
    family, title : str
    items : str
        What the items are called: areas, points, labels.
    lead : str
        One sentence on what the page does.
    upload_types : tuple of str
        File name endings.
    upload_help : str
        Which files are understood.
    settings : callable
        ``settings(key, columns)`` draws the widgets that say how a person's own file is read, returns the reader's
        arguments.
    view : callable
        ``view(key)`` draws the widgets of the picture, returns ``draw(instance, g, selected)`` → Figure.
    members : callable
        ``members(instance, positions)`` → a few words on what is in a class.
    steps : callable
        ``steps(instance, g)`` → (number of steps, ``show(step)`` → (Figure, sentence)).
    downloads : callable
        ``downloads(instance, g)`` → the family's own files.
    what_if : callable, optional
        ``what_if(family, instance, k, choice)`` draws the tab "What if", where a family has its own.
    rules : callable, optional
        ``rules(family, instance)`` draws widgets for what a person asks of groups besides k, returns the instance with
        that; `KanonError` where it makes no sense.
    prepare : callable, optional
        ``prepare(instance, k)`` gives options of algorithms a first value that suits the data.
    figure : callable, optional
        ``figure(instance, g)`` → a sentence with one more figure about the groups, or None.
    """

    family: str
    title: str
    items: str
    lead: str
    upload_types: tuple[str, ...]
    upload_help: str
    settings: Callable[[str, list[str]], dict[str, Any]]
    view: Callable[[str], Draw]
    members: Callable[[Any, Any], str]
    steps: Callable[[Any, Generalization], tuple[int, Callable[[int], tuple[go.Figure, str]]]]
    downloads: Callable[[Any, Generalization], list[Download]]
    what_if: Callable[..., None] | None = None
    rules: Callable[[str, Any], Any] | None = None
    prepare: Callable[[Any, int], None] | None = None
    figure: Callable[[Any, Generalization], str | None] | None = None


def class_table(room: Room, instance: Any, g: Generalization) -> pd.DataFrame:
    """One row a group: number, weight, number of items, weight / k and what is in it."""
    order = g.assignment.argsort(kind="stable")
    ends = g.assignment[order].searchsorted(range(g.classes + 1))
    parts = [order[start:stop] for start, stop in pairwise(ends)]
    names = instance.named_classes(g.assignment) if hasattr(instance, "named_classes") else None
    return pd.DataFrame(
        {
            "Group": range(1, g.classes + 1),
            **({} if names is None else {"Name": names}),
            instance.unit.capitalize(): g.class_weights,
            room.items.capitalize(): [len(part) for part in parts],
            "× k": g.class_weights / g.k,
            "Contents": [room.members(instance, part) for part in parts],
        }
    )
