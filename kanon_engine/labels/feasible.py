"""When no partition into classes of at least k can exist, proven by counting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_engine.errors import Infeasible
from kanon_engine.model.wishes import require_no_contradiction, require_room
from kanon_engine.validate import require_total

if TYPE_CHECKING:
    from kanon_engine.labels.instance import Labels


def require_feasible(labels: Labels, k: int) -> None:
    """Raise `Infeasible` where one of these says so; without labels kept apart, the first alone decides.

    - All labels together weigh less than k.
    - Two labels kept apart must also stay together.
    - A label and all that may share its class weigh less than k together.
    - c labels of which no two may share a class need c classes, which weigh at least c k.
    """
    require_total(labels.total, k, labels.unit)
    item_of = {name: int(item) for name, item in zip(labels.names.tolist(), labels.item_of.tolist(), strict=True)}
    require_no_contradiction(labels.apart, item_of)
    items = labels.items
    if not items.conflicts:
        return
    company = [items.total] * len(items)
    for one, other in items.conflicts:
        company[one] -= int(items.counts[other])
        company[other] -= int(items.counts[one])
    lonely = min(range(len(items)), key=company.__getitem__)
    if company[lonely] < k:
        raise Infeasible(
            f"{items.label(lonely)} and all labels that may share its group hold {company[lonely]:,} {labels.unit} "
            f"together, fewer than k = {k:,}; lower k to {company[lonely]:,} or less, or keep fewer labels apart."
        )
    require_room([items.label(place) for place in items.clique], items.total, k, ("labels", labels.unit))
