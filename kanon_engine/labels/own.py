"""Records of one's own among labels: the group of each by its label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.labels.read import MISSING, label_texts
from kanon_engine.model.generalization import members_of
from kanon_engine.release.placing import BLANK, Placed, by_code, one_column

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine.labels.instance import Labels
    from kanon_engine.model.generalization import Generalization


def placed(labels: Labels, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """Group names in place of labels; which labels are in a group is what anybody may know."""
    column = one_column(by, "label")
    classes, reasons, read_as = by_code(labels.names.tolist(), g.assignment, label_texts(records[column]))
    shared = np.flatnonzero(labels.names == _stand_in(set(labels.names.tolist())))
    if len(shared) and g.assignment[shared[0]] >= 0:
        blank = reasons == BLANK
        classes[blank], reasons[blank] = g.assignment[shared[0]], ""
    names = labels.named_classes(g.assignment) or [f"Group {number + 1}" for number in range(g.classes)]
    members = members_of(g.assignment, g.classes)
    held = {name: tuple(labels.names[own].tolist()) for name, own in zip(names, members, strict=True)}
    return Placed(classes, reasons, (column,), {"group": names}, {"group": held}, read_as)


def _stand_in(names: set[str]) -> str:
    """The label that records without one share where labels are read, in more brackets where a label is called so."""
    name = MISSING
    while f"({name})" in names:
        name = f"({name})"
    return name
