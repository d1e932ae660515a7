"""The tab "What if" for clusters: the cost against k, or against the share of records that may be left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.plot import shares_figure
from kanon_engine.verification.clusters import cost_of
from pages._shared.picture import Rest, picture
from pages._shared.records import Data, Question
from pages._shared.results import Choice, alike
from pages._shared.sweeps import show_sweep
from pages._shared.what_if import BELOW, LEAST, show_what_if

SHARES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)
AGAINST = {"k": "another k", "share": "leaving some out"}


def show_what_if_clusters(data: Data, question: Question) -> None:
    """Which of both, and its picture."""
    against = st.segmented_control(
        "Against",
        list(AGAINST),
        default="k",
        required=True,
        format_func=AGAINST.__getitem__,
        key="clusters_against",
        label_visibility="collapsed",
        persist_state="session",
    )
    if against == "k":
        show_what_if(data, question, measure=_measure(data, question.choice))
        return
    chosen = leaving_out(question.choice)
    choice = alike(chosen, question.choice)
    runs = [_at(choice, share) for share in SHARES]
    lines = Shares(data, question, choice)
    show_sweep(data, question.k, runs, lines.draw, ks=[question.k], label=label_of_share)


def _measure(data: Data, choice: Choice) -> str:
    """The unit of the cost: that of distances where it is one."""
    measure: str = data.instance.measure
    return measure if cost_of(choice.algorithm.name, dict(choice.options)) == "radius" else ""


def leaving_out(choice: Choice) -> kanon.Algorithm:
    """The algorithm that was chosen where it leaves records out, else the one with the same cost that does."""
    if any(option.name == "epsilon" for option in choice.algorithm.options):
        return choice.algorithm
    cellular = cost_of(choice.algorithm.name, dict(choice.options)) == "cellular"
    name = "r-cellular-outliers" if cellular else "gather-outliers"
    return next(own for own in kanon.algorithms("clusters") if own.name == name)


def _at(choice: Choice, share: float) -> Choice:
    return replace(choice, options=tuple({**dict(choice.options), "epsilon": share}.items()))


def label_of_share(choice: Choice) -> str:
    """What rows call it: the share, as it can be read back."""
    return repr(dict(choice.options)["epsilon"])


@dataclass(frozen=True)
class Shares:
    """What is drawn of the runs.

    Attributes
    ----------
    data : Data
    question : Question
    choice : Choice
        The algorithm that leaves records out.
    """

    data: Data
    question: Question
    choice: Choice

    def draw(self, table: pd.DataFrame, quick: pd.DataFrame, running: bool) -> None:
        """The picture and the numbers."""
        rows = table.assign(share=table["algorithm"].astype(float)).sort_values("share")
        figure = shares_figure(rows, self.choice.algorithm, _measure(self.data, self.choice))
        picture(figure, key="clusters_shares_picture", height=Rest(BELOW, LEAST))
        words, numbers = st.columns([5, 2], vertical_alignment="top")
        words.caption(
            f"{self.choice.algorithm.title} at k = {self.question.k:,}: how much smaller clusters become when the "
            "records that lie farthest out are not published."
        )
        shown = rows[["share", "cost", "lower_bound", "classes", "seconds"]].set_axis(
            ["Share that may be left out", "Cost", "Never below", "Clusters", "Seconds"], axis=1
        )
        with numbers.popover("The numbers as a table"):
            st.dataframe(shown, hide_index=True, key="clusters_shares_table")
