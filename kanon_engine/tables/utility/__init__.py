"""What a release of a table is still good for: the same figures from the records and from what is released of them.

A released cell stands for a range of values. Whoever works with the release does not know which of them a record has,
and here takes each for as likely as any other. Records that are left out are not in the release.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.release import require_releasable
from kanon_engine.shown import Shown
from kanon_engine.tables.instance import Table
from kanon_engine.tables.one_by_one import one_by_one
from kanon_engine.tables.utility.classifier import Accuracy, accuracy
from kanon_engine.tables.utility.columns import columns_frame, numbers_frame
from kanon_engine.tables.utility.pairs import pairs_frame
from kanon_engine.tables.utility.queries import Queries, query_errors
from kanon_engine.tables.utility.spread import Spread


@dataclass(frozen=True, eq=False, repr=False)
class Utility(Shown):
    """Before and after, of the quasi-identifiers.

    Attributes
    ----------
    records, released : int
        How many there are, and how many are not left out.
    columns : DataFrame
        One row a column: column, values (of its domain), ranges (that are shown), values_a_cell (for how many values a
        released cell stands, on average), difference (total variation: the least share of records that would have to
        change their value to turn what the release tells of this column into what the table has).
    numbers : DataFrame
        One row a column of numbers and figure: column, figure ("mean", "10 %", … for quantiles), before, after.
    pairs : DataFrame
        One row a pair of columns: first, second, before, after: Cramér's V, from 0 where one column tells nothing of
        the other to 1 where it tells all.
    queries : Queries
    accuracy : Accuracy
    """

    records: int
    released: int
    columns: pd.DataFrame
    numbers: pd.DataFrame
    pairs: pd.DataFrame
    queries: Queries
    accuracy: Accuracy

    def _facts(self) -> dict[str, object]:
        return {
            "records": self.records,
            "released": self.released,
            "largest difference of a column": float(self.columns["difference"].max()),
            "median error of a query": self.queries.median,
            "accuracy": self.accuracy.words,
        }


def utility(table: Table, g: Generalization, *, seed: int = 0) -> Utility:
    """What is lost: marginals, associations, means and quantiles, range queries and a classifier, before and after.

    Parameters
    ----------
    table : Table
    g : Generalization
        Made from this table.
    seed : int
        Of the random queries and of the classifier's parts.

    Returns
    -------
    Utility

    Raises
    ------
    InvalidInput
        No table, or a result that is not of it.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"age": [30, 31, 40, 44], "sex": list("ffmm")})
    >>> table = Table(people, ["age", "sex"])
    >>> found = utility(table, kanon.generalize(table, 2, "k-optimize"))
    >>> found.columns[["column", "ranges", "values_a_cell", "difference"]].values.tolist()
    [['age', 2, 2.0, 0.0], ['sex', 2, 1.0, 0.0]]
    >>> found.pairs.values.tolist()
    [['age', 'sex', 1.0, 1.0]]
    """
    if not isinstance(table, Table):
        raise InvalidInput(f"What a release loses is worked out of tables, not of {type(table).__name__}.")
    if g.instance_digest != table.digest:
        raise InvalidInput("This result was made from another table, or from this one read in another way.")
    require_releasable(g)
    table, g = one_by_one(table, g)
    spread = Spread(table, g)
    return Utility(
        records=len(table),
        released=spread.released,
        columns=columns_frame(spread),
        numbers=numbers_frame(spread),
        pairs=pairs_frame(spread),
        queries=query_errors(spread, seed),
        accuracy=accuracy(spread, seed),
    )
