"""The tab "Download": files that are made when they are asked for."""

from __future__ import annotations

from typing import Any

import streamlit as st
from plotly import graph_objects as go

from kanon_engine import Generalization
from kanon_engine.png import browser_found, png
from kanon_engine.release import crosswalk_frame
from pages._common.room import Download, Room
from pages._common.sentence import NOT_ANONYMOUS

INTERNAL = "Internal: it links single items to groups. Keep it where the records are kept."


def show_downloads(room: Room, instance: Any, g: Generalization, figure: go.Figure) -> None:
    """A button a file, each with what is in it and what is not."""
    name = f"kanon-{room.family}-k{g.k}"
    crosswalk = Download(
        "Crosswalk (CSV)",
        f"The group of each of the {room.items}, {room.sorted_by}. {INTERNAL}",
        f"{name}-crosswalk.csv",
        "text/csv",
        lambda: crosswalk_frame(instance, g).to_csv(index=False),
    )
    certificate = Download(
        "Certificate (JSON)",
        f"The whole result with every claim and its digest, for “kanon verify”. {INTERNAL}",
        f"{name}-certificate.json",
        "application/json",
        g.to_json,
    )
    words = "The picture as one file that opens in any browser without a network; zoom and hover work."
    if room.release_picture is None:
        words += " For a PNG of what you see now, use the camera in the picture's corner."
    else:  # the picture on the page shows more than a release may
        figure = room.release_picture(instance, g)
        words += " Unlike on the page, it holds nothing that the release does not show."
    page = Download(
        "Picture (HTML)",
        words,
        f"{name}.html",
        "text/html",
        lambda: figure.to_html(include_plotlyjs=True, config={"displaylogo": False, "showSendToCloud": False}),
    )
    pictures = [page]
    if browser_found():
        words = "The picture as an image, drawn by the Chromium on this machine; it takes some seconds."
        pictures.insert(0, Download("Picture (PNG)", words, f"{name}.png", "image/png", lambda: png(figure) or b""))
    files = [*room.downloads(instance, g), crosswalk, certificate, *pictures]
    if g.status == "relaxed":
        st.error(f"**{NOT_ANONYMOUS}**", icon=":material/block:")
        files = [certificate]
    for file in files:
        left, right = st.columns([1, 3], vertical_alignment="center")
        left.download_button(
            file.label,
            file.make,
            file.filename,
            file.mime,
            key=f"{room.family}_{file.label}",
            on_click="ignore",
            width="stretch",
        )
        right.markdown(file.contents)
