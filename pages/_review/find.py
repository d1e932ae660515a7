"""The review of the chosen release, worked out beside the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.known import family_named
from kanon_engine.project import Project
from kanon_engine.project.context import Context, Decision
from kanon_engine.project.recipe import Leaving, Looking
from kanon_engine.report.assemble import review, reviewed, with_context, with_earlier, with_rulings
from kanon_engine.report.review import Review
from kanon_engine.risk.measures import raw
from kanon_engine.risk.rules import Facts
from pages._review.asked import Asked
from pages._shared.background import Task
from pages._shared.entry import stop_page
from pages._shared.navigation import page_of
from pages._shared.reviewable import Reviewable
from pages._shared.tasks import tasks
from pages._shared.wording import on_page

SLOT = "review"
POLL = 0.3  # seconds after which a page that waits can be drawn anew with what was changed


@dataclass(frozen=True, eq=False)
class Found:
    """What the page shows.

    Attributes
    ----------
    key : str
        Tells it from what was found of other releases, with other knowledge or after other answers.
    review : Review
        Held against no rule, in the empty context, until it is `judged`.
    before, after : (m,) int arrays
        Class sizes of the data as they are, and of the release.
    project : Project or None
        What `kanon run` makes the same release from; None where no page saved one.
    """

    key: str
    review: Review
    before: np.ndarray
    after: np.ndarray
    project: Project | None


def find_review(chosen: Reviewable, asked: Asked) -> Found:
    """Everything that is found of it; where nothing may leave, the page says why, where to mend it, and stops."""
    key = "review", chosen.g.digest, asked.key
    task = tasks().begin(SLOT, key, _looking(chosen, asked))
    moment, part = st.empty(), st.empty()
    with moment.container(), st.spinner("Looking at the release from all sides …", show_time=True):
        while not task.wait(POLL):
            tasks().keep_alive()
            part.caption(f"{task.part} …")  # here Streamlit leaves this run when something was changed
    moment.empty()
    part.empty()
    try:
        made, before, leaving = task.result()
    except kanon.KanonError as error:
        _tell(chosen, error)
    project = None if asked.together else chosen.project  # no project file asks for that
    if project is not None:
        looking = Looking(limits=asked.knowledge.limits.texts, beside=asked.beside)
        project = replace(project, leaving=leaving.sealed(made.files), looking=looking)
        if leaving.package:
            names = tuple((one.name, tuple(one.records)) for one in leaving.given)
            project = replace(project, by_hand=replace(project.by_hand, names=names))
    return Found(repr(key), made, before, made.released.sizes, project)


def judged(
    found: Found, rules: Sequence[str], facts: Facts, context: Context, decision: Decision | None = None
) -> Found:
    """The same, held against these rules, with what an officer says now; where that cannot be, the page says why."""
    decided = None if decision is None else asdict(decision)
    key = repr((found.key, list(rules), asdict(facts), asdict(context), decided))  # whole: a record's own repr is cut
    try:
        review = _judged(key, found.review, rules, facts, context, decision)
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        stop_page()
    project = found.project and replace(
        found.project,
        context=context,
        facts=facts,
        looking=replace(found.project.looking, rules=tuple(rules)),
        decision=decision,
    )
    return replace(found, key=key, review=review, project=project)


@st.cache_resource(scope="session", max_entries=8, show_spinner=False)
def _judged(
    key: str, _review: Review, _rules: Sequence[str], _facts: Facts, _context: Context, _decision: Decision | None
) -> Review:
    return with_context(with_rulings(_review, _rules, _facts), _context, _decision)


def _tell(chosen: Reviewable, error: kanon.KanonError) -> None:
    st.error(on_page(error), icon=":material/error:")
    page = family_named(chosen.g.family)
    st.page_link(page_of(page), label=f"Go to “{page.page.title}”", icon=":material/arrow_back:")
    stop_page()


def _looking(chosen: Reviewable, asked: Asked) -> Callable[[Task], tuple[Review, np.ndarray, Leaving]]:
    def work(task: Task) -> tuple[Review, np.ndarray, Leaving]:
        def heard(part: str) -> None:
            task.part = part

        instance, g, own, leaving = chosen.data.instance, chosen.g, asked.own, asked.leaving
        before = raw(instance) if own is None else own.before
        if own is not None and asked.together:
            heard("Generalizing all columns together")
            instance, g, released = own.together(algorithm=family_named("tables").quick)
            own, leaving = None, Leaving(leaving.formats, released.kept, released.sensitive)
        files: dict[str, bytes] | None = None
        other_bytes: tuple[str, ...] = ()
        knowledge = asked.knowledge
        if asked.package is not None:
            heard("Comparing the package with the result")
            leaving, files, other_bytes = reviewed(instance, g, asked.package[1], asked.package[0])
        for name, content in asked.earlier:
            knowledge = with_earlier(knowledge, instance, g, content, name)
        made = review(
            instance,
            g,
            rules=(),
            knowledge=knowledge,
            files=files,
            other_bytes=other_bytes,
            population=asked.population,
            own=own,
            records=None if asked.own is None else before,
            leaving=leaving,
            inputs=chosen.inputs() | dict(asked.files),
            heard=heard,
        )
        return made, before.sizes, leaving

    return work
