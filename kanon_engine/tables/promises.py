"""What is proven about a table's cost before anything is searched, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_engine.model.objective import times_best
from kanon_engine.tables.instance import Table
from kanon_engine.verification.table_costs import most_hidden

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def promise(table: Table, k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None = None) -> str:
    """The ceiling on the cost of this table.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [1, 1, 2, 3], "sex": list("fffm")})
    >>> promise(Table(people, ["age", "sex"]), 2, "cell-suppression", {})
    'at most 4 hidden cells: never above 2 times the best possible'
    """
    if algorithm in ("k-optimize", "exact"):
        return "none, only the lower bound that the search proves"
    if algorithm == "hill-climb" or options.get("relaxed"):
        return "none"
    if algorithm in ("mondrian", "local-cuts"):
        if table.trees:
            return (
                f"every group has at least {k:,} {table.unit}, which is checked; a limit on the size of the largest "
                "group is proven only without hierarchies"
            )
        # Theorem 2 of LeFevre et al.
        most = 2 * len(table.quasi_identifiers) * (k - 1) + int(table.tuples[1].sum(axis=1).max())
        return f"no group of more than {min(most, table.total):,} {table.unit}"
    rare, most = most_hidden(table.tuples[1].sum(axis=1), table.weighted, len(table.quasi_identifiers), k)
    if rare == 0:
        return "no hidden cell, because every record is equal to at least k − 1 others"
    return f"at most {most:,} hidden cells: {times_best(most, max(rare, k))}"
