"""What a review is asked, in the sidebar: which codes are public, a person's own records, and what attackers have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.apply import OwnRelease
from kanon_engine.model.family import TABLES
from kanon_engine.model.known import family_named
from kanon_engine.project.recipe import Leaving
from kanon_engine.release.publication import KINDS, SHAPES
from kanon_engine.risk.attacks.knowledge import Knowledge
from pages._review.limits import choose_limits, choose_trees, digests_of, sensitive_of
from pages._review.own import KEY as OWN
from pages._review.own import choose_own, choose_together
from pages._review.packages import Upload, choose_packages
from pages._review.uploads import table_of
from pages._shared.downloads import released_in_visit
from pages._shared.public_codes import ASK, PUBLIC, WHY, codes_are_public
from pages._shared.reviewable import Reviewable
from pages._shared.upload import choose_upload

NOT_SAID = "not said"
OUTSIDE, POPULATION = "review_outside", "review_population"  # fields for files


@dataclass(frozen=True, eq=False)
class Asked:
    """What a person says besides the result itself.

    Attributes
    ----------
    own : OwnRelease or None
        The result applied to records of the person's own.
    together : bool
        Whether all that others may know of them is generalized together.
    knowledge : Knowledge
        What attackers have.
    population : DataFrame or None
        A table of the population.
    leaving : Leaving
        What leaves and in which form.
    package : pair of name and content, or None
        A package that is reviewed as it is.
    earlier : sequence of such pairs
        Packages that were published before.
    files : mapping
        Name and content of each of these files, for their digests.
    key : tuple
        Tells all of it from others.
    """

    own: OwnRelease | None
    together: bool
    knowledge: Knowledge
    population: pd.DataFrame | None
    leaving: Leaving
    package: Upload | None
    earlier: Sequence[Upload]
    files: Mapping[str, bytes]
    key: tuple[Any, ...]

    @property
    def beside(self) -> tuple[str, ...]:
        """What a recipe does not bring, in words."""
        others = [f"other releases of this visit: {len(self.knowledge.other_results):,}"]
        published = [] if self.package is None else [self.package[0]]
        more = [name for name in self.files if name not in published and not (self.own and name == self.leaving.own)]
        return (*more, *(others if self.knowledge.other_results else []))


def choose_asked(chosen: Reviewable) -> Asked:
    """Everything but the answers to rules, which the tab “Rules” asks for."""
    public = _ask_about_codes(chosen)
    files = st.container()
    with st.expander("Records of your own"):
        own, leaving, told = choose_own(chosen, public)
        together = choose_together(own)
    package: Upload | None = None
    earlier: list[Upload] = []
    if own is None:
        with st.expander("Packages"):
            package, earlier = choose_packages(chosen)
    if package is None:
        with files:
            leaving = replace(leaving, formats=_choose_formats(chosen, own is not None))
    with st.expander("What attackers have"):
        knowledge, known = _choose_knowledge(chosen)
    with st.expander("How much a group may reveal"):
        sensitive = sensitive_of(chosen, own)
        limits, (trees, tree_files) = choose_limits(sensitive), choose_trees(sensitive)
        knowledge = replace(knowledge, limits=limits, trees=trees)
    with st.expander("The population"):
        population, people = _choose_population()
    packed = [(name, content) for name, content in (*([package] if package else []), *earlier)]
    seen = tuple(kanon.content_digest(data=content) for _, content in packed)
    key = repr(leaving), told, together, known, limits.texts, digests_of(tree_files), people, package is None, seen
    used = [(OWN, own), (OUTSIDE, knowledge.outside), (POPULATION, population)]
    read = dict(st.session_state[f"{name}_uploaded"] for name, whole in used if whole is not None)
    read |= tree_files | dict(packed)
    return Asked(own, together, knowledge, population, leaving, package, earlier, read, key)


def _ask_about_codes(chosen: Reviewable) -> bool | None:
    """Whether anybody can look up where the codes of areas are, where the release asks that; None where nobody said."""
    release = family_named(chosen.g.family).release
    if release is None or "codes_are_public" not in release.asks:
        return None
    said = codes_are_public(chosen.data)
    if said is not None:
        return said
    picked: bool | None = st.radio(
        ASK, list(PUBLIC), index=None, format_func=PUBLIC.__getitem__, help=WHY, persist_state="session",
        key=f"review_{chosen.data.key}_codes",
    )  # fmt: skip
    return picked


def _choose_formats(chosen: Reviewable, own: bool) -> tuple[str, ...]:
    """As which files the release leaves; CSV to begin with, and where it has shapes those too."""
    family = family_named(chosen.g.family)
    shaped = not own and family.release is not None and bool(family.release.shapes) and _has_shapes(chosen)
    known = [form for form in KINDS if shaped or form not in SHAPES]
    first = ["csv", "gpkg"] if shaped else ["csv"]
    picked = st.multiselect(
        "Files that leave", known, default=first, format_func=lambda form: KINDS[form][0], persist_state="session",
        key=f"review_formats_{'shapes' if shaped else 'tables'}",
    )  # fmt: skip
    return tuple(picked) or ("csv",)


def _has_shapes(chosen: Reviewable) -> bool:
    return getattr(chosen.data.instance, "geometry", True) is not None


def _choose_population() -> tuple[pd.DataFrame | None, str]:
    """A table of everybody who could be in the data, and what tells it from others."""
    st.caption(
        "A table of everybody whom the data could be of, one row a person or with a column “people” that counts. Its "
        "columns are called as those of the release. It gives the journalist risk: one in the people who fit."
    )
    upload = choose_upload("A table of the population", TABLES, POPULATION, "It stays on this machine.")
    return (None, "") if upload is None else (table_of(upload), kanon.content_digest(data=upload[1]))


def _choose_knowledge(chosen: Reviewable) -> tuple[Knowledge, tuple[Any, ...]]:
    """An outside list with names, and the other releases of these data that left in this visit."""
    others = [
        (chosen.data.instance, other)
        for other in released_in_visit(chosen.data.instance)
        if other.digest != chosen.g.digest
    ]
    st.caption(
        "A list of people with names, such as a voter list. Without one the attack makes up a list from the records, "
        "as an attacker would have who knows their quasi-identifiers."
    )
    upload = choose_upload("A list with names", TABLES, OUTSIDE, "It stays on this machine.")
    if others:
        st.caption(f"Other releases of these data that left in this visit: {len(others):,}. The attacks have them too.")
    told = tuple(other.digest for _, other in others)
    if upload is None:
        return Knowledge(other_results=tuple(others)), told
    frame = table_of(upload)
    name = st.selectbox("Column of the names", [NOT_SAID, *map(str, frame.columns)], key="review_outside_name")
    everybody = st.checkbox(
        "Everybody who can be in the release is on this list", key="review_everybody", persist_state="session"
    )
    known = Knowledge(
        outside=frame,
        name=None if name == NOT_SAID else name,
        everybody=everybody,
        other_results=tuple(others),
    )
    return known, (*told, kanon.content_digest(data=upload[1]), name, everybody)
