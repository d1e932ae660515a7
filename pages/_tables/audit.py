"""What a release tells, before it leaves: findings, worst first, each with a click that mends it."""

from __future__ import annotations

import time

import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.audit import SensitiveFigures
from kanon_engine.tables.instance import too_many
from pages._shared.records import File
from pages._shared.wording import escaped
from pages._tables.demands import ask
from pages._tables.editor import mend_columns

FIRST = 5  # findings that are shown at once
KEPT = 20
SLOW = 1.0  # seconds after which progress is shown
ICONS = {"serious": ":red[:material/error:]", "notable": ":orange[:material/warning:]", "minor": ":material/info:"}


def show_audit(file: File, table: kanon.Table, g: kanon.Generalization) -> None:
    """The worst findings, the others below a click, and what groups tell of sensitive columns."""
    if why := too_many(table):
        st.info(escaped(why), icon=":material/info:")
        return
    found = audit_of(table, g)
    st.markdown(f"##### What this release tells\n{escaped(found.sentence)}")
    for place, finding in enumerate(found.findings[:FIRST]):
        _show(file, finding, place)
    rest = found.findings[FIRST:]
    if rest:
        with st.expander(f"{len(rest):,} more, {rest[0].severity if len(rest) == 1 else 'none worse'}"):
            for place, finding in enumerate(rest, start=FIRST):
                _show(file, finding, place)
    if found.sensitive:
        st.caption(" ".join(map(_figures, found.sensitive)))


def audit_of(table: kanon.Table, g: kanon.Generalization) -> kanon.Audit:
    """Made once a visit; where it takes longer, the page says how far it is."""
    kept: dict[tuple[str, str], kanon.Audit] = st.session_state.setdefault("_tables_audits", {})
    key = table.digest, g.digest
    if key not in kept:
        begun, place = time.monotonic(), st.empty()

        def heard(share: float) -> None:
            if time.monotonic() - begun > SLOW:
                place.progress(share, "Looking at what this release tells …")

        kept[key] = kanon.audit(table, g, progress=heard)
        place.empty()
        for other in list(kept)[:-KEPT]:
            kept.pop(other)
    return kept[key]


def _show(file: File, finding: kanon.Finding, place: int) -> None:
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(f"{ICONS[finding.severity]} **{finding.severity.capitalize()}.** {escaped(finding.what)} "
                  f":gray[{escaped(finding.reason)}]")  # fmt: skip
    steps = right.container(horizontal=True, gap="small")
    asked = dict(st.session_state.get("tables_demands", ()))
    # one thing is asked of a column, and what a person asks is not taken away
    able = [mend for mend in finding.remedy if mend.requirement is None or mend.column not in asked]
    for number, mend in enumerate(able):
        words = mend.words[0].upper() + mend.words[1:]
        steps.button(
            escaped(words),
            key=f"tables_mend_{place}_{number}",
            on_click=_mend,
            args=(file, mend),
            type="secondary" if number == 0 else "tertiary",
        )


def _mend(file: File, mend: kanon.Mend) -> None:
    if mend.requirement is not None:
        ask(file.family, mend.requirement)
    else:
        mend_columns(file, mend)


def _figures(own: SensitiveFigures) -> str:
    """l and t of a column, in words."""
    values = f"{own.l:,} different value{'s' * (own.l != 1)}"
    return (
        f"“{escaped(own.column)}”: each group has at least {values}, in entropy as many as {own.entropy_l:,.1f}. Its "
        f"shares are at most {own.t:.2f} away from those of the whole table (t)."
    )
