"""The tab "Download": files that are made when they are asked for."""

from __future__ import annotations

import streamlit as st
from plotly import graph_objects as go

from kanon_engine import Generalization
from kanon_engine.png import browser_found, png
from pages._common.room import Download
from pages._common.sentence import NOT_ANONYMOUS

INTERNAL = "Internal: it links single items to groups. Keep it where the records are kept."


def show_downloads(family: str, files: list[Download], g: Generalization, figure: go.Figure) -> None:
    """A button a file, each with what is in it and what is not."""
    certificate = Download(
        "Certificate (JSON)",
        f"The whole result with every claim and its digest, for “kanon verify”. {INTERNAL}",
        f"kanon-{family}-k{g.k}-certificate.json",
        "application/json",
        g.to_json,
    )
    page = Download(
        "Picture (HTML)",
        "The picture as one file that opens in any browser without a network; zoom and hover work. For a PNG of what "
        "you see now, use the camera in the picture's corner.",
        f"kanon-{family}-k{g.k}.html",
        "text/html",
        lambda: figure.to_html(include_plotlyjs=True, config={"displaylogo": False, "showSendToCloud": False}),
    )
    pictures = [page]
    if browser_found():
        words = "The picture as an image, drawn by the Chromium on this machine; it takes some seconds."
        name = f"kanon-{family}-k{g.k}.png"
        pictures.insert(0, Download("Picture (PNG)", words, name, "image/png", lambda: png(figure) or b""))
    everything = [*files, certificate, *pictures]
    if g.status == "relaxed":
        st.error(f"**{NOT_ANONYMOUS}**", icon=":material/block:")
        everything = [certificate]
    for file in everything:
        left, right = st.columns([1, 3], vertical_alignment="center")
        left.download_button(
            file.label,
            file.make,
            file.filename,
            file.mime,
            key=f"{family}_{file.label}",
            on_click="ignore",
            width="stretch",
        )
        right.markdown(file.contents)
