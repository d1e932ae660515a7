"""What is released of a grouping of labels and may be published: sizes and a picture, no label's own count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.read import MISSING, label_texts
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.measure import Measure, short
from kanon_engine.model.words import number_text
from kanon_engine.release import groups_frame
from kanon_engine.release.made import groups_released, id_in, require_no_columns
from kanon_engine.release.placing import BLANK, Placed, by_code, one_column
from kanon_engine.release.publication import Offered, groups_offered, told_alone
from kanon_engine.release.released import Released

if TYPE_CHECKING:
    import pandas as pd
    from plotly import graph_objects as go


def files(labels: Labels, g: Generalization) -> list[Offered]:
    phrase = "but not which ones" if labels.class_names != "largest" else "with its most common label as its name"
    contents = f"Size of every group and how many labels it holds, {phrase}. {told_alone(labels, g, 'label')}"
    return [groups_offered(g, contents, True, lambda: groups_frame(labels, g))]


def released(
    labels: Labels, g: Generalization, keep: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
) -> Released:
    """The groups; which labels a group holds is public."""
    require_no_columns("labels", keep, sensitive)
    names = labels.named_classes(g.assignment)
    members = members_of(g.assignment, g.classes)
    labels_of = {number + 1: tuple(labels.names[group].tolist()) for number, group in enumerate(members)}
    return groups_released(labels, g, {} if names is None else {"name": names}, meanings={"group": labels_of})


def private(labels: Labels, g: Generalization, frame: pd.DataFrame) -> str:
    """A label that appears in a table of groups other than as a group's name; "" if none does."""
    return id_in(frame, labels.names.tolist(), [labels.unit, *(labels.named_classes(g.assignment) or ())])


def picture(labels: Labels, g: Generalization) -> go.Figure:
    """Bars of groups, not stacked from labels."""
    from kanon_engine.labels.plot import bins_figure

    return bins_figure(labels, g, exact=False)


def pictured(labels: Labels, g: Generalization) -> tuple[str, bool]:
    """A description of the picture, and that it may be published."""
    words = "Unlike the picture on the page, the bars do not show single labels."
    return f"{words} {told_alone(labels, g, 'label')}", True


def placed(labels: Labels, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """Group names in place of labels; which labels a group holds is public."""
    column = one_column(by, "label")
    classes, reasons, read_as = by_code(labels.names.tolist(), g.assignment, label_texts(records[column]))
    # records without a label were counted under this label, if there were any
    shared = np.flatnonzero(labels.names == _stand_in(set(labels.names.tolist())))
    if len(shared) and g.assignment[shared[0]] >= 0:
        blank = reasons == BLANK
        classes[blank], reasons[blank] = g.assignment[shared[0]], ""
    names = labels.named_classes(g.assignment) or [f"Group {number + 1}" for number in range(g.classes)]
    members = members_of(g.assignment, g.classes)
    labels_of = {name: tuple(labels.names[group].tolist()) for name, group in zip(names, members, strict=True)}
    return Placed(classes, reasons, (column,), {"group": names}, {"group": labels_of}, read_as)


def _stand_in(names: set[str]) -> str:
    """The label shared by records without one; it gets more brackets if a label already has that name."""
    name = MISSING
    while f"({name})" in names:
        name = f"({name})"
    return name


def utility(labels: Labels, g: Generalization) -> tuple[Measure, ...]:
    """Labels per group, and entropy.

    Only the group remains of a label, so the loss is the entropy of the labels minus that of the groups.
    """
    inside = g.assignment >= 0
    names = np.bincount(g.assignment[inside], minlength=g.classes)
    mean = float(names @ g.class_weights / g.class_weights.sum())
    before, after = entropy(labels.weights[inside]), entropy(g.class_weights)
    # rounding must not make a loss of nothing negative
    lost = max(before - after, 0.0)
    share = f" ({number_text(100 * lost / before, 3)} %)" if before else ""
    return (
        Measure(
            "names-median",
            "Labels per group",
            float(np.median(names)),
            f"{short(float(np.median(names)))} in the median group, {int(names.max()):,} at most",
            "Readers of the release cannot distinguish labels within a group.",
            "The median and the largest number of labels.",
        ),
        Measure(
            "names-of-record",
            "Labels in the group of a record",
            mean,
            f"{short(mean)} on average",
            "On average, how many labels the release leaves possible for a record.",
            f"Labels per group, weighted by {labels.unit}.",
        ),
        Measure(
            "entropy-lost",
            "Entropy lost",
            lost,
            f"{short(lost)} of {short(before)} bits{share}",
            "How much less you learn about a record from its group than from its label.",
            "Entropy of labels minus entropy of groups (Shannon 1948), over the released records.",
        ),
    )


def entropy(counts: np.ndarray) -> float:
    """Entropy of the counts as shares of their sum, in bits.

    >>> entropy(np.array([2, 1, 1])), entropy(np.array([7]))
    (1.5, 0.0)
    """
    shares = counts[counts > 0] / counts.sum()
    return float(abs(shares @ np.log2(shares)))
