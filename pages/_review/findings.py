"""The findings on a release: rules, risk, attacks, utility."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES, Attacked
from kanon_engine.model.known import get_family
from kanon_engine.model.measure import Measure
from kanon_engine.project import Project
from kanon_engine.project.context import REFUSE, Context, Decision
from kanon_engine.project.recipe import Leaving, Looking, reviewed, with_earlier
from kanon_engine.release.reread import ReleasedFile
from kanon_engine.report.assemble import review, with_context, with_rulings
from kanon_engine.report.bundle import bundle, reports
from kanon_engine.report.contents import OTHER
from kanon_engine.report.findings import same_words
from kanon_engine.report.review import Review
from kanon_engine.report.signing import public_bytes, signing_key
from kanon_engine.risk.measures import raw
from kanon_engine.risk.plot import attacks_figure, risk_figure
from kanon_engine.risk.rules import Facts
from kanon_engine.risk.rules.rule import APART, FAILS, HOLDS, NEXT_STEP, OPEN, VERDICTS
from kanon_engine.verification.signature import fingerprint
from pages._review.facts import context_now, kind_is_stated, may_sign
from pages._review.questions import Asked
from pages._shared.entry import stop_page
from pages._shared.picture import Rest, picture
from pages._shared.plain import page_of
from pages._shared.publish import remembering
from pages._shared.records import Reviewable
from pages._shared.tasks import Task, offer_again, once, run_on_request, tasks, wait_for, want
from pages._shared.wording import escaped, on_page

BADGES = {
    HOLDS: ":blue-badge[:material/check: holds]",
    FAILS: ":orange-badge[:material/close: does not hold]",
    OPEN: ":gray-badge[:material/help: not assessed]",
    APART: ":gray-badge[:material/remove: does not apply]",
    SURVIVES: ":blue-badge[:material/check: survives]",
    BROKEN: ":orange-badge[:material/close: does not survive]",
    NOT_RUN: ":gray-badge[:material/help: not run]",
}
KIND = "Say on the tab “Rules” what kind of data these are; rules for other kinds then do not apply."
NEVER = "kanon says which stated rules hold and which attacks the release survives. You decide whether to release it."
RISK_BELOW, RISK_LEAST = 40, 260  # pixels


def show_summary(result: Review) -> None:
    rules = Counter(ruling.verdict for ruling in result.rulings)
    attacks = Counter(attack.verdict for attack in result.attacks)
    several = {HOLDS: "hold", FAILS: "do not hold", OPEN: "not assessed", APART: "do not apply"}
    rule_counts = _told(rules, {name: name if rules[name] == 1 else words for name, words in several.items()})
    attack_counts = _told(attacks, {SURVIVES: "survived", BROKEN: "not survived", NOT_RUN: "not run"})
    st.markdown(
        f"#### {len(result.rulings)} stated rules: {rule_counts}. {len(result.attacks)} attacks: {attack_counts}."
    )
    same = same_words(result.rulings)
    words = f"{same[0].upper()}{same[1:]}. {NEVER}" if same else NEVER
    st.caption(words if kind_is_stated() else f"{words} {KIND}")


def _told(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    return ", ".join(f"{counts[verdict]} {label}" for verdict, label in words.items() if counts.get(verdict))


def show_rules(result: Review) -> None:
    """One paragraph per rule, worst first: verdict, reason, next step, and the rule in its own terms."""
    for ruling in sorted(result.rulings, key=lambda ruling: VERDICTS.index(ruling.verdict)):
        step = f"  \n**{NEXT_STEP}** {escaped(ruling.step)}" if ruling.step else ""
        st.markdown(f"{BADGES[ruling.verdict]} **{escaped(ruling.title)}.** {escaped(ruling.told)}{step}")
        beyond = f" {escaped(ruling.beyond)}" if ruling.beyond else ""
        st.caption(f"{escaped(ruling.text)}{beyond} Source: {escaped(ruling.origin)}.")


def show_risk(result: Review, before: np.ndarray, after: np.ndarray) -> None:
    """How many records have which risk, and every figure before and after."""
    figures = [one for one in result.after if one.value is not None]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.table(measures_table(result.before, figures)[["Figure", "Before", "After"]].set_index("Figure"))
        open_ones = [one for one in result.after if one.value is None]
        if open_ones:
            st.caption(f"Unknown or not computed: {escaped('; '.join(one.title for one in open_ones))}.")
    with right:
        drawn = risk_figure(before, after, result.released.unit)
        picture(drawn, key="review_risk", height=Rest(RISK_BELOW, RISK_LEAST), filename="kanon-risk-internal")
    with st.expander("Meaning and source of each figure"):
        st.dataframe(measures_table(result.before, result.after), hide_index=True, key="review_measures",
                     alt="Every risk figure before and after the release, with its meaning and source")  # fmt: skip


def measures_table(before: Sequence[Measure], after: Sequence[Measure]) -> pd.DataFrame:
    """One row per figure: name, value for the data, value for the release, meaning, source."""
    earlier = {one.key: one for one in before}
    rows = [
        (one.title, earlier[one.key].words if one.key in earlier else "", one.words, one.meaning, one.source)
        for one in after
    ]
    return pd.DataFrame(rows, columns=["Figure", "Before", "After", "Meaning", "Source"])


def show_attacks(view: Found) -> None:
    """The picture of all attacks, then each attack: what the attacker has, what was found, who is exposed."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        drawn = attacks_figure(view.review.attacks)
        picture(drawn, key="review_attacks", height=Rest(RISK_BELOW, RISK_LEAST), filename="kanon-attacks-internal")
    with right:
        for attack in view.review.attacks:
            _show_attack(attack, view.seconds[attack.attack])


def _titled(attack: Attacked, seconds: float) -> str:
    """Its verdict, its name, and how long it ran, if it did."""
    took = "" if attack.verdict == NOT_RUN else f" ({seconds:,.1f} s)" if seconds >= 0.05 else " (less than 0.1 s)"
    return f"{BADGES[attack.verdict]} **{escaped(attack.title)}**{took}"


def _show_attack(attack: Attacked, seconds: float) -> None:
    st.markdown(f"{_titled(attack, seconds)}. {escaped(attack.sentence)}")
    more = "; ".join(f"{name}: {value}" for name, value in attack.figures.items())
    figures = f"{more[0].upper()}{more[1:]}. " if more else ""
    st.caption(f"{escaped(attack.knowledge)} {escaped(figures)}Source: {escaped(attack.source)}.")
    if len(attack.evidence):
        with st.expander(f"Exposed ({len(attack.evidence):,} rows, internal)"):
            st.dataframe(attack.evidence, hide_index=True, key=f"review_evidence_{attack.attack}", height=220)


def show_utility(result: Review) -> None:
    rows = [(one.title, one.words, one.meaning, one.source) for one in result.utility]
    table = pd.DataFrame(rows, columns=["Figure", "Value", "Meaning", "Source"])
    st.table(table.set_index("Figure")[["Value", "Meaning"]])
    with st.expander("Source of each figure"):
        st.dataframe(table[["Figure", "Source"]], hide_index=True, key="review_utility", alt="Sources of the figures")


def show_leaving(result: Review) -> None:
    """The picture and first rows of the release, its files, and what happens to each column."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if result.picture is not None:
            st.image(result.picture.decode(), width="stretch")
        st.dataframe(
            result.released.frame.head(200), hide_index=True, key="review_released", alt="What is released", height=220
        )
    with right:
        roles = pd.DataFrame([(one.column, one.role, one.released) for one in result.roles],
                             columns=["Column", "Role", "What is released"])  # fmt: skip
        st.dataframe(roles, hide_index=True, key="review_roles", alt="Role of each column")
        files = [ReleasedFile(name, content) for name, content in result.files.items()]
        rows = [(one.name, "" if one.table is None else f"{len(one.table):,}", one.digest) for one in files]
        st.dataframe(pd.DataFrame(rows, columns=["Released file", "Rows", "SHA-256"]), hide_index=True,
                     key="review_files", alt="Released files")  # fmt: skip
        for name in result.other_bytes:
            st.warning(f"{escaped(name)}: {OTHER}", icon=":material/difference:")


# ---------------------------------------------------------------------------------------------------------------------
# The review of the chosen release, computed in the background.
# ---------------------------------------------------------------------------------------------------------------------


SLOT = "review"


@dataclass(frozen=True, eq=False)
class Found:
    """What the page shows."""

    key: str  # distinguishes it from findings on other releases, with other knowledge or other answers
    review: Review  # without rules and with an empty context until it is `judged`
    # before, after: (m,) int: class sizes of the data as read, and of the release
    before: np.ndarray
    after: np.ndarray
    seconds: Mapping[str, float]  # how long each attack took. Only the page shows it
    project: Project | None  # the file from which `kanon run` makes the same release; None if no page saved one


def find_review(chosen: Reviewable, settings: Asked) -> Found:
    """All findings on it; if nothing may be released, the page says why, where to fix it, and stops."""
    key = "review", chosen.g.digest, settings.key
    task = tasks().begin(SLOT, key, _looking(chosen, settings))
    try:
        wait_for(task, "Reviewing the release …", stop="review_stop", give_up=True)
        result, before, leaving, seconds = task.result()
    except kanon.SearchEnded as error:
        offer_again(on_page(error), "Review again", "review_again", key)
        if task.finished:
            st.caption("  \n".join(task.finished))
        stop_page()
    except kanon.KanonError as error:
        _tell(chosen, error)
    project = None if settings.together else chosen.project  # no project file requests that
    if project is not None:
        looking = Looking(limits=settings.knowledge.limits.texts, beside=settings.beside)
        project = replace(project, leaving=leaving.sealed(result.files), looking=looking)
        if leaving.package:
            names = tuple((one.name, tuple(one.records)) for one in leaving.given)
            project = replace(project, by_hand=replace(project.by_hand, names=names))
    return Found(repr(key), result, before, result.released.sizes, seconds, project)


def judged(
    view: Found, rules: Sequence[str], facts: Facts, context: Context, decision: Decision | None = None
) -> Found:
    """The same, compared with these rules and the officer's current statements; if that fails, the page says why."""
    decided = None if decision is None else asdict(decision)
    key = repr((view.key, list(rules), asdict(facts), asdict(context), decided))  # whole: a record's own repr is cut
    try:
        review = once(lambda: with_context(with_rulings(view.review, rules, facts), context, decision), of=key, most=8)
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        stop_page()
    project = view.project and replace(
        view.project,
        context=context,
        facts=facts,
        looking=replace(view.project.looking, rules=tuple(rules)),
        decision=decision,
    )
    return replace(view, key=key, review=review, project=project)


def _tell(chosen: Reviewable, error: kanon.KanonError) -> None:
    st.error(on_page(error), icon=":material/error:")
    page = get_family(chosen.g.family)
    st.page_link(page_of(page), label=f"Go to “{page.page.title}”", icon=":material/arrow_back:")
    stop_page()


def _looking(
    chosen: Reviewable, settings: Asked
) -> Callable[[Task], tuple[Review, np.ndarray, Leaving, dict[str, float]]]:
    def work(task: Task) -> tuple[Review, np.ndarray, Leaving, dict[str, float]]:
        seconds: dict[str, float] = {}

        def heard(part: str) -> None:
            task.require_wanted()
            task.part = part

        def attack_ended(attack: Attacked, took: float) -> None:
            seconds[attack.attack] = took
            task.finished.append(_titled(attack, took))

        instance, g, applied, leaving = chosen.data.instance, chosen.g, settings.own, settings.leaving
        before = raw(instance) if applied is None else applied.before
        if applied is not None and settings.together:
            heard("Generalizing all columns together")
            instance, g, released = applied.together(algorithm=get_family("tables").quick)
            applied, leaving = None, Leaving(leaving.formats, released.kept, released.sensitive)
        files: dict[str, bytes] | None = None
        other_bytes: tuple[str, ...] = ()
        knowledge = settings.knowledge
        if settings.package is not None:
            heard("Comparing the package with the result")
            leaving, files, other_bytes = reviewed(instance, g, settings.package[1], settings.package[0])
        for name, content in settings.earlier:
            knowledge = with_earlier(knowledge, instance, g, content, name)
        result = review(
            instance,
            g,
            rules=(),
            knowledge=knowledge,
            files=files,
            other_bytes=other_bytes,
            population=settings.population,
            own=applied,
            records=None if settings.own is None else before,
            leaving=leaving,
            inputs=chosen.inputs() | dict(settings.files),
            progress=heard,
            attack_ended=attack_ended,
        )
        return result, before.sizes, leaving, seconds

    return work


# ---------------------------------------------------------------------------------------------------------------------
# The checklist, and the button that signs: report and bundle are made on request.
# ---------------------------------------------------------------------------------------------------------------------


BUNDLE = "review_bundle"
DATA = "Include in the bundle the data that kanon read"
DATA_HELP = (
    "If the bundle includes the data, an auditor only has to run “python check” in the unpacked bundle to re-check "
    "every claim, but the bundle is as confidential as the data. If it does not, the auditor also needs the files that "
    "you loaded. Either way, keep the bundle internal: its certificate and recipe can hold values of your file."
)
GIVE_IT = (
    "Give the fingerprint to whoever will check the bundle, by telephone or in person, so that they can be sure who "
    "signed it."
)


def show_checklist(result: Review) -> None:
    """By heading: the questions an officer must be able to answer, and whether each is answered."""
    open_lines = sum(not line.done for line in result.checklist)
    st.markdown(
        f"**{len(result.checklist) - open_lines} of {len(result.checklist)} questions are answered.** "
        + ("" if not open_lines else "The report lists the unanswered questions as open.")
    )
    columns = st.columns(2, gap="medium")
    for place, (heading, lines) in enumerate(groupby(result.checklist, key=lambda line: line.heading)):
        with columns[place % 2]:
            st.markdown(f"##### {heading}")
            for line in lines:
                mark = ":material/check_box:" if line.done else ":material/check_box_outline_blank:"
                st.markdown(f"{mark} {escaped(line.question)}  \n{escaped(line.answer)}")


def show_signing(view: Found) -> None:
    """One button; then the report and the bundle, each with its contents."""
    missing = context_now().missing
    if missing:
        st.info(
            f"Open questions under “Context”: {len(missing)}. You can still sign; the report lists them as open.",
            icon=":material/edit_note:",
        )
    data = st.checkbox(DATA, key="review_data", help=DATA_HELP, persist_state="session")
    key = "bundle", view.key, data
    st.button(
        "Sign and create the report", type="primary", key="review_sign", on_click=want, args=(BUNDLE, key),
        disabled=not may_sign(view.review),
        help="A signing key is created on this machine the first time and never leaves it.",
    )  # fmt: skip
    review, recipe = view.review, None if view.project is None else view.project.to_toml()

    def sign(task: Task) -> tuple[bytes, bytes, bytes, str]:
        private_key, printed = signing_key(), reports(review)
        zipped = bundle(review, key=private_key, data=data, recipe=recipe, printed=printed)
        return *printed, zipped, fingerprint(public_bytes(private_key))

    output = run_on_request(BUNDLE, key, sign, "Writing the report and signing …")
    if output is None:
        return
    page, pdf, zipped, key_fingerprint = output
    if st.session_state.get("review_told") != key:  # the downloads can be below the edge of the window
        st.session_state["review_told"] = key
        st.toast("Signed. The report and the bundle are below.", icon=":material/verified:")
    st.success(f"Signed. Fingerprint of your key: {key_fingerprint}", icon=":material/verified:")
    st.caption(GIVE_IT)
    stem = f"kanon-{review.g.family}-k{review.g.k}"
    if review.decision is None or review.decision.kind != REFUSE:
        remember = remembering(review.instance, review.g)
        for name, content in review.files.items():
            words = "For the recipient: a file of the release."
            _offer(escaped(name), partial(_released, content, remember), name, "application/octet-stream", words)
    _offer("Report (PDF)", pdf, f"{stem}-report.pdf", "application/pdf",
           "The whole review for printing. Internal unless you decide otherwise, because it counts exposed "
           "people.")  # fmt: skip
    _offer("Report (HTML)", page, f"{stem}-report.html", "text/html",
           "The same review as one file that opens in any browser, works offline and can be printed.")  # fmt: skip
    _offer("Signed bundle (zip)", zipped, f"{stem}-bundle.zip", "application/zip",
           "Internal: report, release, certificate, crosswalk, signature and verifier. Only the contents of its folder "
           "“release” may be released. “kanon verify bundle.zip” checks the bundle on another machine.")  # fmt: skip


def _released(content: bytes, remember: Callable[[], None]) -> bytes:
    remember()
    return content


def _offer(label: str, content: bytes | Callable[[], bytes], name: str, mime: str, words: str) -> None:
    left, right = st.columns([1, 3], vertical_alignment="center")
    left.download_button(label, content, name, mime, key=f"review_{name}", on_click="ignore", width="stretch")
    right.markdown(words)
