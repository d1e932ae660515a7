"""The checklist, and the button that signs: report and bundle, made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import streamlit as st

import kanon_engine as kanon
from kanon_engine.report.bundle import bundle, reports
from kanon_engine.report.review import Review
from kanon_engine.report.signing import public_bytes, signing_key
from kanon_engine.verification.signature import fingerprint
from pages._review.facts import context_now, is_refused
from pages._review.findings import Found
from pages._shared.tasks import Task, tasks
from pages._shared.wording import escaped, on_page

SLOT, WANTED = "review_bundle", "review_bundle_wanted"
POLL = 0.3  # seconds after which a page that waits can be drawn anew with what was changed
DATA = "Put the data as they were read into the bundle"
DATA_HELP = (
    "Then an auditor re-checks every claim with “python check” alone, and the bundle is as confidential as the data. "
    "Without it she needs what you read for that."
)


def show_checklist(found: Review) -> None:
    """By headings: what an officer must be able to answer, and whether it is answered."""
    open_lines = sum(not line.done for line in found.checklist)
    st.markdown(
        f"**{len(found.checklist) - open_lines} of {len(found.checklist)} questions are answered.** "
        + ("" if not open_lines else "Open ones stand in the report as open.")
    )
    columns = st.columns(2, gap="medium")
    for place, (heading, lines) in enumerate(groupby(found.checklist, key=lambda line: line.heading)):
        with columns[place % 2]:
            st.markdown(f"##### {heading}")
            for line in lines:
                mark = ":material/check_box:" if line.done else ":material/check_box_outline_blank:"
                st.markdown(f"{mark} {escaped(line.question)}  \n{escaped(line.answer)}")


def show_signing(found: Found) -> None:
    """One button; then the report and the bundle, with what is in each."""
    missing = context_now().missing
    if missing:
        st.info(
            f"{len(missing)} questions under “Context” are open. You can sign all the same: the report says so.",
            icon=":material/edit_note:",
        )
    data = st.checkbox(DATA, key="review_data", help=DATA_HELP, persist_state="session")
    key = "bundle", found.key, data
    st.button(
        "Sign and make the report", type="primary", key="review_sign", on_click=_want, args=(key,),
        disabled=is_refused(found.review.decision),
        help="A key is made on this machine the first time. It never leaves it.",
    )  # fmt: skip
    if st.session_state.get(WANTED) or st.session_state.get("review_bundle_made") == key:
        recipe = None if found.project is None else found.project.to_toml()
        _show_made(found.review, key, data, recipe)


def _want(key: tuple[object, ...]) -> None:
    st.session_state[WANTED] = True
    tasks().try_again(key)


def _show_made(found: Review, key: tuple[object, ...], data: bool, recipe: str | None) -> None:
    task = tasks().begin(SLOT, key, _making(found, data, recipe))
    moment = st.empty()
    with st.spinner("Writing the report and signing …", show_time=True):
        while not task.wait(POLL):
            tasks().keep_alive()
            moment.empty()  # here Streamlit leaves this run when something was changed
    st.session_state["review_bundle_made"], st.session_state[WANTED] = key, False
    try:
        page, pdf, zipped, told = task.result()
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        return
    st.success(f"Signed. Fingerprint of your key: {told}", icon=":material/verified:")
    named = f"kanon-{found.g.family}-k{found.g.k}"
    _offer("Report (PDF)", pdf, f"{named}-report.pdf", "application/pdf",
           "The whole review on paper. Internal until you decide otherwise: it counts who stands out.")  # fmt: skip
    _offer("Report (HTML)", page, f"{named}-report.html", "text/html",
           "The same as one file that opens in a browser without a network, and prints.")  # fmt: skip
    _offer("Signed bundle (zip)", zipped, f"{named}-bundle.zip", "application/zip",
           "Internal: report, release, certificate, crosswalk, signature and verifier. Only what stands in its folder "
           "release may leave. “kanon verify bundle.zip” checks it on another machine.")  # fmt: skip


def _offer(label: str, content: bytes, name: str, mime: str, words: str) -> None:
    left, right = st.columns([1, 3], vertical_alignment="center")
    left.download_button(label, content, name, mime, key=f"review_{name}", on_click="ignore", width="stretch")
    right.markdown(words)


def _making(found: Review, data: bool, recipe: str | None) -> Callable[[Task], tuple[bytes, bytes, bytes, str]]:
    def work(task: Task) -> tuple[bytes, bytes, bytes, str]:
        own, printed = signing_key(), reports(found)
        zipped = bundle(found, key=own, data=data, recipe=recipe, printed=printed)
        return *printed, zipped, fingerprint(public_bytes(own))

    return work
