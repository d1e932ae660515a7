"""Records of one's own among areas: the group of each by the code of its area."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_engine.model.classes import members_of
from kanon_engine.regions.group_names import group_names
from kanon_engine.release.placing import Placed, by_code, one_column

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


def placed(
    regions: Regions, g: Generalization, records: pd.DataFrame, by: Sequence[str], codes_are_public: bool = False
) -> Placed:
    """Group names in place of codes; where codes are public, groups are called after places."""
    column = one_column(by, "area")
    classes, reasons, read_as = by_code(regions.ids.tolist(), g.assignment, records[column])
    names = group_names(regions, g.assignment, codes_are_public=codes_are_public)
    members = members_of(g.assignment, g.classes)
    codes = {name: tuple(sorted(map(str, regions.ids[own]))) for name, own in zip(names, members, strict=True)}
    return Placed(classes, reasons, (column,), {"group": names}, {"group": codes} if codes_are_public else {}, read_as)
