"""How much a group may reveal about a sensitive value, and which values are similar: what the officer sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import streamlit as st

import kanon_engine as kanon
from kanon_engine.apply import OwnRelease
from kanon_engine.model.family import TABLES
from kanon_engine.risk.attacks.knowledge import Limits
from kanon_engine.tables.read_columns import read_hierarchy
from kanon_engine.tables.release import kept_columns, sensitive_columns
from kanon_engine.tables.tree import Tree
from pages._shared.entry import stop_page
from pages._shared.reviewable import Reviewable
from pages._shared.upload import choose_upload
from pages._shared.wording import escaped, on_page

LIMIT, TREE = "review_limit_{}", "review_tree_{}"
WORDS = {
    "t": ("Largest t of a group", "Distance between the values of a group and those of all records (t-closeness)."),
    "rise": ("Belief in a value rises by less than", "The rise from its share of all records to its share of a group."),
    "reach": ("Belief after a large rise stays below", "The next field sets how large a rise is."),
    "times": ("A large rise is at least this many times", "Belief within the group, divided by belief before."),
    "apart": ("Numbers of a group span more than", "As a share of the range of their column."),
    "absent": (
        "Frequent values occur in every group, from",
        "The share of all records from which a value is frequent.",
    ),
    "belief": ("Largest belief after several releases", "For values that no single release makes that likely."),
}
TREE_HELP = "An ARX hierarchy: a group is exposed where all its values are in one branch. It stays on this machine."


def sensitive_of(chosen: Reviewable, own: OwnRelease | None) -> tuple[str, ...]:
    """The sensitive columns that leave."""
    table = chosen.data.instance
    if own is not None or not isinstance(table, kanon.Table):
        return () if own is None else own.released.sensitive
    kept = kept_columns(table)
    return (*sensitive_columns(table, kept), *(name for name in kept if name == table.class_label))


def choose_limits(sensitive: Sequence[str]) -> Limits:
    """The limits, as without settings to begin with; nothing is asked where no column is sensitive."""
    if not sensitive:
        st.caption("No sensitive column is released, so no group reveals one.")
        return Limits()
    st.caption("A group that passes one of these limits reveals too much. The verdict names the limits.")
    usual = Limits()
    said = {}
    for one in fields(Limits):
        words, help = WORDS[one.name]
        least, most, step = (1.0, 1_000.0, 1.0) if one.name == "times" else (0.0, 1.0, 0.01)
        said[one.name] = st.number_input(
            words, least, most, getattr(usual, one.name), step, help=help, key=LIMIT.format(one.name),
            persist_state="session",
        )  # fmt: skip
    return Limits(**said)


def choose_trees(sensitive: Sequence[str]) -> tuple[dict[str, Tree], dict[str, bytes]]:
    """The tree of each sensitive column that a person gave one for, and name and content of their files."""
    trees, files = {}, {}
    for name in sensitive:
        upload = choose_upload(f"Which values of {escaped(name)} are similar", TABLES, TREE.format(name), TREE_HELP)
        if upload is None:
            continue
        try:
            trees[name] = read_hierarchy(upload[1], upload[0], column=name)
        except kanon.KanonError as error:
            st.error(f"{escaped(upload[0])}: {on_page(error)}", icon=":material/error:")
            stop_page()
        files[upload[0]] = upload[1]
    return trees, files


def digests_of(files: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    """What tells these files from others."""
    return tuple((name, kanon.content_digest(data=content)) for name, content in files.items())
