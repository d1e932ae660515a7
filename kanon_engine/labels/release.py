"""What of a grouping of labels leaves as a file, and may be published: sizes and a picture, no label's own count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_engine.labels.instance import Labels
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.release import groups_frame
from kanon_engine.release.made import groups_released, id_in, require_no_columns
from kanon_engine.release.publication import Offered, groups_offered, told_alone
from kanon_engine.release.released import Released

if TYPE_CHECKING:
    import pandas as pd
    from plotly import graph_objects as go


def files(labels: Labels, g: Generalization) -> list[Offered]:
    """The groups."""
    named = "without the labels" if labels.class_names != "largest" else "with its most common label as its name"
    contents = f"Size and number of labels of every group, {named}. {told_alone(labels, g, 'label')}"
    return [groups_offered(g, contents, True, lambda: groups_frame(labels, g))]


def released(
    labels: Labels, g: Generalization, keep: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
) -> Released:
    """The groups; which labels are in one is what anybody may know."""
    require_no_columns("labels", keep, sensitive)
    names = labels.named_classes(g.assignment)
    members = members_of(g.assignment, g.classes)
    held = {number + 1: tuple(labels.names[own].tolist()) for number, own in enumerate(members)}
    return groups_released(labels, g, {} if names is None else {"name": names}, meanings={"group": held})


def private(labels: Labels, g: Generalization, frame: pd.DataFrame) -> str:
    """A label that stands in a table of groups, but for the name of a group; "" where none does."""
    return id_in(frame, labels.names.tolist(), [labels.unit, *(labels.named_classes(g.assignment) or ())])


def picture(labels: Labels, g: Generalization) -> go.Figure:
    """Bars of groups, not stacked from labels."""
    from kanon_engine.labels.plot import bins_figure

    return bins_figure(labels, g, exact=False)


def pictured(labels: Labels, g: Generalization) -> tuple[str, bool]:
    """What is in the picture, and that it may be published."""
    words = "Unlike on the page, bars are not stacked from single labels."
    return f"{words} {told_alone(labels, g, 'label')}", True
