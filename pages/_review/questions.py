"""The release to review: a result that a page showed, or a sample to try."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.apply import OwnRelease
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.model.family import TABLES
from kanon_engine.model.known import FAMILIES, get_family
from kanon_engine.model.tree import Tree
from kanon_engine.model.words import counted
from kanon_engine.project.recipe import Leaving
from kanon_engine.rectangles.kd_tree import suggested_snap
from kanon_engine.release.formats import FORMATS
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.tables.read_columns import read_hierarchy
from kanon_engine.tables.release import kept_columns, sensitive_columns
from pages._shared.data import read_sample, sample_data
from pages._shared.entry import stop_page
from pages._shared.files import Sample, choose_upload, samples
from pages._shared.link import linked
from pages._shared.publish import released_in_visit
from pages._shared.records import ASK, CHOSEN, PUBLIC, WHY, Reviewable, codes_are_public, reviewable
from pages._shared.results import algorithm_title, answer, default_choice, quick_choice, title
from pages._shared.tasks import once
from pages._shared.widgets import pick_from
from pages._shared.wording import escaped, on_page

SAMPLE = "sample "


def choose_release() -> Reviewable:
    """The user's choice; initially the result shown last, otherwise the first sample."""
    results = reviewable()
    tried = {f"{SAMPLE}{name}": one for name in FAMILIES if (one := next(iter(samples(name).values()), None))}
    words = {name: _words(one) for name, one in reversed(results.items())}
    words |= {name: f"{get_family(one.family).page.title}: {one.title}" for name, one in tried.items()}
    if st.session_state.get(CHOSEN) not in words:
        named = f"{SAMPLE}{linked('review', 'sample')}"
        st.session_state[CHOSEN] = named if named in words else next(iter(words))
    help = (
        "The latest result of each page that you used during this visit, or a sample. To change k or the algorithm, go "
        "to the page of the result."
    )
    choice = pick_from(st.selectbox, "Release", words, CHOSEN, help=help)
    return results[choice] if choice in results else _tried(tried[choice])


def link_of_release() -> dict[str, str]:
    """A sample for a link; only this visit has results."""
    chosen: str = st.session_state[CHOSEN]
    return {"sample": chosen.removeprefix(SAMPLE)} if chosen.startswith(SAMPLE) else {}


def _words(one: Reviewable) -> str:
    return f"{get_family(one.g.family).page.title}: {', '.join(one.files) or 'data'}, {title(one.g)}"


def _tried(sample: Sample) -> Reviewable:
    """The quick answer on a sample."""
    instance = read_sample(sample)
    choice = quick_choice(default_choice(sample.family))
    if isinstance(instance, kanon.Points):  # cut on a grid: other rectangles may not be released
        snap = once(suggested_snap, instance, sample.k, of=(instance.digest, sample.k))
        choice = choice.with_options(snap=snap)
    try:
        g = answer(f"review_{sample.family}", instance, sample.k, choice).g
    except kanon.KanonError as error:
        st.error(escaped(str(error)), icon=":material/error:")
        stop_page()
    return Reviewable(sample_data(sample, instance), g, {sample.path.name: sample.path}, None)


def show_release(one: Reviewable) -> None:
    g, data = one.g, one.data
    st.caption(
        f"{escaped(', '.join(one.files) or 'Data of this session')}: {counted(g.classes, 'group')} of at least {g.k:,} "
        f"{escaped(data.instance.unit)}, found by {algorithm_title(g)}. {escaped(data.origin)}"
    )


# ---------------------------------------------------------------------------------------------------------------------
# The settings of a review, in the sidebar: public codes, the user's own records, and what attackers have.
# ---------------------------------------------------------------------------------------------------------------------


NOT_SAID = "not stated"
OUTSIDE, POPULATION = "review_outside", "review_population"  # fields for files


@dataclass(frozen=True, eq=False)
class Asked:
    """The user's settings besides the result itself."""

    own: OwnRelease | None  # the result applied to the user's own records
    together: bool  # whether all columns that others may know are generalized together
    knowledge: Knowledge  # what attackers have
    population: pd.DataFrame | None  # a table of the population
    leaving: Leaving  # what is released and in which format
    package: Upload | None  # a package reviewed as is
    earlier: Sequence[Upload]  # packages that were published before
    files: Mapping[str, bytes]  # name and content of each of these files, for their digests
    key: tuple[Any, ...]  # distinguishes all of it from others

    @property
    def beside(self) -> tuple[str, ...]:
        """What a recipe lacks, in words."""
        others = [f"other releases from this session: {len(self.knowledge.other_results):,}"]
        published = [] if self.package is None else [self.package[0]]
        more = [name for name in self.files if name not in published and not (self.own and name == self.leaving.own)]
        return (*more, *(others if self.knowledge.other_results else []))


def choose_settings(chosen: Reviewable) -> Asked:
    """Everything except the facts for rules, which the tab “Rules” asks for."""
    public = _ask_about_codes(chosen)
    files = st.container()
    with st.expander("Your own records"):
        applied, leaving, records_digest = choose_records(chosen, public)
        together = choose_together(applied)
    package: Upload | None = None
    earlier: list[Upload] = []
    release = get_family(chosen.g.family).release
    if applied is None and release is not None and release.package is not None:
        with st.expander("Packages"):
            package, earlier = choose_packages()
    if package is None:
        with files:
            leaving = replace(leaving, formats=_choose_formats(chosen, applied is not None))
    with st.expander("What attackers have"):
        knowledge, knowledge_key = _choose_knowledge(chosen)
    with st.expander("How much a group may reveal"):
        sensitive = sensitive_of(chosen, applied)
        limits, (trees, tree_files) = choose_limits(sensitive), choose_trees(sensitive)
        knowledge = replace(knowledge, limits=limits, trees=trees)
    with st.expander("The population"):
        population, people = _choose_population()
    packed = [(name, content) for name, content in (*([package] if package else []), *earlier)]
    package_digests = tuple(kanon.content_digest(data=content) for _, content in packed)
    key = (
        repr(leaving),
        records_digest,
        together,
        knowledge_key,
        limits.texts,
        tuple((name, kanon.content_digest(data=content)) for name, content in tree_files.items()),
        people,
        package is None,
        package_digests,
    )
    used = [(KEY, applied), (OUTSIDE, knowledge.outside), (POPULATION, population)]
    read = dict(st.session_state[f"{name}_uploaded"] for name, whole in used if whole is not None)
    read |= tree_files | dict(packed)
    return Asked(applied, together, knowledge, population, leaving, package, earlier, read, key)


def _ask_about_codes(chosen: Reviewable) -> bool | None:
    """Whether anybody can look up where the areas are, if the release needs to know; None if not stated."""
    release = get_family(chosen.g.family).release
    if release is None or "codes_are_public" not in release.asks:
        return None
    public = codes_are_public(chosen.data)
    if public is not None:
        return public
    key = f"review_{chosen.data.key}_codes"
    choice: bool | None = pick_from(st.radio, ASK, PUBLIC, key, index=None, help=WHY)
    return choice


def _choose_formats(chosen: Reviewable, has_records: bool) -> tuple[str, ...]:
    """The file formats of the release; initially CSV, and shapes if it has them."""
    family = get_family(chosen.g.family)
    shaped = not has_records and family.release is not None and bool(family.release.shapes) and _has_shapes(chosen)
    formats = [ending for ending, form in FORMATS.items() if shaped or not form.shapes]
    first = ["csv", "gpkg"] if shaped else ["csv"]
    selected = st.multiselect(
        "Files to release", formats, default=first, format_func=lambda ending: FORMATS[ending].name,
        persist_state="session", key=f"review_formats_{'shapes' if shaped else 'tables'}",
    )  # fmt: skip
    return tuple(selected) or ("csv",)


def _has_shapes(chosen: Reviewable) -> bool:
    return getattr(chosen.data.instance, "geometry", True) is not None


def _choose_population() -> tuple[pd.DataFrame | None, str]:
    """A table of everybody who could be in the data, and what distinguishes it from others."""
    st.caption(
        "A table of everybody who could be in the data: one row per person, or a column “people” with counts. Its "
        "columns must have the same names as those of the release. This gives the journalist risk: 1 divided by the "
        "number of matching people."
    )
    upload = choose_upload("Table of the population", TABLES, POPULATION, "The file stays on this machine.")
    return (None, "") if upload is None else (table_of(upload), kanon.content_digest(data=upload[1]))


def _choose_knowledge(chosen: Reviewable) -> tuple[Knowledge, tuple[Any, ...]]:
    """An outside list with names, and the other releases of these data made in this visit."""
    others = [
        (chosen.data.instance, other)
        for other in released_in_visit(chosen.data.instance)
        if other.digest != chosen.g.digest
    ]
    st.caption(
        "A list of people with names, such as a voter list. Without one, the linking attack makes up a list, as if the "
        "attacker knew the quasi-identifiers of the records."
    )
    upload = choose_upload("List with names", TABLES, OUTSIDE, "The file stays on this machine.")
    if others:
        st.caption(
            f"Other releases of these data made in this session: {len(others):,}. The attacks use these releases too."
        )
    digests = tuple(other.digest for _, other in others)
    if upload is None:
        return Knowledge(other_results=tuple(others)), digests
    frame = table_of(upload)
    name = st.selectbox("Column with the names", [NOT_SAID, *map(str, frame.columns)], key="review_outside_name")
    everybody = st.checkbox(
        "Everybody who could be in the release is on this list", key="review_everybody", persist_state="session"
    )
    knowledge = Knowledge(
        outside=frame,
        name=None if name == NOT_SAID else name,
        everybody=everybody,
        other_results=tuple(others),
    )
    return knowledge, (*digests, kanon.content_digest(data=upload[1]), name, everybody)


# ---------------------------------------------------------------------------------------------------------------------
# How much a group may reveal about a sensitive value, and which values are similar: set by the officer.
# ---------------------------------------------------------------------------------------------------------------------


LIMIT, TREE = "review_limit_{}", "review_tree_{}"
WORDS = {
    "t": (
        "Largest t of a group",
        "Distance between the distribution of values in a group and that in all records (t-closeness).",
    ),
    "rise": (
        "Limit on the rise in an attacker's belief",
        "An attacker's belief in a value rises from the value's share of all records to its share of a group. The "
        "rise must be less than the limit.",
    ),
    "reach": (
        "Limit on an attacker's belief if the release raises it a lot",
        "If an attacker's belief in a value rises by a large factor, the belief must still be below this limit. The "
        "next field says which factor is large.",
    ),
    "times": (
        "Factor by which an attacker's belief must rise to count as a large rise",
        "A rise is large if the value's share of a group is at least this many times its share of all records.",
    ),
    "apart": (
        "Smallest span of a group's numbers",
        "The numbers of a group must span more than this share of the range of their column.",
    ),
    "absent": (
        "Share of records that a value needs to count as frequent",
        "If at least this share of all records have the same value, every group must have that value.",
    ),
    "belief": (
        "Highest belief allowed after several releases",
        "Combining releases must not raise the probability of any value above this limit.",
    ),
}
TREE_HELP = (
    "A hierarchy of the values, as a CSV file in the format of the program ARX. A group is exposed if all its values "
    "are in one branch. The file stays on this machine."
)


def sensitive_of(chosen: Reviewable, applied: OwnRelease | None) -> tuple[str, ...]:
    table = chosen.data.instance
    if applied is not None or not isinstance(table, kanon.Table):
        return () if applied is None else applied.released.sensitive
    columns = kept_columns(table)
    return (*sensitive_columns(table, columns), *(name for name in columns if name == table.class_label))


def choose_limits(sensitive: Sequence[str]) -> Limits:
    """The limits, initially the defaults; no fields if no column is sensitive."""
    if not sensitive:
        st.caption("No sensitive column is released, so no group reveals a sensitive value.")
        return Limits()
    st.caption("A group that violates one of these limits reveals too much. The verdict names the limits.")
    usual = Limits()
    values = {}
    for one in fields(Limits):
        words, help = WORDS[one.name]
        least, most, step = (1.0, 1_000.0, 1.0) if one.name == "times" else (0.0, 1.0, 0.01)
        values[one.name] = st.number_input(
            words, least, most, getattr(usual, one.name), step, help=help, key=LIMIT.format(one.name),
            persist_state="session",
        )  # fmt: skip
    return Limits(**values)


def choose_trees(sensitive: Sequence[str]) -> tuple[dict[str, Tree], dict[str, bytes]]:
    """The tree of each sensitive column for which the user gave one, and name and content of the files."""
    trees, files = {}, {}
    for name in sensitive:
        upload = choose_upload(f"Similar values of {escaped(name)}", TABLES, TREE.format(name), TREE_HELP)
        if upload is None:
            continue
        try:
            trees[name] = read_hierarchy(upload[1], upload[0], column=name)
        except kanon.KanonError as error:
            st.error(f"{escaped(upload[0])}: {on_page(error)}", icon=":material/error:")
            stop_page()
        files[upload[0]] = upload[1]
    return trees, files


# ---------------------------------------------------------------------------------------------------------------------
# The user's own records, to which the groups of a result are applied: the role of each column, and sets below k.
# ---------------------------------------------------------------------------------------------------------------------


KEY = "review_own"
LEAST = 5
TOGETHER = "Generalize all of these columns together"
TOGETHER_HELP = (
    "Records with the same values in these columns then form sets at least as large as you require. The column with "
    "the group shows either a record's group or “any”, which hides the group. The other columns show ranges."
)
HELP = (
    "One row per person, with a location column. Groups replace that column; only columns that you select are "
    "released. The file stays on this machine."
)


def choose_records(chosen: Reviewable, public: bool | None) -> tuple[OwnRelease | None, Leaving, str]:
    """The records as they would be released, what is released, and the digest of their file."""
    groups = Leaving(codes_are_public=public)
    family = get_family(chosen.g.family)
    if family.releases_records or family.release is None or family.release.placed is None:
        st.caption("The release contains the records themselves.")
        return None, groups, ""
    st.caption(HELP)
    upload = choose_upload("Your records", TABLES, KEY, HELP)
    if upload is None:
        return None, groups, ""
    records = table_of(upload).rename(columns=str)
    columns = list(records.columns)
    by = _choose_place(chosen.data.instance, columns)
    rest = [name for name in columns if name not in by]
    quasi = st.multiselect("Columns that others may know", rest, key=f"{KEY}_quasi")
    sensitive = st.multiselect("Sensitive", [name for name in rest if name not in quasi], key=f"{KEY}_sensitive")
    least = int(st.number_input("Minimum records per group", 1, max(1, len(records)), LEAST, key=f"{KEY}_k"))
    leaving = replace(groups, own=upload[0], by=tuple(by), quasi_identifiers=tuple(quasi), sensitive=tuple(sensitive),
                      k=least)  # fmt: skip
    digest = kanon.content_digest(data=upload[1])
    try:
        applied = once(
            leaving.own_release,
            chosen.data.instance,
            chosen.g,
            Source.open(upload[1], upload[0]),
            of=(chosen.g.digest, digest, repr(leaving)),
            most=8,
            words="Applying the groups to your records …",
        )
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        stop_page()
    _tell(applied)
    return applied, leaving, digest


def choose_together(applied: OwnRelease | None) -> bool:
    """Whether all columns that others may know are generalized together; asked if sets of records are below k."""
    if applied is None or not applied.below.records:
        return False
    return st.checkbox(TOGETHER, key=f"{KEY}_together", help=TOGETHER_HELP, persist_state="session")


def _choose_place(instance: Any, columns: list[str]) -> list[str]:
    """The columns with a record's location: one with codes or labels, or one per coordinate."""
    if isinstance(instance, kanon.Points):
        names: tuple[str, ...] = ("x or longitude", "y or latitude")
    elif isinstance(instance, kanon.MetricSpace):
        names = tuple(map(str, instance.names))
    else:
        names = ("the code or label",)
    return [str(st.selectbox(f"Column with {escaped(name)}", columns, key=f"{KEY}_by_{name}")) for name in names]


def _tell(applied: OwnRelease) -> None:
    """What was corrected, what was left out, and how many records are below k over all columns."""
    for note in applied.notes:
        st.caption(escaped(note))
    if applied.unmatched.records:
        st.warning(escaped(applied.unmatched.sentence), icon=":material/person_off:")
    st.caption(escaped(applied.sentence))


# ---------------------------------------------------------------------------------------------------------------------
# Packages of areas in a review: the one to publish, and those published before.
# ---------------------------------------------------------------------------------------------------------------------


PUBLISHED, EARLIER = "review_package", "review_earlier_{}"
PACKAGES_HELP = "The zip file from the tab “Publish”. The file stays on this machine."
MOST = 9  # packages published before
Upload = tuple[str, bytes]


def choose_packages() -> tuple[Upload | None, list[Upload]]:
    """The package reviewed as is, and those published before, each with its name."""
    st.caption("Upload a package to review exactly the files in it. Also upload packages published earlier.")
    published = choose_upload("Package to publish", ("zip",), PUBLISHED, PACKAGES_HELP)
    earlier: list[Upload] = []
    for number in range(MOST):
        one = choose_upload("Package published earlier", ("zip",), EARLIER.format(number), PACKAGES_HELP)
        if one is None:
            break
        earlier.append(one)
    return published, earlier


# ---------------------------------------------------------------------------------------------------------------------
# A table that the user uploads to a review.
# ---------------------------------------------------------------------------------------------------------------------


def table_of(upload: tuple[str, bytes]) -> pd.DataFrame:
    """The table in an uploaded file; if there is none, the page says why and stops."""
    name, content = upload
    of = kanon.content_digest(data=content), name
    try:
        return once(lambda: read_frame(Source.open(content, name))[0], of=of, words="Reading the file …")
    except kanon.KanonError as error:
        st.error(f"{escaped(name)}: {on_page(error)}", icon=":material/error:")
        stop_page()
