"""The page of a family without parts of its own: all of it is made from what its `FAMILY` says."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.io.source import Source
from kanon_engine.model.family import Family, Parameter
from kanon_engine.plot import class_sizes_figure
from kanon_engine.registry import family_named
from pages._shared.results import Answer
from pages._shared.room import Draw, Room
from pages._shared.upload import keep_upload
from pages._shared.widgets import given, pick_column, pick_counts

MOST_NAMED = 6
USUAL = "as usual"
TABLES = ("csv", "txt", "tsv", "xlsx", "parquet")  # what a file beside the first can be


def plain_room(name: str) -> Room:
    """The room of a family by its name."""
    family = family_named(name)
    return Room(
        family=name,
        settings=lambda key, columns: _settings(family, key, columns),
        view=lambda key: plain_draw(family),
        members=_members,
        how=_how,
    )


def plain_draw(family: Family) -> Draw:
    """The family's own picture, or the sizes of the groups where it has none."""

    def draw(instance: Any, g: kanon.Generalization, selected: int | None) -> go.Figure:
        if family.picture is None:
            return class_sizes_figure(instance, g)
        return family.picture(instance, g, selected=selected)

    return draw


def _settings(family: Family, key: str, columns: list[str]) -> dict[str, Any]:
    """A widget for each of the reader's parameters; what is left as it is, the reader guesses."""
    parameters = family.reader.parameters
    counted = any(parameter.kind == "counts" for parameter in parameters)
    settings: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind == "counts":
            settings |= pick_counts(_words(parameter), columns, key, parameter.name, parameter.help)
        elif counted and parameter.name == "per_record":
            continue  # one of the choices above
        elif parameter.kind != "files":
            settings |= given(**{parameter.name: _widget(parameter, f"{key}_{parameter.name}", columns)})
    return settings


def _widget(parameter: Parameter, key: str, columns: list[str]) -> Any:
    """What a person says of it; None for nothing."""
    words = _words(parameter)
    if parameter.kind == "column":
        return pick_column(words, columns, key, parameter.help)
    if parameter.kind == "flag":
        return st.checkbox(words, key=key, help=parameter.help, persist_state="session") or None
    if parameter.kind == "choice":
        return pick_column(words, list(parameter.choices), key, parameter.help, USUAL)
    if parameter.kind == "file":
        held = keep_upload(words, TABLES, key, parameter.help)
        return None if held is None else Source.open(held[1], held[0])
    text = st.text_input(words, key=key, help=parameter.help, persist_state="session").strip()
    if not text:
        return None
    try:
        return text if parameter.parse is None else parameter.parse(text)
    except ValueError as error:
        raise kanon.InvalidInput(f"{words}: {error}") from error


def _words(parameter: Parameter) -> str:
    return parameter.name.replace("_", " ").capitalize()


def _members(instance: Any, positions: np.ndarray) -> str:
    """The heaviest items of a group."""
    largest = positions[np.argsort(-instance.weights[positions], kind="stable")][:MOST_NAMED]
    words = ", ".join(instance.label(int(position)) for position in largest)
    return words + (" …" if len(positions) > MOST_NAMED else "")


def _how(instance: Any, found: Answer) -> None:
    """The algorithm in words."""
    algorithm = found.choice.algorithm
    st.markdown(algorithm.how or algorithm.summary)
    st.markdown(f"- **Guarantee**: {algorithm.guarantee}\n- **Time**: {algorithm.complexity}")
    st.markdown(f"- **Source**: {algorithm.source}")
