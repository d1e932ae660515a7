"""Facts that stated rules need and no program can find: a user's statements, which the report shows as such."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.disclosure.figures import MEANINGS
from kanon_engine.model.setting import Setting
from kanon_engine.project import Project
from kanon_engine.project.context import CONDITIONS, KINDS, Context, Decision, agreed, questions
from kanon_engine.report.review import Review
from kanon_engine.risk.rules import RULES, Facts
from kanon_engine.risk.rules.facts import ALL, AREAS, DATA, MEASURES, OTHERS, exact
from pages._shared.records import ANSWERS
from pages._shared.widgets import pick_from
from pages._shared.wording import escaped, on_page

KEY = "review_{}_{}"  # of a field: “fact”, “context” or “decision”, and its name
LONGEST = 2_000
Made = TypeVar("Made")
PARTS = {None: "not stated", True: "yes", False: "no"}
COLUMN = "column_{}"
MEANING_HELP = (
    f"What a number reveals about small counts depends on its meaning. Enter one of: {MEANINGS}. X is the name of a "
    "count, such as people. In “mean of 0/1”, 0 means no and 1 means yes."
)
SHARES = {
    "expert_risk": "Risk that this expert considers very small",
    "inference": "Largest allowed share of one sensitive value in a group",
}
FLAGS = {  # short, and in full
    "counts_are_people": (
        "All residents are counted",
        "The release counts all residents of each area according to the current census, not records or patients.",
    ),
    "absent": (
        "HIPAA’s 18 identifiers: checked, none found",
        "Someone looked for each of the eighteen identifiers in 45 CFR 164.514(b)(2)(i); the release has none.",
    ),
    "no_actual_knowledge": (
        "We know of no way to identify a person",
        "Nobody here knows a way to identify a person from the released data, alone or with other information.",
    ),
    "sensitive_unknown": (
        "Outsiders do not know sensitive values",
        "Nobody outside can know a person's sensitive values.",
    ),
    "membership_unknown": (
        "Nobody knows who is in the data",
        "Nobody can find out whether a person is in the data at all.",
    ),
    "accepted": (
        "The decision maker accepts what the attacks expose",
        "The decision maker saw what the attacks expose and accepts it.",
    ),
}


def choose_rules() -> list[str]:
    """The stated rules to check the release against; initially all."""
    selected: list[str] = st.multiselect(
        "Rules to check", list(RULES), default=list(RULES), format_func=lambda key: RULES[key].title,
        key="review_rules", persist_state="session", placeholder="All rules",
    )  # fmt: skip
    return selected or list(RULES)


def facts_now(context: Context, numbers: Sequence[str]) -> Facts:
    """The facts stated so far, on any tab; an invalid one is reported and counts as not stated.

    `numbers` are the number columns whose meaning the user may state.
    """
    answers: dict[str, Any] = {name: _said("fact", name) for name in ("data", "areas", "others", "expert")}
    answers |= {name: bool(_said("fact", name)) for name in (*FLAGS, "expert_documented")}
    answers["absent"] = ALL if answers["absent"] else ()
    parts = _said("fact", "parts")
    answers["parts"] = parts if isinstance(parts, bool) else None  # “no” is an answer
    answers["expert_measure"] = _said("fact", "expert_measure") or "highest"
    for name, words in SHARES.items():
        share = _said("fact", name) or None
        answers[name] = _unless_wrong(share, None, partial(exact, share, words))
    answers["columns"] = {name: meaning for name in numbers if (meaning := _meaning(name))}
    return Facts(
        **answers,
        year=datetime.date.fromisoformat(context.decided).year if context.decided else None,
        sharing=context.controls,
        board=context.officer,
    )


def kind_is_stated() -> bool:
    """Whether the user said what kind of data these are."""
    return bool(_said("fact", "data"))


def choose_facts(review: Review, numbers: Sequence[str]) -> None:
    """The fields; each starts as not stated."""
    st.markdown("**Facts that the rules need**")
    st.caption("The report shows these as your statements. A rule that needs more facts is not assessed.")
    _pick("data", "What kind of data are these? Rules for other kinds of data do not apply.", DATA)
    _pick("areas", "What are the areas of the release?", AREAS)
    _pick("others", "What else is published about these people?", OTHERS)
    if review.released.sums:
        _pick(
            "parts", "Are the second counts part of the first counts, the way patients are part of all people?", PARTS
        )
    for name in numbers:
        _write(
            COLUMN.format(name),
            f"What is “{escaped(name)}”?",
            "for example, “part of people” for a count of patients",
            MEANING_HELP,
        )
    for name, (words, help) in FLAGS.items():
        if name == "sensitive_unknown" and not review.released.sensitive:
            continue
        st.checkbox(words, help=help, key=KEY.format("fact", name), persist_state="session")
    if review.released.sensitive:
        _write("inference", SHARES["inference"], "0.5")
    _write("expert", "Expert who determined that the risk is very small", "Name")
    _write("expert_risk", SHARES["expert_risk"], "0.09")
    _pick("expert_measure", "How the expert measured the risk", MEASURES)
    documented = KEY.format("fact", "expert_documented")
    st.checkbox("The expert documented methods and results", key=documented, persist_state="session")


def restore_answers() -> None:
    """Put the answers of a project that the user opened on the page of its data into the fields, once."""
    project: Project | None = st.session_state.pop(ANSWERS, None)
    if project is None or (project.context, project.facts, project.decision) == (Context(), Facts(), None):
        return
    context, decision = project.context, project.decision
    if decision is not None:
        context, decision = agreed(context, decision)
    facts = {name: str(one or "") if name in SHARES else one for name, one in vars(project.facts).items()}
    facts |= {COLUMN.format(name): text for name, text in project.facts.columns.items()}
    facts["absent"] = project.facts.absent == ALL
    st.session_state.pop(DECIDED_ON, None)
    answers = {"context": asdict(context), "fact": facts, "decision": {} if decision is None else asdict(decision)}
    for part, values in answers.items():
        st.session_state.update({KEY.format(part, name): value for name, value in values.items()})


def offer_answers(project: Project | None) -> None:
    """A button that saves the project with the answers, which a browser that reloads the page loses."""
    if project is None:
        st.caption("If you reload this page, your answers are lost. This release has no project file to save them in.")
        return
    st.caption(
        "If you reload this page, your answers are lost. To keep them, save the project here; to restore them, open it "
        "on the page of your data."
    )
    st.download_button(
        "Save the project with your answers", project.to_toml(), "project.toml", "application/toml",
        key="review_save_project", on_click="ignore",
    )  # fmt: skip


def _pick(name: str, words: str, choices: dict[Any, str]) -> None:
    pick_from(st.selectbox, words, choices, KEY.format("fact", name))


def _write(name: str, words: str, example: str, help: str | None = None) -> None:
    key = KEY.format("fact", name)
    st.text_input(words, key=key, placeholder=example, max_chars=200, help=help, persist_state="session")


def _meaning(name: str) -> str:
    meaning: str = _said("fact", COLUMN.format(name))
    columns = {name: meaning} if meaning else {}
    return _unless_wrong(meaning, "", lambda: Facts(columns=columns), f"“{escaped(name)}”: ")


def _said(part: str, name: str) -> Any:
    value = st.session_state.get(KEY.format(part, name))
    return "" if value is None else value.strip() if isinstance(value, str) else value


def _unless_wrong(value: Made, otherwise: Made, check: Callable[[], object], of: str = "") -> Made:
    """The stated value; if the check refuses it, the page says why and uses another."""
    try:
        check()
    except kanon.KanonError as error:
        st.error(f"{of}{on_page(error)}", icon=":material/error:")
        return otherwise
    return value


# ---------------------------------------------------------------------------------------------------------------------
# What an officer states about a release, in a form: no program can find it out.
# ---------------------------------------------------------------------------------------------------------------------


LEFT = ("title", "holder", "people", "officer", "decided", "review")


def choose_context() -> None:
    """Two columns of fields; each is kept for the visit and is in the report as written."""
    st.caption(
        "Only you know these facts. The report shows each answer as you write it, and “not stated” for empty fields. "
        "Everything else is computed from the data and from what you state under “Rules”."
    )
    left, right = st.columns(2, gap="medium")
    questions_by_name = questions(Context)
    for name in (*LEFT, *(name for name in questions_by_name if name not in LEFT)):
        _field(left if name in LEFT else right, "context", questions_by_name[name])


def context_now() -> Context:
    """The context stated so far, on any tab; an invalid date is reported and counts as not stated."""
    texts = {one.name: str(_said("context", one.name)) for one in fields(Context)}
    checks = {name: Context(**{name: text}).require_dates for name, text in texts.items()}
    return Context(**{name: _unless_wrong(text, "", checks[name]) for name, text in texts.items()})


def _field(place: DeltaGenerator, part: str, one: Setting) -> None:
    more: dict[str, Any] = {"height": 74} if one.kind == "lines" else {}
    draw = place.text_area if one.kind == "lines" else place.text_input
    key = KEY.format(part, one.name)
    draw(one.asked, key=key, placeholder=one.example, max_chars=LONGEST, persist_state="session", **more)


# ---------------------------------------------------------------------------------------------------------------------
# The decision on a release, in a form; who decided, when, for whom and why is under “Context”.
# ---------------------------------------------------------------------------------------------------------------------


KIND = KEY.format("decision", "kind")
DECIDED_ON = "review_decided_on"  # the digest of the result for which the kind of decision was chosen
FIELDS = ("reason", "conditions", "agreement", "until", "incident")


def choose_decision(g: kanon.Generalization) -> None:
    """The kind of decision on a result, and fields that no other tab has; each is kept for the visit."""
    decide = partial(st.session_state.__setitem__, DECIDED_ON, g.digest)
    st.segmented_control("What do you decide?", KINDS, key=KIND, persist_state="session", on_change=decide)
    kind = st.session_state.get(KIND)
    if kind is None:
        st.caption("Without a decision, the first page of the report is a form to fill in and sign by hand.")
        return
    if not is_about(g):
        st.warning(
            "This decision was made on another release or comes from a project file. Read it again before you sign.",
            icon=":material/rule:",
        )
        st.button("Decide the same on this release", key="review_decide_same", on_click=decide)
    names = [name for name in FIELDS if name != "conditions" or kind == CONDITIONS]
    places = st.columns(2, gap="medium")
    for number, name in enumerate(names):
        _field(places[number % 2], "decision", questions(Decision)[name])
    st.caption("The decision maker, date, recipient and purpose are those under “Context”.")


def is_about(g: kanon.Generalization) -> bool:
    """Whether the decision, if there is one, was made on this result."""
    return st.session_state.get(KIND) is None or st.session_state.get(DECIDED_ON) == g.digest


def decision_now(context: Context) -> Decision | None:
    """The decision so far, on any tab; an invalid decision is reported and not used."""
    kind = st.session_state.get(KIND)
    if kind is None:
        return None
    texts = {name: str(_said("decision", name)) for name in FIELDS}
    if kind != CONDITIONS:  # the field is not shown
        texts["conditions"] = ""
    try:
        return agreed(context, Decision(kind, **texts))[1]
    except kanon.KanonError as error:
        if any(texts.values()):
            st.error(on_page(error), icon=":material/error:")
        else:  # nothing is entered yet
            st.info(on_page(error), icon=":material/edit_note:")
        return None


def may_sign(review: Review) -> bool:
    """Whether there is no decision, or a valid one on this result."""
    invalid = review.decision is None and st.session_state.get(KIND) is not None
    return not invalid and is_about(review.g)
