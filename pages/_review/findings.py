"""What was found of a release: rules, risk, attacks, what it is still good for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from kanon_engine.model.measure import Measure
from kanon_engine.release.reread import ReleasedFile
from kanon_engine.report.contents import OTHER
from kanon_engine.report.findings import same_words
from kanon_engine.report.review import Review
from kanon_engine.risk.attacks.attacked import BROKEN, NOT_RUN, SURVIVES, Attacked
from kanon_engine.risk.plot import attacks_figure, risk_figure
from kanon_engine.risk.rules.rule import APART, FAILS, HOLDS, OPEN, VERDICTS
from pages._shared.picture import Rest, picture
from pages._shared.wording import escaped

BADGES = {
    HOLDS: ":blue-badge[:material/check: holds]",
    FAILS: ":orange-badge[:material/close: does not hold]",
    OPEN: ":gray-badge[:material/help: not assessed]",
    APART: ":gray-badge[:material/remove: does not apply]",
    SURVIVES: ":blue-badge[:material/check: survives]",
    BROKEN: ":orange-badge[:material/close: does not survive]",
    NOT_RUN: ":gray-badge[:material/help: not run]",
}
NEVER = (
    "kanon says for each stated rule whether it holds, and for each attack whether the release survives it. Whether "
    "the release may leave is yours to decide."
)
RISK_BELOW, RISK_LEAST = 40, 260  # pixels


def show_summary(found: Review) -> None:
    """Rules and attacks in one sentence, above the tabs."""
    rules = Counter(ruling.verdict for ruling in found.rulings)
    attacks = Counter(attack.verdict for attack in found.attacks)
    rules_told = _told(rules, {HOLDS: "hold", FAILS: "do not hold", OPEN: "not assessed", APART: "do not apply"})
    attacks_told = _told(attacks, {SURVIVES: "survived", BROKEN: "not survived", NOT_RUN: "not run"})
    st.markdown(
        f"#### Of {len(found.rulings)} stated rules: {rules_told}. Of {len(found.attacks)} attacks: {attacks_told}."
    )
    same = same_words(found.rulings)
    st.caption(f"{same[0].upper()}{same[1:]}. {NEVER}" if same else NEVER)


def _told(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    return ", ".join(f"{counts[verdict]} {told}" for verdict, told in words.items() if counts.get(verdict))


def show_rules(found: Review) -> None:
    """A line a rule, worst first: verdict, why, and the rule in its own terms."""
    for ruling in sorted(found.rulings, key=lambda ruling: VERDICTS.index(ruling.verdict)):
        st.markdown(f"{BADGES[ruling.verdict]} **{escaped(ruling.title)}.** {escaped(ruling.told)}")
        beyond = f" {escaped(ruling.beyond)}" if ruling.beyond else ""
        st.caption(f"{escaped(ruling.text)}{beyond} Source: {escaped(ruling.origin)}.")


def show_risk(found: Review, before: np.ndarray, after: np.ndarray) -> None:
    """How many records carry which risk, and every figure before and after."""
    known = [one for one in found.after if one.value is not None]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.table(measures_table(found.before, known)[["Figure", "Before", "After"]].set_index("Figure"))
        open_ones = [one for one in found.after if one.value is None]
        if open_ones:
            st.caption(f"Not known or not worked out: {escaped('; '.join(one.title for one in open_ones))}.")
    with right:
        drawn = risk_figure(before, after, found.released.unit)
        picture(drawn, key="review_risk", height=Rest(RISK_BELOW, RISK_LEAST), filename="kanon-risk-internal")
    with st.expander("What each figure tells, and where it comes from"):
        st.dataframe(measures_table(found.before, found.after), hide_index=True, key="review_measures",
                     alt="Every figure of risk, before and after, what it tells, and its source")  # fmt: skip


def measures_table(before: Sequence[Measure], after: Sequence[Measure]) -> pd.DataFrame:
    """One row a figure: what it is, of the data as they are, of the release, what it tells, and its source."""
    known = {one.key: one for one in before}
    rows = [
        (one.title, known[one.key].words if one.key in known else "", one.words, one.meaning, one.source)
        for one in after
    ]
    return pd.DataFrame(rows, columns=["Figure", "Before", "After", "What it tells", "Source"])


def show_attacks(found: Review) -> None:
    """The picture of all attacks, then each: what the attacker has, what was found, who is exposed."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        drawn = attacks_figure(found.attacks)
        picture(drawn, key="review_attacks", height=Rest(RISK_BELOW, RISK_LEAST), filename="kanon-attacks-internal")
    with right:
        for attack in found.attacks:
            _show_attack(attack)


def _show_attack(attack: Attacked) -> None:
    st.markdown(f"{BADGES[attack.verdict]} **{escaped(attack.title)}.** {escaped(attack.sentence)}")
    more = "; ".join(f"{name} {value}" for name, value in attack.figures.items())
    st.caption(f"{escaped(attack.knowledge)} {escaped(more)}{'.' if more else ''} Source: {escaped(attack.source)}.")
    if len(attack.evidence):
        with st.expander(f"Who or what is exposed ({len(attack.evidence):,} lines, stays inside)"):
            st.dataframe(attack.evidence, hide_index=True, key=f"review_evidence_{attack.attack}", height=220)


def show_utility(found: Review) -> None:
    """What the release is still good for, figure by figure."""
    rows = [(one.title, one.words, one.meaning, one.source) for one in found.utility]
    table = pd.DataFrame(rows, columns=["Figure", "Value", "What it tells", "Source"])
    st.table(table.set_index("Figure")[["Value", "What it tells"]])
    with st.expander("Where each figure comes from"):
        st.dataframe(table[["Figure", "Source"]], hide_index=True, key="review_utility", alt="Sources of the figures")


def show_leaving(found: Review) -> None:
    """The picture and the first rows of what is released, its files, and what becomes of each column."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if found.picture is not None:
            st.image(found.picture.decode(), width="stretch")
        st.dataframe(
            found.released.frame.head(200), hide_index=True, key="review_released", alt="What is released", height=220
        )
    with right:
        roles = pd.DataFrame([(one.column, one.role, one.released) for one in found.roles],
                             columns=["Column", "Role", "What is released"])  # fmt: skip
        st.dataframe(roles, hide_index=True, key="review_roles", alt="What each column is")
        files = [ReleasedFile(name, content) for name, content in found.files.items()]
        told = [(one.name, "" if one.table is None else f"{len(one.table):,}", one.digest) for one in files]
        st.dataframe(pd.DataFrame(told, columns=["File that is released", "Rows", "SHA-256"]), hide_index=True,
                     key="review_files", alt="The files that are released")  # fmt: skip
        for name in found.other_bytes:
            st.warning(f"{escaped(name)}: {OTHER}", icon=":material/difference:")
