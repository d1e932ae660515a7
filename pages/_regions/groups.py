"""What the page says of groups of areas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.costs import partition_cost
from kanon_engine.model.nearness import percent
from kanon_engine.regions.bounds import partition_cost_bound
from kanon_engine.regions.utility import Perimeter, perimeter, polsby_popper
from pages._shared.groups import heaviest_first, selected_class
from pages._shared.wording import escaped


def area_names(regions: kanon.Regions, areas: np.ndarray) -> str:
    """The heaviest areas of a group."""
    largest = heaviest_first(regions, areas)
    words = list(dict.fromkeys(regions.label(area) for area in largest[:12]))[:6]
    return ", ".join(words) + (" …" if len(areas) > len(words) else "")


def show_members(regions: kanon.Regions, g: kanon.Generalization, members: Sequence[np.ndarray]) -> None:
    """The areas of the group that stands out, the heaviest first."""
    selected = selected_class(g)
    if selected is None:
        return
    areas = heaviest_first(regions, members[selected])
    named = {} if regions.names is None else {"Name": regions.names[areas]}
    unit = regions.unit.capitalize()
    st.dataframe(
        pd.DataFrame({f"Area of group {selected + 1}": regions.ids[areas], **named, unit: regions.weights[areas]}),
        hide_index=True,
        key="regions_members",
        column_config={unit: st.column_config.NumberColumn(format="localized", width="small")},
        alt=f"The areas of group {selected + 1}",
    )


def show_compactness(regions: kanon.Regions, g: kanon.Generalization) -> None:
    """How compact the groups are, and where that was to be small, the sum over all groups beside its lower bound."""
    borders = border_of(regions, g.digest, g)
    words = []
    if borders is not None:
        length = "" if borders.kilometres is None else f"{borders.kilometres:,.0f} km, "
        words.append(f"Borders between groups: {length}{percent(borders.share)} of all borders between areas.")
    round_ = roundness(regions, g.digest, g)
    if round_ is not None and not np.isnan(round_).all():
        least = int(np.nanargmin(round_))
        words.append(f"Least compact is group {least + 1:,}: Polsby–Popper {round_[least]:.2f}, where a circle has 1.")
    if g.options.get("objective") == "sum":
        total, least = partition_cost(g), _least_sum(regions, g.k, regions.digest)
        words.append(
            f"Sum of w (w − k) over groups of w {escaped(regions.unit)}: {total:,}. "
            f"It is at least {least:,} for every grouping."
        )
    if words:
        st.markdown(" ".join(words))


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def _least_sum(_regions: kanon.Regions, k: int, digest: str) -> int:
    return partition_cost_bound(_regions, k)


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def border_of(_regions: kanon.Regions, digest: str, _g: kanon.Generalization) -> Perimeter | None:
    """How long the borders between the groups are; worked out once a visit."""
    return perimeter(_regions, _g.assignment)


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def roundness(_regions: kanon.Regions, digest: str, _g: kanon.Generalization) -> np.ndarray | None:
    """How round each group is; worked out once a visit."""
    return polsby_popper(_regions, _g.assignment)
